package session

import (
	"path/filepath"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Scope is what the plan says of the tree, and the controller's own files in
// it.
func (s *Session) Scope() ledger.Scope {
	scope := s.Plan.Scope
	own := func(path string) {
		abs, err := filepath.Abs(path)
		if err != nil {
			return
		}
		if real, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
			abs = filepath.Join(real, filepath.Base(abs))
		}
		if rel, err := filepath.Rel(s.Work.Root, abs); err == nil && filepath.IsLocal(rel) {
			scope.Own = append(scope.Own, filepath.ToSlash(rel))
		}
	}
	for _, f := range s.Files {
		own(f.Path)
	}
	if s.LockFile != "" {
		own(s.LockFile)
	}
	if out, ok := RequestedLog(s.Plan); ok {
		own(filepath.Join(s.Work.Root, filepath.FromSlash(out)))
	}
	return scope
}

// RequestedLog is where the plan asks for its progress log, besides the views.
func RequestedLog(p *plan.Plan) (string, bool) {
	for _, s := range p.Settings {
		if s.Key == "logging.output_file" && s.Value.Text != "" && filepath.IsLocal(s.Value.Text) {
			return s.Value.Text, true
		}
	}
	return "", false
}
