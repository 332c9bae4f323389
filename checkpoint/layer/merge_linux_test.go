package layer_test

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/ledger"
)

// A clone in which layers are merged one after another is as a plain copy in
// which the same was done, and no note of an overlay is left in it.
func TestMerge(t *testing.T) {
	t.Run("self", merges)
	if os.Geteuid() == 0 {
		t.Run("ordinary user", func(t *testing.T) { asNobody(t, "^TestMerge$/^self$") })
	}
}

func merges(t *testing.T) {
	first, count := uint64(1), 8
	if torture {
		count = 400
	}
	if *rounds > 0 {
		count = *rounds
	}
	if *seed > 0 {
		first, count = *seed, 1
	}
	for s := first; s < first+uint64(count); s++ {
		if mergeOnce(t, s); t.Failed() {
			t.Fatalf("go test ./checkpoint/layer -run 'TestMerge' -layers.seed %d", s)
		}
	}
}

func mergeOnce(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 15))
	dir, err := os.MkdirTemp("", "merge-")
	if err != nil {
		t.Fatal(err)
	}
	defer discard(t, dir)
	in := func(name string) string { return filepath.Join(dir, name) }
	ws, clone, copied := in("ws"), in("ws/.planlock/clone"), in("copy")
	if err := errors.Join(os.MkdirAll(in("ws/.planlock"), 0o755), os.Mkdir(in("state"), 0o755)); err != nil {
		t.Fatal(err)
	}
	reach := process.ReachOverlay(in("state"))
	if !reach.Can {
		t.Skip("no overlays here")
	}
	for range 40 {
		if o := anyOp(r); o.Do != "fifo" && o.A != ".planlock" {
			_ = o.play(ws) // what it can
		}
	}
	if err := errors.Join(layer.Clone(t.Context(), ws, clone), layer.Clone(t.Context(), ws, copied)); err != nil {
		t.Fatal(err)
	}
	engine, err := layer.Over(clone, ws, in("ws/.planlock/layers"), reach.Trusted)
	if err != nil {
		t.Fatal(err)
	}
	base := tree(t, clone)
	for range 1 + r.IntN(4) {
		l, err := engine.New(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		unlink(t, copied)
		ops := make([]op, 10+r.IntN(30))
		for i := range ops {
			ops[i] = anyOp(r)
		}
		playBoth(t, l, ws, copied, ops, !reach.Trusted)
		d, err := l.Changes(t.Context(), base)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Merge(d); err != nil {
			t.Fatal(err)
		}
		drop(t, l)
		want := tree(t, copied)
		base = tree(t, clone)
		if diff := cmp.Diff(timeless(ledger.Diff(new(ledger.Tree), want)), timeless(ledger.Diff(new(ledger.Tree), base))); diff != "" {
			t.Errorf("the clone is not as the copy: %s", diff)
			return
		}
		noMarks(t, clone)
	}
	if err := engine.Close(); err != nil {
		t.Error(err)
	}
	if list, err := os.ReadDir(in("ws/.planlock/layers")); err != nil || len(list) > 0 {
		t.Errorf("left where layers were: %v, %v", list, err)
	}
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
