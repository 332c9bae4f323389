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
		if rel, ok := s.Inside(path); ok {
			scope.Own = append(scope.Own, rel)
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
func RequestedLog(p *plan.Plan) (string, bool) {
	for _, s := range p.Settings {
		if s.Key == "logging.output_file" && s.Value.Text != "" && filepath.IsLocal(s.Value.Text) {
			return s.Value.Text, true
		}
	}
	return "", false
}
