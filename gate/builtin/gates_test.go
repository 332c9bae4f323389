package builtin_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/gate/checks"
	"github.com/planlock/planlock/gate/gatetest"
	"github.com/planlock/planlock/gate/panel"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

type files = gatetest.Files

// named finds a built-in gate.
func named(t testing.TB, name string) gate.Gate {
	t.Helper()
	for _, g := range builtin.Gates() {
		if g.Info().Name == name {
			return g
		}
	}
	t.Fatalf("no gate %q", name)
	return nil
}

// brief is a judgement in a line for each finding: code, path and line.
func brief(j gate.Judgement) []string {
	if j.Verdict == nil {
		return []string{"undecided"}
	}
	out := []string{string(j.Verdict.Result)}
	for _, f := range j.Verdict.Findings {
		line := f.Code + " " + f.Path
		if f.Line > 0 {
			line += fmt.Sprintf(":%d", f.Line)
		}
		out = append(out, strings.TrimSpace(line))
	}
	return out
}

// A trial is a pass, what is special about it, and what a gate must say.
type trial struct {
	name          string
	before, after files
	set           func(*gate.Pass)
	want          []string
}

func try(t *testing.T, name string, trials []trial) {
	t.Helper()
	g := named(t, name)
	for _, tt := range trials {
		t.Run(tt.name, func(t *testing.T) {
			pass := gatetest.Pass(t, tt.before, tt.after)
			if tt.set != nil {
				tt.set(pass)
			}
			j := gatetest.Judge(t.Context(), g, pass)
			if diff := cmp.Diff(tt.want, brief(j)); diff != "" {
				t.Errorf("%s\nerror: %v\nverdict: %+v", diff, j.Err, j.Verdict)
			}
		})
	}
}

var passed = []string{"pass"}

func ptr[T any](v T) *T { return &v }

func TestAllGatesAreValid(t *testing.T) {
	p := &panel.Panel{Gates: builtin.Gates(), Checks: checks.Kinds()}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
}

func TestAllGatesConform(t *testing.T) {
	for _, g := range builtin.Gates() {
		t.Run(g.Info().Name, func(t *testing.T) { gatetest.Run(t, g) })
	}
}

func TestArtifacts(t *testing.T) {
	declare := func(a plan.Artifacts) func(*gate.Pass) { return func(p *gate.Pass) { p.Step.Artifacts = &a } }
	observe := func(p *gate.Pass) { p.Plan.Profile = plan.Observe }
	goBefore, goAfter := files{"p/p.go": "package p\n\nfunc Old() {}\n"},
		files{"p/p.go": "package p\n\nfunc New() {}\n"}
	try(t, "artifacts", []trial{
		{"as declared", files{"m": "1", "d": ""}, files{"m": "2", "c": ""},
			declare(plan.Artifacts{Create: []string{"c"}, Modify: []string{"m"}, Delete: []string{"d"}}), passed},
		{"nothing at all", files{"m": "1"}, files{"m": "1"}, declare(plan.Artifacts{}), passed},
		{"extra", files{}, files{"x": "1"}, declare(plan.Artifacts{}), []string{"fail", "artifact-extra x"}},
		{"missing", files{}, files{}, declare(plan.Artifacts{Create: []string{"x"}}), []string{"fail", "artifact-missing x"}},
		{"modified instead of created", files{"x": "1"}, files{"x": "2"},
			declare(plan.Artifacts{Create: []string{"x"}}), []string{"fail", "artifact-missing x", "artifact-extra x"}},
		{"every difference", files{"d": ""}, files{"d": "", "a": "", "b": ""}, declare(plan.Artifacts{Delete: []string{"d"}}), []string{"fail", "artifact-missing d", "artifact-extra a", "artifact-extra b"}},
		{"symbols as declared", goBefore, goAfter,
			declare(plan.Artifacts{Modify: []string{"p/p.go"}, SymbolsAdd: []string{"p.New"}, SymbolsRemove: []string{"p.Old"}}), passed},
		{"symbol lost", goBefore, goAfter, declare(plan.Artifacts{Modify: []string{"p/p.go"}, SymbolsAdd: []string{"p.New"}, SymbolsRemove: []string{}}), []string{"fail", "symbol-extra p/p.go:3"}},
		{"symbol missing", goBefore, goAfter, declare(plan.Artifacts{Modify: []string{"p/p.go"}, SymbolsAdd: []string{"p.New", "p.More"}, SymbolsRemove: []string{"p.Old"}}), []string{"fail", "symbol-missing"}},
		{"observe records extras", files{}, files{"x": "1"}, observe, passed},
		{"observe wants what is declared", files{}, files{"x": "1"}, func(p *gate.Pass) {
			observe(p)
			declare(plan.Artifacts{Create: []string{"y"}})(p)
		}, []string{"fail", "artifact-missing y"}},
	})
}

