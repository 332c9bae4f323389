package ledger

// A GitState is what the controller watches of a repository without touching it: digests by name
// ("HEAD", "refs", "index", "config", "hooks"). Empty where there is no repository.
type GitState map[string]Digest

// ReadGit reads the state of the repository whose work tree is dir, without running git.
func ReadGit(dir string) (GitState, error) { return nil, nil }

// Moved names, sorted, what differs.
func (g GitState) Moved(to GitState) []string { return nil }
