package plan_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

func mustLock(t *testing.T, d *plan.Draft, options plan.LockOptions) *plan.Locked {
	t.Helper()
	l, err := plan.Lock(d, options)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Equal arguments give equal locks: nothing is asked that another time or
// machine would answer otherwise.
func TestLockIsAFunction(t *testing.T) {
	l := mustLock(t, mustRead(t, limitsPlan(t)), plan.LockOptions{})
	if l.ID() != "" || !l.Options().At.IsZero() {
		t.Errorf("a lock that nobody named is called %q, and was made at %v", l.ID(), l.Options().At)
	}
	o := plan.LockOptions{ID: "x", At: time.Unix(1, 0), Approvals: []plan.Approval{{Gate: "review", Level: 2, Verdict: "pass"}}}
	l = mustLock(t, mustRead(t, limitsPlan(t)), o)
	if diff := cmp.Diff(o, l.Options()); diff != "" || l.ID() != "x" {
		t.Error(diff)
	}
}

func TestAcknowledgements(t *testing.T) {
	text := strings.Replace(strings.Replace(limitsPlan(t), `semantic_change = "preserving"`, "semantic_change = \"breaking\"\n  rollback = \"irreversible\"", 1),
		"max_retries = 2\n  semantic_change = \"extending\"", "max_retries = 2\n  semantic_change = \"modifying\"", 1)
	d := mustRead(t, text)
	all := []string{"breaking:2.1", "irreversible:2.1", "modifying:1.2"}
	var ack *plan.AckError
	if _, err := plan.Lock(d, plan.LockOptions{}); !errors.As(err, &ack) || len(ack.Missing) != 3 ||
		!strings.Contains(err.Error(), "modifying:1.2") {
		t.Errorf("%v", err)
	}
	if _, err := plan.Lock(d, plan.LockOptions{Acknowledged: all[1:]}); !errors.As(err, &ack) ||
		len(ack.Missing) != 1 || ack.Missing[0].Code != all[0] {
		t.Errorf("%v", err)
	}
	if _, err := plan.Lock(d, plan.LockOptions{Acknowledged: append(slices.Clone(all),
		"breaking:9.9")}); !errors.As(err, &ack) || !slices.Equal(ack.Unknown, []string{"breaking:9.9"}) {
		t.Errorf("%v", err)
	}
	l := mustLock(t, d, plan.LockOptions{Acknowledged: []string{all[2], all[0], all[1], all[0]}})
	if !slices.Equal(l.Options().Acknowledged, all) {
		t.Errorf("%q", l.Options().Acknowledged)
	}
}

func TestLockRefusesWhatIsIncomplete(t *testing.T) {
	var check *plan.CheckError
	d := mustRead(t, strings.Replace(limitsPlan(t), "rollback = \"reversible\"\n", "", 1))
	_, err := plan.Lock(d, plan.LockOptions{})
	if !errors.As(err, &check) || len(check.Answers) != 10 || !strings.Contains(err.Error(), "[rollback-missing]") {
		t.Errorf("%v", err)
	}
	d = mustRead(t, limitsPlan(t))
	if _, err := plan.Lock(d, plan.LockOptions{Approvals: []plan.Approval{{Gate: "review", Level: 2,
		Verdict: "partial"}}}); !errors.As(err, &check) || !strings.Contains(err.Error(), "approval-failed") {
		t.Errorf("%v", err)
	}
	if _, err := plan.Lock(d,
		plan.LockOptions{Approvals: []plan.Approval{{Gate: "style", Level: 1, Verdict: "fail"}}}); err != nil {
		t.Errorf("a gate of level 1 blocks: %v", err)
	}
	d.Plan.Tasks[0].Steps = nil
	if _, err := plan.Lock(d, plan.LockOptions{}); err == nil {
		t.Error("an edit after reading was not judged")
	}
}

func TestLockedIsItsOwn(t *testing.T) {
	d := mustRead(t, limitsPlan(t))
	l := mustLock(t, d, plan.LockOptions{})
	want := l.Digest()
	d.Plan.Tasks[0].Steps[0].Run = "changed"
	d.Plan.Requirements[0].ID = "changed"
	p := l.Plan()
	p.Goal = "changed"
	*p.Tasks[0].Steps[0].Limits.MaxFiles = 99
	p.Tasks[0].Steps[0].Artifacts.Create[0] = "changed"
	l.Draft().Plan.Tasks[0].Steps[0].Artifacts.Create[0] = "changed"
	if got := l.Plan().Digest(); got != want || l.Digest() != want {
		t.Error("what was locked can be changed from outside")
	}
}

// A lock gives the draft back as it was: what was found stands where it stood.
func TestLockedKeepsItsDraft(t *testing.T) {
	d := mustRead(t, limitsPlan(t))
	d.Found = append(d.Found, plan.Diagnostic{Code: "task-field-missing", Severity: plan.Warning, Message: "it has no priority"})
	want := d.Check(plan.CheckOptions{})
	l := mustLock(t, d, plan.LockOptions{})
	d.Found[len(d.Found)-1].Message = "changed"
	got := l.Draft()
	if diff := cmp.Diff(want, got.Check(plan.CheckOptions{})); diff != "" {
		t.Errorf("the draft is checked otherwise once it is locked (-want +got):\n%s", diff)
	}
	if at := d.Position("tasks[0]"); got.Position("tasks[0]") != at || at.Line < 2 {
		t.Errorf("the first task stands at %v, want %v", got.Position("tasks[0]"), at)
	}
	if again := mustLock(t, got, plan.LockOptions{}); again.Digest() != l.Digest() {
		t.Error("locked again it is another plan")
	}
	if (&plan.Locked{}).Draft() != nil {
		t.Error("the zero value has a draft")
	}
}

// 6 of the torture list: the plan is edited after the lock.
func TestVerify(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.toml")
	text := limitsPlan(t)
	old := time.Now().Add(-time.Hour)
	write := func(text string, at time.Time) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	write(text, old)
	d, err := native.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	l := mustLock(t, d, plan.LockOptions{})
	if err := l.Verify(); err != nil {
		t.Errorf("nothing changed: %v", err)
	}
	write("# another comment\n"+text, time.Now())
	if err := l.Verify(); err != nil {
		t.Errorf("a comment: %v", err)
	}
	var lockErr *plan.LockError
	edited := strings.Replace(text, "10 requests", "11 requests", 1)
	write(edited, time.Now())
	if err := l.Verify(); !errors.As(err,
		&lockErr) || lockErr.What != "plan" || lockErr.Want != l.Digest() || lockErr.Got == "" {
		t.Errorf("an edit: %v", err)
	}
	write("schema = ", time.Now())
	if err := l.Verify(); !errors.As(err, &lockErr) {
		t.Errorf("half a plan: %v", err)
	}
	write(text, old)
	if err := l.Verify(); err != nil {
		t.Errorf("as it was: %v", err)
	}
	if runtime.GOOS == "linux" || runtime.GOOS == "darwin" {
		time.Sleep(50 * time.Millisecond) // a tick of the clock of the file system
		write(edited, old)
		if err := l.Verify(); !errors.As(err, &lockErr) {
			t.Errorf("an edit that keeps size and time: %v", err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := l.Verify(); !errors.As(err, &lockErr) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("gone: %v", err)
	}
	if err := mustLock(t, mustRead(t, text), plan.LockOptions{}).Verify(); err != nil {
		t.Errorf("from memory: %v", err)
	}
}

// A change of the same size within the same tick of the file system's clock is
// seen too.
func TestVerifyFreshFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.toml")
	text, now := limitsPlan(t), time.Now()
	for i, digit := range []string{"0", "1"} {
		if err := os.WriteFile(path, []byte(strings.Replace(text, "to 10 requests", "to 1"+digit+" requests", 1)),
			0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now, now); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			d, err := native.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			l := mustLock(t, d, plan.LockOptions{})
			defer func() {
				if err := l.Verify(); err == nil {
					t.Error("the change was not seen")
				}
			}()
		}
	}
}

func TestObserveRelaxesDeclarations(t *testing.T) {
	d := mustRead(t, readText(t, "testdata/minimal.toml"))
	for _, f := range d.Check(plan.CheckOptions{}) {
		if f.Severity == plan.Error {
			t.Errorf("%v", f)
		}
	}
	for _, a := range d.SelfCheck(plan.CheckOptions{}) {
		if !a.Yes {
			t.Errorf("%+v", a)
		}
	}
	d.Plan.Requirements = []plan.Requirement{{ID: "R1", Text: "x"}}
	d.Plan.Tasks[0].Steps = append(d.Plan.Tasks[0].Steps, plan.Step{ID: "9", Requirements: []string{"R1"}})
	if got := d.SelfCheck(plan.CheckOptions{})[1].Evidence; !strings.Contains(got[0], "for none (profile observe)") {
		t.Errorf("a step that serves none of the requirements that there are: %q", got)
	}
	d.Plan.Requirements, d.Plan.Tasks[0].Steps = nil, d.Plan.Tasks[0].Steps[:len(d.Plan.Tasks[0].Steps)-1]
	d.Plan.Profile = plan.Strict
	var no []string
	for _, a := range d.SelfCheck(plan.CheckOptions{}) {
		if !a.Yes {
			no = append(no, a.Question)
		}
	}
	if want := []string{"requirements-mapped", "scope-declared", "rollback-defined",
		"non-goals-declared"}; !slices.Equal(no, want) {
		t.Errorf("%q", no)
	}
}
