package exec_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// A fullDisk is Blobs and a Log that share a disk: every write takes one unit
// of space, and when there is none left they fail.
type fullDisk struct {
	checkpoint.Memory
	log  *checkpoint.MemoryLog
	mu   sync.Mutex
	left int
}

func (d *fullDisk) write() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.left--; d.left < 0 {
		return syscall.ENOSPC
	}
	return nil
}

func (d *fullDisk) Put(ctx context.Context, digest ledger.Digest, content io.Reader) error {
	if err := d.write(); err != nil {
		return err
	}
	return d.Memory.Put(ctx, digest, content)
}

func (d *fullDisk) Sync(ctx context.Context) error {
	if err := d.write(); err != nil {
		return err
	}
	return d.Memory.Sync(ctx)
}

// diskLog is the log's side of it.
type diskLog struct{ d *fullDisk }

func (l diskLog) Append(ctx context.Context, batch [][]byte) error {
	if err := l.d.write(); err != nil {
		return err
	}
	return l.d.log.Append(ctx, batch)
}

func (l diskLog) Replay(ctx context.Context) iter.Seq2[[]byte, error] {
	return l.d.log.Replay(ctx)
}

func (l diskLog) Close() error { return nil }

// TestFullDiskAtEveryWrite fills the disk after every number of writes. The
// tree must be one that the run accepted, the journal readable, and the run
// must go on to its end once there is space.
func TestFullDiskAtEveryWrite(t *testing.T) {
	script := exectest.Script{
		"1.1": exectest.Attempts(exectest.All(exectest.Write("junk", "j"), exectest.Fail("not yet")),
			goodScript["1.1"]),
		"1.2": goodScript["1.2"],
	}
	for space := 0; ; space += stride() {
		b := exectest.New(t, twoSteps(), workspace, script)
		disk := &fullDisk{log: &checkpoint.MemoryLog{}, left: space}
		b.Controller.Blobs = disk
		b.Controller.Runs = exectest.Logs(b.Controller.Dir, func(context.Context, string) (checkpoint.Log, error) { return diskLog{disk}, nil })
		base := b.Tree(t).Digest()
		locked := b.Lock(t)
		report, err := b.Controller.Run(context.Background(), locked)
		if err == nil {
			if space < 10 {
				t.Fatalf("the run was over after %d writes: nothing failed", space)
			}
			return
		}
		disk.left = 1 << 30
		begun := report.Run.Head.Seq > 0
		if got := b.Tree(t).Digest(); got != base && (!begun || got != report.Run.Tree.Tree) {
			t.Errorf("space %d: the tree is %s, which the run never accepted\n%v", space, got.Short(), err)
		}
		if !begun {
			continue
		}
		disk.log = disk.log.Reopen()
		var outcome *exec.OutcomeError
		if errors.As(err, &outcome) {
			if !strings.Contains(err.Error(), "space") && !strings.Contains(report.String(), "space") {
				t.Errorf("space %d: nothing says what was needed: %v", space, err)
			}
			continue // the step failed, lawfully
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("space %d: got %v, want ENOSPC", space, err)
		}
		report, err = b.Controller.Resume(context.Background(), locked, report.Run.Started.Run)
		if err != nil {
			t.Errorf("space %d: resume: %v\n%s", space, err, report)
		}
	}
}

func TestTrackedFilesAreSeenAndNotRestored(t *testing.T) {
	text := strings.Replace(twoSteps(), "[[tasks]]", "[ledger]\ntrack = [\"db/**\"]\n\n[[tasks]]", 1)
	script := exectest.Script{
		"1.1": exectest.Attempts(exectest.Write("db/rows", "1\n"), goodScript["1.1"]),
		"1.2": goodScript["1.2"],
	}
	b := exectest.New(t, text, exectest.Files{"db/rows": "0\n"}, script)
	// What is tracked moved, so the inputs are not the same: it is not repeated
	// unless a person says so.
	b.Controller.Escalator = &person{choices: []string{"r"}}
	run := b.Run(t)
	run.Want(t, history.Achieved)
	first := run.Report.Run.Step("1.1").Attempts[0]
	if first.Failure == nil || !strings.Contains(strings.Join(first.Failure.Reasons, "\n"), "db/rows") {
		t.Errorf("the first attempt's failure does not name db/rows: %+v", first.Failure)
	}
	if got := run.Read(t, "db/rows"); got != "1\n" {
		t.Errorf("db/rows holds %q: what is tracked must not be restored", got)
	}
}

func TestIrreversibleStepIsNeverRepeatedByItself(t *testing.T) {
	text := strings.Replace(twoSteps(), "id = 1\ndescription = \"Write the first line\"",
		"id = 1\nrollback = \"irreversible\"\ndescription = \"Write the first line\"", 1)
	var record exectest.Record
	b := exectest.New(t, text, workspace, record.Of(exectest.Script{"1.1": exectest.Fail("the letter is out")}))
	if _, err := plan.Lock(b.Draft, plan.LockOptions{}); err == nil {
		t.Error("an irreversible step was locked without an acknowledgement")
	}
	b.Run(t).Want(t, history.NotAchieved)
	if n := len(record.Attempts()); n != 1 {
		t.Errorf("%d attempts, want 1", n)
	}
}

