package gatetest

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"weak"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/suite"
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

// endsAll: when a gate has judged, the goroutines that it started have ended.
func endsAll(t testing.TB, g gate.Gate) error {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, phase := range g.Info().Phases {
		own := alone(g).Prepare(ready(sample(t), phase))
		if err := suite.Ends(ctx, func(ctx context.Context) { judge(ctx, g, own) }); err != nil {
			return fmt.Errorf("in phase %s: %w", phase, err)
		}
	}
	return nil
}
