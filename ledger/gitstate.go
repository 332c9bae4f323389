package ledger

import "slices"

// A GitState is what is watched of a git repository: digests by name, as
// ledger/git reads them. It is empty where there is no repository. The names
// are
//
//	.git                    that there is one, and where it lies if it is a worktree or a submodule
//	HEAD                    what is checked out
//	refs/heads/main, …      the refs, wherever git keeps them; with many, one name for a group ("refs/tags")
//	index                   what is staged; not the times that "git status" refreshes
//	config, config.worktree
//	hooks/pre-commit, …     every hook but the samples
//	info/attributes, …      what else tells git how to treat files, or where to find objects
//	MERGE_HEAD, …           operations that are half done
//	modules/NAME/config, …  the same of submodules: HEAD, config and hooks
//
// What a fetch moves is not watched, since editors and git itself fetch in the
// background whenever they like, and none of it says what is checked out or
// runs anything: refs/remotes and refs/prefetch, FETCH_HEAD, ORIG_HEAD, logs
// and objects. Tags are watched, those that a fetch brings along too. In a
// repository that keeps its refs as tables they are watched as a whole, so a
// fetch does move it.
type GitState map[string]Digest

// Moved names, sorted, what differs.
func (g GitState) Moved(to GitState) []string {
	var names []string
	for name, d := range g { // in any order: sorted below
		if to[name] != d {
			names = append(names, name)
		}
	}
	for name := range to { // in any order: sorted below
		if _, ok := g[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
