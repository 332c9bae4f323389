package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/plan"
)

// The codes of the catalogue that have no short example.
func TestRareCodes(t *testing.T) {
	steps := strings.Repeat("[[tasks.steps]]\n", 2000)
	var globs strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&globs, `"*/%d/*",`, i)
	}
	for code, text := range map[string]string{
		"defaults-too-large": "schema = 1\n[defaults]\nevidence = [\"" + strings.Repeat("x", 20_000) + "\"]\n[[tasks]]\nid = 1\n" + steps,
		"too-many":           "schema = 1\n[[tasks]]\nid = 1\n" + steps,
		"too-complex": "schema = 1\nnon_goals = [{ id = 1, paths = [" + globs.String() + "] }]\n[[tasks]]\nid = 1\n[[tasks.steps]]\nid = 1\nartifacts.create = [" +
			strings.Repeat(`"a/b",`, 200) + "]\n",
	} {
		codes := codesOf(mustRead(t, text).Check(plan.CheckOptions{}))
		n := 0
		for _, c := range codes {
			if c == code {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s stands %d times", code, n)
		}
	}
	o := plan.CheckOptions{Approvals: []plan.Approval{{Gate: "review", Level: 2, Verdict: "fail"}}}
	d := mustRead(t, limitsPlan(t))
	if codes := codesOf(d.Check(o)); !slices.Equal(codes, []string{"approval-failed"}) {
		t.Errorf("%q", codes)
	}
	if a := d.SelfCheck(o)[9]; a.Question != "design-gates-passed" || a.Yes || len(a.Evidence) != 1 {
		t.Errorf("%+v", a)
	}
}

// Every question can be answered with no, and is then backed by an error.
func TestEveryQuestionCanSayNo(t *testing.T) {
	all := examples(t)
	for _, q := range plan.QuestionCodes() {
		question, code := q[0], q[1]
		e, ok := all[code]
		if !ok || e.Whole {
			continue
		}
		d := mustRead(t, e.bad(limitsPlan(t)))
		for _, a := range d.SelfCheck(plan.CheckOptions{Executors: []string{"shell"}}) {
			if a.Question == question && (a.Yes || len(a.Evidence) == 0) {
				t.Errorf("%s: %s does not speak against it: %+v", question, code, a)
			}
		}
	}
}

func TestHostKinds(t *testing.T) {
	text := strings.Replace(limitsPlan(t), `{ kind = "file_exists", path = "server/server.go" }`, `{ kind = "my_kind", level = 3, deep = { a = 1 } }`, 1)
	d := mustRead(t, text)
	if !has(d, "check-kind-unknown") {
		t.Error("a kind that nobody knows was taken")
	}
	mine := plan.CheckKind{Name: "my_kind", Free: []string{"level", "deep"}}
	if found := d.Check(plan.CheckOptions{CheckKinds: []plan.CheckKind{mine}}); len(found) != 0 {
		t.Errorf("%v", found)
	}
	mine = plan.CheckKind{Name: "my_kind", Needed: []string{"level", "wide"}}
	var codes []string
	for _, f := range d.Check(plan.CheckOptions{CheckKinds: []plan.CheckKind{mine}}) {
		codes = append(codes, f.Code)
	}
	if got := strings.Join(codes, " "); got != "check-argument-missing check-argument-unknown" {
		t.Errorf("an argument is missing, and one is not known: %s", got)
	}
	extra := d.Plan.Tasks[0].Steps[0].Preconditions[0].Extra
	if len(extra) != 2 || extra[0].Key != "deep.a" || extra[1].Value.Text != "3" {
		t.Errorf("%+v", extra)
	}
}

func TestNonGoalsProtectWhatIsBelow(t *testing.T) {
	base := strings.Replace(limitsPlan(t), `paths = ["internal/auth/**"]`, `paths = ["internal/auth", "*.lock", "docs/**"]
symbols = ["server.Limiter"]`, 1)
	for piece, want := range map[string]bool{
		`"internal/auth"`: true, `"internal/auth/a/b.go"`: true, `"internal/auth/*.go"`: true,
		`"internal/authority.go"`: false,
		`"go.lock"`:               true, `"a/go.lock"`: false, `"docs/x.md"`: true, `"docs"`: true, `"docsx"`: false, `"README.md"`: false,
	} {
		d := mustRead(t, strings.Replace(base, `modify = ["README.md"]`, `modify = [`+piece+`]`, 1))
		d.Plan.Tasks[0].Steps[1].Artifacts.SymbolsAdd = nil
		if has(d, "artifact-in-non-goal") != want {
			t.Errorf("%s: want %v", piece, want)
		}
	}
	n := 0
	for _, c := range codesOf(mustRead(t, base).Check(plan.CheckOptions{})) {
		if c == "artifact-in-non-goal" {
			n++
		}
	}
	if n != 2 {
		t.Errorf("%d protected symbols of 2", n)
	}
}
