package layer_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
)

// stand is a layer of an overlay in which scripts run.
type stand struct {
	*layer.Layer
	over              *layer.Overlays
	clone, ws, layers string
	trusted           bool
}

// newStand is a layer on a clone with some files. It skips where there are no
// overlays.
func newStand(t *testing.T) *stand {
	t.Helper()
	dir, err := os.MkdirTemp("", "stand-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { discard(t, dir) })
	s := &stand{ws: filepath.Join(dir, "ws"), clone: filepath.Join(dir, "ws/.planlock/clone"),
		layers: filepath.Join(dir, "ws/.planlock/layers")}
	for name, text := range map[string]string{"a/file": "text", "dir/one": "one", "dir/two": "two", "dir/x.log": "log",
		"node_modules/tool/index.js": "tool", "target/debug/old": "old"} {
		put(t, s.clone, name, text, 0o644)
	}
	reach := process.ReachOverlay(filepath.Dir(s.layers))
	if !reach.Can {
		t.Skip("no overlays here")
	}
	if s.over, err = layer.Over(s.clone, s.ws, s.layers, reach.Trusted); err != nil {
		t.Fatal(err)
	}
	if s.Layer, err = s.over.New("step"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.Drop(), s.over.Close()); err != nil {
			t.Error(err)
		}
	})
	s.trusted = reach.Trusted
	return s
}

