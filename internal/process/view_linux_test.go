//go:build linux && (amd64 || arm64)

package process_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
)

// scene is a workspace with a view of it, and a runner that shows it.
type scene struct {
	*process.Runner
	ws, state, upper string
	before           string
}

// allLevels are those at which a view can be shown.
var allLevels = []process.Level{process.None, process.Process, process.Filesystem, process.Strict}

// staged is a scene at a level, below a folder of any name. It skips where
// there is none.
func staged(t *testing.T, level process.Level, name string) *scene {
	t.Helper()
	if _, err := process.Reach(process.Sandbox{Level: level}); err != nil {
		t.Skip(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{ws: filepath.Join(dir, name), state: filepath.Join(dir, "state "+name)}
	write(t, filepath.Join(s.ws, "a", "old"), "old")
	write(t, filepath.Join(s.ws, "b", "old"), "old")
	write(t, filepath.Join(s.ws, "tool"), "#!/bin/sh\necho theirs\n")
	write(t, filepath.Join(s.ws, ".git", "HEAD"), "ref: refs/heads/main\n")
	write(t, filepath.Join(s.ws, ".planlock", "journal"), "records")
	if err := os.Chmod(filepath.Join(s.ws, "tool"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.upper = filepath.Join(s.state, "upper")
	for _, path := range []string{s.upper, filepath.Join(s.state, "work")} {
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if err := layer.Discard(context.Background(), s.state); err != nil { // folders of overlays are closed to their owner
			t.Error(err)
		}
	})
	s.before = content(t, s.ws)
	view := &layer.View{At: s.ws, Lowers: []string{s.ws}, Upper: s.upper, Work: filepath.Join(s.state, "work"),
		Trusted: process.ReachOverlay(s.state).Trusted}
	s.Runner = &process.Runner{Dir: s.ws, Sandbox: process.Sandbox{Level: level, View: view, Writable: []string{}}}
	return s
}

// again prepares the view for a further command.
func (s *scene) again(t *testing.T) {
	t.Helper()
	work, err := os.MkdirTemp(s.state, "work-")
	if err != nil {
		t.Fatal(err)
	}
	s.Sandbox.View.Work = work
}

// content spells all that a folder holds.
func content(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		stat := info.Sys().(*syscall.Stat_t)
		fmt.Fprintf(&b, "%q %v %v %d %d", path[len(dir):], info.Mode(), info.ModTime(), stat.Ino, stat.Ctim.Nsec)
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %q", text)
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// run runs a script that is to succeed, and returns what it printed.
func (s *scene) run(t *testing.T, script string) string {
	t.Helper()
	result, err := s.Run(t.Context(), gate.Command{Run: script})
	if err != nil || result.Exit != 0 {
		t.Fatalf("%s: %v: %+v", script, err, result)
	}
	return result.Stdout
}

// read is a file as the view has it.
func (s *scene) read(t *testing.T, name string) string {
	t.Helper()
	in := s.Sandbox.View.From
	if in == "" {
		in = s.upper
	}
	text, err := os.ReadFile(filepath.Join(in, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A command writes into a folder of its own, whatever the level and whatever
// the workspace is called; nobody's file is touched, and the view can be read
// when the command has ended.
func TestOverlayTakesWhatIsWritten(t *testing.T) {
	for _, level := range allLevels {
		for _, name := range []string{"ws", `w,s:up\per=x "ö` + "\n\xff"} {
			t.Run(fmt.Sprintf("%s %q", level, name), func(t *testing.T) {
				s := staged(t, level, name)
				s.run(t, "echo new >>a/old && rm b/old && mkdir c && echo x >c/new && mv a/old c/moved && chmod 600 c/moved && "+
					"test ! -e a/old && test \"$PWD\" = \"$(pwd -P)\" && echo '#!/bin/sh\necho ours' >tool && chmod 755 tool")
				if diff := cmp.Diff(s.before, content(t, s.ws)); diff != "" {
					t.Errorf("the workspace was changed: %s", diff)
				}
				if got := s.read(t, "c/moved"); got != "oldnew\n" {
					t.Errorf("the view has %q", got)
				}
				s.again(t)
				if got := s.run(t, "cat c/new && cd c && ../tool"); got != "x\nours\n" {
					t.Errorf("a second command sees %q", got)
				}
				s.again(t)
				result, err := s.Run(t.Context(), gate.Command{Args: []string{"./../tool"}, Dir: "c"})
				if err != nil || result.Stdout != "ours\n" {
					t.Errorf("a program and a folder that only the view has: %+v, %v", result, err)
				}
			})
		}
	}
}

// The repository is the command's own copy, the controller's folder is not to
// be written, and the folders behind the view are out of reach.
func TestOverlayGuardsWhatIsBehindIt(t *testing.T) {
	for _, level := range allLevels {
		t.Run(string(level), func(t *testing.T) {
			s := staged(t, level, "ws")
			s.Sandbox.Writable = []string{filepath.Dir(s.ws)}
			s.run(t, "echo x >.git/HEAD && echo x >.git/new && rm .git/new")
			s.again(t)
			got := s.run(t, "cat .git/HEAD; ls -A ../state*/upper ../state*/work")
			if strings.Contains(got, ".git") || !strings.HasPrefix(got, "x\n") {
				t.Errorf("the repository, and what is behind: %q", got)
			}
			if level == process.Filesystem || level == process.Strict {
				for _, script := range []string{"echo x >../state*/upper/planted", "rm -r ../state*/upper", "echo x >.planlock/journal"} {
					s.again(t)
					if result, err := s.Run(t.Context(), gate.Command{Run: script}); err != nil || result.Exit == 0 {
						t.Errorf("%s: %+v, %v", script, result, err)
					}
				}
			}
			if diff := cmp.Diff(s.before, content(t, s.ws)); diff != "" {
				t.Errorf("the workspace was changed: %s", diff)
			}
		})
	}
}

// What a step may write is meant in the view, where folders can be others.
func TestOverlayKeepsWriteSets(t *testing.T) {
	for _, level := range []process.Level{process.Filesystem, process.Strict} {
		t.Run(string(level), func(t *testing.T) {
			s := staged(t, level, "ws")
			s.Sandbox.Writes = []string{"a/*"}
			s.run(t, "echo x >a/new && if echo x >b/new; then exit 1; fi && if rm b/old; then exit 1; fi && if echo x >top; then exit 1; fi")
			s.again(t)
			s.Sandbox.Writes = nil
			s.run(t, "rm -r a && mkdir d && echo x >d/new")
			s.again(t)
			s.Sandbox.Writes = []string{"a/*"} // which is not there any more: the workspace is the nearest
			s.run(t, "mkdir a && echo x >a/new")
			if diff := cmp.Diff(s.before, content(t, s.ws)); diff != "" {
				t.Errorf("the workspace was changed: %s", diff)
			}
		})
	}
}

// Frozen uppers are seen below a further one, as judges see them.
func TestOverlayOnFrozenUppers(t *testing.T) {
	for _, level := range allLevels {
		t.Run(string(level), func(t *testing.T) {
			s := staged(t, level, "ws")
			s.run(t, "rm -r a && mkdir a && echo 1 >a/one && rm b/old")
			s.again(t)
			frozen := s.upper
			s.Sandbox.View.Lowers = []string{frozen, s.ws}
			s.Sandbox.View.Upper = filepath.Join(s.state, "second")
			if err := os.Mkdir(s.Sandbox.View.Upper, 0o700); err != nil {
				t.Fatal(err)
			}
			before := content(t, frozen)
			if got := s.run(t, "ls a b; echo 2 >a/one; echo 2 >a/two; cat a/one"); got != "a:\none\n\nb:\n2\n" {
				t.Errorf("on top of the frozen one: %q", got)
			}
			if diff := cmp.Diff(before, content(t, frozen)); diff != "" {
				t.Errorf("the frozen one was changed: %s", diff)
			}
			if diff := cmp.Diff(s.before, content(t, s.ws)); diff != "" {
				t.Errorf("the workspace was changed: %s", diff)
			}
		})
	}
}

// What else is mounted in the workspace is seen in the view, and cannot be
// written.
func TestOverlayShowsMounts(t *testing.T) {
	const inside = "PLANLOCK_TEST_MOUNTS"
	if os.Getenv(inside) == "" {
		cmd := osexec.Command(os.Args[0], "-test.run=^TestOverlayShowsMounts$", "-test.v")
		cmd.Env = append(os.Environ(), inside+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
		if id := os.Geteuid(); id != 0 {
			cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
			cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: id, Size: 1}}
			cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
		}
		out, err := cmd.CombinedOutput()
		t.Logf("%s", out)
		if err != nil {
			t.Error(err)
		}
		return
	}
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		t.Skip(err)
	}
	for _, level := range allLevels {
		t.Run(string(level), func(t *testing.T) {
			s := staged(t, level, "ws")
			if err := syscall.Mount("tmpfs", filepath.Join(s.ws, "b"), "tmpfs", 0, ""); err != nil {
				t.Skip(err)
			}
			defer syscall.Unmount(filepath.Join(s.ws, "b"), syscall.MNT_DETACH)
			write(t, filepath.Join(s.ws, "b", "mounted"), "there")
			s.before = content(t, s.ws)
			got := s.run(t, "cat b/mounted && echo x >a/new && for f in b/mounted b/new; do if echo x >$f; then exit 1; fi; done; "+
				"if mv b c; then exit 1; fi")
			if got != "there" {
				t.Errorf("the mount shows %q", got)
			}
			if diff := cmp.Diff(s.before, content(t, s.ws)); diff != "" {
				t.Errorf("the workspace was changed: %s", diff)
			}
		})
	}
}

// Another folder is shown in place of the workspace.
func TestBindShowsAnotherFolder(t *testing.T) {
	for _, level := range allLevels {
		t.Run(string(level), func(t *testing.T) {
			s := staged(t, level, "ws")
			clone := filepath.Join(s.state, "clone")
			write(t, filepath.Join(clone, "a", "old"), "copied")
			s.Sandbox.View = &layer.View{At: s.ws, From: clone}
			got := s.run(t, "cat a/old && mv a c && echo x >>c/old && test ! -e tool && pwd")
			if want := "copied" + s.ws + "\n"; got != want {
				t.Errorf("the command saw %q, not %q", got, want)
			}
			if got := s.read(t, "c/old"); got != "copiedx\n" {
				t.Errorf("the view has %q", got)
			}
			if diff := cmp.Diff(s.before, content(t, s.ws)); diff != "" {
				t.Errorf("the workspace was changed: %s", diff)
			}
		})
	}
}

// A view that is none is refused before anything runs.
func TestViewsThatAreRefused(t *testing.T) {
	s := staged(t, process.Process, "ws")
	inside, long := filepath.Join(s.ws, "a"), "/"+strings.Repeat("x", 5000)
	for name, v := range map[string]*layer.View{
		"nothing":       {At: s.ws},
		"relative":      {At: "ws", From: s.state},
		"upper inside":  {At: s.ws, Lowers: []string{s.ws}, Upper: inside, Work: s.state},
		"another":       {At: inside, From: s.state},
		"not there":     {At: s.ws, From: filepath.Join(s.state, "none")},
		"long":          {At: s.ws, Lowers: []string{long, s.ws}, Upper: s.upper, Work: s.state},
		"the root":      {At: "/", From: s.state},
		"upper missing": {At: s.ws, Lowers: []string{s.ws}, Upper: s.upper + "x", Work: s.upper + "y"},
	} {
		t.Run(name, func(t *testing.T) {
			s.Sandbox.View, s.Sandbox.Workspace = v, s.ws
			_, err := s.Run(t.Context(), gate.Command{Run: "echo x >ran"})
			if about := (*process.ViewError)(nil); !errors.As(err, &about) {
				t.Errorf("error %v", err)
			}
			if diff := cmp.Diff(s.before, content(t, s.ws)); diff != "" {
				t.Errorf("the workspace was changed: %s", diff)
			}
		})
	}
}

// What a trial left that was killed is removed, and nothing else.
func TestSweepTrials(t *testing.T) {
	dir, old := t.TempDir(), time.Now().Add(-2*time.Hour)
	for _, name := range []string{".probe-left/work/work", ".probe-under-way", "runs"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{".probe-left", "runs"} {
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	process.SweepTrials(dir)
	var names []string
	list, err := os.ReadDir(dir)
	for _, e := range list {
		names = append(names, e.Name())
	}
	if err != nil || !slices.Equal(names, []string{".probe-under-way", "runs"}) {
		t.Errorf("there is %v, %v", names, err)
	}
}

// What this machine can do is found out by doing it.
func TestReachOverlay(t *testing.T) {
	s := staged(t, process.None, "ws")
	can := process.ReachOverlay(s.state)
	result, err := s.Run(t.Context(), gate.Command{Run: "true"})
	if got := err == nil && result.Exit == 0; got != can.Can {
		t.Errorf("an overlay: %v, tried: %v", can, err)
	}
	if entries, _ := os.ReadDir(s.state); len(entries) != 2 {
		t.Errorf("it left %v", entries)
	}
	if can := process.ReachOverlay("/proc"); can.Can || can.Trusted {
		t.Errorf("where nothing can be kept: %+v", can)
	}
}
