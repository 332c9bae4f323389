package binding

import (
	"slices"
	"strings"
)

// RepositoryMoved is what a person accepts who lets a run go on although
// somebody worked in the repository: as a name among those of what moved.
const RepositoryMoved = "repository"

// Harmless reports whether what moved of a repository, as a [ledger.GitState]
// calls it, runs nothing and hides nothing.
func Harmless(moved []string) bool {
	return !slices.ContainsFunc(moved, func(name string) bool {
		return !slices.Contains([]string{"HEAD", "index", "config", "config.worktree"}, name) &&
			!strings.HasPrefix(name, "refs/")
	})
}
