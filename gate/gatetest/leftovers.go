package gatetest

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/planlock/planlock/gate"
)

// judge calls the gate without a panel, in this goroutine; other rules tell of
// panics and of what it says.
func judge(ctx context.Context, g gate.Gate, pass *gate.Pass) {
	defer func() { _ = recover() }()
	_ = g.Judge(ctx, pass)
}

// forgets: when a gate has judged, nothing leads to its pass any more, so that
// the collector takes it.
func forgets(t testing.TB, g gate.Gate) error {
	for _, phase := range g.Info().Phases {
		kept := func() weak.Pointer[gate.Pass] {
			own := alone(g).Prepare(ready(sample(t), phase))
			judge(t.Context(), g, own)
			return weak.Make(own)
		}()
		for try := 0; kept.Value() != nil; try++ {
			if try == 5 {
				return fmt.Errorf("in phase %s: something still leads to the pass after it was judged", phase)
			}
			runtime.GC()
		}
	}
	return nil
}

// trials tells the goroutines of one trial from those of another.
var trials atomic.Int64

// moment is how long what a gate started may take to end when the gate has
// returned.
const moment = time.Second

// endsAll: when a gate has judged, the goroutines that it started have ended.
// They are known by a label that they inherit.
func endsAll(t testing.TB, g gate.Gate) error {
	name := fmt.Sprintf("gatetest-%d", trials.Add(1))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, phase := range g.Info().Phases {
		own := alone(g).Prepare(ready(sample(t), phase))
		pprof.Do(ctx, pprof.Labels(name, string(phase)), func(ctx context.Context) { judge(ctx, g, own) })
	}
	var left string
	for until := time.Now().Add(moment); ; time.Sleep(moment / 100) {
		var err error
		if left, err = labelled(name); err != nil || left == "" {
			return err
		}
		if time.Now().After(until) {
			return fmt.Errorf("a goroutine goes on after the gate returned:\n%s", left)
		}
	}
}

// labelled is the part of the goroutine profile that has a label; "" if no
// goroutine has it.
func labelled(label string) (string, error) {
	var profile bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
		return "", fmt.Errorf("gatetest: %w", err)
	}
	for part := range strings.SplitSeq(profile.String(), "\n\n") {
		if strings.Contains(part, `"`+label+`"`) {
			return part, nil
		}
	}
	return "", nil
}
