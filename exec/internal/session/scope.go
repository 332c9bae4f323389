package session

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Scope is what the plan says of the tree, and the controller's own files in
// it. Those of a run that has begun are as they were then, wherever its plan is
// read from now.
func (s *Session) Scope() ledger.Scope {
	scope := s.Plan.Scope
	if s.Rec != nil && s.Rec.Run.Head.Seq > 0 {
		scope.Own = slices.Concat(scope.Own, s.Rec.Run.Started.Own)
		scope.Ignore = slices.Concat(scope.Ignore, s.Rec.Run.Started.Unversioned)
	} else {
		scope.Own = slices.Concat(scope.Own, s.Own())
		scope.Ignore = slices.Concat(scope.Ignore, s.Unversioned())
	}
	for _, wanted := range [...]func(*plan.Plan) (string, bool){RequestedLog, RequestedNotepad} {
		out, ok := wanted(s.Plan)
		if !ok {
			continue
		}
		if rel, ok := s.Inside(filepath.Join(s.Work.Root, filepath.FromSlash(out))); ok {
			scope.Own = append(scope.Own, rel)
		}
	}
	return scope
}

// Own are the files of the plan, its lock, and the summaries that runs wrote
// beside the plan, where they lie in the workspace, by their names in it, with
// slashes.
func (s *Session) Own() (own []string) {
	for _, f := range s.Files {
		if rel, ok := s.OwnSource(f); ok {
			own = append(own, rel)
		}
		if beside := filepath.Join(filepath.Dir(f.Path), plan.SummaryName(f.Path)); s.Home.Summary(beside) {
			if rel, ok := s.Inside(beside); ok {
				own = append(own, rel)
			}
		}
	}
	if rel, ok := s.Inside(s.LockFile); ok {
		own = append(own, rel)
	}
	return own
}

// OwnSource is the name that a file of the plan has in the workspace; not ok for
// files that lie elsewhere. A plan that was read from memory may have the name
// of a file that has nothing to do with it: that is looked at.
func (s *Session) OwnSource(f plan.Source) (rel string, ok bool) {
	if rel, ok = s.Inside(f.Path); !ok || filepath.IsAbs(f.Path) {
		return rel, ok
	}
	text, err := os.ReadFile(filepath.Join(s.Work.Root, filepath.FromSlash(rel)))
	return rel, err == nil && ledger.Sum(text) == f.Digest
}

// Inside is the name that a file of the workspace has in it, with slashes; not
// ok for other files.
func (s *Session) Inside(path string) (rel string, ok bool) {
	if path == "" {
		return "", false
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", false
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		abs = filepath.Join(real, filepath.Base(abs))
	}
	rel, err = filepath.Rel(s.Work.Root, abs)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}

// RequestedLog is where the plan asks for its progress log, besides the views.
func RequestedLog(p *plan.Plan) (string, bool) { return requested(p, plan.LogKey) }

// RequestedNotepad is where the plan asks for a notepad that is kept over its
// runs.
func RequestedNotepad(p *plan.Plan) (string, bool) {
	for _, s := range p.Settings {
		if s.Key == "knowledge_capture.enabled" && s.Value.Kind == "boolean" && s.Value.Text == "false" {
			return "", false
		}
	}
	path, ok := requested(p, plan.NotepadKey)
	return path, ok && plan.IsNotepad(path)
}

// requested is a file in the workspace that a setting names.
func requested(p *plan.Plan, key string) (string, bool) {
	for _, s := range p.Settings {
		if s.Key == key && s.Value.Text != "" && filepath.IsLocal(s.Value.Text) {
			return s.Value.Text, true
		}
	}
	return "", false
}
