package git

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	planexec "github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
)

// TestForty commits forty steps (every day: fewer) in a repository with hooks, signed
// commits, a submodule, a stash and something that is staged: on a branch, on none,
// and in a further work tree.
func TestForty(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("needs ssh-keygen")
	}
	for _, where := range []string{"branch", "detached", "worktree"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			keys := t.TempDir()
			var names, want []string
			for i := range forty {
				names = append(names, fmt.Sprintf("letters/%02d.txt", i))
				want = append(want, fmt.Sprintf("Write %s: %s", names[i], names[i]))
			}
			d := newDesk(t, planOf(names...), func(d *desk) {
				d.signs(keys)
				d.submodule("sub")
				d.hook("pre-commit", "echo $GIT_INDEX_FILE >>"+keys+"/pre")
				d.hook("commit-msg", `echo "Signed-off-by: Ana <ana@example.org>" >>"$1"`)
				d.hook("post-commit", "git rev-parse HEAD >>"+keys+"/post")
			})
			branch, main := "refs/heads/main", d.Dir
			switch where {
			case "detached":
				d.git("checkout", "-q", "--detach")
				branch = ""
			case "worktree":
				other := filepath.Join(t.TempDir(), "other")
				d.git("worktree", "add", "-q", "-b", "side", other)
				d.Dir, d.Controller.Dir, branch = other, other, "refs/heads/side"
			}
			d.put("README", "Stashed\n")
			d.git("stash", "-q")
			d.put("staged", "staged\n")
			d.git("add", "staged")
			d.put("README", "Not committed\n")
			for _, name := range []string{"pre", "post"} {
				os.Remove(filepath.Join(keys, name))
			}
			first, check, stash := d.git("rev-parse", "HEAD"), d.untouched(), d.in(main, "rev-parse", "stash")
			d.by.Author, d.by.CoAuthors = "Planlock <bot@example.org>", []string{"Bo <bo@example.org>"}
			done := d.Run(t)
			done.Want(t, history.Achieved)
			check()
			d.want(done.Run, first, want...)
			for _, s := range done.Run.Steps {
				if c := s.Committed(); c == nil || len(c.Left) > 0 || c.Branch != branch {
					t.Errorf("step %s: %+v", s.Address, c)
				}
			}
			if n := strings.Count(d.git("log", "--format=%G?", first+"..HEAD"), "G"); n != forty {
				t.Errorf("%d of %d signatures are good", n, forty)
			}
			if got := d.git("log", "-1", "--format=%an <%ae> %cn%n%b"); !strings.Contains(got, "Planlock <bot@example.org> Ana\n") ||
				!strings.Contains(got, fmt.Sprintf("Planlock-Run: %s\nPlanlock-Step: %d.2\nPlanlock-Plan: %s"+
					"\nCo-authored-by: Bo <bo@example.org>\nSigned-off-by: Ana <ana@example.org>",
					done.Run.Started.Run, forty/2, done.Run.Started.Plan)) {
				t.Errorf("the message is\n%s", got)
			}
			if text, _ := os.ReadFile(filepath.Join(keys, "post")); strings.TrimSpace(string(text)) != d.git("rev-list", "--reverse", first+"..HEAD") {
				t.Errorf("hook post-commit saw\n%s", text)
			}
			if text, _ := os.ReadFile(filepath.Join(keys, "pre")); strings.Count(string(text), "planlock-commit-") != forty {
				t.Errorf("hook pre-commit saw the indexes\n%s", text)
			}
			if got := done.Read(t, "README"); got != "Not committed\n" {
				t.Errorf("README is %q", got)
			}
			if where != "branch" && d.git("rev-parse", "main") != first {
				t.Error("the branch main moved")
			}
			if d.in(main, "rev-parse", "stash") != stash || d.git("rev-parse", "HEAD:sub") != d.git("rev-parse", first+":sub") {
				t.Error("the stash, or the submodule, moved")
			}
			if got := d.in(main, "status", "--porcelain"); where == "worktree" && got != "" {
				t.Errorf("the first work tree has %s", got)
			}
		})
	}
}

// TestConflictMeanwhile commits nothing once somebody has conflicts that are not
// resolved, touches none of them, and goes on when they are gone.
func TestConflictMeanwhile(t *testing.T) {
	d := newDesk(t, planOf("a", "b"), nil)
	first, index := d.git("rev-parse", "HEAD"), filepath.Join(d.Dir, ".git", "index")
	before, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	work, check := d.Controller.Executors[""], func() {}
	d.Controller.Executors[""] = planexec.Func(func(ctx context.Context, w planexec.Work) (planexec.Outcome, error) {
		if w.Step.Address == "1.2" {
			d.conflict("letter")
			check = d.untouched()
		}
		return work.Execute(ctx, w)
	})
	locked := d.Lock(t)
	report, err := d.Controller.Run(context.Background(), locked)
	refused(t, err, "has conflicts that nobody resolved")
	check()
	d.want(report.Run, first, "Write a: a")
	if err := os.WriteFile(index, before, 0o644); err != nil {
		t.Fatal(err)
	}
	d.Controller.Executors[""] = work
	if report, err = d.Controller.Resume(context.Background(), locked, ""); err != nil {
		t.Fatal(err)
	}
	d.want(report.Run, first, "Write a: a", "Write b: b")
}
