package exec_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger/scan"
	"github.com/planlock/planlock/plan"
)

const manyFiles = 300

// many is a workspace of more files than are read as fast as their stamps.
func many() exectest.Files {
	files := exectest.Files{"secret/key": "k\n", "b.txt": "b\n"}
	for i := range manyFiles {
		files[fmt.Sprintf("many/f%d", i)] = fmt.Sprintf("%04d\n", i)
	}
	return files
}

// settled waits until the stamps of a folder are so old that a scan believes
// them.
func settled(t *testing.T, dir string) {
	t.Helper()
	s := scan.Scanner{}
	tree, err := s.Scan(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := scan.WriteStamps(io.Discard, tree, dir, "life"); err != nil || !kept {
		t.Skip("no stamps are kept on this file system")
	}
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		read := scan.Reads(tree)
		if tree, err = s.Scan(t.Context(), dir, tree); err != nil {
			t.Fatal(err)
		}
		if scan.Reads(tree) == read {
			return
		}
	}
	t.Skip("the stamps of this file system are never believed")
}

// opened are the names in a folder that are opened while do runs, sorted.
func opened(t *testing.T, dir string, do func()) []string {
	t.Helper()
	fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	if err != nil {
		t.Skip("needs inotify: ", err)
	}
	defer syscall.Close(fd)
	if _, err := syscall.InotifyAddWatch(fd, dir, syscall.IN_OPEN|syscall.IN_ONLYDIR); err != nil {
		t.Skip("needs inotify: ", err)
	}
	do()
	names := map[string]bool{}
	buf := make([]byte, 1<<20)
	for {
		n, err := syscall.Read(fd, buf)
		if err != nil || n <= 0 {
			break
		}
		for rest := buf[:n]; len(rest) >= syscall.SizeofInotifyEvent; {
			length := int(rest[12]) | int(rest[13])<<8
			name, _, _ := bytes.Cut(rest[syscall.SizeofInotifyEvent:][:length], []byte{0})
			if len(name) > 0 {
				names[string(name)] = true
			}
			rest = rest[syscall.SizeofInotifyEvent+length:]
		}
	}
	var sorted []string
	for name := range names {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	return sorted
}

// disguise changes a file, and leaves its size and its time of modification as
// they were.
func disguise(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(path, []byte("else\n"), 0o644),
		os.Chtimes(path, info.ModTime(), info.ModTime())); err != nil {
		t.Fatal(err)
	}
}

// A controller that was killed leaves to the next process what it knew: of many
// files that one reads those that changed since, and undoes that.
func TestKilledControllerLeavesItsStamps(t *testing.T) {
	t.Setenv(whereItWorks, string(plan.InPlace))
	dir := t.TempDir()
	for name, content := range many() {
		if err := exectest.Put(dir, name, content); err != nil {
			t.Fatal(err)
		}
	}
	settled(t, dir)
	first := newPeer(t, dir)
	first.tell(t)
	if got := first.says(); got != "works" {
		t.Fatalf("it says %q", got)
	}
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.cmd.Wait() // it was killed
	disguise(t, filepath.Join(dir, "many/f7"))
	second := newPeer(t, dir)
	read := opened(t, filepath.Join(dir, "many"), func() {
		second.tell(t)
		if got := second.says(); got != "works" {
			t.Errorf("it says %q", got)
		}
	})
	if diff := cmp.Diff([]string{"f7"}, read); diff != "" {
		t.Error("opened: ", diff)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "many/f7")); err != nil || string(got) != "0007\n" {
		t.Errorf("f7 holds %q, %v", got, err)
	}
	second.tell(t)
	if got := second.says(); got != "achieved" {
		t.Errorf("it says %q", got)
	}
	left, err := filepath.Glob(filepath.Join(dir, exec.Own, "runs", "*", "stamps"))
	if err != nil || len(left) > 0 {
		t.Errorf("a finished run leaves %v, %v", left, err)
	}
}

// What somebody did to the workspace of a controller that was killed is found,
// and left alone, where it worked in a layer.
func TestAfterAKillInALayer(t *testing.T) {
	dir := t.TempDir()
	for name, content := range many() {
		must(t, exectest.Put(dir, name, content))
	}
	settled(t, dir)
	first := newPeer(t, dir)
	first.tell(t)
	if got := first.says(); got != "works" {
		t.Fatalf("it says %q", got)
	}
	must(t, first.cmd.Process.Kill())
	_ = first.cmd.Wait() // it was killed
	file := filepath.Join(dir, "many/f7")
	disguise(t, file)
	second := newPeer(t, dir)
	second.tell(t)
	if got := second.says(); got != "works" { // the step that was cut off runs again, in its layer
		t.Errorf("it says %q", got)
	}
	drawn, err := filepath.Glob(filepath.Join(dir, exec.Own, "runs", "*", "views", "checkpoint.yaml"))
	if err != nil || len(drawn) > 0 {
		t.Errorf("%v says where to go on with a run that goes on, %v", drawn, err)
	}
	second.tell(t)
	if got := second.says(); !strings.Contains(got, "external change: nobody in this run did  modify many/f7") {
		t.Errorf("it says %q", got)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "else\n" {
		t.Errorf("f7 holds %q, %v", got, err)
	}
	must(t, os.WriteFile(file, []byte("0007\n"), 0o644))
	third := newPeer(t, dir)
	third.tell(t)
	if got := third.says(); got != "achieved" {
		t.Errorf("it says %q", got)
	}
}

// paused is a run in a workspace of many files that was interrupted between its
// steps, and where its stamps are.
func paused(t *testing.T, layer plan.Layer) (b *exectest.Bench, run, stamps string) {
	t.Helper()
	b = exectest.New(t, layered(twoSteps(), layer), many(), goodScript)
	settled(t, b.Dir)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	b.Controller.Observe = event.On(func(event.Event, *history.StepCompleted) { stop() })
	report, err := b.Controller.Run(ctx, b.Lock(t))
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err, report)
	}
	b.Controller.Observe = nil
	if report.Run.Stamps == "" {
		t.Fatal("no stamps were kept")
	}
	run = report.Run.Started.Run
	stamps = filepath.Join(exec.Workspace{Dir: b.Dir}.RunDir(run), "stamps")
	if text, err := os.ReadFile(stamps); err != nil || len(text) < 8 || binary.BigEndian.Uint64(text) == 0 {
		t.Errorf("they do not say that they are of the tree before the run, %v", err)
	}
	return b, run, stamps
}

