package exec_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// busyBlobs has somebody write whenever a content is looked for.
type busyBlobs struct {
	*checkpoint.Memory
	write func()
}

func (b busyBlobs) Has(ctx context.Context, d ledger.Digest) (bool, error) {
	b.write()
	return b.Memory.Has(ctx, d)
}

// TestABusyWriterIsWaitedFor has somebody write between the scan of the
// workspace and the keeping of what it found: a few times, and for ever.
func TestABusyWriterIsWaitedFor(t *testing.T) {
	for name, writes := range map[string]int{"a few times": 2, "for ever": 1 << 30} {
		t.Run(name, func(t *testing.T) {
			b := exectest.New(t, steps("", "a"), exectest.Files{"busy.txt": "0"}, exectest.Script{"1.1": exectest.Write("a", "a\n")})
			written := 0
			b.Controller.Blobs = busyBlobs{&checkpoint.Memory{}, func() {
				if written < writes {
					written++
					must(t, os.WriteFile(filepath.Join(b.Dir, "busy.txt"), []byte(strings.Repeat("x", written%1000+2)), 0o644))
				}
			}}
			locked, err := plan.Lock(b.Draft, plan.LockOptions{Check: b.Controller.Options()}) // it leaves the tree open
			must(t, err)
			report, err := b.Controller.Run(t.Context(), locked)
			if written < 2 {
				t.Fatalf("somebody wrote %d times: nothing is tried here", written)
			}
			if writes == 2 {
				if err != nil || report.Status() != history.Achieved {
					t.Errorf("%v\n%s", err, report)
				}
				return
			}
			var refused *exec.RefusedError
			var changed *checkpoint.ChangedError
			if !errors.As(err, &refused) || !errors.As(err, &changed) || !strings.Contains(err.Error(), "somebody keeps writing in the workspace; while it was read, there changed: busy.txt") {
				t.Errorf("refused with %v", err)
			}
		})
	}
}
