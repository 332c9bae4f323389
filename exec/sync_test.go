package exec_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// A failingSync is a log of which one sync fails that an append did not wait for. Afterwards it may be that nothing of it
// can be read.
type failingSync struct {
	*checkpoint.FileLog
	left       int // syncs until then
	unreadable bool
	failed     bool
}

func (l *failingSync) die() error { return fmt.Errorf("%w: %w", checkpoint.ErrDead, syscall.EIO) }

func (l *failingSync) Append(ctx context.Context, batch [][]byte) error {
	if l.failed {
		return l.die()
	}
	return l.FileLog.Append(ctx, batch)
}

func (l *failingSync) Write(ctx context.Context, batch [][]byte) error {
	if l.failed {
		return l.die()
	}
	return l.FileLog.Write(ctx, batch)
}

func (l *failingSync) Sync(ctx context.Context) error {
	if l.left--; l.left < 0 {
		l.failed = true
		return l.die()
	}
	return l.FileLog.Sync(ctx)
}

func (l *failingSync) Replay(ctx context.Context) iter.Seq2[[]byte, error] {
	if l.failed && l.unreadable {
		return func(yield func([]byte, error) bool) { yield(nil, syscall.EIO) }
	}
	return l.FileLog.Replay(ctx)
}

// TestCompletionThatIsNotSynced lets the sync of a completed step fail after the next one was made ready. Then the step was not
// complete: nothing says so, the tree before it is there again, and the next one was not attempted. The run goes on from there.
func TestCompletionThatIsNotSynced(t *testing.T) {
	const steps = 5
	text := emptySteps(steps)
	for i := range steps {
		of := fmt.Sprintf("id = %d\ndescription = \"nothing\"\n", i+1)
		text = strings.Replace(text, of, of+fmt.Sprintf("semantic_change = \"extending\"\nlimits = { max_files = 1, max_lines = 9 }\nartifacts = { create = [\"%d.new\"] }\n", i+1), 1)
	}
	for failing := range steps - 1 {
		for _, unreadable := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d, unreadable %v", failing+1, unreadable), func(t *testing.T) {
				calls, script := 0, exectest.Script{}
				for i := range steps {
					write := exectest.Write(fmt.Sprintf("%d.new", i+1), "new\n")
					script[plan.Address(fmt.Sprintf("1.%d", i+1))] = func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
						calls++
						return write(ctx, w)
					}
				}
				b := exectest.New(t, text, exectest.Files{"0.txt": "text\n"}, script)
				locked := b.Lock(t)
				var log *failingSync
				b.Controller.OpenLog = func(ctx context.Context, run string) (checkpoint.Log, error) {
					l, err := checkpoint.OpenFileLogContext(ctx, filepath.Join(exec.Workspace{Dir: b.Dir}.RunDir(run), "journal"))
					log = &failingSync{FileLog: l, left: failing, unreadable: unreadable}
					return log, err
				}
				report, err := b.Controller.Run(t.Context(), locked)
				if !errors.Is(err, syscall.EIO) || !log.failed {
					t.Fatalf("the disk failed: %v; the run: %v\n%s", log.failed, err, report)
				}
				if want := failing + 1; calls != want {
					t.Errorf("%d steps were attempted, want %d", calls, want)
				}
				if got, want := report.Run.Count(history.Completed), failing; got != want && !(unreadable && got == 0) {
					t.Errorf("%d steps are complete by the report, want %d\n%s", got, want, report)
				}
				if got := b.Tree(t).Digest(); !unreadable && got != report.Run.Tree.Tree {
					t.Errorf("the tree is not the one that was accepted before")
				}
				b.Controller.OpenLog = nil
				ids, err := exec.Workspace{Dir: b.Dir}.Runs()
				if err != nil || len(ids) != 1 {
					t.Fatalf("runs %q, %v", ids, err)
				}
				if report, err = b.Controller.Resume(t.Context(), locked, ids[0]); err != nil {
					t.Fatalf("resume: %v\n%s", err, report)
				}
				if calls > steps+1 {
					t.Errorf("%d attempts for %d steps", calls, steps)
				}
			})
		}
	}
}
