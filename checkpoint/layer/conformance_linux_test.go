package layer_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/ledger"
)

var (
	seed   = flag.Uint64("layers.seed", 0, "play this sequence of operations only")
	rounds = flag.Int("layers.rounds", 0, "how many sequences of operations; 0: few, or 400 with the tag torture")
)

// A way to have commands work in a clone.
type way string

// The ways, each of which is as a plain copy of the workspace.
const (
	overlaid  way = "overlay"
	shown     way = "clone under the same path"
	elsewhere way = "clone elsewhere"
)

// Each way to work is as a plain copy of the workspace, whatever is done, one
// attempt after another; the workspace is not touched. An overlay says of itself
// what it changed, and the clone with which it was merged has no note of it.
func TestConformance(t *testing.T) {
	t.Run("self", conform)
	if os.Geteuid() == 0 {
		t.Run("ordinary user", func(t *testing.T) { asNobody(t, "^TestConformance$/^self$") })
	}
}

// asNobody runs tests of this program without privileges.
func asNobody(t *testing.T, pattern string) {
	const nobody = 65534
	dir, err := os.MkdirTemp("", "layers-")
	if err != nil {
		t.Fatal(err)
	}
	defer discard(t, dir)
	program := filepath.Join(dir, "layer.test")
	text, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(dir, "home")
	err = errors.Join(os.WriteFile(program, text, 0o755), os.Chmod(dir, 0o755), os.Mkdir(home, 0o755), os.Chown(home, nobody, nobody))
	if err != nil {
		t.Fatal(err)
	}
	cmd := osexec.CommandContext(t.Context(), program, "-test.run="+pattern, "-test.v",
		fmt.Sprint("-layers.seed=", *seed), fmt.Sprint("-layers.rounds=", *rounds))
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "TMPDIR="+home, "HOME="+home)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	} else {
		t.Logf("%s", out)
	}
}

func conform(t *testing.T) {
	first, count := uint64(1), 4
	if torture {
		count = 400
	}
	if *rounds > 0 {
		count = *rounds
	}
	if *seed > 0 {
		first, count = *seed, 1
	}
	for _, by := range []way{overlaid, shown, elsewhere} {
		t.Run(string(by), func(t *testing.T) {
			for s := first; s < first+uint64(count); s++ {
				if conformOnce(t, by, s); t.Failed() {
					t.Fatalf("go test ./checkpoint/layer -run 'TestConformance' -layers.seed %d", s)
				}
			}
		})
	}
}

// A stage is a workspace with its clone and a plain copy, and what is tried in
// them.
type stage struct {
	by                way
	ws, clone, copied string
	over              *layer.Overlays
	user              bool // overlays are those of an ordinary user
	base              *ledger.Tree
}

// conformOnce plays one sequence in a clone, one attempt after another, and in a
// plain copy.
func conformOnce(t *testing.T, by way, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 15))
	dir, err := os.MkdirTemp("", "conform-")
	if err != nil {
		t.Fatal(err)
	}
	defer discard(t, dir)
	in := func(name string) string { return filepath.Join(dir, name) }
	s := &stage{by: by, ws: in("ws"), clone: in("ws/.planlock/clone"), copied: in("copy")}
	if err := os.MkdirAll(in("ws/.planlock"), 0o755); err != nil {
		t.Fatal(err)
	}
	for range 40 {
		if o := anyOp(r); o.Do != "fifo" && !strings.HasPrefix(o.A, ".planlock") {
			_ = o.play(s.ws) // what it can
		}
	}
	before := everything(t, s.ws)
	if err := errors.Join(layer.Clone(t.Context(), s.ws, s.clone), layer.Clone(t.Context(), s.ws, s.copied)); err != nil {
		t.Fatal(err)
	}
	s.open(t, in("ws/.planlock/layers"))
	for range 1 + r.IntN(4) {
		ops := make([]op, 10+r.IntN(30))
		for i := range ops {
			ops[i] = anyOp(r)
		}
		if s.attempt(t, ops); t.Failed() {
			return
		}
	}
	s.close(t, in("ws/.planlock/layers"))
	discard(t, s.clone)
	if diff := cmp.Diff(before, everything(t, s.ws)); diff != "" {
		t.Errorf("the workspace was changed: %s", diff)
	}
}

// open makes ready what commands are shown.
func (s *stage) open(t *testing.T, layers string) {
	s.base = tree(t, s.clone)
	switch s.by {
	case shown:
		if !process.ReachBind() {
			t.Skip("commands cannot be shown a clone at the path of the workspace here")
		}
	case overlaid:
		reach := process.ReachOverlay(filepath.Dir(layers))
		if !reach.Can {
			t.Skip("no overlays here")
		}
		var err error
		if s.over, err = layer.Over(s.clone, s.ws, layers, reach.Trusted); err != nil {
			t.Fatal(err)
		}
		s.user = !reach.Trusted
	}
}

// close waits until nothing is left of layers.
func (s *stage) close(t *testing.T, layers string) {
	if s.over == nil {
		return
	}
	if err := s.over.Close(); err != nil {
		t.Error(err)
	}
	if list, err := os.ReadDir(layers); err != nil || len(list) > 0 {
		t.Errorf("left where layers were: %v, %v", list, err)
	}
}

