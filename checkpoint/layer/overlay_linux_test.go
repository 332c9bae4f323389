package layer_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

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
	ws, upper string
	trusted   bool
}

// newStand is a layer on a workspace with some files, made by a step that fill
// is told of. It skips where there are no overlays.
func newStand(t *testing.T, fill func(ws string)) *stand {
	t.Helper()
	ws, state := newSite(t)
	put(t, ws, "dir/one", "one", 0o644)
	put(t, ws, "dir/two", "two", 0o644)
	put(t, ws, "node_modules/tool/index.js", "tool", 0o644)
	put(t, ws, ".git/HEAD", "ref: refs/heads/main", 0o644)
	put(t, ws, ".planlock/runs/x", "ours", 0o644)
	if fill != nil {
		fill(ws)
	}
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	views := process.ReachViews(ws, state)
	if !views.Overlay {
		t.Skip(views.Reasons)
	}
	l, err := engineOf(t, ws, state, layer.ByOverlay, views).New(t.Context(), "step")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Drop(); err != nil {
			t.Error(err)
		}
	})
	return &stand{l, ws, filepath.Join(dirOf(t, ws, state), "step", "upper"), views.Trusted}
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

// changes are spelled without digests and modes.
func (s *stand) changes(t *testing.T, base *ledger.Tree) (changed, lost []string) {
	t.Helper()
	d, err := s.Changes(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range d.Changes {
		changed = append(changed, c.String())
	}
	for _, l := range d.Lost {
		lost = append(lost, l.String())
	}
	return changed, lost
}

func check(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: %s", what, diff)
	}
}