func TestLimits(t *testing.T) {
	limit := func(l plan.Limits) func(*gate.Pass) { return func(p *gate.Pass) { p.Step.Limits = &l } }
	before, after := files{"a/x": "1\n2\n", "a/y": "1\n"}, files{"a/x": "1\n3\n", "b/z": "1\n"} // 3 files, 4 lines
	try(t, "limits", []trial{
		{"none", before, after, nil, passed},
		{"just enough", before, after, limit(plan.Limits{MaxFiles: ptr(3), MaxLines: ptr(4),
			Modules: []string{"a", "b"}}), passed},
		{"files", before, after, limit(plan.Limits{MaxFiles: ptr(2)}), []string{"fail", "limit-files"}},
		{"lines", before, after, limit(plan.Limits{MaxLines: ptr(3)}), []string{"fail", "limit-lines"}},
		{"zero is a limit", before, after, limit(plan.Limits{MaxFiles: ptr(0), MaxLines: ptr(0)}), []string{"fail", "limit-files", "limit-lines"}},
		{"modules", before, after, limit(plan.Limits{Modules: []string{"a"}}), []string{"fail", "limit-modules b", "limit-modules b/z"}},
		{"root", before, after, limit(plan.Limits{Modules: []string{"."}}), passed},
		{"a name that only begins the same", files{}, files{"src-evil/x": ""},
			limit(plan.Limits{Modules: []string{"src"}}), []string{"fail", "limit-modules src-evil", "limit-modules src-evil/x"}},
		{"folders on the way", files{}, files{"a/b/c/x": ""}, limit(plan.Limits{MaxFiles: ptr(1), Modules: []string{"a/b/c/"}}), passed},
		{"globs of folders", files{}, files{"a/b/c/x": ""}, limit(plan.Limits{Modules: []string{"a/*/c/**"}}), passed},
		{"beside a glob", files{}, files{"a/b/c/x": "", "a/d": ""},
			limit(plan.Limits{Modules: []string{"a/*/c/**"}}), []string{"fail", "limit-modules a/d"}},
		{"no modules", files{}, files{"x": ""}, limit(plan.Limits{Modules: []string{}}), []string{"fail", "limit-modules x"}},
		{"a folder beside the way", files{}, files{"a/d/": "", "a/b/x": ""},
			limit(plan.Limits{Modules: []string{"a/b"}}), []string{"fail", "limit-modules a/d"}},
	})
}

// Where there is more than was declared, that is why there is too much, unless
// nothing has to be declared.
func TestLimitsNameWhatNobodyDeclared(t *testing.T) {
	for profile, want := range map[plan.Profile]string{
		plan.Strict:  "2 files changed in a, b, and the step allows 1; nobody declared b",
		plan.Observe: "2 files changed in a, b, and the step allows 1; split the step or raise max_files",
	} {
		pass := gatetest.Pass(t, files{}, files{"a": "1", "b": "1"})
		pass.Plan.Profile = profile
		pass.Step.Limits = &plan.Limits{MaxFiles: ptr(1)}
		pass.Step.Artifacts = &plan.Artifacts{Create: []string{"a"}}
		account := ledger.Reconcile(pass.Step.Artifacts.Declared(), pass.Changes, pass.Symbols)
		pass.Account = &account
		j := gatetest.Judge(t.Context(), named(t, "limits"), pass)
		if j.Verdict == nil || len(j.Verdict.Findings) != 1 || j.Verdict.Findings[0].Message != want {
			t.Errorf("%s: %+v, %v; want %q", profile, j.Verdict, j.Err, want)
		}
	}
}

