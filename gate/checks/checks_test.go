package checks_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/checks"
	"github.com/planlock/planlock/gate/conditions"
	"github.com/planlock/planlock/gate/gatetest"
	"github.com/planlock/planlock/plan"
)

type files = gatetest.Files

func ptr[T any](v T) *T { return &v }

// decide decides a check the way a gate does.
func decide(t testing.TB, pass *gate.Pass, c plan.Check) (v gate.Verdict, err error) {
	t.Helper()
	g := gate.New(gate.Info{Name: "decides", Doc: "Decides one check.", Phases: []gate.Phase{gate.After}},
		func(ctx context.Context, p *gate.Pass) error {
			v, err = p.Decide(ctx, c)
			return nil
		})
	if j := gatetest.Judge(t.Context(), g, pass); j.Err != nil {
		t.Fatal(j.Err)
	}
	return v, err
}

func TestChecks(t *testing.T) {
	t.Setenv("PLANLOCK_TRY", "secret")
	t.Setenv("PLANLOCK_EMPTY", "")
	before := files{"p/p.go": "package p\n\nfunc F() {}\n", "same.txt": "same\n", "kept/x": "x\n"}
	after := files{"same.txt": "same\n", "kept/x": "x\n", "a.txt": "one\ntwo three\n", "dir/": "",
		"v1.2/x.go": "package x\n\ntype T int\n\nfunc (*T) M() {}\n", "root.go": "package root\n\nvar R = 1\n",
		"p/p.go": "package p\n\nfunc F(int) {}\n", "p/p_test.go": "package p\n\nfunc TestF() {}\n", "p/broken.go": "package p\n\nfunc B() {}\n\nfunc {"}
	runner := &gatetest.Runner{Results: map[string]gate.CommandResult{
		"make check":                         {Stdout: "all good\n"},
		"make fail":                          {Exit: 3, Output: "bad\n"},
		"go build -o " + os.DevNull + " ./p": {},
		"go vet ./q":                         {Exit: 1, Output: "vet: broken"},
		"go test -count=1 ./p":               {},
		"go test -count=1 .":                 {Exit: 1},
		"go test -count=1 -v -run F ./p":     {Stdout: "=== RUN   TestF\nok"},
		"go test -count=1 -v -run G ./p":     {Stdout: "testing: warning: no tests to run\nok"},
	}}
	const yes, no, unsure = "yes", "no", "undecided"
	tests := []struct {
		check plan.Check
		want  string
	}{
		{plan.Check{Kind: "file_exists", Path: "a.txt"}, yes},
		{plan.Check{Kind: "file_exists", Path: "dir"}, yes},
		{plan.Check{Kind: "file_exists", Path: "b.txt"}, no},
		{plan.Check{Kind: "file_exists", Path: "a.txt/b"}, no},
		{plan.Check{Kind: "file_exists", Path: "../../../etc/passwd"}, no},
		{plan.Check{Kind: "file_exists", Path: "/etc/passwd"}, no},
		{plan.Check{Kind: "file_absent", Path: "b.txt"}, yes},
		{plan.Check{Kind: "file_absent", Path: "a.txt"}, no},
		{plan.Check{Kind: "file_absent", Path: "../nothing"}, unsure},
		{plan.Check{Kind: "file_changed", Path: "p/p.go"}, yes},
		{plan.Check{Kind: "file_changed", Path: "p"}, yes},
		{plan.Check{Kind: "file_changed", Path: "kept"}, no},
		{plan.Check{Kind: "file_changed", Path: "a.txt"}, yes},
		{plan.Check{Kind: "file_changed", Path: "b.txt"}, no},
		{plan.Check{Kind: "file_changed", Path: "same.txt"}, no},
		{plan.Check{Kind: "file_contains", Path: "a.txt", Text: "two"}, yes},
		{plan.Check{Kind: "file_contains", Path: "a.txt", Text: "four"}, no},
		{plan.Check{Kind: "file_contains", Path: "a.txt", Matches: `(?m)^two\s\w+$`}, yes},
		{plan.Check{Kind: "file_contains", Path: "a.txt", Matches: `^two`}, no},
		{plan.Check{Kind: "file_contains", Path: "a.txt", Text: "one", Matches: "four"}, no},
		{plan.Check{Kind: "file_contains", Path: "a.txt", Matches: "("}, unsure},
		{plan.Check{Kind: "file_contains", Path: "b.txt", Text: "x"}, no},
		{plan.Check{Kind: "file_contains", Path: "dir", Text: "x"}, unsure},
		{plan.Check{Kind: "command", Run: "make check"}, yes},
		{plan.Check{Kind: "command", Run: "make check", StdoutContains: "good"}, yes},
		{plan.Check{Kind: "command", Run: "make check", StdoutContains: "better"}, no},
		{plan.Check{Kind: "command", Run: "make check", Exit: ptr(1)}, no},
		{plan.Check{Kind: "command", Run: "make fail"}, no},
		{plan.Check{Kind: "command", Run: "make fail", Exit: ptr(3)}, yes},
		{plan.Check{Kind: "command", Run: "make unknown"}, unsure},
		{plan.Check{Kind: "symbol_exists", Symbol: "p.F"}, yes},
		{plan.Check{Kind: "symbol_exists", Symbol: "p.TestF"}, yes},
		{plan.Check{Kind: "symbol_exists", Symbol: "p.B"}, yes},
		{plan.Check{Kind: "symbol_exists", Symbol: "p.G"}, unsure},
		{plan.Check{Kind: "symbol_exists", Symbol: "v1.2.T"}, yes},
		{plan.Check{Kind: "symbol_exists", Symbol: "v1.2.T.M"}, yes},
		{plan.Check{Kind: "symbol_exists", Symbol: "v1.2.U"}, no},
		{plan.Check{Kind: "symbol_exists", Symbol: ".R"}, yes},
		{plan.Check{Kind: "symbol_exists", Symbol: "nowhere.R"}, no},
		{plan.Check{Kind: "symbol_exists", Symbol: "R"}, unsure},
		{plan.Check{Kind: "symbol_exists", Symbol: "../p.F"}, unsure},
		{plan.Check{Kind: "symbol_absent", Symbol: "p.G"}, unsure},
		{plan.Check{Kind: "symbol_absent", Symbol: "p.F"}, no},
		{plan.Check{Kind: "go_build", Package: "./p"}, yes},
		{plan.Check{Kind: "go_build", Package: "-toolexec=x"}, unsure},
		{plan.Check{Kind: "go_vet", Package: "./q"}, no},
		{plan.Check{Kind: "go_test", Package: "./p"}, yes},
		{plan.Check{Kind: "go_test"}, no},
		{plan.Check{Kind: "go_test", Package: "./p", Run: "F"}, yes},
		{plan.Check{Kind: "go_test", Package: "./p", Run: "G"}, no},
		{plan.Check{Kind: "env_set", Name: "PLANLOCK_TRY"}, yes},
		{plan.Check{Kind: "env_set", Name: "PLANLOCK_EMPTY"}, no},
		{plan.Check{Kind: "env_set", Name: "PLANLOCK_NEVER"}, no},
		{plan.Check{Kind: "tool_available", Name: "planlock-no-such-tool"}, no},
		{plan.Check{Kind: "tool_available", Name: "./a.txt"}, no},
		{plan.Check{Kind: "nobody"}, unsure},
	}
	pass := gatetest.Pass(t, before, after)
	pass.Runner = runner
	for _, tt := range tests {
		t.Run(tt.check.String(), func(t *testing.T) {
			if tt.check.Name == "./a.txt" && runtime.GOOS == "windows" {
				t.Skip("os/exec takes every file with an ending for a program")
			}
			v, err := decide(t, pass, tt.check)
			got := yes
			switch {
			case err != nil:
				got = unsure
			case v.Result != gate.Passed:
				got = no
			}
			if got != tt.want {
				t.Errorf("got %s, want %s (%+v, %v)", got, tt.want, v, err)
			}
			if got == no && len(v.Findings) == 0 {
				t.Error("a no without a finding")
			}
		})
	}
}