// What was there before is what the work began with, whatever others do in the
// workspace meanwhile: so a delivery finds them.
func TestOverlayKeepsTheBase(t *testing.T) {
	s := newStand(t, nil)
	base := tree(t, s.ws)
	put(t, s.ws, "dir/one", "theirs", 0o644)
	put(t, s.ws, "dir/new", "theirs", 0o644)
	put(t, s.ws, "a/file", "changed", 0o644)
	s.do(t, "echo ours >dir/one && printf text >a/file && rm -r dir/two")
	d, err := s.Changes(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	// What was written as it was when the work began is no change.
	if len(d.Changes) != 2 || d.Changes[0].Path != "dir/one" || d.Changes[1].Path != "dir/two" {
		t.Fatalf("changes %v", d.Changes)
	}
	if was, _ := base.Lookup("dir/one"); !d.Changes[0].Before.Same(was) {
		t.Errorf("before: %+v, want %+v", d.Changes[0].Before, was)
	}
	s.do(t, "rm -r dir && mkdir dir && echo x >dir/two")
	changed, _ := s.changes(t, base)
	check(t, "a folder that was made anew", changed, "delete dir/one", "modify dir/two")
	s.do(t, "rm -r dir")
	changed, _ = s.changes(t, base) // and not what the work did not know of
	check(t, "a folder that was removed", changed, "delete dir", "delete dir/one", "delete dir/two")
}

// Paths that the tree does not watch are compared with what lies there.
func TestOverlayComparesWhatNobodyWatches(t *testing.T) {
	s := newStand(t, func(ws string) {
		put(t, ws, "target/debug/old", "old", 0o644)
		put(t, ws, "dir/x.log", "log", 0o644)
	})
	scanner := scan.Scanner{Scope: ledger.Scope{Ignore: []string{"node_modules", "**/*.log"}, Stamps: []string{"target"}}}
	base, err := scanner.Scan(t.Context(), s.ws, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.do(t, "echo x >node_modules/tool/index.js && echo x >node_modules/new && echo new >target/debug/old && rm -r dir")
	changed, _ := s.changes(t, base)
	check(t, "written and removed", changed, "delete dir", "delete dir/one", "delete dir/two", "delete dir/x.log",
		"create node_modules/new", "modify node_modules/tool/index.js", "modify target/debug/old")
	s.do(t, "rm -r node_modules target")
	changed, _ = s.changes(t, base)
	check(t, "removed", changed, "delete dir", "delete dir/one", "delete dir/two", "delete dir/x.log", "delete node_modules",
		"delete node_modules/tool", "delete node_modules/tool/index.js", "delete target", "delete target/debug",
		"delete target/debug/old")
}

// What is in the upper folder and is as below is no change, and costs no
// reading of what is not.
func TestOverlayUpperIsNoChange(t *testing.T) {
	s := newStand(t, nil)
	s.do(t, "touch dir/one && chmod 600 dir/two && chmod 644 dir/two && mv a b && mv b a && printf tool >node_modules/tool/index.js")
	for name, base := range map[string]*ledger.Tree{"read": nil, "known": tree(t, s.ws)} {
		changed, lost := s.changes(t, base)
		check(t, name, changed)
		check(t, name+", lost", lost)
	}
	if list, err := os.ReadDir(filepath.Join(s.upper, "dir")); err != nil || len(list) != 2 {
		t.Errorf("the upper folder has %v, %v", list, err)
	}
}

// A command cannot set the notes of its overlay: names of them stand for
// others.
func TestOverlayNotesCannotBePlanted(t *testing.T) {
	s := newStand(t, nil)
	s.do(t, "echo x >dir/three; echo x >>dir/one; : >dir/empty; mkdir own; ln dir/one own/again")
	planted := 0
	for _, prefix := range []string{"user.overlay.", "trusted.overlay."} {
		for _, note := range []string{"opaque=y", "redirect=/a", "whiteout=y", "metacopy="} {
			name, value, _ := strings.Cut(note, "=")
			for _, path := range []string{"dir", "dir/empty"} {
				err := syscall.Setxattr(filepath.Join(s.Dir(), path), prefix+name, []byte(value), 0)
				if err == nil {
					planted++
				}
			}
		}
	}
	t.Logf("%d were taken", planted)
	changed, _ := s.changes(t, nil)
	check(t, "changed", changed, "create dir/empty", "modify dir/one", "create dir/three", "create own", "create own/again")
}

// White-outs and opaque folders are read in both forms.
func TestOverlayReadsOtherForms(t *testing.T) {
	s := newStand(t, nil)
	prefix := "user.overlay."
	if s.trusted {
		prefix = "trusted.overlay."
	}
	put(t, s.upper, "dir/one", "", 0o644)
	put(t, s.upper, "a/file", "", 0o644)
	for path, note := range map[string]string{"dir": "opaque=x", "dir/one": "whiteout=", "a": "opaque=y"} {
		name, value, _ := strings.Cut(note, "=")
		if err := syscall.Setxattr(filepath.Join(s.upper, path), prefix+name, []byte(value), 0); err != nil {
			t.Skip(err)
		}
	}
	changed, _ := s.changes(t, nil)
	check(t, "changed", changed, "modify a/file", "delete dir/one")
	above, err := s.Above(t.Context(), "above")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = above.Drop() })
	top := &stand{above, s.ws, filepath.Join(filepath.Dir(filepath.Dir(s.upper)), "above", "upper"), s.trusted}
	put(t, top.upper, "dir/one", "again", 0o644)
	put(t, top.upper, "dir/two", "2", 0o644)
	changed, _ = top.changes(t, nil)
	check(t, "above", changed, "create dir/one", "modify dir/two")
	if err := above.Drop(); err != nil { // before the one on which it lies
		t.Error(err)
	}
}

