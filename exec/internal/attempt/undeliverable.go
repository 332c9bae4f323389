package attempt

import (
	"fmt"
	"slices"

	"github.com/planlock/planlock/checkpoint/delivery"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/deliveries"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/ledger"
)

// undeliverable refuses what no workspace could be given, by what delivery itself
// goes by: accepted, it would keep all else of the run from being delivered.
// Where the step works in place nothing is delivered, and it is held to the same
// paths.
func (t judging) undeliverable() *fault {
	f := &fault{AttemptFailed: history.AttemptFailed{Class: history.Breach}}
	for _, r := range deliveries.RefusedOf(t.after, t.entry.Changes) {
		found := gate.Finding{Code: code.ArtifactExtra, Path: top(r.Path), Expected: "nothing of it",
			Happened: string(r.Op)}
		if delivery.RefusesPath(r.Path) == nil {
			if !t.Work.Layered() || t.extra(r.Path) {
				continue // it stays there, or the declaration is all that is asked of it
			}
			found.Code = code.ArtifactKind
		}
		if n := len(f.Findings); n > 0 && f.Findings[n-1].Path == found.Path {
			continue // more of the same folder
		}
		found.Message = fmt.Sprintf("%s %v", ledger.Quote(found.Path), r.Why)
		f.Findings = append(f.Findings, found)
	}
	if len(f.Findings) == 0 {
		return nil
	}
	var names []string
	f.Reasons = []string{""}
	for _, found := range f.Findings {
		names = append(names, ledger.Quote(found.Path))
		f.Reasons = append(f.Reasons, found.Message)
	}
	f.Reasons[0] = "the step left what is never delivered: " + some(names)
	return f
}

// extra reports whether a path changed that the step does not declare.
func (t judging) extra(path string) bool {
	return slices.ContainsFunc(t.entry.Account.Extra, func(c ledger.Change) bool { return c.Path == path })
}

// top is the folder by which a path is refused, or the path.
func top(path string) string {
	for i := range path {
		if path[i] == '/' && delivery.RefusesPath(path[:i]) != nil {
			return path[:i]
		}
	}
	return path
}
