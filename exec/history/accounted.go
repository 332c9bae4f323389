package history

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Accounted is the ledger entry of an attempt.
type Accounted struct {
	Tree     ledger.Digest               `json:"tree"`
	Declared ledger.Declared             `json:"declared"`
	Unsaid   bool                        `json:"unsaid,omitempty"` // the step does not say what it changes
	Changes  []ledger.Change             `json:"changes,omitempty"`
	Account  ledger.Account              `json:"account"`
	Symbols  []ledger.Symbol             `json:"symbols,omitempty"`
	Lines    ledger.LineCount            `json:"lines"`
	PerPath  map[string]ledger.LineCount `json:"per_path,omitempty"`
	Unread   []ledger.Unread             `json:"unread,omitempty"`    // source files of which nobody knows the symbols
	Git      []string                    `json:"git_moved,omitempty"` // what moved in the repository
	Bears    []Bearing                   `json:"bears,omitempty"`     // what files bear, as declared
	// Of a very large account, Whole is the digest of all of it in the content
	// store, as JSON of this type; the lists above are its beginning, and Total
	// is the number of changes.
	Total int           `json:"total,omitempty"`
	Whole ledger.Digest `json:"whole,omitempty"`
	// Inline are the new contents of the tree, where they are few: so it is
	// durable with this record. They are in the store too; a Run leaves them
	// out.
	Inline record.Inline `json:"inline,omitempty"`
}

// A Bearing is what a file that a step made or changed has besides contents and
// mode, and is delivered with.
type Bearing struct {
	Path       string            `json:"path"`
	Digest     ledger.Digest     `json:"digest"` // of its contents
	Owner      *int              `json:"owner,omitempty"`
	Group      *int              `json:"group,omitempty"`
	Attributes map[string][]byte `json:"attributes,omitempty"`
}

// Stashed says to people that a step made a stash, which is dropped with its copy
// of the repository; "" if it did not.
func (s *Step) Stashed() string {
	if a := s.Account(); a == nil || s.Completed == nil || !slices.Contains(a.Git, "refs/stash") {
		return ""
	}
	return fmt.Sprintf("step %s moved the stash of its copy of the repository, which is dropped: what it stashed is in no "+
		"stash, and what that took out of files is gone from the workspace", s.Address)
}

// Unkept says to people what else a step did in its copy of the repository, which is
// dropped with it: commits, branches, tags, hooks and settings; "" if nothing. What
// it staged is not told: what it changed is there.
func (s *Step) Unkept() string {
	a := s.Account()
	if a == nil || s.Completed == nil {
		return ""
	}
	var moved []string
	for _, part := range a.Git {
		if part != "index" && part != "refs/stash" {
			moved = append(moved, part)
		}
	}
	const few = 5
	if len(moved) > few {
		moved = append(moved[:few], fmt.Sprintf("%d more", len(moved)-few))
	}
	if moved == nil {
		return ""
	}
	return fmt.Sprintf("step %s moved %s of its copy of the repository, which is dropped: its files are kept, and no commit, "+
		"branch, hook or setting of it is in the repository of the workspace", s.Address, strings.Join(moved, ", "))
}

func (*Accounted) Type() string { return "accounted" }

// String is as in "2 files +10 −3 · as declared".
func (f *Accounted) String() string {
	verdict := "as declared"
	if a := f.Account; !a.Holds() {
		verdict = fmt.Sprintf("%d missing, %d extra", len(a.Missing), len(a.Extra)+len(a.SymbolsExtra))
		if !f.Whole.IsZero() {
			verdict += " at least"
		}
	}
	return f.Size() + " · " + verdict
}

// Files is how many files were changed. Folders are not counted, but for those
// of a very large account that are not in its beginning.
func (f *Accounted) Files() int {
	files := max(f.Total, len(f.Changes))
	for i := range f.Changes {
		if f.Changes[i].Kind() == ledger.Dir {
			files--
		}
	}
	return files
}

// Size is how much was changed, as in "2 files +10 −3". Folders are not
// counted.
func (f *Accounted) Size() string {
	text := count(f.Files(), "file")
	if f.Lines.Added > 0 {
		text += fmt.Sprintf(" +%d", f.Lines.Added)
	}
	if f.Lines.Removed > 0 {
		text += fmt.Sprintf(" −%d", f.Lines.Removed)
	}
	return text
}

// Only an account of nothing is known without reading it.
func (f *Accounted) readBack() Fact {
	a := &f.Account
	if len(f.Changes)+len(f.Symbols)+len(f.PerPath)+len(f.Git)+len(f.Bears)+len(f.Inline)+len(f.Unread) > 0 ||
		len(a.Matching)+len(a.Extra)+len(a.Missing)+len(a.SymbolsMatching)+len(a.SymbolsExtra) > 0 {
		return nil
	}
	d := f.Declared
	if !kept(string(f.Tree), string(f.Whole)) ||
		!keptAll(d.Create) || !keptAll(d.Modify) || !keptAll(d.Delete) || !keptAll(d.Within) ||
		!keptAll(d.SymbolsAdd) || !keptAll(d.SymbolsRemove) {
		return nil
	}
	d.Create, d.Modify, d.Delete, d.Within = some(d.Create), some(d.Modify), some(d.Delete), some(d.Within)
	// here an empty list is not none
	d.SymbolsAdd, d.SymbolsRemove = slices.Clone(d.SymbolsAdd), slices.Clone(d.SymbolsRemove)
	return &Accounted{Tree: f.Tree, Declared: d, Unsaid: f.Unsaid, Account: ledger.Account{}, Lines: f.Lines,
		Total: f.Total, Whole: f.Whole}
}

// Differs says that an attempt made another tree than an earlier one did of the
// same inputs under the same envelope.
type Differs struct {
	Inputs  ledger.Digest `json:"inputs"` // digest of what both began with
	Tree    ledger.Digest `json:"tree"`   // that it made
	Was     ledger.Digest `json:"was"`    // that the earlier one made
	Run     string        `json:"run"`    // of the earlier one; this run's id if it was here
	Step    plan.Address  `json:"step"`
	Attempt int           `json:"attempt"`
	Paths   []string      `json:"paths,omitempty"` // in which they differ, the first of them, where that is known
	Refused bool          `json:"refused"`         // deterministic mode: the attempt was undone
}

func (*Differs) Type() string { return "differs" }

func (f *Differs) String() string {
	text := fmt.Sprintf("tree %s; attempt %d of step %s in run %s made %s of the same inputs",
		f.Tree.Short(), f.Attempt, f.Step, f.Run, f.Was.Short())
	if f.Refused {
		text += "; refused"
	}
	return sprint("%s: %s", text, strings.Join(f.Paths, ", "))
}
