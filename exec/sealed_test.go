package exec_test

import (
	"bytes"
	"context"
	"crypto"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/internal/disk/faulty"
	"github.com/planlock/planlock/internal/disk/powercut"
	"github.com/planlock/planlock/plan"
)

// sealed is a run of three steps that has ended, in a folder below another one.
func sealed(t *testing.T, layer string) (b *exectest.Bench, id string) {
	t.Helper()
	head := ""
	if layer != "" {
		head = "sandbox = { layer = \"" + layer + "\" }"
	}
	b = exectest.New(t, steps(head, "a", "b", "c"), personsFiles, exectest.Script{"1.1": exectest.Write("a", "a\n"),
		"2.1": exectest.Write("b", "b\n"), "3.1": exectest.Write("c", "c\n")})
	done := b.Run(t)
	if layer == "" {
		done.Want(t, history.Achieved)
	}
	return b, done.Report.Run.Started.Run
}

// TestASealedRunThatIsSetBackSaysSo: its journal stays as it is, byte for byte, and
// what is beside it tells who set what back, and what was there.
func TestASealedRunThatIsSetBackSaysSo(t *testing.T) {
	for _, layer := range []string{"", "in-place"} {
		t.Run("layer "+layer, func(t *testing.T) {
			b, id := sealed(t, layer)
			ws := exec.Workspace{Dir: b.Dir}
			journal := filepath.Join(ws.RunDir(id), "journal")
			before, err := os.ReadFile(journal)
			must(t, err)
			was := b.Tree(t).Digest()
			done, err := b.Controller.Rollback(t.Context(), id, "2.1", "ana", "it is wrong")
			if err != nil || !done.Sealed || done.Kept.Tree != was {
				t.Fatalf("%+v, %v; the tree was %s", done, err, was)
			}
			if now, err := os.ReadFile(journal); err != nil || !bytes.Equal(now, before) {
				t.Errorf("the sealed journal changed: %v", err)
			}
			run, err := ws.History(t.Context(), id)
			must(t, err)
			back := run.After.Last()
			if back == nil || back.By != "ana" || back.Reason != "it is wrong" || !back.Done || back.Kept.Tree != was ||
				!slices.Equal(back.Steps, []plan.Address{"2.1", "3.1"}) {
				t.Errorf("what is told of it: %+v", back)
			}
			if run.After.Of("1.1") != nil || run.After.Of("3.1") == nil {
				t.Errorf("the run: %+v", run.After)
			}
			if got := b.Tree(t).Digest(); got != back.Snapshot.Tree {
				t.Errorf("the tree is %s, want %s", got.Short(), back.Snapshot.Tree.Short())
			}
			if proof, err := ws.Verify(t.Context(), id); err != nil || proof.After != 3 {
				t.Errorf("%+v, %v", proof, err)
			}
			var refused *exec.RefusedError
			if _, err := b.Controller.Rollback(t.Context(), id, "3.1", "", ""); !errors.As(err, &refused) {
				t.Errorf("3.1 is set back, which is gone: %v", err)
			}
			if _, err := b.Controller.Rollback(t.Context(), id, "2.1", "", ""); err != nil {
				t.Errorf("the same once more: %v", err)
			}
			report, err := b.Controller.RunFrom(t.Context(), b.Lock(t), id)
			if report.Run.Sealed == nil || report.Run.Step("1.1").Carried == nil || report.Run.Step("2.1").Carried != nil ||
				report.Run.Step("3.1").Carried != nil || len(report.Run.Adopted) > 0 || report.Run.Asked > 0 {
				t.Errorf("the run that finishes it: %v\n%s", err, report)
			}
		})
	}
}

// TestSealedRunsAreSetBackByTheirOwner: where the run is signed, so is what becomes
// of it, by the same key or on a person's word; and nobody believes another one.
func TestSealedRunsAreSetBackByTheirOwner(t *testing.T) {
	b, _ := sealed(t, "")
	ws := exec.Workspace{Dir: b.Dir}
	must(t, os.RemoveAll(filepath.Join(b.Dir, ".planlock")))
	for _, name := range []string{"a", "b", "c"} {
		must(t, os.RemoveAll(filepath.Join(b.Dir, name)))
	}
	b.Controller.Signer = owner
	done := b.Run(t)
	done.Want(t, history.Achieved)
	id := done.Report.Run.Started.Run
	var refused *exec.RefusedError
	b.Controller.Signer = nil
	if _, err := b.Controller.Rollback(t.Context(), id, "3.1", "ana", ""); !errors.As(err, &refused) {
		t.Fatalf("nobody signs: %v", err)
	}
	b.Controller.Signer = successor
	if _, err := b.Controller.Rollback(t.Context(), id, "3.1", "ana", ""); !errors.As(err, &refused) || len(refused.Actions) == 0 ||
		!slices.Contains(refused.Actions[0].Accept, "signing key") {
		t.Fatalf("another key: %v", err)
	}
	if ws.HasAfterwards(t.Context(), id) {
		t.Error("a refusal left something")
	}
	b.Controller.Signer, b.Controller.EarlierSigners = successor, []crypto.Signer{owner}
	if _, err := b.Controller.Rollback(t.Context(), id, "3.1", "ana", ""); err != nil {
		t.Fatal(err)
	}
	if run, err := ws.History(t.Context(), id); err != nil || run.After.Key != keyOf(t, owner) {
		t.Errorf("signed by %v, %v", run, err)
	}
	b.Controller.EarlierSigners = nil
	if _, err := b.Controller.Rollback(t.Context(), id, "2.1", "ana", "", "signing key"); err != nil {
		t.Fatal(err)
	}
	run, err := ws.History(t.Context(), id)
	if err != nil || run.After.Key != keyOf(t, successor) || len(run.After.Setbacks) != 2 {
		t.Fatalf("%+v, %v", run, err)
	}
	b.Controller.Signer = owner
	after := filepath.Join(ws.RunDir(id), "after")
	kept, err := os.ReadFile(after)
	must(t, err)
	forged, err := filelog.OpenJournal(t.Context(), after, run.AfterName(), nil)
	must(t, err)
	_, err = forged.Add(t.Context(), "rolled-back", "1.1", &history.RolledBack{To: "1.1", By: "mallory"})
	must(t, errors.Join(err, forged.Close()))
	var corrupt *record.CorruptError
	if _, err := ws.History(t.Context(), id); !errors.As(err, &corrupt) || corrupt.Seq != run.After.Head.Seq+1 {
		t.Errorf("nobody signed what is there: %v", err)
	}
	must(t, errors.Join(os.Remove(after+".head"), os.WriteFile(after, kept, 0o644)))
	if _, err := b.Controller.RunFrom(t.Context(), b.Lock(t), id); !errors.As(err, &refused) {
		t.Errorf("a run that another key set back is finished: %v", err)
	}
}

