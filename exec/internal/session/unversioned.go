package session

import (
	"os"
	"path/filepath"

	"github.com/planlock/planlock/ledger/git"
	"github.com/planlock/planlock/plan"
)

// maxIgnore bounds how much of a .gitignore is read, in bytes.
const maxIgnore = 1 << 20

// Unversioned are globs of what the .gitignore in the root of the workspace
// names, as far as the plan names nothing of it: packages, builds, caches. No plan
// that is not strict declares what tools leave there, so it is not accounted,
// unless the plan says itself what is. It is part of what a step left all the
// same, and goes with it, but where steps work in the workspace itself. A step
// cannot hide anything by writing that file: it is read when a run begins.
func (s *Session) Unversioned() []string {
	said := s.Plan.Scope
	if s.Plan.Profile == plan.Strict || s.Plan.Profile == "" || len(said.Ignore)+len(said.Stamps)+len(said.Track) > 0 {
		return nil
	}
	name := filepath.Join(s.Work.Root, ".gitignore")
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() || info.Size() > maxIgnore {
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	return s.Plan.Unnamed(git.Ignored(string(text)))
}
