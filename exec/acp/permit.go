package acp

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// permit says why an agent may not do what it asks for, or "" where it may: a
// kind of tool, and paths that it is about. It is an early refusal only; what
// really changed is what counts.
//
// Reading is nobody's business here, since the sandbox says what can be read. A
// command may do what its paths do not forbid outright, since they do not say
// what becomes of them; editing, deleting and moving have to be declared where
// the plan binds the step.
func permit(w *exec.Work, roots []string, kind sdk.ToolKind, paths []string) (reason string) {
	switch kind {
	case sdk.ToolKindRead, sdk.ToolKindSearch, sdk.ToolKindFetch, sdk.ToolKindThink, sdk.ToolKindSwitchMode:
		return ""
	}
	for _, p := range paths {
		if reason := permitPath(w, roots, kind, p); reason != "" {
			return reason
		}
	}
	return ""
}

// permitPath is permit for one path.
func permitPath(w *exec.Work, roots []string, kind sdk.ToolKind, p string) string {
	rel, inside := within(roots, p)
	if !inside {
		if _, own := within([]string{w.Home}, p); own && filepath.IsAbs(p) {
			return "" // its own settings and notes
		}
		return fmt.Sprintf("%q lies outside of the workspace", p)
	}
	for _, own := range []string{".git", ".planlock"} {
		if rel == own || strings.HasPrefix(rel, own+"/") {
			return fmt.Sprintf("nobody writes to %s", own)
		}
	}
	for _, n := range w.NonGoals {
		if i := slices.IndexFunc(n.Paths, func(pattern string) bool { return covers(path.Clean(pattern), rel) }); i >= 0 {
			return fmt.Sprintf("%q must not be touched: non-goal %s (%s) protects %q", rel, n.ID, n.Text, n.Paths[i])
		}
	}
	if kind != sdk.ToolKindEdit && kind != sdk.ToolKindDelete && kind != sdk.ToolKindMove || declares(w, kind, rel) {
		return ""
	}
	return fmt.Sprintf("the step does not declare %q; it may %s", rel, may(w))
}

// within is a path below the first root that it lies in, with slashes; a
// relative one is taken to be below the first. "." is the root itself.
func within(roots []string, p string) (rel string, ok bool) {
	if !filepath.IsAbs(p) {
		rel = path.Clean(filepath.ToSlash(p))
		return rel, filepath.IsLocal(p)
	}
	for _, root := range roots {
		if root == "" {
			continue
		}
		if rel, err := filepath.Rel(root, p); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}

// covers reports whether a pattern of a plan is about a path: a glob, a file, or
// a folder with all that it holds.
func covers(pattern, rel string) bool {
	folder := strings.TrimSuffix(pattern, "/")
	return folder == "." || folder == rel || strings.HasPrefix(rel, folder+"/") || ledger.Match(pattern, rel)
}

// declares reports whether the step may change a path, as far as its plan holds
// it to what it declares. A path that is declared may be edited and moved; one
// may be deleted that is declared as deleted, or that the step makes itself.
func declares(w *exec.Work, kind sdk.ToolKind, rel string) bool {
	if !w.Bound || w.Step == nil || w.Step.Artifacts == nil && w.Within == nil {
		return true
	}
	if slices.ContainsFunc(w.Within, func(pattern string) bool { return covers(pattern, rel) }) {
		return true
	}
	a := w.Step.Artifacts
	if a == nil {
		return false
	}
	patterns := slices.Concat(a.Create, a.Delete)
	if kind != sdk.ToolKindDelete {
		patterns = append(patterns, a.Modify...)
	}
	return slices.ContainsFunc(patterns, func(pattern string) bool { return ledger.Match(pattern, rel) })
}

// may is what the step may change, in words.
func may(w *exec.Work) string {
	a := w.Step.Artifacts
	if a == nil {
		a = &plan.Artifacts{}
	}
	var parts []string
	for _, each := range []struct {
		verb  string
		paths []string
	}{{"create", a.Create}, {"modify", a.Modify}, {"delete", a.Delete}, {"change", w.Within}} {
		if len(each.paths) > 0 {
			shown := each.paths[:min(len(each.paths), 10)]
			text := each.verb + " " + strings.Join(shown, ", ")
			if more := len(each.paths) - len(shown); more > 0 {
				text += fmt.Sprintf(" and %d more", more)
			}
			parts = append(parts, text)
		}
	}
	if len(parts) == 0 {
		return "change nothing"
	}
	return strings.Join(parts, "; ")
}