func TestEnvSetShowsNoValue(t *testing.T) {
	t.Setenv("PLANLOCK_TRY", "secret")
	v, err := decide(t, gatetest.Pass(t, nil, nil), plan.Check{Kind: "env_set", Name: "PLANLOCK_TRY"})
	if err != nil || strings.Contains(strings.Join(v.Evidence, " "), "secret") {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestToolVersion(t *testing.T) {
	program, err := os.Executable() // found, and never really run: the runner is scripted
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		want, says string
		fits       bool
	}{
		{"1.25", "go version go1.25.3 linux/amd64", true},
		{"1.2", "go version go1.25.3 linux/amd64", false},
		{"5.3", "go version go1.25.3 linux/amd64", false},
		{"25.3", "go1.25.3", false},
		{"go1.25", "go1.25.3", true},
		{"1.25.3", "v1.25.3", true},
		{">=1.25", "go1.25.3", true}, {">=1.25.4", "go1.25.3", false}, {">= 1.9", "tool 1.10", true}, {">=2", "tool 1.10", false}, {">=1", "no number", false},
		{"beta", "tool 2.0-beta", true},
	}
	for _, tt := range tests {
		t.Run(tt.want+" in "+tt.says, func(t *testing.T) {
			pass := gatetest.Pass(t, nil, nil)
			pass.Runner = &gatetest.Runner{Results: map[string]gate.CommandResult{program + " --version": {Exit: 2},
				program + " version": {Stdout: tt.says}}}
			v, err := decide(t, pass, plan.Check{Kind: "tool_available", Name: program, Version: tt.want})
			if err != nil || (v.Result == gate.Passed) != tt.fits {
				t.Errorf("%+v, %v", v, err)
			}
		})
	}
}

func TestAPICompatible(t *testing.T) {
	before := files{"p/p.go": "package p\n\nfunc F(a int) {}\n\nfunc G() {}\n",
		"p/q/q.go": "package q\n\nfunc Q() {}\n", "p/p_test.go": "package p\n\nfunc TestG() {}\n"}
	with := func(p string) files {
		return files{"p/p.go": "package p\n\n" + p, "p/q/q.go": before["p/q/q.go"]}
	}
	tests := []struct {
		name, pkg string
		after     files
		want      int // findings; -1: undecided
	}{
		{"same, tests removed", "./p", with("func F(b int) {}\n\nfunc G() { F(1) }\n"), 0},
		{"added", "./p", with("func F(a int) {}\n\nfunc G() {}\n\nfunc H() {}\n"), 0},
		{"moved to another file", "./p", files{"p/a.go": "package p\n\nfunc F(a int) {}\n", "p/b.go": "package p\n\nfunc G() {}\n"}, 0},
		{"changed and removed", "./p", with("func F(a string) {}\n"), 2},
		{"package removed", "p", files{}, 2},
		{"another package", "./p/q", files{"p/q/q.go": before["p/q/q.go"]}, 0},
		{"all below", "./...", files{}, 3},
		{"all below p", "./p/...", with("func F(a int) {}\n\nfunc G() {}\n"), 0},
		{"never was", "./r", with(""), 0},
		{"does not parse", "./p", with("func {"), -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, err := decide(t, gatetest.Pass(t, before, tt.after),
				plan.Check{Kind: "go_api_compatible", Package: tt.pkg})
			if got := len(v.Findings); err == nil && got != tt.want || (err != nil) != (tt.want < 0) {
				t.Errorf("got %+v, %v, want %d findings", v, err, tt.want)
			}
		})
	}
}

