package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/git"
	"github.com/planlock/planlock/plan"
)

// maxIgnore bounds how much of a .gitignore is read, in bytes.
const maxIgnore = 1 << 20

// Unversioned are globs of what the .gitignore in the root of the workspace
// names, and those of the folders above it in a repository, as far as the plan
// names nothing of it, and git runs nothing of it as a hook: packages, builds,
// caches. No plan that is not strict declares what tools leave there, so it is not
// accounted, unless the plan says itself what is. It is part of what a step left
// all the same, and goes with it, but where steps work in the workspace itself. A
// step cannot hide anything by writing these files: they are read when a run begins.
func (s *Session) Unversioned() []string {
	said := s.Plan.Scope
	if s.Plan.Profile == plan.Strict || s.Plan.Profile == "" || len(said.Ignore)+len(said.Stamps)+len(said.Track) > 0 {
		return nil
	}
	text, hooks := ignoring(s.Work.Root), []string(nil)
	if top, rel, ok := git.Top(s.Work.Root); ok {
		for _, name := range git.HookFiles(top) {
			hooks = append(hooks, strings.TrimPrefix(name, rel+"/"))
		}
		for at := s.Work.Root; at != top; {
			at = filepath.Dir(at)
			rel, err := filepath.Rel(at, s.Work.Root)
			if err != nil {
				break
			}
			text = git.Below(ignoring(at), filepath.ToSlash(rel)) + text // what lies deeper comes later
		}
	}
	return slices.DeleteFunc(s.Plan.Unnamed(git.Ignored(text)), func(glob string) bool {
		of := ledger.Scope{Ignore: []string{glob}}
		return slices.ContainsFunc(hooks, func(name string) bool { return of.Level(name) == ledger.Ignored })
	})
}

// ignoring is what the .gitignore of a folder says; "" where it has none.
func ignoring(dir string) string {
	name := filepath.Join(dir, ".gitignore")
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() || info.Size() > maxIgnore {
		return ""
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	return string(text)
}
