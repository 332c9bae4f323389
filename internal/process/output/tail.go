package output

import (
	"fmt"
	"sync"
	"unicode/utf8"
)

// DefaultLimit is how many bytes of output are kept: the beginning (a
// sixteenth) and the tail.
const DefaultLimit = 1 << 20

// minLimit keeps the beginning and the tail readable.
const minLimit = 1 << 10

// A Tail keeps a bounded part of what is written to it: a little of the
// beginning and most of the end, with a line between them that says how much
// was left out. It is safe for concurrent use, and never fails.
type Tail struct {
	mu   sync.Mutex
	head []byte
	tail []byte // a ring once it is full
	next int    // where the ring's oldest byte is, and its next one goes
	hmax int
	tmax int
	all  int64 // bytes written
}

// NewTail makes one that keeps at most limit bytes, but not less than a
// kilobyte; 0 is [DefaultLimit].
func NewTail(limit int64) *Tail {
	if limit <= 0 {
		limit = DefaultLimit
	}
	limit = max(limit, minLimit)
	head := limit / 16
	return &Tail{hmax: int(head), tmax: int(limit - head)}
}

// Write keeps p as far as there is room. It never fails.
func (c *Tail) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(p)
	c.all += int64(n)
	if room := c.hmax - len(c.head); room > 0 {
		room = min(room, len(p))
		c.head = append(c.head, p[:room]...)
		p = p[room:]
	}
	if len(p) > c.tmax {
		p = p[len(p)-c.tmax:]
	}
	if room := c.tmax - len(c.tail); room > 0 {
		room = min(room, len(p))
		c.tail = append(c.tail, p[:room]...)
		p = p[room:]
	}
	for len(p) > 0 {
		k := copy(c.tail[c.next:], p)
		c.next = (c.next + k) % c.tmax
		p = p[k:]
	}
	return n, nil
}

// String is what was kept. Where something was left out, a line says how much.
func (c *Tail) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := c.all - int64(len(c.head)) - int64(len(c.tail))
	if left == 0 {
		return string(c.head) + string(c.tail)
	}
	head, tail := c.head, append(append(make([]byte, 0, len(c.tail)), c.tail[c.next:]...), c.tail[:c.next]...)
	cut := wholeEnd(head)
	left += int64(len(head) - cut)
	head = head[:cut]
	cut = wholeStart(tail)
	left += int64(cut)
	tail = tail[cut:]
	return fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", head, left, tail)
}

// wholeEnd is the length of b without a character that was cut at its end.
func wholeEnd(b []byte) int {
	for back := 1; back <= utf8.UTFMax && back <= len(b); back++ {
		if at := len(b) - back; utf8.RuneStart(b[at]) {
			if !utf8.FullRune(b[at:]) {
				return at
			}
			break
		}
	}
	return len(b)
}

// wholeStart is where the first whole character of b starts.
func wholeStart(b []byte) int {
	for at := 0; at < utf8.UTFMax && at < len(b); at++ {
		if utf8.RuneStart(b[at]) {
			return at
		}
	}
	return 0
}
