// Package commit is what is said between a run and whoever keeps its accepted
// work in the history of a repository: [Committer], which module exec/git has
// for git. The controller itself runs no git.
//
// Work is committed once it is in the workspace. Whoever commits is asked again
// after a crash, and recognises by the message what it has done already.
package commit

import (
	"context"
	"fmt"
	"strings"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// A Unit is how much work a commit holds.
type Unit string

// The units; "" commits nothing. Off ends that for a run that is resumed.
const (
	Step Unit = "step"
	Task Unit = "task"
	Run  Unit = "run"
	Off  Unit = "off"
)

// ParseUnit is a unit by its name; "" is none.
func ParseUnit(name string) (Unit, error) {
	switch u := Unit(name); u {
	case "", Step, Task, Run, Off:
		return u, nil
	}
	return "", fmt.Errorf("commit: %q is none of step, task, run, off", name)
}

// A Committer makes commits of what a run accepted. Its methods are called one
// at a time, by whoever holds the workspace.
type Committer interface {
	// Settings are what decides about a commit besides its content: digests, by
	// names for people, of the hooks, the configuration, the attributes and the
	// programs that it would obey or run. A run begins with these, and nothing is
	// committed under others. A *RefusedError says that nothing can be committed
	// in the work tree dir as it is.
	Settings(ctx context.Context, dir string) (ledger.GitState, error)
	// Find looks for the commit of some work behind w.Parent; nil if there is
	// none. Of a commit whose maker died it does what is left to do.
	Find(ctx context.Context, w Work) (*Made, error)
	// Commit commits some work on top of w.Parent, which must be what is checked
	// out. It changes no file of the work tree, and nothing that somebody staged. Made has no hash if there was nothing to commit. A *RefusedError says
	// why nothing is committed.
	Commit(ctx context.Context, w Work) (*Made, error)
}

// Work is what one commit is to hold.
type Work struct {
	Dir    string // the work tree
	Parent string // the commit that it follows
	Run    string
	Plan   ledger.Digest
	Goal   string
	Unit   Unit
	Task   *plan.Task // of the steps; nil where they are of several
	Steps  []Done
	// Changes are what the steps made of paths: Before is what the repository is
	// to hold, After what it holds then.
	Changes []ledger.Change
	// Content opens what stands in Before and After.
	Content ledger.Content
}

// Done is a step that is committed.
type Done struct {
	Address plan.Address
	Title   string
}

// Made is what became of some work.
type Made struct {
	Hash   string // "": there was nothing to commit
	Branch string // that it is on, as in "refs/heads/main"; "" if on none
	Staged bool   // the index of the work tree follows it, and nobody else moved that meanwhile
	Left   []LeftOut
}

// LeftOut is a path that was not committed, and why.
type LeftOut struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// String is "a.txt: somebody changed it since".
func (l LeftOut) String() string { return fmt.Sprintf("%q: %s", l.Path, l.Why) }

// A RefusedError says that a commit is not made in a repository that is as it
// is, and what a person can do about it.
type RefusedError struct {
	Reasons []string
	Hint    string
}

func (e *RefusedError) Error() string {
	text := "commit: " + strings.Join(e.Reasons, "; ")
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}
