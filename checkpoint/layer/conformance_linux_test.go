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
	"slices"
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

// kinds are the engines that the suite holds against a plain copy, each with
// what tells whether the machine has it.
var kinds = []struct {
	kind layer.Kind
	has  func(layer.Views) bool
}{
	{layer.ByOverlay, func(v layer.Views) bool { return v.Overlay }},
	{layer.ByClone, func(v layer.Views) bool { return v.Bind }},
	{layer.Elsewhere, func(layer.Views) bool { return true }},
}

// Every kind of layer is as a plain copy of the workspace, whatever is done in
// it, also in layers on layers; and it says of itself what is different.
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
	foreign := filepath.Join(home, "foreign")
	put(t, foreign, "ws/roots", "text", 0o666)
	if err := errors.Join(os.Chown(foreign, nobody, nobody), os.Chown(filepath.Join(foreign, "ws"), nobody, nobody)); err != nil {
		t.Fatal(err)
	}
	cmd := osexec.CommandContext(t.Context(), program, "-test.run="+pattern, "-test.v",
		fmt.Sprint("-layers.seed=", *seed), fmt.Sprint("-layers.rounds=", *rounds))
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "TMPDIR="+home, "HOME="+home, inForeign+"="+foreign)
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
	for _, k := range kinds {
		t.Run(string(k.kind), func(t *testing.T) {
			ws, state := newSite(t)
			if err := os.Mkdir(state, 0o700); err != nil {
				t.Fatal(err)
			}
			views := process.ReachViews(ws, state)
			if !k.has(views) {
				t.Skip(views.Reasons)
			}
			t.Logf("seeds %d to %d", first, first+uint64(count)-1)
			for s := first; s < first+uint64(count); s++ {
				if conformOnce(t, k.kind, views, s); t.Failed() {
					t.Fatalf("go test ./checkpoint/layer -run 'TestConformance' -layers.seed %d", s)
				}
			}
		})
	}
}

// conformOnce plays one sequence in layers, each on the one before, and in a
// plain copy.
func conformOnce(t *testing.T, kind layer.Kind, views layer.Views, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 14))
	dir, err := os.MkdirTemp("", "conform-")
	if err != nil {
		t.Fatal(err)
	}
	defer discard(t, dir)
	ws, copied, state := filepath.Join(dir, "ws"), filepath.Join(dir, "copy"), filepath.Join(dir, "state")
	if err := os.Mkdir(ws, 0o755); err != nil {
		t.Fatal(err)
	}
	for range 40 {
		if o := anyOp(r); o.Do != "fifo" { // which clones leave out
			_ = o.play(ws) // what it can
		}
	}
	if err := layer.Clone(t.Context(), ws, copied); err != nil {
		t.Fatal(err)
	}
	before := everything(t, ws)
	engine := engineOf(t, ws, state, kind, views)
	base := tree(t, ws)
	defer func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
		if list, err := os.ReadDir(dirOf(t, ws, state)); err != nil || len(list) != 1 {
			t.Errorf("left where layers were: %v, %v", list, err)
		}
	}()
	l, err := engine.New(t.Context(), "0")
	if err != nil {
		t.Fatal(err)
	}
	for depth, depths := 0, 1+r.IntN(3); depth < depths; depth++ {
		if depth > 0 {
			if l, err = l.Above(t.Context(), fmt.Sprint(depth)); err != nil {
				t.Fatal(err)
			}
			discard(t, filepath.Join(copied, ".planlock")) // which each layer hides anew
			unlink(t, copied)
		}
		defer drop(t, l)
		for range 1 + r.IntN(2) {
			ops := make([]op, 10+r.IntN(30))
			for i := range ops {
				for ops[i] = anyOp(r); ops[i].Do == "fifo" && depth < depths-1; {
					ops[i] = anyOp(r)
				}
			}
			playBoth(t, l, ws, copied, ops, kind == layer.ByOverlay && !views.Trusted)
		}
		base = agree(t, l, base, copied, depth)
		if t.Failed() {
			return
		}
	}
	if diff := cmp.Diff(before, everything(t, ws)); diff != "" {
		t.Errorf("the workspace was changed: %s", diff)
	}
}

func discard(t *testing.T, dir string) {
	if err := layer.Discard(context.Background(), dir); err != nil {
		t.Error(err)
	}
}

func drop(t *testing.T, l *layer.Layer) {
	if err := l.Drop(); err != nil {
		t.Error(err)
	}
}

// playBoth plays operations in a layer, as a command, and in the plain copy,
// which is spared what an overlay of an ordinary user refuses.
func playBoth(t *testing.T, l *layer.Layer, ws, copied string, ops []op, user bool) {
	t.Helper()
	script, err := os.CreateTemp("", "ops-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(script.Name())
	if err := errors.Join(json.NewEncoder(script).Encode(ops), script.Close()); err != nil {
		t.Fatal(err)
	}
	view, err := l.View()
	if err != nil {
		t.Fatal(err)
	}
	run := &process.Runner{Dir: ws, Sandbox: process.Sandbox{Level: process.None, View: view}}
	if view == nil {
		run.Dir = l.Dir()
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
		if user && o.refused(outcomes[i], copied) {
			continue
		}
		if want := outcome(o.play(copied)); want != outcomes[i] {
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

// agree compares what a layer says of itself with the plain copy, and returns
// the tree of both.
func agree(t *testing.T, l *layer.Layer, base *ledger.Tree, copied string, depth int) *ledger.Tree {
	t.Helper()
	found, err := l.Changes(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	read, err := l.Changes(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(timeless(found.Changes), timeless(read.Changes)) + cmp.Diff(found.Lost, read.Lost); diff != "" {
		t.Errorf("layer %d says another thing when it reads what is below: %s", depth, diff)
	}
	want := tree(t, copied)
	if diff := cmp.Diff(timeless(ledger.Diff(base, want)), timeless(ledger.Diff(base, tree(t, l.Dir())))); diff != "" {
		t.Errorf("layer %d reads otherwise where it is: %s", depth, diff)
	}
	var wanted []ledger.Change
	for _, c := range ledger.Diff(base, want) {
		if !slices.Contains(strings.Split(c.Path, "/"), ".git") {
			wanted = append(wanted, c)
		}
	}
	if diff := cmp.Diff(timeless(wanted), timeless(found.Changes)); diff != "" {
		t.Errorf("layer %d: %s", depth, diff)
	}
	for _, c := range found.Changes {
		if c.After == nil || c.After.Kind != ledger.File {
			continue
		}
		if _, err := ledger.Content(l.Open).Read(context.Background(), c.After); err != nil {
			t.Errorf("layer %d: %v", depth, err)
		}
		if _, err := syscall.Getxattr(filepath.Join(copied, c.Path), attribute, nil); depth == 0 && err == nil &&
			!slices.Contains(found.Lost, layer.Loss{Path: c.Path, What: "attribute " + attribute}) {
			t.Errorf("layer %d: the attribute of %q is not named: %v", depth, c.Path, found.Lost)
		}
	}
	return want
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

// everything spells all that a folder holds, with what changes when anything is
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
		stat := info.Sys().(*syscall.Stat_t)
		fmt.Fprintf(&b, "%q %v %d %v %d %d\n", path[len(dir):], info.Mode(), info.Size(), info.ModTime(), stat.Ino, stat.Ctim.Nsec)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
