package exec_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/internal/disk"
)

// TestOddPlaces runs a plan in workspaces that are not an ordinary folder: the
// run comes to its end, and says what is lost, or is refused with the reason and
// what helps, before it has begun.
func TestOddPlaces(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root mounts")
	}
	tmpfs := func(t *testing.T, at, options string) {
		t.Helper()
		must(t, errors.Join(os.MkdirAll(at, 0o755), syscall.Mount("none", at, "tmpfs", 0, options)))
		t.Cleanup(func() { must(t, syscall.Unmount(at, syscall.MNT_DETACH)) })
	}
	places := map[string]struct {
		lay     func(t *testing.T, b *exectest.Bench)
		refused string // "": it is not
		whole   bool   // and planlock has left nothing of its own
		warns   string
		holds   map[string]string // at the end
	}{
		"an overlay": {lay: func(t *testing.T, b *exectest.Bench) {
			base := t.TempDir()
			tmpfs(t, base, "size=8m")
			for _, dir := range []string{"lower", "upper", "work"} {
				must(t, os.Mkdir(filepath.Join(base, dir), 0o755))
			}
			must(t, syscall.Mount("overlay", b.Dir, "overlay", 0, "lowerdir="+base+"/lower,upperdir="+base+"/upper,workdir="+base+"/work"))
			t.Cleanup(func() { must(t, syscall.Unmount(b.Dir, syscall.MNT_DETACH)) })
			must(t, exectest.Put(b.Dir, "mine.txt", "mine\n"))
		}, holds: map[string]string{"a": "a\n", "mine.txt": "changed\n"}},
		"a read-only file system": {lay: func(t *testing.T, b *exectest.Bench) {
			tmpfs(t, b.Dir, "size=8m")
			must(t, exectest.Put(b.Dir, "mine.txt", "mine\n"))
			must(t, syscall.Mount("none", b.Dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
		}, refused: "read-only file system, work in a copy", whole: true, holds: map[string]string{"mine.txt": "mine\n"}},
		"a full disk": {lay: func(t *testing.T, b *exectest.Bench) {
			tmpfs(t, b.Dir, "size=64k")
			must(t, exectest.Put(b.Dir, "mine.txt", "mine\n"))
			if err := exectest.Put(b.Dir, "rest", strings.Repeat("x", 1<<20)); !errors.Is(err, syscall.ENOSPC) {
				t.Fatal(err)
			}
		}, refused: "no space left on device", whole: true, holds: map[string]string{"mine.txt": "mine\n"}},
		"a disk with too little room": {lay: func(t *testing.T, b *exectest.Bench) {
			tmpfs(t, b.Dir, "size=2m")
			must(t, exectest.Put(b.Dir, "mine.txt", "mine\n"))
			must(t, exectest.Put(b.Dir, "rest", strings.Repeat("x", 1200<<10)))
		}, refused: "make room there", holds: map[string]string{"mine.txt": "mine\n"}},
		"something mounted in it": {lay: func(t *testing.T, b *exectest.Bench) {
			must(t, exectest.Put(b.Dir, "mine.txt", "mine\n"))
			tmpfs(t, filepath.Join(b.Dir, "in"), "size=1m")
			must(t, exectest.Put(b.Dir, "in/theirs", "theirs\n"))
		}, warns: `can read, and not write, what is mounted in the workspace: "in"`,
			holds: map[string]string{"a": "a\n", "mine.txt": "changed\n", "in/theirs": "theirs\n"}},
		"a file of two names": {lay: func(t *testing.T, b *exectest.Bench) {
			must(t, exectest.Put(b.Dir, "mine.txt", "mine\n"))
			must(t, os.Link(filepath.Join(b.Dir, "mine.txt"), filepath.Join(b.Dir, "other.txt")))
		}, warns: "have further names (hard links), which keep what was there: mine.txt",
			holds: map[string]string{"mine.txt": "changed\n", "other.txt": "mine\n"}},
		"a large file of holes": {lay: func(t *testing.T, b *exectest.Bench) {
			must(t, exectest.Put(b.Dir, "mine.txt", "mine\n"))
			must(t, exectest.Put(b.Dir, "huge", ""))
			must(t, os.Truncate(filepath.Join(b.Dir, "huge"), 1<<30))
		}, warns: "huge (1073741824 bytes)", holds: map[string]string{"a": "a\n"}},
	}
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			if strings.Contains(place.warns, "huge") && !whole {
				t.Skip("it reads a GiB: go test -tags torture")
			}
			b := exectest.New(t, changesMine, nil, changingMine)
			place.lay(t, b)
			var warnings []string
			b.Controller.Observe = func(_ context.Context, e event.Event) {
				if e.Kind == event.Warning {
					warnings = append(warnings, e.Text)
				}
			}
			var report *exec.Report
			locked, err := b.Controller.Lock(t.Context(), b.Draft)
			if err == nil {
				report, err = b.Controller.Run(t.Context(), locked)
			}
			if place.refused == "" && carried(report, err) != nil {
				t.Fatalf("%v\n%s", err, report)
			}
			if place.refused != "" && (err == nil || !strings.Contains(err.Error(), place.refused)) {
				t.Errorf("refused with %v, want %q", err, place.refused)
			}
			if runs, _ := filepath.Glob(filepath.Join(b.Dir, ".planlock", "runs", "*")); place.refused != "" && len(runs) > 0 {
				t.Errorf("it was refused, and there are %v", runs)
			}
			if _, err := os.Stat(filepath.Join(b.Dir, ".planlock")); place.whole && err == nil {
				t.Error("it was refused, and .planlock is left")
			}
			if report != nil && place.refused == "" {
				warnings = append(warnings, report.Run.Started.Warnings...)
			}
			if all := strings.Join(warnings, "\n"); !strings.Contains(all, place.warns) {
				t.Errorf("the warnings are %q, want %q", all, place.warns)
			}
			for path, want := range place.holds {
				if got, err := os.ReadFile(filepath.Join(b.Dir, path)); string(got) != want {
					t.Errorf("%s holds %q, %v, want %q", path, got, err, want)
				}
			}
		})
	}
}

