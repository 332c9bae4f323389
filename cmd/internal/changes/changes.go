// Package changes tells whoever watches a run that something about it changed:
// its journal, who works on it, or what waits for it in the workspace.
package changes

import (
	"context"
	"iter"
	"os"
	"time"

	"github.com/planlock/planlock/checkpoint/hold"
	"github.com/planlock/planlock/exec"
)

// lookAside is how often it is looked at what no record tells.
const lookAside = 500 * time.Millisecond

// Of yields nil whenever something about a run changed since its record after,
// and ends with the run, or with an error, as [exec.Workspace.Follow] does. Of
// what changes faster than it is asked for, it tells once.
func Of(ctx context.Context, ws exec.Workspace, run string, after uint64) iter.Seq[error] {
	return func(yield func(error) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		told, ended := make(chan struct{}, 1), make(chan error, 1)
		go func() {
			for _, err := range ws.Follow(ctx, run, after) {
				if err != nil {
					ended <- err
					return
				}
				select {
				case told <- struct{}{}:
				default: // somebody will look anyway
				}
			}
			ended <- nil
		}()
		aside, ticker := besides(ctx, ws), time.NewTicker(lookAside)
		defer ticker.Stop()
		for {
			select {
			case err := <-ended:
				yield(err)
				return
			case <-told:
			case <-ticker.C:
				now := besides(ctx, ws)
				if now == aside {
					continue
				}
				aside = now
			}
			if !yield(nil) {
				return
			}
		}
	}
}

// besides tells one state from another of what no record tells.
func besides(ctx context.Context, ws exec.Workspace) string {
	text := hold.Holder(ctx, ws.Dir)
	if left, err := os.ReadDir(ws.QuestionDir()); err == nil {
		for _, file := range left {
			text += "\n" + file.Name()
		}
	}
	return text
}