func TestChecksStayInTheWorkspace(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	pass := gatetest.Pass(t, nil, files{"inside": "secret"})
	for link, target := range map[string]string{"out": secret, "in": "inside", "lost": "nowhere", "loop": "loop", "folder": filepath.Dir(secret)} {
		if err := os.Symlink(target, filepath.Join(pass.Dir, link)); err != nil {
			t.Skipf("no links here: %v", err)
		}
	}
	for path, want := range map[string]gate.Result{"in": gate.Passed, "out": gate.Fail, "lost": gate.Fail, "folder/secret": gate.Fail} {
		for _, c := range []plan.Check{{Kind: "file_exists", Path: path}, {Kind: "file_contains", Path: path, Text: "secret"}} {
			if v, err := decide(t, pass, c); err != nil || v.Result != want {
				t.Errorf("%s: got %+v, %v, want %s", c.String(), v, err, want)
			}
		}
	}
	if v, err := decide(t, pass, plan.Check{Kind: "file_contains", Path: "loop", Text: "x"}); err == nil &&
		v.Result == gate.Passed {
		t.Error("a link to itself contains something")
	}
	if v, err := decide(t, pass, plan.Check{Kind: "file_absent", Path: "lost"}); err != nil || v.Result != gate.Fail {
		t.Errorf("a link that leads nowhere is still there: %+v, %v", v, err)
	}
}