// changesMine is a plan of one step, and changingMine carries it out.
const changesMine = `schema = 1
profile = "observe"
goal.description = "Change a file"
defaults.executor = "script"

[[tasks]]
id = 1
description = "Change it"

[[tasks.steps]]
id = 1
description = "Change it"
run = "true"
`

var changingMine = exectest.Script{"1.1": exectest.All(exectest.Write("a", "a\n"), exectest.Write("mine.txt", "changed\n"))}

// A farDisk is a network file system that cannot exchange files.
type farDisk struct{}

func (farDisk) Boot() string { return "" }

func (farDisk) Do(op *disk.Op, run func() error) error {
	if op.Kind == disk.Exchange || op.Kind == disk.RenameNew {
		return errors.Join(errors.ErrUnsupported, syscall.EINVAL)
	}
	return run()
}

// TestWhereNothingIsExchanged runs a plan where what others save is not safe in
// the moment of a delivery: the run says so when it begins.
func TestWhereNothingIsExchanged(t *testing.T) {
	b := exectest.New(t, changesMine, exectest.Files{"mine.txt": "mine\n"}, changingMine)
	report, err := b.Controller.Run(disk.With(t.Context(), disk.New(farDisk{})), b.Lock(t))
	must(t, carried(report, err))
	if all := strings.Join(report.Run.Started.Warnings, "\n"); !strings.Contains(all, "cannot exchange files in one step") {
		t.Errorf("the warnings are %q", all)
	}
	if got, err := os.ReadFile(filepath.Join(b.Dir, "mine.txt")); string(got) != "changed\n" {
		t.Errorf("mine.txt holds %q, %v", got, err)
	}
}
