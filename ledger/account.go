package ledger

import "context"

// Declared is what a step promised to change. Paths are slash-separated and
// relative, or globs ("**" crosses folders); a glob must match at least one change.
type Declared struct {
	Create, Modify, Delete []string
	// Symbols as FOLDER.Name or FOLDER.Type.Method; nil: not accounted, empty: none.
	SymbolsAdd, SymbolsRemove []string
}

// An Expectation is one declared artifact.
type Expectation struct {
	Op     Op     // of a path
	Path   string // as declared
	Symbol string // instead of Path: a symbol, with Op created or deleted
}

// An Account sets what was declared against what happened. All of it is
// listed, sorted, never only the first difference.
type Account struct {
	Matching        []Change      // declared and happened
	Extra           []Change      // happened, not declared
	Missing         []Expectation // declared, did not happen
	SymbolsMatching []Symbol
	SymbolsExtra    []Symbol // added or removed without being declared
}

// Holds reports whether exactly what was declared happened.
func (a Account) Holds() bool { return false }

// Reconcile sets declared against the actual changes. A folder that was created or
// deleted because a declared path below it was is part of that path's declaration.
func Reconcile(d Declared, changes []Change, symbols []Symbol) Account { return Account{} }

// A Symbol is a package-level Go declaration, or a method, that a change added or removed.
type Symbol struct {
	Name string // FOLDER.Name or FOLDER.Type.Method; ".Name" in the root
	Op   Op     // Created or Deleted
	Path string // the file
	Line int    // in the tree that has it
}

// Symbols reads only the changed Go files on both sides and says which symbols were added or removed.
// A symbol that moved between files of one folder is neither.
// Files that do not parse yield what could be read, and are named in broken.
func Symbols(ctx context.Context, changes []Change, before, after Content) (symbols []Symbol, broken []string, err error) {
	return nil, nil, nil
}

// LineCount is the size of a textual change.
type LineCount struct{ Added, Removed int }

// Lines counts the lines that each change added and removed; binary contents count as zero lines.
func Lines(ctx context.Context, changes []Change, before, after Content) (total LineCount, perPath map[string]LineCount, err error) {
	return LineCount{}, nil, nil
}

// A GitState is what the controller watches of a repository without touching it: digests by name
// ("HEAD", "refs", "index", "config", "hooks"). Empty where there is no repository.
type GitState map[string]Digest

// ReadGit reads the state of the repository whose work tree is dir, without running git.
func ReadGit(dir string) (GitState, error) { return nil, nil }

// Moved names, sorted, what differs.
func (g GitState) Moved(to GitState) []string { return nil }