// run runs a script in the layer.
func (s *stand) run(t *testing.T, script string) gate.CommandResult {
	t.Helper()
	view, err := s.View()
	if err != nil {
		t.Fatal(err)
	}
	run := &process.Runner{Dir: s.ws, Sandbox: process.Sandbox{Level: process.None, View: view}}
	result, err := run.Run(t.Context(), gate.Command{Run: script})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// do runs a script that is to succeed.
func (s *stand) do(t *testing.T, script string) {
	t.Helper()
	if result := s.run(t, script); result.Exit != 0 {
		t.Fatalf("%s: %+v", script, result)
	}
}

// changed compares what the layer says with what is wanted.
func (s *stand) changed(t *testing.T, what string, base *ledger.Tree, want ...string) {
	t.Helper()
	changes, err := s.Changes(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range changes {
		got = append(got, c.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: %s", what, diff)
	}
}

// Paths that the tree does not watch are compared with what lies there.
func TestOverlayComparesWhatNobodyWatches(t *testing.T) {
	s := newStand(t)
	scanner := scan.Scanner{Scope: ledger.Scope{Ignore: []string{"node_modules", "**/*.log"}, Stamps: []string{"target"}}}
	base, err := scanner.Scan(t.Context(), s.clone, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.do(t, "echo x >node_modules/tool/index.js && echo x >node_modules/new && echo new >target/debug/old && rm -r dir")
	s.changed(t, "written and removed", base, "delete dir", "delete dir/one", "delete dir/two", "delete dir/x.log",
		"create node_modules/new", "modify node_modules/tool/index.js", "modify target/debug/old")
	s.do(t, "rm -r node_modules target")
	s.changed(t, "removed", base, "delete dir", "delete dir/one", "delete dir/two", "delete dir/x.log", "delete node_modules",
		"delete node_modules/tool", "delete node_modules/tool/index.js", "delete target", "delete target/debug",
		"delete target/debug/old")
}

// What is in the upper folder and is as below is no change, but for the times of
// files.
func TestOverlayUpperIsNoChange(t *testing.T) {
	s := newStand(t)
	s.do(t, "touch -r dir/one stamp && echo x >>dir/one && printf one >dir/one && touch -r stamp dir/one && rm stamp && chmod 600 dir/two && chmod 644 dir/two && mv a/file b && mv b a/file && printf tool >node_modules/tool/index.js")
	s.changed(t, "read", nil, "modify node_modules/tool/index.js")
	s.changed(t, "known", tree(t, s.clone), "modify node_modules/tool/index.js")
	if list, err := os.ReadDir(filepath.Join(s.layers, "step/upper/dir")); err != nil || len(list) != 2 {
		t.Errorf("the upper folder has %v, %v", list, err)
	}
}

// A file that a scan would not read for its size is not read here either, whatever
// watches it, and one that is being read is no longer once nobody waits for it.
func TestOverlayReadsNoHugeFile(t *testing.T) {
	s := newStand(t)
	s.do(t, "truncate -s 1T a/file node_modules/huge")
	changes, err := s.Changes(t.Context(), tree(t, s.clone))
	if err != nil || len(changes) != 2 || changes[0].After.Kind != ledger.Special || changes[1].After.Kind != ledger.Special {
		t.Fatalf("%v, %v", changes, err)
	}
	if err := s.Merge(changes); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(s.clone, "a/file")); err != nil || info.Size() != 1<<40 {
		t.Errorf("merged: %v, %v", info, err)
	}
	stopped := newStand(t)
	stopped.do(t, "truncate -s 60G a/file")
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if _, err := stopped.Changes(ctx, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

// A command cannot set the notes of its overlay: names of them stand for
// others.
func TestOverlayNotesCannotBePlanted(t *testing.T) {
	s := newStand(t)
	s.do(t, "echo x >dir/three; echo x >>dir/one; : >dir/empty; mkdir own; cp dir/one own/again; "+program(t)+" plant dir dir/empty")
	s.changed(t, "changed", nil, "create dir/empty", "modify dir/one", "create dir/three", "create own", "create own/again")
}

// plant gives paths attributes with the names of notes, as far as that is let.
func plant(paths []string) {
	for _, prefix := range []string{"user.overlay.", "trusted.overlay."} {
		for _, note := range []string{"opaque=y", "redirect=/a", "whiteout=y", "metacopy="} {
			name, value, _ := strings.Cut(note, "=")
			for _, path := range paths {
				_ = syscall.Setxattr(path, prefix+name, []byte(value), 0)
			}
		}
	}
}

// White-outs and opaque folders are read in both forms.
func TestOverlayReadsOtherForms(t *testing.T) {
	s := newStand(t)
	prefix := "user.overlay."
	if s.trusted {
		prefix = "trusted.overlay."
	}
	upper := filepath.Join(s.layers, "step/upper")
	put(t, upper, "dir/one", "", 0o644)
	put(t, upper, "a/file", "", 0o644)
	for path, note := range map[string]string{"dir": "opaque=x", "dir/one": "whiteout=", "a": "opaque=y"} {
		name, value, _ := strings.Cut(note, "=")
		if err := syscall.Setxattr(filepath.Join(upper, path), prefix+name, []byte(value), 0); err != nil {
			t.Skip(err)
		}
	}
	s.changed(t, "changed", nil, "modify a/file", "delete dir/one")
}

// A layer that is dropped is gone, whatever modes its folders have; what cannot
// be read in it is named.
func TestOverlayClosedFolders(t *testing.T) {
	s := newStand(t)
	s.do(t, "mkdir -p closed/in && echo x >closed/in/file && chmod 0 closed/in/file closed/in closed")
	_, err := s.Changes(t.Context(), nil)
	if os.Geteuid() != 0 && (!errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "closed")) {
		t.Errorf("what cannot be read: %v", err)
	}
	if err := errors.Join(s.Drop(), s.over.Close()); err != nil {
		t.Fatal(err)
	}
	if list, err := os.ReadDir(s.layers); err != nil || len(list) > 0 {
		t.Errorf("it is still there: %v, %v", list, err)
	}
	if _, err := s.View(); err == nil {
		t.Error("a layer that was dropped can be shown")
	}
}

// Renames of folders work for root; of an ordinary user it is known by what the
// command printed.
func TestOverlayRenamesFolders(t *testing.T) {
	s := newStand(t)
	result := s.run(t, "exec perl -e 'rename(\"dir\", \"moved\") or die \"$!\"'")
	if result.Exit == 127 {
		t.Skip("no perl")
	}
	if s.trusted {
		s.changed(t, "renamed", nil, "delete dir", "delete dir/one", "delete dir/two", "delete dir/x.log", "create moved",
			"create moved/one", "create moved/two", "create moved/x.log")
	} else {
		s.changed(t, "renamed", nil)
	}
	if why := s.over.Impeded(result.Output); (why == "") != s.trusted {
		t.Errorf("%+v: %q", result, why)
	}
}

// An attempt that met what an overlay does not do is known by what it printed.
func TestImpeded(t *testing.T) {
	s := newStand(t)
	for text, want := range map[string]string{
		"mv: cannot move 'a' to 'b': Invalid cross-device link":            "EXDEV",
		"OSError: [Errno 18] Invalid cross-device link: 'a' -> 'b'":        "EXDEV",
		"Error: EXDEV: cross-device link not permitted, rename 'a' -> 'b'": "EXDEV",
		"os error 18)": "EXDEV",
		"touch: setting times of 'x': Value too large for defined data type": "EOVERFLOW",
		"all is well": "",
	} {
		if s.trusted {
			want = ""
		}
		if why := s.over.Impeded(text); (why == "") != (want == "") || !strings.Contains(why, want) {
			t.Errorf("%q: %q", text, why)
		}
	}
}

// What a process left that died can be had by its name, and is removed with all
// else.
func TestOverlayIsLeft(t *testing.T) {
	s := newStand(t)
	s.do(t, "echo x >left && mkdir shut && chmod 0 shut")
	again, err := layer.Over(s.clone, s.ws, s.layers, s.trusted)
	if err != nil {
		t.Fatal(err)
	}
	if l, err := again.Left("other"); l != nil || err != nil {
		t.Errorf("another layer was left: %v, %v", l, err)
	}
	l, err := again.Left("step")
	if err != nil || l == nil {
		t.Fatalf("%v, %v", l, err)
	}
	if changes, err := l.Changes(t.Context(), nil); os.Geteuid() == 0 && (err != nil || len(changes) != 2) {
		t.Errorf("%v, %v", changes, err)
	}
	if err := again.Sweep(); err != nil {
		t.Fatal(err)
	}
	if list, err := os.ReadDir(s.layers); err != nil || len(list) > 0 {
		t.Errorf("left: %v, %v", list, err)
	}
	s.Layer, err = s.over.New("step")
	if err != nil {
		t.Error(err)
	}
}

// Layers do not lie in the clone, also not by a link, and their names are names.
func TestOverRefuses(t *testing.T) {
	clone := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(clone, link); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{clone, filepath.Join(clone, "in"), filepath.Join(link, "in")} {
		if _, err := layer.Over(clone, "/ws", dir, false); err == nil || !strings.Contains(err.Error(), "lies in the clone") {
			t.Errorf("%s: %v", dir, err)
		}
	}
	over, err := layer.Over(clone, "/ws", t.TempDir(), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".", "..", "a/b", `a\b`, ".hidden"} {
		if _, err := over.New(name); err == nil {
			t.Errorf("%q is a name", name)
		}
	}
}

// As nobody, what depends on privileges is tested too.
func TestOverlayOfOrdinaryUsers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be somebody else")
	}
	asNobody(t, "^TestOverlay[A-Z][a-zA-Z]*[a-z]$|^TestImpeded$")
}
