package builtin_test

import (
	"maps"
	osexec "os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/gate/gatetest"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

var (
	holds  = plan.Check{Kind: "file_exists", Path: "there"}
	breaks = plan.Check{Kind: "file_exists", Path: "nowhere"}
	unsure = plan.Check{Kind: "nobody"}
	there  = files{"there": ""}
)

func TestConditions(t *testing.T) {
	pre := func(cs ...plan.Check) func(*gate.Pass) {
		return func(p *gate.Pass) { p.Phase, p.Step.Preconditions = gate.Before, cs }
	}
	post := func(cs ...plan.Check) func(*gate.Pass) { return func(p *gate.Pass) { p.Step.Postconditions = cs } }
	try(t, "preconditions", []trial{
		{"none", there, there, pre(), passed},
		{"hold", there, there, pre(holds), passed},
		{"break", there, there, pre(holds, breaks, breaks), []string{"fail", "precondition nowhere", "precondition nowhere"}},
		{"undecided", there, there, pre(holds, unsure), []string{"undecided"}},
		{"broken beside undecided", there, there, pre(unsure, breaks), []string{"fail", "precondition nowhere", "undecided"}},
	})
	try(t, "postconditions", []trial{
		{"hold", there, there, post(holds), passed},
		{"break", there, there, post(breaks), []string{"fail", "postcondition nowhere"}},
		{"no runner", there, there, post(plan.Check{Kind: "command", Run: "true"}), []string{"undecided"}},
	})
}

func TestAssumptions(t *testing.T) {
	assume := func(as ...plan.Assumption) func(*gate.Pass) {
		return func(p *gate.Pass) { p.Phase, p.Plan.Assumptions = gate.Before, as }
	}
	later := func(set func(*gate.Pass)) func(*gate.Pass) {
		return func(p *gate.Pass) { set(p); p.Base = ledger.Empty() }
	}
	words := plan.Assumption{ID: "A0", Text: "In words alone"}
	try(t, "preconditions", []trial{
		{"words alone", there, there, assume(words), passed},
		{"holds", there, there, assume(words, plan.Assumption{ID: "A1", Check: &holds}), passed},
		{"breaks", there, there, assume(plan.Assumption{ID: "A1", Check: &breaks}), []string{"fail", "precondition nowhere"}},
		{"undecided", there, there, assume(plan.Assumption{ID: "A1", Check: &unsure}), []string{"undecided"}},
		{"once something was done", there, there, later(assume(plan.Assumption{ID: "A1", Check: &breaks})), passed},
		{"once it was taken back, and somebody did something", there, there, func(p *gate.Pass) {
			later(assume(plan.Assumption{ID: "A1", Check: &breaks}))(p)
			p.Opening = true
		}, []string{"fail", "precondition nowhere"}},
	})
}

func TestInvariants(t *testing.T) {
	inv := func(phase gate.Phase, since map[string]string, c plan.Check, critical bool) func(*gate.Pass) {
		return func(p *gate.Pass) {
			p.Phase, p.Introduced = phase, since
			p.Plan.Invariants = []plan.Invariant{{ID: "I0", Text: "No check"},
				{ID: "I1", Text: "It stands", Check: &c, Critical: critical}}
		}
	}
	// moved makes the step's checkpoint another tree than the base.
	moved := func(set func(*gate.Pass)) func(*gate.Pass) {
		return func(p *gate.Pass) { set(p); p.Base = ledger.Empty() }
	}
	known := map[string]string{"I1": "base"}
	no := []string{"fail", "invariant-broken nowhere"}
	try(t, "invariants", []trial{
		{"before the first step", there, there, inv(gate.Before, nil, breaks, true), no},
		{"before the first step, though said to hold", there, there, inv(gate.Before, known, breaks, true), no},
		{"before a later step", there, there, moved(inv(gate.Before, known, breaks, true)), passed},
		{"before a later step that the run was set back to", there, there, func(p *gate.Pass) {
			moved(inv(gate.Before, known, breaks, true))(p)
			p.SetBack = true
		}, no},
		{"holds", there, there, inv(gate.During, known, holds, true), passed},
		{"broken", there, there, inv(gate.During, known, breaks, true), no},
		{"at the end", there, there, inv(gate.Final, known, breaks, true), no},
		{"not critical", there, there, inv(gate.During, known, breaks, false), no},
		{"not critical at the end", there, there, inv(gate.Final, known, breaks, false), []string{"partial", "invariant-broken nowhere"}},
		{"undecided", there, there, inv(gate.During, known, unsure, true), []string{"undecided"}},
	})
}

// TestInvariantsBrokenByOthers: what others did, and somebody kept, is looked at
// before the next step and at the end, and no step is blamed for it.
func TestInvariantsBrokenByOthers(t *testing.T) {
	held := `invariant "I1" (It stands), held since before the run, is broken by `
	for phase, want := range map[gate.Phase]string{
		gate.Before: held + "what somebody else changed, kept in answer to q2 and q3: ",
		gate.During: held + "step 1.1: ", // it held before the step
		gate.Final:  held + "what somebody else changed, kept in answer to q2 and q3: ",
	} {
		pass := gatetest.Pass(t, there, there)
		pass.Base = ledger.Empty() // a step was completed
		pass.Phase, pass.Introduced, pass.Kept = phase, map[string]string{"I1": "base"}, []string{"q2", "q3"}
		pass.Plan.Invariants = []plan.Invariant{{ID: "I1", Text: "It stands", Check: &breaks, Critical: true}}
		j := gatetest.Judge(t.Context(), named(t, "invariants"), pass)
		if j.Verdict == nil || len(j.Verdict.Findings) != 1 || !strings.HasPrefix(j.Verdict.Findings[0].Message, want) {
			t.Errorf("%s: %+v, want %q…", phase, j.Verdict, want)
		}
	}
}

func TestInvariantsTellTheStory(t *testing.T) {
	for since, want := range map[string]string{
		"base": `invariant "I1" (It stands), held since before the run, is broken by step 1.1: `,
		"0.7":  `invariant "I1" (It stands), held since step 0.7, is broken by step 1.1: `,
	} {
		pass := gatetest.Pass(t, there, there)
		pass.Phase, pass.Introduced = gate.During, map[string]string{"I1": since}
		pass.Plan.Invariants = []plan.Invariant{{ID: "I1", Text: "It stands", Check: &breaks, Critical: true}}
		j := gatetest.Judge(t.Context(), named(t, "invariants"), pass)
		if got := j.Verdict.Findings[0].Message; !strings.HasPrefix(got, want) {
			t.Errorf("got %q, want %q…", got, want)
		}
	}
}

// TestToleratedInvariants: one that is not critical fails, blocks nothing, and
// is put down to the step that broke it; a critical one beside it blocks.
func TestToleratedInvariants(t *testing.T) {
	for name, tt := range map[string]struct {
		broken   map[string]plan.Address
		critical bool // another invariant, which is broken too
		want     string
	}{
		"first":          {nil, false, `invariant "I1" (It stands), held since before the run, is broken by step 1.1 (it is not critical): `},
		"broken before":  {map[string]plan.Address{"I1": "0.7"}, false, `invariant "I1" (It stands) was broken by step 0.7, and does not hold after step 1.1 (it is not critical): `},
		"never held":     {map[string]plan.Address{"I1": ""}, false, `invariant "I1" (It stands) did not hold before the run, and does not hold after step 1.1 (it is not critical): `},
		"and a critical": {nil, true, `invariant "I2" (So does it), held since before the run, is broken by step 1.1: `}, // it is why, and comes first
	} {
		pass := gatetest.Pass(t, there, there)
		pass.Phase, pass.Introduced, pass.Broken = gate.During, map[string]string{"I1": "base", "I2": "base"}, tt.broken
		if by, broken := tt.broken["I1"]; broken && by == "" {
			delete(pass.Introduced, "I1")
		}
		pass.Plan.Invariants = []plan.Invariant{{ID: "I1", Text: "It stands", Check: &breaks}}
		if tt.critical {
			pass.Plan.Invariants = append(pass.Plan.Invariants, plan.Invariant{ID: "I2", Text: "So does it", Check: &breaks, Critical: true})
		}
		j := gatetest.Judge(t.Context(), named(t, "invariants"), pass)
		if j.Passes() || j.Blocks() != tt.critical || j.Verdict.Tolerated == tt.critical {
			t.Errorf("%s: passes %v, blocks %v, %+v", name, j.Passes(), j.Blocks(), j.Verdict)
		}
		if got := j.Verdict.Findings[0].Message; !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: got %q, want %q…", name, got, tt.want)
		}
	}
}

