package attempt

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/planlock/planlock/checkpoint/delivery"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/ledger"
)

// TestWhatDeliveryRefusesIsNotAccepted holds the two against each other: an
// attempt is refused for what delivery would refuse, and for nothing else.
func TestWhatDeliveryRefusesIsNotAccepted(t *testing.T) {
	ctx := context.Background()
	place, err := delivery.Open(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer place.Close()
	empty := func(context.Context, ledger.Entry) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("")), nil
	}
	tree, err := ledger.NewTree(nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := func(path string) ledger.Entry { return ledger.Entry{Path: path, Kind: ledger.Dir, Mode: 0o755} }
	special := func(path, target string) ledger.Entry {
		return ledger.Entry{Path: path, Kind: ledger.Special, Mode: 0o644, Target: target}
	}
	paths := []string{".git", ".GIT", "d/.git", "d/.Git/config", ".planlock", ".PlanLock/x", "a/../b", "a//b", "a\x00b"}
	refused := map[string]bool{"socket": true}
	entries := []ledger.Entry{special("socket", "socket"), special("pipe", ledger.FIFO), dir("d"), dir("git"), dir(".gitignore"),
		dir(".github"), dir("d/.planlock"), dir("a.git"), dir("git~1")}
	for _, path := range paths {
		refused[path] = true
		entries = append(entries, dir(path))
	}
	for _, e := range entries {
		for name, c := range map[string]ledger.Change{
			"created": {Path: e.Path, Op: ledger.Created, After: &e}, "deleted": {Path: e.Path, Op: ledger.Deleted, Before: &e},
		} {
			want := refused[e.Path] && (e.Kind == ledger.Dir || c.After != nil)
			_, err := place.Stage(ctx, "x-"+ledger.Sum([]byte(name+e.Path)).Short(), []ledger.Change{c}, empty)
			if (err != nil) != want {
				t.Errorf("%q %s: delivery says %v, refused: %v", e.Path, name, err, want)
			}
			f := judgingIn("copy", tree, c).undeliverable()
			if (f != nil) != want || f != nil && f.Class != history.Breach {
				t.Errorf("%q %s: the attempt has the fault %v, and delivery says %v", e.Path, name, f, err)
			}
			if f := judgingIn("root", tree, c).undeliverable(); (f != nil) != (want && e.Kind == ledger.Dir) {
				t.Errorf("%q %s: in place the attempt has the fault %v", e.Path, name, f)
			}
		}
	}
}

// judgingIn is the judging of an attempt that worked in a folder.
func judgingIn(dir string, after *ledger.Tree, changes ...ledger.Change) judging {
	work := &worktree.Worktree{Root: "root", Dir: dir}
	return judging{&trial{Attempts: &Attempts{Session: &session.Session{Work: work}}, after: after,
		entry: &history.Accounted{Changes: changes}}}
}

// TestUndeliverableFoldersAreNamedOnce: what lies in a repository is one fault,
// by the folder that is refused, which says what to do.
func TestUndeliverableFoldersAreNamedOnce(t *testing.T) {
	tree, err := ledger.NewTree(nil)
	if err != nil {
		t.Fatal(err)
	}
	var changes []ledger.Change
	for _, path := range []string{"a/.git", "a/.git/HEAD", "a/.git/refs", "a/b", "c/.GIT"} {
		changes = append(changes, ledger.Change{Path: path, Op: ledger.Created,
			After: &ledger.Entry{Path: path, Kind: ledger.Dir, Mode: 0o755}})
	}
	f := judgingIn("copy", tree, changes...).undeliverable()
	if f == nil || len(f.Findings) != 2 || f.Findings[0].Path != "a/.git" || f.Findings[1].Path != "c/.GIT" {
		t.Fatalf("%+v", f)
	}
	want := "is of a repository (.git), which is never delivered: take .git away before the step ends, " +
		"or make the repository yourself, outside of the plan"
	if f.Reasons[0] != "the step left what is never delivered: a/.git, c/.GIT" || f.Reasons[1] != "a/.git "+want {
		t.Errorf("%q", f.Reasons)
	}
	extra := ledger.Change{Path: "s", Op: ledger.Created, After: &ledger.Entry{Path: "s", Kind: ledger.Special, Target: "socket"}}
	j := judgingIn("copy", tree, extra)
	j.entry.Account.Extra = []ledger.Change{extra}
	if f := j.undeliverable(); f != nil {
		t.Errorf("a socket that nobody declared is told as such, and not as %v", f)
	}
}
