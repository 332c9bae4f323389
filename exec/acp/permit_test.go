package acp

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/plan"
)

func TestPermit(t *testing.T) {
	root := "/w"
	if runtime.GOOS == "windows" {
		root = `C:\w`
	}
	at := func(p string) string { return filepath.Join(root, filepath.FromSlash(p)) }
	artifacts := &plan.Artifacts{Create: []string{"new.go", "gen/**"}, Modify: []string{"server/limit.go"}, Delete: []string{"old.go"}}
	strict := exec.Work{Bound: true, Step: &plan.Step{Artifacts: artifacts}, Home: at("../home"),
		NonGoals: []plan.NonGoal{{ID: "N1", Text: "Do not modify auth", Paths: []string{"internal/auth/**", "LICENSE"}}}}
	scoped := strict
	scoped.Step, scoped.Within = &plan.Step{}, []string{"server/", "docs/*.md"}
	observe := strict
	observe.Bound = false
	unsaid := strict
	unsaid.Step = &plan.Step{}
	nothing := strict
	nothing.Step = &plan.Step{Artifacts: &plan.Artifacts{}}
	for _, test := range []struct {
		name  string
		w     exec.Work
		kind  sdk.ToolKind
		paths string // by blanks; a relative one is given as it is
		want  string // part of the reason; "": allowed
	}{
		{"modify", strict, "edit", "/server/limit.go", ""},
		{"relative", strict, "edit", "server/limit.go", ""},
		{"dots", strict, "edit", "server/../server/limit.go", ""},
		{"create", strict, "edit", "/new.go", ""},
		{"glob", strict, "edit", "/gen/a/b.go", ""},
		{"edit what is to be deleted", strict, "edit", "/old.go", ""},
		{"undeclared", strict, "edit", "/server/server.go", `does not declare "server/server.go"; it may create new.go, gen/**; modify server/limit.go; delete old.go`},
		{"one of two", strict, "edit", "/new.go /other.go", `"other.go"`},
		{"beside a declared name", strict, "edit", "/server/limit.go.bak", `"server/limit.go.bak"`},
		{"delete", strict, "delete", "/old.go", ""},
		{"delete its own", strict, "delete", "/new.go", ""},
		{"delete what is to be modified", strict, "delete", "/server/limit.go", `does not declare`},
		{"move", strict, "move", "/old.go /new.go", ""},
		{"move elsewhere", strict, "move", "/old.go /x.go", `"x.go"`},
		{"non-goal", strict, "edit", "/internal/auth/token.go", "non-goal N1 (Do not modify auth) protects \"internal/auth/**\""},
		{"non-goal goes before", observe, "edit", "/LICENSE", "non-goal N1"},
		{"non-goal of a command", strict, "execute", "/internal/auth/token.go", "non-goal N1"},
		{"outside", strict, "edit", "/../etc/passwd", "outside of the workspace"},
		{"outside, relative", strict, "edit", "../x", "outside of the workspace"},
		{"outside, as a command", strict, "execute", "/../etc", "outside of the workspace"},
		{"outside, as anything", strict, "other", "/../etc", "outside of the workspace"},
		{"a sister folder", strict, "edit", "/../wx/new.go", "outside of the workspace"},
		{"its home", strict, "edit", "/../home/notes.md", ""},
		{"git", observe, "edit", "/.git/config", "nobody writes to .git"},
		{"planlock", strict, "delete", "/.planlock/journal", "nobody writes to .planlock"},
		{"gitignore", observe, "edit", "/.gitignore", ""},
		{"read anything", strict, "read", "/internal/auth/token.go /../etc/passwd", ""},
		{"search", strict, "search", "/internal", ""},
		{"a command", strict, "execute", "", ""},
		{"a command somewhere", strict, "execute", "/server", ""},
		{"a command in the workspace", strict, "execute", "/", ""},
		{"no path", strict, "edit", "", ""},
		{"unknown kind", strict, "fly", "/server/server.go", ""},
		{"scoped folder", scoped, "edit", "/server/any.go", ""},
		{"scoped folder itself", scoped, "delete", "/server/any.go", ""},
		{"scoped glob", scoped, "edit", "/docs/a.md", ""},
		{"scoped elsewhere", scoped, "edit", "/docs/a.txt", "it may change server/, docs/*.md"},
		{"observe", observe, "edit", "/anything", ""},
		{"not said", unsaid, "edit", "/anything", ""},
		{"nothing", nothing, "edit", "/anything", "it may change nothing"},
	} {
		var paths []string
		for _, p := range strings.Fields(test.paths) {
			if strings.HasPrefix(p, "/") {
				p = at(p)
			}
			paths = append(paths, p)
		}
		got := permit(&test.w, []string{root}, test.kind, paths)
		if test.want == "" && got != "" || !strings.Contains(got, test.want) || test.want != "" && got == "" {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
