package recovery

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"time"
)

// longest is the delay that is never exceeded where nothing else is said.
const longest = time.Minute

// Backoff is how long a retry waits. The zero value does not.
type Backoff struct {
	First time.Duration // before the first retry; twice as long before each one after it
	Most  time.Duration // never longer; 0: a minute
	// Always waits after every failure, not only where time alone may mend it.
	Always bool
}

// Delay is how long the nth retry waits, from 1: First, doubled for each retry
// before it, no more than Most. The upper half of that is jitter, so that many
// runs that were stopped by the same thing do not all come back at once. It is
// a pure function of its arguments: the same run, resumed, waits as long.
func (b Backoff) Delay(seed string, n int) time.Duration {
	most := b.Most
	if most <= 0 {
		most = longest
	}
	whole := min(b.First, most)
	for i := 1; i < n && whole > 0 && whole < most; i++ {
		whole = min(2*whole, most)
	}
	half := whole / 2
	h := fnv.New64a()
	fmt.Fprintf(h, "%s\x00%d", seed, n)
	return half + time.Duration(float64(whole-half)*fraction(h.Sum64()))
}

// fraction spreads a number over 0 to 1, 1 excluded.
func fraction(sum uint64) float64 {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], sum)
	h := fnv.New64a()
	h.Write(b[:])
	return float64(h.Sum64()>>11) / (1 << 53)
}

// wait is the delay before the nth retry, from 1.
func (b Backoff) wait(c Class, run, step string, n int) time.Duration {
	if b.First <= 0 || !c.Wait && !b.Always {
		return 0
	}
	return b.Delay(run+" "+step, n)
}
