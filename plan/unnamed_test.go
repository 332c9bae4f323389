package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/plan"
)

// What a plan names by its name, and all that a non-goal may protect, is looked
// at wherever it lies.
func TestUnnamed(t *testing.T) {
	p := &plan.Plan{
		Tasks: []plan.Task{{Files: []string{"dist/index.html"}, Steps: []plan.Step{{
			Artifacts:      &plan.Artifacts{Create: []string{"src/**", "out/app.js"}},
			Evidence:       []string{"logs/run.log"},
			Postconditions: []plan.Check{{Kind: "file_exists", Path: "cover.html"}},
		}}}},
	}
	globs := []string{"**/node_modules", "**/*.pyc", "secret/tmp", "**/*.pem", "x/*.key", "**/dist", "out/*.js",
		"**/*.log", "*.html", "**/logs/old"}
	want := []string{"**/node_modules", "**/*.pyc", "secret/tmp", "**/*.pem", "x/*.key", "**/logs/old"}
	if diff := cmp.Diff(want, p.Unnamed(globs)); diff != "" {
		t.Error(diff)
	}
	p.NonGoals = []plan.NonGoal{{ID: "N1", Paths: []string{"secret", "x/*.key"}}}
	if diff := cmp.Diff([]string{"y/*.pyc"}, p.Unnamed(append(globs, "y/*.pyc"))); diff != "" {
		t.Errorf("what lies anywhere may lie in what is protected: %s", diff)
	}
}

// What coding agents obey is looked at whatever keeps it out of git, and what
// they leave beside it is not.
func TestUnnamedAndObeyed(t *testing.T) {
	for glob, want := range map[string]bool{
		"**/.env": true, "sub/.env": true, "**/.env*": true, "**/.*": true, "**/*.local.json": true,
		"**/.claude": true, ".claude/*": true, "a/.claude/hooks": true, "**/.mcp.json": true, "**/.codex": true,
		"**/.gemini": true, ".gemini/.env": true, "opencode.*": true, "**/.opencode": true,
		"**/.env.local": false, "**/node_modules": false, ".claude/worktrees": false, "**/*.db": false, "**/.claude-old": false,
	} {
		if got := len(new(plan.Plan).Unnamed([]string{glob})) == 0; got != want || plan.Obeyed(glob) != want {
			t.Errorf("%s may stand for what agents obey: %v, want %v", glob, got, want)
		}
	}
}