func TestTestIntent(t *testing.T) {
	script := func(exit int, output ...string) *gatetest.Runner {
		return &gatetest.Runner{Results: map[string]gate.CommandResult{"go test ./p": {Exit: exit, Output: strings.Join(output, "\n")}}}
	}
	wrote := files{"p/p_test.go": "package p\n"}
	const fails = "p_test.go:9: want 429"
	intent := &plan.TestIntent{Behavior: "limits", Test: "go test ./p", FixedBy: "1.2"}
	writes := func(exit int, output ...string) func(*gate.Pass) {
		return func(p *gate.Pass) {
			p.Phase, p.Step.TestIntent, p.Runner = gate.During, intent, script(exit, output...)
		}
	}
	// frozen has the test as it was before the step, which writes another test if
	// that is said.
	frozen := func(by plan.Address, other *plan.TestIntent, set func(*gate.Pass)) func(*gate.Pass) {
		return func(p *gate.Pass) {
			set(p)
			p.OpenIntents, p.Step.Address, p.Step.TestIntent = []*plan.TestIntent{intent}, by, other
			was, _ := p.Before.Lookup("p/p_test.go")
			p.Frozen = []gate.Frozen{{Intent: intent, By: "1.1", Files: []ledger.Entry{was}}}
		}
	}
	softer, other := files{"p/p_test.go": "package p\n\n// softer\n"}, &plan.TestIntent{Test: "go test ./p", FixedBy: "1.9"}
	fixes := func(at plan.Address, exit int, output ...string) func(*gate.Pass) {
		return func(p *gate.Pass) {
			p.Phase, p.Step.Address, p.OpenIntents, p.Runner = gate.During, at, []*plan.TestIntent{intent}, script(exit, output...)
		}
	}
	final := func(exit int) func(*gate.Pass) {
		return func(p *gate.Pass) { p.Phase, p.Step.TestIntent, p.Runner = gate.Final, intent, script(exit) }
	}
	try(t, "test-intent", []trial{
		{"none", nil, nil, func(p *gate.Pass) { p.Phase = gate.During }, passed},
		{"red", nil, wrote, writes(1, fails), passed},
		{"not red", nil, wrote, writes(0), []string{"fail", "test-not-red"}},
		{"not found is not red", nil, wrote, writes(127), []string{"undecided"}},
		{"no test was written", nil, files{"p/p.go": "package p\n"}, writes(1, fails), []string{"fail", "test-not-red"}},
		{"a folder is missing", nil, wrote, writes(1, "stat /w/p: directory not found"), []string{"fail", "test-not-red p/p_test.go"}},
		{"another test fails", nil, wrote, writes(1, "old_test.go:3: no"), []string{"fail", "test-not-red p/p_test.go"}},
		{"frozen", wrote, wrote, frozen("1.2", nil, fixes("1.2", 0)), passed},
		{"changed by who fixes it", wrote, softer, frozen("1.2", nil, fixes("1.2", 0)), []string{"fail", "test-changed p/p_test.go"}},
		{"removed by who fixes it", wrote, files{}, frozen("1.2", nil, fixes("1.2", 0)), []string{"fail", "test-changed p/p_test.go"}},
		{"changed in between", wrote, softer, frozen("1.3", nil, fixes("1.3", 1)), []string{"fail", "test-changed p/p_test.go"}},
		{"changed by who writes a test, and fails", wrote, softer, frozen("1.3", other, fixes("1.3", 1)), []string{"fail", "test-not-red p/p_test.go", "test-not-red p/p_test.go"}},
		{"still open", nil, nil, fixes("1.3", 1), passed},
		{"green", nil, nil, fixes("1.2", 0), passed},
		{"not green", nil, nil, fixes("1.2", 1), []string{"fail", "test-not-green"}},
		{"green without a test", nil, nil, fixes("1.2", 0, "ok  \tp\t0.1s [no tests to run]"), []string{"fail", "test-not-green"}},
		{"green at the end", nil, nil, final(0), passed},
		{"not green at the end", nil, nil, final(2), []string{"fail", "test-not-green"}},
		{"no runner", nil, wrote, func(p *gate.Pass) { writes(1)(p); p.Runner = nil }, []string{"undecided"}},
		{"changed by who writes a test, and fails still", wrote, softer, func(p *gate.Pass) {
			frozen("1.3", other, fixes("1.3", 1))(p)
			p.Runner = script(1, fails)
		}, passed},
	})
	if _, err := osexec.LookPath("sh"); err != nil {
		return
	}
	t.Setenv("NODE_OPTIONS", "--require=./theirs.js")
	try(t, "test-intent", []trial{{"not steered", nil, nil, func(p *gate.Pass) {
		p.Phase, p.Runner = gate.Final, gatetest.Local{Dir: p.Dir}
		p.Step.TestIntent = &plan.TestIntent{Test: `test -z "$NODE_OPTIONS"`}
	}, passed}})
}

