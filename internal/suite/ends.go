package suite

import (
	"bytes"
	"context"
	"fmt"
	"runtime/pprof"
	"strings"
	"sync/atomic"
	"time"
)

// Moment is how long what a port started may take to end once it has returned.
const Moment = time.Second

// trials tells the goroutines of one trial from those of another.
var trials atomic.Int64

// Ends does something, and says which goroutine that it started goes on for
// longer than a [Moment]. They are known by a label that they inherit.
func Ends(ctx context.Context, do func(context.Context)) error {
	name := fmt.Sprintf("suite-%d", trials.Add(1))
	pprof.Do(ctx, pprof.Labels(name, ""), do)
	return Soon(func() error {
		left, err := labelled(name)
		if err == nil && left != "" {
			err = fmt.Errorf("a goroutine goes on after it returned:\n%s", left)
		}
		return err
	})
}

// Soon is nil once holds is, and its error if that takes longer than a [Moment].
func Soon(holds func() error) error {
	for until := time.Now().Add(Moment); ; time.Sleep(Moment / 100) {
		if err := holds(); err == nil || time.Now().After(until) {
			return err
		}
	}
}

// labelled is the part of the goroutine profile that has a label; "" if no
// goroutine has it.
func labelled(label string) (string, error) {
	var profile bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
		return "", err
	}
	for part := range strings.SplitSeq(profile.String(), "\n\n") {
		if strings.Contains(part, `"`+label+`"`) {
			return part, nil
		}
	}
	return "", nil
}