// attempt plays operations in the clone and in the plain copy.
func (s *stage) attempt(t *testing.T, ops []op) {
	view := &layer.View{At: s.ws, From: s.clone}
	var l *layer.Layer
	switch s.by {
	case elsewhere:
		view = nil
	case overlaid:
		unlink(t, s.copied) // a layer gives each name of a file a file of its own
		var err error
		if l, err = s.over.New(""); err == nil {
			view, err = l.View()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s.playBoth(t, view, ops)
	want := tree(t, s.copied)
	if l != nil {
		s.merge(t, l)
	}
	s.base = tree(t, s.clone)
	if diff := cmp.Diff(whole(want), whole(s.base)); diff != "" {
		t.Errorf("the clone is not as the copy: %s", diff)
	}
}

// merge brings what was done in a layer into the clone.
func (s *stage) merge(t *testing.T, l *layer.Layer) {
	changes, err := l.Changes(t.Context(), s.base)
	if err != nil {
		t.Fatal(err)
	}
	read, err := l.Changes(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(timeless(changes), timeless(read)); diff != "" {
		t.Errorf("the layer says another thing when it reads what is below: %s", diff)
	}
	if err := l.Merge(read); err != nil {
		t.Fatal(err)
	}
	if err := l.Drop(); err != nil {
		t.Error(err)
	}
	noMarks(t, s.clone)
}

// whole spells all of a tree.
func whole(t *ledger.Tree) []string { return timeless(ledger.Diff(new(ledger.Tree), t)) }

// playBoth plays operations as a command, and in the plain copy, which is spared
// what an overlay of an ordinary user refuses.
func (s *stage) playBoth(t *testing.T, view *layer.View, ops []op) {
	t.Helper()
	script, err := os.CreateTemp("", "ops-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(script.Name())
	if err := errors.Join(json.NewEncoder(script).Encode(ops), script.Close()); err != nil {
		t.Fatal(err)
	}
	run := &process.Runner{Dir: s.ws, Sandbox: process.Sandbox{Level: process.None, View: view}}
	if view == nil {
		run.Dir = s.clone
	}
	result, err := run.Run(t.Context(), gate.Command{Args: []string{program(t), "play", script.Name()}})
	if err != nil || result.Exit != 0 {
		t.Fatalf("%v: %+v", err, result)
	}
	var outcomes []string
	if err := json.Unmarshal([]byte(result.Stdout), &outcomes); err != nil || len(outcomes) != len(ops) {
		t.Fatalf("%v: %q", err, result.Stdout)
	}
	defer syscall.Umask(syscall.Umask(0o022))
	for i, o := range ops {
		if s.user && o.refused(outcomes[i], s.copied) {
			continue
		}
		if want := outcome(o.play(s.copied)); want != outcomes[i] {
			t.Errorf("%d: %v: %s, in a plain copy: %s", i, o, outcomes[i], want)
		}
	}
}

// program is this program, by a path that does not change.
func program(t *testing.T) string {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func discard(t *testing.T, dir string) {
	if err := layer.Discard(context.Background(), dir); err != nil {
		t.Error(err)
	}
}

// timeless are changes without times, which copies need not share.
func timeless(changes []ledger.Change) []string {
	list := make([]string, len(changes))
	spell := func(e *ledger.Entry) string {
		if e == nil {
			return "nothing"
		}
		return fmt.Sprintf("%s %v %d %s %q", e.Kind, e.Mode, e.Size, e.Digest.Short(), e.Target)
	}
	for i, c := range changes {
		list[i] = fmt.Sprintf("%s %q: %s -> %s", c.Op, c.Path, spell(c.Before), spell(c.After))
	}
	return list
}

// unlink gives each name of a file a file of its own, as a layer does with what
// lies below it.
func unlink(t *testing.T, dir string) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() || info.Sys().(*syscall.Stat_t).Nlink == 1 {
			return err
		}
		in, err := os.Open(path)
		if err != nil {
			return err
		}
		defer in.Close()
		above := filepath.Dir(path)
		was, err := os.Stat(above)
		if err != nil {
			return err
		}
		out, err := os.OpenFile(path+".new", os.O_CREATE|os.O_WRONLY, 0o600)
		if errors.Is(err, fs.ErrPermission) {
			if err = os.Chmod(above, 0o700); err == nil {
				out, err = os.OpenFile(path+".new", os.O_CREATE|os.O_WRONLY, 0o600)
			}
		}
		if err != nil {
			return err
		}
		_, err = io.Copy(out, in)
		if _, of := syscall.Getxattr(path, attribute, nil); of == nil {
			err = errors.Join(err, syscall.Setxattr(path+".new", attribute, []byte("x"), 0))
		}
		return errors.Join(err, out.Chmod(info.Mode()), out.Close(), os.Rename(path+".new", path),
			os.Chmod(above, was.Mode()))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// everything spells all that a workspace holds, with what changes when anything is
// done to it.
func everything(t *testing.T, dir string) string {
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
		if d.Name() == ".planlock" {
			return fs.SkipDir
		}
		stat := info.Sys().(*syscall.Stat_t)
		fmt.Fprintf(&b, "%q %v %d %v %d %d\n", path[len(dir):], info.Mode(), info.Size(), info.ModTime(), stat.Ino, stat.Ctim.Nsec)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// noMarks finds notes of overlays in a folder.
func noMarks(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		names := make([]byte, 4096)
		n, err := syscall.Listxattr(path, names)
		if err == nil && strings.Contains(string(names[:n]), ".overlay.") {
			t.Errorf("%s has %q", path, names[:n])
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