func TestTypes(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go tool")
	}
	if _, err := osexec.LookPath("go"); err != nil {
		t.Skip("the go tool is not installed")
	}
	const mod = "module example.com/m\n\ngo 1.25\n"
	good, bad := "package p\n\nfunc F() int { return 1 }\n", "package p\n\nfunc F() int { return \"1\" }\n"
	badTest := "package p\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { missing() }\n"
	local := func(set ...func(*gate.Pass)) func(*gate.Pass) {
		return func(p *gate.Pass) {
			p.Phase, p.Runner = gate.During, gatetest.Local{Dir: p.Dir}
			for _, s := range set {
				s(p)
			}
		}
	}
	writing := func(test string) func(*gate.Pass) {
		return func(p *gate.Pass) { p.Step.TestIntent = &plan.TestIntent{Test: test, FixedBy: "1.2"} }
	}
	open := func(fixedBy plan.Address) func(*gate.Pass) {
		return func(p *gate.Pass) { p.OpenIntents = []*plan.TestIntent{{Test: "go test ./p -run F", FixedBy: fixedBy}} }
	}
	base := files{"go.mod": mod}
	try(t, "types", []trial{
		{"compiles", base, files{"go.mod": mod, "p/p.go": good}, local(), passed},
		{"does not", base, files{"go.mod": mod, "p/p.go": bad}, local(), []string{"fail", "types p/p.go:3"}},
		{"in a module below", files{"sub/go.mod": mod}, files{"sub/go.mod": mod, "sub/p/p.go": bad}, local(), []string{"fail", "types sub/p/p.go:3"}},
		{"in the root", base, files{"go.mod": mod, "p.go": bad}, local(), []string{"fail", "types p.go:3"}},
		{"no module", files{}, files{"p/p.go": bad}, local(), passed},
		{"no Go", files{}, files{"p.txt": ""}, local(), passed},
		{"package removed", files{"go.mod": mod, "p/p.go": good}, base, local(), passed},
		{"file removed that others need", files{"go.mod": mod, "p/p.go": good,
			"p/q.go": "package p\n\nvar X = F()\n"}, files{"go.mod": mod, "p/q.go": "package p\n\nvar X = F()\n"},
			local(), []string{"fail", "types p/q.go:3"}},
		{"unchanged and broken", files{"go.mod": mod, "p/p.go": bad}, files{"go.mod": mod, "p/p.go": bad, "q/q.go": "package q\n"}, local(), passed},
		{"other systems alone", base, files{"go.mod": mod, "p/p.go": "//go:build never\n\n" + bad, "q/q.go": good},
			local(), passed},
		{"testdata", base, files{"go.mod": mod, "p/testdata/p.go": bad}, local(), passed},
		{"test", base, files{"go.mod": mod, "p/p.go": good, "p/p_test.go": badTest}, local(), []string{"fail", "types p/p_test.go:5"}},
		{"test while it is written", base, files{"go.mod": mod, "p/p.go": good, "p/p_test.go": badTest}, local(writing("go test ./p")), passed},
		{"test while it is open", base, files{"go.mod": mod, "p/p.go": good, "p/p_test.go": badTest},
			local(open("1.2")), passed},
		{"test when it should be fixed", base, files{"go.mod": mod, "p/p.go": good, "p/p_test.go": badTest},
			local(open("1.1")), []string{"fail", "types p/p_test.go:5"}},
		{"test of another package is open", base, files{"go.mod": mod, "q/p.go": good, "q/p_test.go": badTest},
			local(open("1.2")), []string{"fail", "types q/p_test.go:5"}},
		{"code while a test is open", base, files{"go.mod": mod, "p/p.go": bad}, local(open("1.2")), []string{"fail", "types p/p.go:3"}},
		{"at the end", base, files{"go.mod": mod, "p/p.go": bad},
			local(func(p *gate.Pass) { p.Phase, p.Changes = gate.Final, nil }), []string{"fail", "types p/p.go:3"}},
		{"no runner", base, files{"go.mod": mod, "p/p.go": good}, local(func(p *gate.Pass) { p.Runner = nil }),
			[]string{"undecided"}},
	})
	before := files{"go.mod": mod + "\nreplace example.com/x => ./x\n",
		"x/go.mod": "module example.com/x\n\ngo 1.25\n", "x/x.go": "package x\n"}
	after := maps.Clone(before)
	after["p/p.go"] = "package p\n\nimport _ \"example.com/x\"\n"
	t.Setenv("GOFLAGS", "-mod=mod -tags=left") // which lets the go tool write a requirement into go.mod
	try(t, "types", []trial{
		{"a requirement is missing", before, after, local(), []string{"fail", "types p/p.go:3"}},
		{"what the user's flags leave out", base, files{"go.mod": mod, "p/p.go": good,
			"p/q.go": "//go:build !left\n\npackage p\n\nvar X int = F\n"}, local(), []string{"fail", "types p/q.go:5"}},
	})
}