// TestPowerWhileASealedRunIsSetBack lets the power go, and each operation fail,
// while a run that has ended is set back: what is told of it is true, and doing it
// again finishes it.
func TestPowerWhileASealedRunIsSetBack(t *testing.T) {
	b, id := sealed(t, "")
	ended := b.Tree(t).Digest()
	home := t.TempDir()
	copied := func() string {
		dir := filepath.Join(home, "ws")
		must(t, errors.Join(os.RemoveAll(dir), os.CopyFS(dir, os.DirFS(b.Dir))))
		return dir
	}
	in := func(dir string) *exectest.Bench {
		c := *b.Controller
		c.Dir = dir
		return &exectest.Bench{Dir: dir, Draft: b.Draft, Controller: &c}
	}
	journal, err := os.ReadFile(filepath.Join(exec.Workspace{Dir: b.Dir}.RunDir(id), "journal"))
	must(t, err)
	// after looks at what is left, and has it set back once more.
	after := func(what, dir string) {
		now, ws := in(dir), exec.Workspace{Dir: dir}
		run, err := ws.History(t.Context(), id)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		back, tree := run.After.Last(), now.Tree(t).Digest()
		switch {
		case back == nil && tree != ended:
			t.Errorf("%s: nothing says that it was set back, and it was", what)
		case back != nil && back.Done && tree != back.Snapshot.Tree:
			t.Errorf("%s: it says that it was set back, and the tree is %s", what, tree.Short())
		}
		var refused *exec.RefusedError
		if back != nil && !back.Done {
			if _, err := now.Controller.Run(t.Context(), now.Lock(t)); !errors.As(err, &refused) {
				t.Errorf("%s: a run begins on half of it: %v", what, err)
			}
			if _, err := now.Controller.RunFrom(t.Context(), now.Lock(t), id); !errors.As(err, &refused) {
				t.Errorf("%s: half of it is taken over: %v", what, err)
			}
		}
		if _, err := now.Controller.Rollback(t.Context(), id, "2.1", "ana", "again"); err != nil {
			t.Errorf("%s: once more: %v", what, err)
			return
		}
		if run, err = ws.History(t.Context(), id); err != nil || run.After.CutOff() != nil ||
			now.Tree(t).Digest() != run.After.Last().Snapshot.Tree {
			t.Errorf("%s: once more it is not set back: %v", what, err)
		}
		if _, err := ws.Verify(t.Context(), id); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if kept, err := os.ReadFile(filepath.Join(ws.RunDir(id), "journal")); err != nil || !bytes.Equal(kept, journal) {
			t.Errorf("%s: the sealed journal changed: %v", what, err)
		}
	}
	dir := copied()
	rec, err := powercut.New(home, "life 1")
	must(t, err)
	if _, err := in(dir).Controller.Rollback(disk.With(t.Context(), disk.New(rec)), id, "2.1", "ana", "wrong"); err != nil {
		t.Fatal(err)
	}
	trace := rec.Trace()
	t.Logf("%d operations", trace.Len())
	fresh := filepath.Join(t.TempDir(), "cut")
	for k := 0; k <= trace.Len(); k += stride() {
		for i, choose := range []powercut.Choice{powercut.Nothing, powercut.Everything, powercut.Random(uint64(k))} {
			if !whole && k/stride()%3 != i {
				continue
			}
			must(t, errors.Join(os.RemoveAll(fresh), trace.At(k).Build(fresh, choose)))
			what := []string{"nothing", "everything", "some"}[i]
			after(fmt.Sprintf("power cut at %d, %s is lost", k, what), filepath.Join(fresh, "ws"))
		}
	}
	for at := 1; ; at += stride() {
		dir := copied()
		l := &faulty.Layer{Err: syscall.EIO, At: at}
		_, err := in(dir).Controller.Rollback(disk.With(context.Background(), disk.New(l)), id, "2.1", "ana", "wrong")
		if !l.Hit() {
			must(t, err)
			return
		}
		after(l.What()+" failed", dir)
	}
}