// What code of this process reads is what commands see, as long as that can be
// had.
func TestOverlayIsReadWhereItIsShown(t *testing.T) {
	s := newStand(t, nil)
	if s.Dir() != s.ws {
		t.Errorf("before the first command: %q", s.Dir())
	}
	s.do(t, "echo new >new")
	reads := func(l *layer.Layer, name, want string) {
		t.Helper()
		if text, err := os.ReadFile(filepath.Join(l.Dir(), name)); err != nil || string(text) != want {
			t.Errorf("%s of %s in %q: %q, %v", name, l.Name(), l.Dir(), text, err)
		}
	}
	reads(s.Layer, "new", "new\n")
	reads(s.Layer, "dir/one", "one")
	above, err := s.Above(t.Context(), "above")
	if err != nil {
		t.Fatal(err)
	}
	reads(above, "new", "new\n")
	(&stand{Layer: above, ws: s.ws}).do(t, "echo judged >new")
	reads(above, "new", "judged\n")
	if s.Dir() != "" {
		t.Errorf("below a view: %q", s.Dir())
	}
	if err := above.Drop(); err != nil {
		t.Fatal(err)
	}
	s.do(t, "true")
	reads(s.Layer, "new", "new\n")
}

// What no delivery brings is named.
func TestOverlayNamesLosses(t *testing.T) {
	s := newStand(t, func(ws string) {
		put(t, ws, "shared", "text", 0o644)
		put(t, ws, "sub/.git/config", "theirs", 0o644)
		if err := os.Link(filepath.Join(ws, "shared"), filepath.Join(ws, "second")); err != nil {
			t.Fatal(err)
		}
	})
	s.do(t, "echo x >.git/index; echo x >sub/.git/config; mkdir .planlock; echo x >.planlock/journal; echo x >>shared; "+
		"echo x >twin; ln twin other")
	if err := syscall.Setxattr(filepath.Join(s.Dir(), "twin"), attribute, []byte("x"), 0); err != nil {
		t.Fatal(err)
	}
	want := []string{".git: is never delivered", ".planlock: is never delivered", "other: attribute " + attribute,
		"other: one file with 2 names", "shared: it was one file with 2 names: the others keep what they have",
		"sub/.git: is never delivered", "twin: attribute " + attribute, "twin: one file with 2 names"}
	if os.Geteuid() == 0 {
		s.do(t, "chown 1:2 a/file other; true")
		want = append(want, "a/file: owner 1:2", "other: owner 1:2", "twin: owner 1:2")
		slices.Sort(want)
	}
	changed, lost := s.changes(t, nil)
	check(t, "changed", changed, "create other", "modify shared", "create twin")
	check(t, "lost", lost, want...)
	if _, err := os.Lstat(filepath.Join(s.ws, ".planlock", "journal")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the controller's folder was written")
	}
}

// A layer that is dropped is gone, whatever modes its folders have; what cannot
// be read in it is named.
func TestOverlayClosedFolders(t *testing.T) {
	s := newStand(t, nil)
	s.do(t, "mkdir -p closed/in && echo x >closed/in/file && chmod 0 closed/in/file closed/in closed")
	_, err := s.Changes(t.Context(), nil)
	if os.Geteuid() != 0 && (!errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "closed")) {
		t.Errorf("what cannot be read: %v", err)
	}
	if err := s.Drop(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Dir(s.upper)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}

// Renames of folders work for root; an ordinary user is told, and so is who
// runs the attempt.
func TestOverlayRenamesFolders(t *testing.T) {
	s := newStand(t, nil)
	engines, err := layer.Engines(t.Context(), s.ws, filepath.Join(filepath.Dir(s.ws), "state"), layer.Demand{}, process.ReachViews)
	if err != nil {
		t.Fatal(err)
	}
	best, err := layer.Choose(engines)
	if err != nil || best.Kind != layer.ByOverlay {
		t.Fatalf("%+v, %v", best, err)
	}
	result := s.run(t, "exec perl -e 'rename(\"dir\", \"moved\") or die \"$!\"'")
	if result.Exit == 127 {
		t.Skip("no perl")
	}
	reason, impeded := best.Impeded(result.Output)
	changed, _ := s.changes(t, nil)
	if s.trusted {
		check(t, "renamed", changed, "delete dir", "delete dir/one", "delete dir/two", "create moved", "create moved/one",
			"create moved/two")
	} else {
		check(t, "renamed", changed)
	}
	if impeded == s.trusted || impeded && reason.Cause != layer.Renames {
		t.Errorf("%+v: %v, %v", result, reason, impeded)
	}
}