// What uses a changed package is compiled at the end of the step, however far
// away, as far as it was whole before and no later step is to adapt it.
func TestTypesOfUsers(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go tool")
	}
	if _, err := osexec.LookPath("go"); err != nil {
		t.Skip("the go tool is not installed")
	}
	before := files{"go.mod": "module example.com/m\n\ngo 1.25\n",
		"p/p.go":       "package p\n\ntype T struct{}\n\nfunc (T) Old() {}\n",
		"near/near.go": "package near\n\nimport \"example.com/m/p\"\n\nfunc Get() p.T { return p.T{} }\n",
		"far/far.go":   "package far\n\nimport \"example.com/m/near\"\n\nfunc Use() { near.Get().Old() }\n",
		"far2/f.go":    "package far2\n", "far2/f_test.go": "package far2\n\nimport \"example.com/m/near\"\n\nvar _ = near.Get().Old\n",
		"broken/b.go": "package broken\n\nimport _ \"example.com/m/p\"\n\nvar X = missing\n",
		"apart/a.go":  "package apart\n\nvar X = missing\n"}
	with := func(fs files) files {
		after := maps.Clone(before)
		maps.Copy(after, fs)
		return after
	}
	renamed := with(files{"p/p.go": "package p\n\ntype T struct{}\n\nfunc (T) New() {}\n"})
	gone := with(nil)
	delete(gone, "p/p.go")
	later := func(a plan.Artifacts) func(*gate.Pass) {
		return func(p *gate.Pass) {
			p.Plan.Tasks[0].Steps = append(p.Plan.Tasks[0].Steps, plan.Step{ID: "2", Address: "1.2", Artifacts: &a})
			p.Step = &p.Plan.Tasks[0].Steps[0]
		}
	}
	during := func(set ...func(*gate.Pass)) func(*gate.Pass) {
		return func(p *gate.Pass) {
			p.Phase, p.Runner = gate.During, gatetest.Local{Dir: p.Dir}
			for _, s := range set {
				s(p)
			}
		}
	}
	both := []string{"fail", "types far/far.go:5", "types far2/f_test.go:5"}
	try(t, "types", []trial{
		{"another body", before, with(files{"p/p.go": "package p\n\ntype T struct{}\n\nfunc (T) Old() { println() }\n"}), during(), passed},
		{"renamed", before, renamed, during(), both},
		{"renamed and adapted", before, with(files{"p/p.go": renamed["p/p.go"],
			"far/far.go": "package far\n", "far2/f_test.go": "package far2\n"}), during(), passed},
		{"package removed", before, gone, during(), []string{"fail", "types broken/b.go:3"}},
		{"adapted by a later step", before, renamed, during(later(plan.Artifacts{Modify: []string{"far/far.go", "far2/*.go"}})), passed},
		{"adapted in part", before, renamed, during(later(plan.Artifacts{Modify: []string{"far2/**", "far/sub/x.go"}})), []string{"fail", "types far/far.go:5"}},
		{"nothing waits at the end", before, renamed, during(later(plan.Artifacts{Modify: []string{"far/far.go", "far2/*.go"}}),
			func(p *gate.Pass) { p.Phase, p.Changes = gate.Final, nil }), both},
		{"a test that is open need not compile", before, renamed, during(func(p *gate.Pass) {
			p.OpenIntents = []*plan.TestIntent{{Test: "go test ./far2", FixedBy: "1.2"}}
		}), []string{"fail", "types far/far.go:5"}},
		{"only a test changed", with(files{"p/p_test.go": "package p\n"}), with(files{"p/p_test.go": "package p_test\n"}), during(), passed},
	})
}

