package binding

import (
	"slices"
	"strings"
)

// RepositoryMoved is what a person accepts who lets a run go on although
// somebody worked in the repository: as a name among those of what moved.
const RepositoryMoved = "repository"

// Acceptable are the names by which a person accepts all that moved of a
// repository: one for what is harmless, and each hook, which git runs, by its own.
// Not ok where something moved that is accepted by no name.
func Acceptable(moved []string) (names []string, ok bool) {
	for _, one := range moved {
		name := Hook(one)
		if name == "" && Harmless([]string{one}) {
			name = RepositoryMoved
		}
		if name == "" {
			return nil, false
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, true
}

// Hook is the name by which a person accepts that a hook moved, as in
// "hook pre-commit", which whoever commits has for it too; "" of all else.
func Hook(moved string) string {
	name, is := strings.CutPrefix(moved, "hooks/")
	if !is {
		return ""
	}
	return "hook " + name
}

// Harmless reports whether what moved of a repository, as a [ledger.GitState]
// calls it, runs nothing and hides nothing.
func Harmless(moved []string) bool {
	return !slices.ContainsFunc(moved, func(name string) bool {
		return !slices.Contains([]string{"HEAD", "index", "config", "config.worktree"}, name) &&
			!strings.HasPrefix(name, "refs/")
	})
}