func TestNonGoals(t *testing.T) {
	protect := func(n plan.NonGoal) func(*gate.Pass) {
		return func(p *gate.Pass) { p.Plan.NonGoals = []plan.NonGoal{{ID: "N0"}, n} }
	}
	auth := protect(plan.NonGoal{ID: "N1", Paths: []string{"internal/auth/**"}})
	symbol := protect(plan.NonGoal{ID: "N2", Symbols: []string{"p.T"}})
	const src = "package p\n\n// T is.\ntype T struct{ A int }\n\nfunc (T) M() {}\n\nfunc F() {}\n"
	code := func(old, new string) files { return files{"p/p.go": strings.Replace(src, old, new, 1)} }
	try(t, "non-goals", []trial{
		{"elsewhere", files{}, files{"internal/authority/x.go": "package x\n"}, auth, passed},
		{"created", files{"internal/auth/": ""}, files{"internal/auth/x": ""}, auth, []string{"fail", "non-goal internal/auth/x"}},
		{"formatting alone", files{"internal/auth/x.go": "package auth\n"}, files{"internal/auth/x.go": "package auth \n"}, auth, []string{"fail", "non-goal internal/auth/x.go"}},
		{"deleted", files{"internal/auth/x": "", "internal/auth/y": ""}, files{"internal/auth/y": ""}, auth, []string{"fail", "non-goal internal/auth/x"}},
		{"plain folder", files{"a/b/c": "1"}, files{"a/b/c": "2"}, protect(plan.NonGoal{Paths: []string{"a/"}}),
			[]string{"fail", "non-goal a/b/c"}},
		{"exact", files{"a": "1", "ab": "1"}, files{"a": "1", "ab": "2"}, protect(plan.NonGoal{Paths: []string{"a"}}),
			passed},
		{"glob", files{"go.sum": "1"}, files{"go.sum": "2"}, protect(plan.NonGoal{Paths: []string{"*.sum"}}), []string{"fail", "non-goal go.sum"}},
		{"other symbol", code("", ""), code("func F() {}", "func F(int) {}"), symbol, passed},
		{"symbol's text", code("", ""), code("A int", "A  int"), symbol, []string{"fail", "non-goal p/p.go:4"}},
		{"symbol's comment", code("", ""), code("T is.", "T was."), symbol, []string{"fail", "non-goal p/p.go:4"}},
		{"method's body", code("", ""), code("M() {}", "M() { F() }"), symbol, []string{"fail", "non-goal p/p.go:6"}},
		{"method added", code("", ""), code("func F", "func (T) N() {}\n\nfunc F"), symbol, []string{"fail", "non-goal p/p.go:8"}},
		{"symbol removed", code("", ""), code("func (T) M() {}\n", ""), symbol, []string{"fail", "non-goal p/p.go:6"}},
		{"symbol moved as it is", code("", ""), files{"p/p.go": strings.Replace(src, "func (T) M() {}\n\n", "", 1), "p/q.go": "package p\n\nfunc (T) M() {}\n"}, symbol, passed},
		{"lines moved", code("", ""), code("package p\n", "package p\n\nvar x int\n"), symbol, passed},
	})
}