func TestPlanningGates(t *testing.T) {
	steps := func(profile plan.Profile, s ...plan.Step) func(*gate.Pass) {
		return func(p *gate.Pass) {
			p.Phase, p.Plan.Profile, p.Plan.Tasks[0].Steps = gate.Planning, profile, s
			p.Plan.NonGoals = []plan.NonGoal{{ID: "N1", Paths: []string{"auth/**", "go.mod"}, Symbols: []string{"p.T"}}}
		}
	}
	declares := func(a plan.Artifacts) plan.Step { return plan.Step{Address: "1.1", Artifacts: &a} }
	try(t, "declared-non-goals", []trial{
		{"none", nil, nil, steps(plan.Strict, declares(plan.Artifacts{Create: []string{"x", "author/x"}})), passed},
		{"path", nil, nil, steps(plan.Strict, declares(plan.Artifacts{Modify: []string{"auth/x.go"}, Delete: []string{"go.mod"}})), []string{"fail", "non-goal auth/x.go", "non-goal go.mod"}},
		{"glob below", nil, nil, steps(plan.Strict, declares(plan.Artifacts{Create: []string{"auth/*.go"}})), []string{"fail", "non-goal auth/*.go"}},
		{"glob that may miss", nil, nil, steps(plan.Strict, declares(plan.Artifacts{Create: []string{"**/*.go"}})),
			passed},
		{"symbol", nil, nil, steps(plan.Strict, declares(plan.Artifacts{SymbolsAdd: []string{"p.T.M", "p.Tee"}})),
			[]string{"fail", "non-goal"}},
	})
	class := declares(plan.Artifacts{Create: []string{"x"}})
	classed := class
	classed.SemanticChange = plan.Extending
	try(t, "classification", []trial{
		{"classed", nil, nil, steps(plan.Strict, classed), passed},
		{"changes nothing", nil, nil, steps(plan.Strict, declares(plan.Artifacts{})), passed},
		{"not classed", nil, nil, steps(plan.Strict, class, plan.Step{Address: "1.2"}), []string{"fail", "semantic-class", "semantic-class"}},
		{"observed", nil, nil, steps(plan.Observe, class), passed},
	})
	try(t, "completeness", []trial{{"no draft", nil, nil, func(p *gate.Pass) { p.Phase = gate.Planning }, []string{"undecided"}}})
}

