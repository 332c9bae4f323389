package session

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/plan"
)

// Sandbox is what the plan asks for, as far as the host lets it.
func (s *Session) Sandbox() (process.Sandbox, int64, error) {
	box, output, err := process.FromPlan(s.Plan.Sandbox)
	if err != nil {
		return box, 0, fmt.Errorf("exec: %w", err)
	}
	if s.NoSandbox {
		box.Level, box.NoNetwork = process.None, false
	}
	box.Workspace, box.Hidden = s.Work.Dir, s.Secrets
	box.Protect = append(box.Protect, s.Work.Scanner.Scope.Own...)
	if s.Work.Dir != s.Work.Root {
		box.Protect = append(box.Protect, s.aroundClone()...)
	}
	return box, output, nil
}

// aroundClone is what of the controller's own lies around the clone of an
// isolated run, and must not be written by what runs in it.
func (s *Session) aroundClone() []string {
	protect := []string{filepath.Join(s.Work.Root, ".git")}
	// Down the way to the clone, everything that is not on it.
	for at := s.Work.Dir; at != s.Work.Root; at = filepath.Dir(at) {
		entries, err := os.ReadDir(filepath.Dir(at))
		if err != nil || filepath.Dir(at) == s.Work.Root {
			break
		}
		for _, entry := range entries {
			if path := filepath.Join(filepath.Dir(at), entry.Name()); path != at {
				protect = append(protect, path)
			}
		}
	}
	return protect
}

// Runner runs commands for a step, or for gates where step is nil.
func (s *Session) Runner(step *plan.Step) *Runner {
	box, output, err := s.Sandbox()
	if step != nil && step.Access != nil && step.Access.Writes != nil {
		box.Writes = step.Access.Writes
	}
	return &Runner{err: err, env: s.Plan.Sandbox.Env, inner: process.Runner{
		Dir:         s.Work.Dir,
		Shell:       s.Shell,
		Sandbox:     box,
		OutputLimit: output,
	}}
}
