package checks_test

import (
	"os"
	osexec "os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/gatetest"
	"github.com/planlock/planlock/plan"
)

// What a step leaves outside of what is judged, and what the user's own
// environment says, changes no verdict: neither flags that run no test, nor
// toolchains, nor Go workspaces that are no part of the tree.
func TestNothingSteersChecks(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go tool")
	}
	if _, err := osexec.LookPath("go"); err != nil {
		t.Skip("the go tool is not installed")
	}
	const noTest, mod = "-run=^$", "module example.com/m\n\ngo 1.25\n"
	failing := "package p\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { t.Fatal(F()) }\n"
	base := files{"go.mod": mod, "p/p.go": "package p\n\nfunc F() int { return 1 }\n", "p/p_test.go": failing}
	with := func(path, text string) files { return files{path: text, "p/p.go": base["p/p.go"], "go.mod": mod} }
	write := func(t *testing.T, path, text string) string {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	set := func(name, value string) func(*testing.T, *gate.Pass) {
		return func(t *testing.T, _ *gate.Pass) { t.Setenv(name, value) }
	}
	test, build := plan.Check{Kind: "go_test", Package: "./p"}, plan.Check{Kind: "go_build", Package: "./p"}
	run := func(command string) plan.Check { return plan.Check{Kind: "command", Run: command} }
	for name, tt := range map[string]struct {
		files files
		steer func(*testing.T, *gate.Pass)
		check plan.Check
		holds bool
	}{
		"GOFLAGS":                                {base, set("GOFLAGS", noTest), test, false},
		"GOFLAGS, by the plan":                   {base, set("GOFLAGS", noTest), run("go test ./p"), false},
		"what the plan's own command says holds": {base, nil, run("GOFLAGS='" + noTest + "' go test ./p"), true},
		"GOENV": {base, func(t *testing.T, _ *gate.Pass) {
			t.Setenv("GOFLAGS", "")
			t.Setenv("GOENV", write(t, filepath.Join(t.TempDir(), "env"), "GOFLAGS="+noTest+"\n"))
		}, test, false},
		"the file of go env -w": {base, func(t *testing.T, _ *gate.Pass) {
			if runtime.GOOS != "linux" {
				t.Skip("the file lies elsewhere")
			}
			t.Setenv("GOFLAGS", "")
			t.Setenv("XDG_CONFIG_HOME", t.TempDir())
			write(t, filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "go", "env"), "GOFLAGS="+noTest+"\n")
		}, run("go test ./p"), false},
		"GOTOOLCHAIN": {base, set("GOTOOLCHAIN", "go1.99.9"), build, true},
		"a toolchain line": {with("go.mod", mod+"\ntoolchain go1.99.9\n"), func(t *testing.T, _ *gate.Pass) {
			t.Setenv("GOTOOLCHAIN", "auto")
			t.Setenv("GOPROXY", "off")
		}, build, true},
		"GOEXPERIMENT": {base, set("GOEXPERIMENT", "nonsense"), build, true},
		"GOWORK": {base, func(t *testing.T, _ *gate.Pass) {
			t.Setenv("GOWORK", write(t, filepath.Join(t.TempDir(), "go.work"), "go 1.25\n"))
		}, build, true},
		"a go.work above": {base, func(t *testing.T, p *gate.Pass) {
			write(t, filepath.Join(p.Dir, "..", "go.work"), "go 1.25\n")
		}, build, true},
		"a go.work above, by the plan": {base, func(t *testing.T, p *gate.Pass) {
			write(t, filepath.Join(p.Dir, "..", "go.work"), "go 1.25\n")
		}, run("go build ./p"), true},
		"a go.work that is no part of the tree": {base, func(t *testing.T, p *gate.Pass) {
			write(t, filepath.Join(p.Dir, "go.work"), "go 1.25\n")
		}, build, true},
		"one that is": {files{"go.work": "go 1.25\n\nuse ./a\nuse ./b\n", "a/go.mod": "module example.com/a\n\ngo 1.25\n",
			"a/a.go": "package a\n\nimport _ \"example.com/b\"\n", "b/go.mod": "module example.com/b\n\ngo 1.25\n",
			"b/b.go": "package b\n"}, nil, plan.Check{Kind: "go_build", Package: "./a"}, true},
		"PYTHON and NODE": {base, func(t *testing.T, _ *gate.Pass) {
			for _, name := range []string{"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "NODE_OPTIONS", "NODE_PATH"} {
				t.Setenv(name, "x")
			}
		}, run(`test -z "$PYTHONPATH$PYTHONHOME$PYTHONSTARTUP$NODE_OPTIONS$NODE_PATH"`), true},
		".python-version": {with(".python-version", "2.7\n"), func(t *testing.T, _ *gate.Pass) {
			if runtime.GOOS == "windows" {
				t.Skip("needs files that can be run")
			}
			tool := write(t, filepath.Join(t.TempDir(), "pytool"),
				"#!/bin/sh\nif test -f .python-version; then cat .python-version; else echo 3.12; fi\n")
			if err := os.Chmod(tool, 0o755); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", filepath.Dir(tool)+string(filepath.ListSeparator)+os.Getenv("PATH"))
		}, plan.Check{Kind: "tool_available", Name: "pytool", Version: ">=3.10"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := osexec.LookPath("sh"); err != nil && tt.check.Run != "" {
				t.Skip("there is no sh here")
			}
			pass := gatetest.Pass(t, nil, tt.files)
			pass.Runner = gatetest.Local{Dir: pass.Dir}
			if tt.steer != nil {
				tt.steer(t, pass)
			}
			v, err := decide(t, pass, tt.check)
			if err != nil || (v.Result == gate.Passed) != tt.holds {
				t.Errorf("holds: %v, want %v: %+v, %v", v.Result == gate.Passed, tt.holds, v, err)
			}
		})
	}
}