func TestCompletenessStatesThePlansOwnCheck(t *testing.T) {
	pass := gatetest.Pass(t, nil, nil)
	draft, err := native.Read("plan.toml", []byte("schema = 1\n\n[goal]\ndescription = \"\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	pass.Phase, pass.Draft, pass.Plan = gate.Planning, draft, &draft.Plan
	j := gatetest.Judge(t.Context(), named(t, "completeness"), pass)
	errs := 0
	for _, d := range draft.Check(plan.CheckOptions{}) {
		if d.Severity == plan.Error {
			errs++
		}
	}
	if j.Verdict == nil || (j.Verdict.Result == gate.Fail) != (errs > 0) {
		t.Fatalf("the plan has %d errors, got %+v", errs, j)
	}
	if len(j.Verdict.Findings) != errs {
		t.Errorf("%d findings, and the plan has %d errors", len(j.Verdict.Findings), errs)
	}
	for _, f := range j.Verdict.Findings {
		if f.Code != code.Incomplete || f.Path != "plan.toml" {
			t.Errorf("finding %+v", f)
		}
	}
}

func TestCompletion(t *testing.T) {
	end := func(checks []plan.Check) func(*gate.Pass) {
		return func(p *gate.Pass) { p.Phase, p.Plan.Completion.Checks, p.Plan.Tasks[0].Steps = gate.Final, checks, nil }
	}
	try(t, "completion", []trial{
		{"nothing asked", nil, there, end(nil), passed},
		{"check holds", nil, there, end([]plan.Check{holds}), passed},
		{"check breaks", nil, there, end([]plan.Check{breaks}), []string{"fail", "completion nowhere"}},
	})
}

func TestNames(t *testing.T) {
	var names []string
	for _, g := range builtin.Gates() {
		names = append(names, g.Info().Name)
	}
	want := strings.Fields("completeness declared-non-goals classification preconditions non-goals limits syntax types invariants " +
		"test-intent artifacts postconditions expected-output evidence semantic-class completion")
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}