func TestChecksDoNotWaitForPipes(t *testing.T) {
	mkfifo, err := osexec.LookPath("mkfifo")
	if err != nil {
		t.Skip("mkfifo is not installed")
	}
	pass := gatetest.Pass(t, nil, files{"p/a.go": "package p\n"})
	for _, name := range []string{"pipe", "p/b.go"} {
		if out, err := osexec.Command(mkfifo,
			filepath.Join(pass.Dir, filepath.FromSlash(name))).CombinedOutput(); err != nil {
			t.Skipf("%s: %v", out, err)
		}
	}
	done := make(chan error, 2)
	go func() {
		_, err := decide(t, pass, plan.Check{Kind: "file_contains", Path: "pipe", Text: "x"})
		done <- err
		_, err = decide(t, pass, plan.Check{Kind: "symbol_absent", Symbol: "p.X"})
		done <- err
	}()
	for i, wantErr := range []bool{true, false} {
		select {
		case err := <-done:
			if (err != nil) != wantErr {
				t.Errorf("check %d: %v", i, err)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("a check waits for a pipe")
		}
	}
}

func TestChecksEndWithTheirContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	pass := gatetest.Pass(t, nil, nil)
	pass.Step.Postconditions = []plan.Check{{Kind: "command", Run: "x"}}
	if j := gatetest.Judge(ctx, conditions.After(), pass); !errors.Is(j.Err, context.Canceled) {
		t.Errorf("got %v", j.Err)
	}
}

func TestNoRunnerSaysSo(t *testing.T) {
	pass := gatetest.Pass(t, nil, nil)
	pass.Step.Postconditions = []plan.Check{{Kind: "go_build", Package: "./..."}}
	j := gatetest.Judge(t.Context(), conditions.After(), pass)
	if !errors.Is(j.Err, gate.ErrNoRunner) || !j.Blocks() {
		t.Errorf("got %v", j.Err)
	}
}

func TestKinds(t *testing.T) {
	var kinds []string
	for _, c := range checks.Kinds() {
		kinds = append(kinds, c.Kind().Name)
	}
	want := strings.Fields("file_exists file_absent file_changed file_contains command symbol_exists symbol_absent go_build go_vet go_test " +
		"go_api_compatible env_set tool_available")
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Error(diff)
	}
}

// BenchmarkAPICompatible compares what 400 Go files export.
func BenchmarkAPICompatible(b *testing.B) {
	before, after := files{}, files{}
	body := strings.Repeat("// A line of a comment that makes the file as long as files are.\n", 40)
	for i := range 400 {
		dir := fmt.Sprintf("pkg%02d", i%50)
		name := fmt.Sprintf("%s/f%04d.go", dir, i)
		before[name] = fmt.Sprintf("package %s\n\n%sfunc F%d(a int) int { return a }\n", dir, body, i)
		after[name] = before[name] + fmt.Sprintf("\nfunc G%d() {}\n", i)
	}
	pass := gatetest.Pass(b, before, after)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decide(b, pass, plan.Check{Kind: "go_api_compatible", Package: "./..."}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestKindsConform(t *testing.T) {
	uses := map[string]plan.Check{"file_contains": {Path: "a.txt", Text: "t"}, "command": {Run: "true"},
		"env_set":       {Name: "PATH"},
		"symbol_exists": {Symbol: "p.New"}, "symbol_absent": {Symbol: "p.New"}, "tool_available": {Name: "planlock-no-such-tool"}}
	for _, k := range checks.Kinds() {
		use := uses[k.Kind().Name]
		if use.Kind = k.Kind().Name; use.Path == "" {
			use.Path = "a.txt"
		}
		t.Run(use.Kind, func(t *testing.T) { gatetest.RunCheck(t, k, use) })
	}
}