// As nobody, what depends on privileges is tested too.
func TestOverlayOfOrdinaryUsers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be somebody else")
	}
	asNobody(t, "^TestOverlay[A-Z][a-zA-Z]*[a-z]$|^TestForeignFiles$")
}

// inForeign names a folder that root made for an ordinary user, with a file of
// root's in it.
const inForeign = "PLANLOCK_TEST_FOREIGN"

// Files of others are found before; where they are written all the same, the
// command is told, and so is who runs the attempt.
func TestForeignFiles(t *testing.T) {
	dir := os.Getenv(inForeign)
	if dir == "" {
		t.Skip("root has to make them")
	}
	ws, state := filepath.Join(dir, "ws"), filepath.Join(dir, "state")
	var views layer.Views
	engines, err := layer.Engines(t.Context(), ws, state, layer.Demand{}, func(ws, state string) layer.Views {
		views = process.ReachViews(ws, state)
		return views
	})
	if err != nil {
		t.Fatal(err)
	}
	if !views.Overlay {
		t.Skip(views.Reasons)
	}
	best, err := layer.Choose(engines)
	if err != nil || best.Kind != layer.ByClone || !slices.Equal(causes(engines[0].Against), []layer.Cause{layer.Owners}) ||
		!slices.Equal(engines[0].Against[0].Paths, []string{"roots"}) {
		t.Fatalf("%+v, %v: %+v", best, err, engines[0])
	}
	l, err := engines[0].New(t.Context(), "step")
	if err != nil {
		t.Fatal(err)
	}
	s := &stand{Layer: l, ws: ws}
	result := s.run(t, "cat roots && echo x >>roots")
	if reason, ok := engines[0].Impeded(result.Output); result.Exit == 0 || !ok || reason.Cause != layer.Owners {
		t.Errorf("%+v: %v, %v", result, reason, ok)
	}
	s.do(t, "cat roots && rm -f roots && echo mine >roots")
	changed, _ := s.changes(t, nil)
	check(t, "removed and made anew", changed, "modify roots")
	if err := l.Drop(); err != nil {
		t.Error(err)
	}
}

// Folders that were renamed are followed through layers on layers.
func TestOverlayFollowsRenames(t *testing.T) {
	s := newStand(t, func(ws string) { put(t, ws, "dir/deep/er", "deep", 0o644) })
	if !s.trusted {
		t.Skip("an ordinary user cannot rename folders in an overlay")
	}
	for i, step := range []struct {
		script string
		want   []string
	}{
		{"mkdir x && mv dir x/moved && rm x/moved/two", []string{"delete dir", "delete dir/deep", "delete dir/deep/er", "delete dir/one",
			"delete dir/two", "create x", "create x/moved", "create x/moved/deep", "create x/moved/deep/er", "create x/moved/one"}},
		{"mv x/moved y && echo 2 >y/one && mkdir x/moved", []string{"delete x/moved/deep", "delete x/moved/deep/er",
			"delete x/moved/one", "create y", "create y/deep", "create y/deep/er", "create y/one"}},
		{"mv y/deep z && mv y dir && rm -r x", []string{"create dir", "create dir/one", "delete x", "delete x/moved", "delete y",
			"delete y/deep", "delete y/deep/er", "delete y/one", "create z", "create z/er"}},
		{"echo 4 >>z/er && rm dir/one", []string{"delete dir/one", "modify z/er"}},
	} {
		s.do(t, step.script)
		changed, lost := s.changes(t, nil)
		check(t, step.script, changed, step.want...)
		check(t, step.script+", lost", lost)
		d, err := s.Changes(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range d.Changes {
			if c.After == nil || c.After.Kind != ledger.File {
				continue
			}
			if _, err := ledger.Content(s.Open).Read(t.Context(), c.After); err != nil {
				t.Errorf("%s: %v", step.script, err)
			}
		}
		above, err := s.Above(t.Context(), "above"+string(rune('0'+i)))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = above.Drop() }) // before the one below
		s = &stand{above, s.ws, "", true}
	}
}
