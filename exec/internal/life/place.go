package life

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/git"
)

// roomFor refuses a run whose clone does not fit beside the workspace: before
// anything is written, and not in the midst of it.
func (l *Life) roomFor(base *ledger.Tree) error {
	if l.InPlace() {
		return nil
	}
	free, known := freeFor(l.Work.Root)
	var need uint64
	for e := range base.All() {
		if e.Kind == ledger.File {
			need += taken(l.Work.Root, e)
		}
	}
	if !known || need <= free {
		return nil
	}
	return &session.Refusal{Reasons: []string{fmt.Sprintf(
		"steps work in a copy of the workspace, which takes %d bytes, and %d are free on its file system", need, free)},
		Hint: `make room there, or have steps work in the workspace itself: layer = "in-place" in [sandbox]`}
}

// large is a size from which on a file makes a run slow.
const large = 1 << 30

// tellOfLarge warns of files that take long: each is read in whole more than
// once, and kept, before the first step.
func (l *Life) tellOfLarge(base *ledger.Tree) {
	var names []string
	for e := range base.All() {
		if e.Kind == ledger.File && e.Size >= large {
			names = append(names, fmt.Sprintf("%s (%d bytes)", ledger.Quote(e.Path), e.Size))
		}
	}
	if len(names) > 0 {
		l.Warn("large files are read and kept before the first step, which takes a while: " +
			strings.Join(bound.First(names, 5), ", ") + "; leave them out with ignore, or watch them with stamps, in [ledger]")
	}
}

// shared warns of a repository that lies outside of the workspace, which no layer
// has a copy of.
func (l *Life) shared() []string {
	folders := git.Elsewhere(l.Work.Root)
	if len(folders) == 0 {
		return nil
	}
	box, _, err := l.Sandbox()
	reached, reachErr := process.Reach(box)
	if err == nil && reachErr == nil && reached.Landlock > 0 {
		return []string{fmt.Sprintf("the repository of the workspace lies at %s: commands of steps can read it, and not commit there",
			ledger.Quote(folders[0]))}
	}
	return []string{fmt.Sprintf("the repository of the workspace lies at %s, and nothing keeps commands of steps from writing there: "+
		"a run that does is stopped", ledger.Quote(folders[0]))}
}

// mounted warns of what else is mounted in the workspace: the clone has a copy
// of it, and commands see it as it is, and cannot write there.
func (l *Life) mounted() []string {
	points := mountsIn(l.Work.Root)
	if len(points) == 0 || l.InPlace() {
		return nil
	}
	return []string{fmt.Sprintf("commands of steps can read, and not write, what is mounted in the workspace: %s; "+
		"take it out, or have them work in the workspace itself (layer = \"in-place\" in [sandbox])",
		strings.Join(bound.First(points, 5), ", "))}
}

// replaced warns of a file system on which files of others are not safe in the
// moment in which work is delivered.
func (l *Life) replaced() ([]string, error) {
	if l.InPlace() {
		return nil, nil
	}
	cannot, err := l.Deliveries.Place.CannotExchange()
	if err != nil || !cannot {
		return nil, err
	}
	return []string{"the file system of the workspace cannot exchange files in one step, so what is delivered replaces files by a rename: " +
		"who saves one of them in the same moment loses that; where others save here meanwhile, have the run work in a copy on a local disk"}, nil
}