// What somebody did between two controllers is found as an external change,
// however well it is hidden.
func TestRevivedRunFindsExternalChanges(t *testing.T) {
	for _, layer := range []plan.Layer{plan.InPlace, plan.Clone} {
		t.Run(string(layer), func(t *testing.T) {
			b, run, _ := paused(t, layer)
			disguise(t, filepath.Join(b.Dir, "many/f7"))
			locked := b.Lock(t)
			var err error
			read := opened(t, filepath.Join(b.Dir, "many"), func() { _, err = b.Controller.Resume(t.Context(), locked, run) })
			var refused *exec.RefusedError
			if !errors.As(err, &refused) || len(refused.Reasons) != 1 || !strings.Contains(refused.Reasons[0], `many/f7`) {
				t.Errorf("resumed: %v", err)
			}
			if got, err := os.ReadFile(filepath.Join(b.Dir, "many/f7")); err != nil || string(got) != "else\n" {
				t.Errorf("f7 holds %q, %v", got, err)
			}
			if diff := cmp.Diff([]string{"f7"}, read); diff != "" {
				t.Error("opened: ", diff)
			}
		})
	}
}

// anotherLife is a machine that was started anew, as far as anybody can say.
type anotherLife struct{}

func (anotherLife) Boot() string                          { return "another" }
func (anotherLife) Do(_ *disk.Op, run func() error) error { return run() }

// Stamps that are not what the journal says, or of another life or place, are
// not believed: everything is read, and nothing is said.
func TestStampsThatAreNotBelieved(t *testing.T) {
	if testing.Short() {
		t.Skip("many runs, or many files, of one caller")
	}
	change := func(t *testing.T, path string, do func([]byte) []byte) {
		t.Helper()
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, do(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name   string
		spoil  func(t *testing.T, b *exectest.Bench, stamps string)
		ctx    func(context.Context) context.Context
		opened int
	}{
		{name: "as they were left"},
		{name: "missing", opened: manyFiles, spoil: func(t *testing.T, _ *exectest.Bench, stamps string) {
			if err := os.Remove(stamps); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "a folder", opened: manyFiles, spoil: func(t *testing.T, _ *exectest.Bench, stamps string) {
			if err := errors.Join(os.Remove(stamps), os.Mkdir(stamps, 0o755)); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "empty", opened: manyFiles, spoil: func(t *testing.T, _ *exectest.Bench, stamps string) {
			change(t, stamps, func([]byte) []byte { return nil })
		}},
		{name: "torn", opened: manyFiles, spoil: func(t *testing.T, _ *exectest.Bench, stamps string) {
			change(t, stamps, func(b []byte) []byte { return b[:len(b)/2] })
		}},
		{name: "altered", opened: manyFiles, spoil: func(t *testing.T, _ *exectest.Bench, stamps string) {
			change(t, stamps, func(b []byte) []byte { b[len(b)-20] ^= 1; return b })
		}},
		{name: "of another place", opened: manyFiles, spoil: func(t *testing.T, b *exectest.Bench, _ string) {
			moved := b.Dir + ".moved"
			if err := os.Rename(b.Dir, moved); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(moved) })
			b.Dir, b.Controller.Dir = moved, moved
		}},
		{name: "of another life", opened: manyFiles, ctx: func(ctx context.Context) context.Context {
			return disk.With(ctx, disk.New(anotherLife{}))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, run, stamps := paused(t, plan.InPlace)
			if c.spoil != nil {
				c.spoil(t, b, stamps)
			}
			ctx := t.Context()
			if c.ctx != nil {
				ctx = c.ctx(ctx)
			}
			locked := b.Lock(t)
			// What is read up to the second step; at its end a run syncs all it
			// knows.
			ctx, stop := context.WithCancel(ctx)
			defer stop()
			b.Controller.Observe = event.On(func(event.Event, *history.AttemptStarted) { stop() })
			var err error
			read := opened(t, filepath.Join(b.Dir, "many"), func() {
				_, err = b.Controller.Resume(ctx, locked, run)
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("resumed: %v", err)
			}
			if len(read) != c.opened {
				t.Errorf("%d were opened, want %d", len(read), c.opened)
			}
			b.Controller.Observe = nil
			report, err := b.Controller.Resume(t.Context(), locked, run)
			if carried(report, err) != nil {
				t.Error(err, report)
			}
		})
	}
}

// A small tree is read as fast as such a file, and its journal is what it
// always was.
func TestSmallTreesKeepNoStamps(t *testing.T) {
	run := exectest.Run(t, twoSteps(), workspace, goodScript)
	run.Want(t, history.Achieved)
	if got := run.Report.Run.Stamps; got != "" {
		t.Errorf("kept %s", got)
	}
}