// A lateLog fails an append that reaches the disk all the same.
type lateLog struct {
	*checkpoint.MemoryLog
	left int
}

func (l *lateLog) Append(ctx context.Context, batch [][]byte) error {
	if l.left < 0 {
		return syscall.EIO
	}
	err := l.MemoryLog.Append(ctx, batch)
	if l.left--; l.left < 0 {
		return errors.Join(err, syscall.EIO)
	}
	return err
}

func (l *lateLog) Close() error { return nil }

// TestWritesThatFailedAndHappened lets every append fail after it was kept.
func TestWritesThatFailedAndHappened(t *testing.T) {
	for cut := 0; ; cut += stride() {
		b := exectest.New(t, twoSteps(), workspace, goodScript)
		log := &lateLog{MemoryLog: &checkpoint.MemoryLog{}, left: cut}
		b.Controller.Runs = exectest.Logs(b.Controller.Dir, func(context.Context, string) (checkpoint.Log, error) { return log, nil })
		locked := b.Lock(t)
		_, err := b.Controller.Run(context.Background(), locked)
		if err == nil {
			return
		}
		ids, err := (exec.Workspace{Dir: b.Dir}).IDs(t.Context())
		if err != nil || len(ids) != 1 {
			t.Fatalf("cut %d: runs %q, %v", cut, ids, err)
		}
		log.MemoryLog, log.left = log.MemoryLog.Reopen(), 1<<30
		if report, err := b.Controller.Resume(context.Background(), locked, ids[0]); err != nil {
			t.Errorf("cut %d: resume: %v\n%s", cut, err, report)
		}
	}
}

// TestHalfARestoreAfterAWriteThatFailed lets the record of a completed step be
// kept although its write failed, and what a full disk makes of the restore
// that follows. The run goes on; but not where somebody else was in the
// workspace too.
func TestHalfARestoreAfterAWriteThatFailed(t *testing.T) {
	ctx, met := t.Context(), 0
	for cut := 0; ; cut++ { // a stride may step over the one write that it is about
		for _, stranger := range []bool{false, true} {
			b := exectest.New(t, inPlace(twoSteps()), workspace, goodScript)
			log := &lateLog{MemoryLog: &checkpoint.MemoryLog{}, left: cut}
			b.Controller.Runs = exectest.Logs(b.Controller.Dir, func(context.Context, string) (checkpoint.Log, error) { return log, nil })
			locked := b.Lock(t)
			if report, err := b.Controller.Run(ctx, locked); carried(report, err) == nil {
				if met == 0 {
					t.Error("no step was complete when a write failed")
				}
				return
			}
			log.MemoryLog, log.left = log.MemoryLog.Reopen(), 1<<30
			ids, err := (exec.Workspace{Dir: b.Dir}).IDs(t.Context())
			if err != nil || len(ids) != 1 {
				t.Fatalf("cut %d: runs %q, %v", cut, ids, err)
			}
			run := &history.Run{}
			if _, err := checkpoint.OpenJournal(ctx, log.MemoryLog, ids[0], nil, run.Apply); err != nil {
				t.Fatal(err)
			}
			s := run.JustCompleted()
			if s == nil {
				break
			}
			met++
			half := filepath.Join(b.Dir, s.Last().Accounted.Changes[0].Path)
			if err := os.MkdirAll(filepath.Dir(half), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(half, []byte("half"), 0o644); err != nil {
				t.Fatal(err)
			}
			if stranger {
				if err := os.WriteFile(filepath.Join(b.Dir, "stranger"), nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			report, err := b.Controller.Resume(ctx, locked, ids[0])
			err = carried(report, err)
			var refused *exec.RefusedError
			if got := errors.As(err, &refused); got != stranger || !stranger && err != nil {
				t.Errorf("cut %d, a stranger was there: %v: resume: %v\n%s", cut, stranger, err, report)
			}
			if text, err := os.ReadFile(half); !stranger && (err != nil || string(text) == "half") {
				t.Errorf("cut %d: %s is not restored: %q, %v", cut, half, text, err)
			}
		}
	}
}

func TestIgnoredFilesInANewFolderAreLeftAlone(t *testing.T) {
	text := strings.Replace(twoSteps(), "[[tasks]]", "[ledger]\nignore = [\"**/*.o\"]\n\n[[tasks]]", 1)
	script := exectest.Script{
		"1.1": exectest.Attempts(exectest.All(exectest.Write("build/a.o", "o"), exectest.Fail("no")),
			goodScript["1.1"]),
		"1.2": goodScript["1.2"],
	}
	run := exectest.Run(t, inPlace(text), nil, script)
	run.Want(t, history.Partial)
	if got := run.Read(t, "build/a.o"); got != "o" {
		t.Errorf("an ignored file holds %q after the restore", got)
	}
	// In a layer no ignored file of the workspace is ever written.
	run = exectest.Run(t, text, exectest.Files{"build/a.o": "mine"}, script)
	run.Want(t, history.Achieved)
	if got := run.Read(t, "build/a.o"); got != "mine" {
		t.Errorf("an ignored file holds %q after a step wrote it in its layer", got)
	}
}