func TestNonGoalsSeeModes(t *testing.T) {
	pass := gatetest.Pass(t, files{"auth/x.sh": "true\n"}, files{"auth/x.sh": "true\n"})
	if err := os.Chmod(filepath.Join(pass.Dir, "auth/x.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	gatetest.Rescan(t, pass)
	if len(pass.Changes) == 0 {
		t.Skip("this file system keeps no modes")
	}
	pass.Plan.NonGoals = []plan.NonGoal{{ID: "N1", Text: "Leave auth alone", Paths: []string{"auth/**"}}}
	j := gatetest.Judge(t.Context(), named(t, "non-goals"), pass)
	if diff := cmp.Diff([]string{"fail", "non-goal auth/x.sh"}, brief(j)); diff != "" {
		t.Fatal(diff)
	}
	if want := "modified: mode -rw-r--r-- became -rwxr-xr-x"; j.Verdict.Findings[0].Happened != want {
		t.Errorf("got %q, want %q", j.Verdict.Findings[0].Happened, want)
	}
}

func TestSyntax(t *testing.T) {
	bad := func(name, content string, line int) trial {
		return trial{name, files{}, files{name: content}, nil,
			[]string{"fail", fmt.Sprintf("syntax %s:%d", name, line)}}
	}
	good := func(name, content string) trial {
		return trial{name + " " + content, files{}, files{name: content}, nil, passed}
	}
	try(t, "syntax", []trial{
		good("a.go", "package a\n"), bad("b.go", "package b\n\nfunc {\n", 3),
		good("a.json", "{\"a\": [1, null]}\n"), good("bom.json", "\xef\xbb\xbf{}"),
		bad("b.json", "{\n\"a\": 1,\n}", 3), bad("c.json", "{}\n{}", 2), bad("empty.json", "", 1),
		good("a.toml", "a = 1\n[b]\n"), good("empty.toml", ""), bad("b.toml", "a = 1\nb = \n", 2), bad("c.toml", "a = 1\na = 2\n", 2),
		good("a.yaml", "a: 1\n---\nb: [1, 2]\n"), good("empty.yml", ""), bad("b.yml", "a: 1\nb: c: d\n", 2),
		good("a.xml", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<a b=\"\xe9\">\xe9</a>\n"), bad("b.xml", "<a>\n<b>\n</a>", 3), bad("c.xml", "<a/>\n<b/>", 2), bad("d.xml", "text", 1),
		good("a.txt", "{ not judged"), good("testdata/b.go", "not judged"), good("x/testdata/y/b.json", "{"),
		{"deleted", files{"a.go": "broken"}, files{}, nil, passed},
		{"untouched", files{"a.go": "broken"}, files{"a.go": "broken"}, nil, passed},
		{"too large", files{}, files{"a.json": "[" + strings.Repeat(" ", 4<<20)}, nil, passed},
		{"every file", files{}, files{"a.go": "x", "b.json": "x"}, nil, []string{"fail", "syntax a.go:1", "syntax b.json:1"}},
	})
}

func TestExpectedOutput(t *testing.T) {
	say := func(o gate.Output, e *plan.Expect) func(*gate.Pass) {
		return func(p *gate.Pass) { p.Output, p.Step.Expect, p.Step.ExpectedOutput = &o, e, "something good" }
	}
	all := &plan.Expect{Exit: ptr(3), StdoutContains: "ok", StdoutMatches: `^\w+ \d+$`}
	try(t, "expected-output", []trial{
		{"words alone", nil, nil, say(gate.Output{}, nil), passed},
		{"all as expected", nil, nil, say(gate.Output{Exit: 3, Stdout: "ok 12"}, all), passed},
		{"text that is no standard output", nil, nil, say(gate.Output{Exit: 3, Text: "ok 12"}, all), []string{"fail", "expected-output", "expected-output"}},
		{"nothing as expected", nil, nil, say(gate.Output{Text: "no"}, all), []string{"fail", "expected-output", "expected-output", "expected-output"}},
		{"no pattern", nil, nil, say(gate.Output{}, &plan.Expect{StdoutMatches: "("}), []string{"undecided"}},
		{"no output", nil, nil, func(p *gate.Pass) { p.Output, p.Step.Expect = nil, all }, []string{"undecided"}},
	})
}

func TestEvidence(t *testing.T) {
	owe := func(paths ...string) func(*gate.Pass) { return func(p *gate.Pass) { p.Step.Evidence = paths } }
	after := files{"full": "x", "empty": "", "folder/file": "", "bare/": ""}
	try(t, "evidence", []trial{
		{"none owed", nil, after, nil, passed},
		{"there", nil, after, owe("full", "folder"), passed},
		{"not there", nil, after, owe("full", "nothing"), []string{"fail", "evidence-missing nothing"}},
		{"as they were before", files{"full": "x", "folder/file": ""}, after, owe("full", "folder"),
			[]string{"fail", "evidence-missing full", "evidence-missing folder"}},
		{"changed", files{"full": "y", "folder/file": "y"}, after, owe("full", "folder"), passed},
		{"empty", nil, after, owe("empty", "bare"),
			[]string{"fail", "evidence-missing empty", "evidence-missing bare"}},
		{"outside", nil, after, owe("../../etc/passwd", "/etc/passwd"), []string{"fail", "evidence-missing ../../etc/passwd", "evidence-missing /etc/passwd"}},
	})
}

func TestSemanticClass(t *testing.T) {
	class := func(c plan.SemanticChange) func(*gate.Pass) { return func(p *gate.Pass) { p.Step.SemanticChange = c } }
	src := func(text string) files { return files{"p/p.go": "package p\n\n" + text + "\n"} }
	old := src("func F(a int) int { return a }")
	body, more := src("func F(b int) int { return b + 1 }"), src("func F(a int) int { return a }\n\nfunc G() {}")
	changed, gone := src("func F(a string) int { return 0 }"), src("func f(a int) int { return a }")
	tests := files{"p/p.go": old["p/p.go"], "p/p_test.go": "package p\n\nfunc TestF() {}\n", "cmd/main.go": "package main\n\nfunc Main() {}\n"}
	no := func(line int) []string { return []string{"fail", fmt.Sprintf("semantic-class p/p.go:%d", line)} }
	try(t, "semantic-class", []trial{
		{"preserving: bodies", old, body, class(plan.Preserving), passed},
		{"preserving: tests and commands", old, tests, class(plan.Preserving), passed},
		{"preserving: added", old, more, class(plan.Preserving), no(5)},
		{"preserving: changed", old, changed, class(plan.Preserving), no(3)},
		{"preserving: removed", old, gone, class(plan.Preserving), no(3)},
		{"preserving: value", src("const C = 1"), src("const C = 2"), class(plan.Preserving), no(3)},
		{"preserving: file removed", old, files{}, class(plan.Preserving), no(3)},
		{"preserving: moved within the folder", old, files{"p/q.go": old["p/p.go"]}, class(plan.Preserving), passed},
		{"preserving: left the build", old, files{"p/p.go": "//go:build ignore\n\n" + old["p/p.go"]},
			class(plan.Preserving), no(5)},
		{"extending: for one system only", old, files{"p/p_windows.go": old["p/p.go"]}, class(plan.Extending),
			[]string{"fail", "semantic-class p/p_windows.go:3"}},
		{"modifying: left the build", old, files{"p/p.go": "//go:build ignore\n\n" + old["p/p.go"]},
			class(plan.Modifying), no(5)},
		{"preserving: split over systems", old, files{"p/p_windows.go": old["p/p.go"], "p/p_else.go": "//go:build !windows\n\n" + old["p/p.go"]}, class(plan.Preserving), passed},
		{"preserving: in more builds", files{"p/p_linux.go": old["p/p.go"]}, old, class(plan.Preserving), passed},
		{"extending: added", old, more, class(plan.Extending), passed},
		{"extending: less than declared", old, body, class(plan.Extending), passed},
		{"extending: changed", old, changed, class(plan.Extending), no(3)},
		{"extending: removed", old, gone, class(plan.Extending), no(3)},
		{"modifying: bodies and more", old, more, class(plan.Modifying), passed},
		{"modifying: value", src("const C = 1"), src("const C = 2"), class(plan.Modifying), passed},
		{"modifying: changed", old, changed, class(plan.Modifying), no(3)},
		{"modifying: removed", old, gone, class(plan.Modifying), no(3)},
		{"modifying: file removed", old, files{}, class(plan.Modifying), no(3)},
		{"modifying: field lost", src("type T struct{ A, B int }"), src("type T struct{ A int }"), class(plan.Modifying), no(3)},
		{"breaking: removed", old, gone, class(plan.Breaking), passed},
		{"none: nothing exported changed", old, body, nil, passed},
		{"none: added", old, more, nil, []string{"fail", "semantic-class"}},
		{"none: observed", old, changed, func(p *gate.Pass) { p.Plan.Profile = plan.Observe }, passed},
	})
}

// A file that was to be created and stood there before is named as that, with
// what happened to it.
func TestCreatedFileStoodThereBefore(t *testing.T) {
	tests := []struct {
		name, after string
		happened    string
	}{
		{"same size", "two\n", "modified: other content of the same size, 4 bytes"},
		{"other size", "three\n", "modified: content of 4 bytes became 6 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pass := gatetest.Pass(t, files{"a": "one\n"}, files{"a": tt.after})
			pass.Step.Artifacts = &plan.Artifacts{Create: []string{"a"}}
			j := gatetest.Judge(t.Context(), named(t, "artifacts"), pass)
			want := []gate.Finding{
				{Code: code.ArtifactMissing, Path: "a", Message: `"a" is declared as created, and was there before the step: declare modify, or delete it first`,
					Expected: `nothing at "a" before the step`, Happened: tt.happened},
				{Code: code.ArtifactExtra, Path: "a", Message: `"a" was modified, and nobody declared that`,
					Expected: `"a" left as it was`, Happened: tt.happened},
			}
			got := slices.Clone(j.Verdict.Findings)
			slices.SortFunc(got, func(a, b gate.Finding) int { return strings.Compare(b.Code, a.Code) })
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
