package exec

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
)

// What stands in the journal is bounded, whatever a step does: a record must
// never be too large to be written, or a failure could not be recorded.
const account = 1 << 20 // bytes of an account that stands in the journal itself

// abridge is an account as the journal takes it. Of a large one the whole is
// kept in the store, and the journal has its digest and its beginning.
func (e *execution) abridge(ctx context.Context, entry *history.Accounted) (*history.Accounted, error) {
	text, err := json.Marshal(entry)
	if err != nil {
		return nil, err
	}
	short := *entry
	short.Total = len(entry.Changes)
	if len(text) <= account {
		return &short, nil
	}
	if short.Whole, err = e.Rec.Store.Put(ctx, text); err != nil {
		return nil, err
	}
	short.Changes = firstChanges(entry.Changes)
	short.Account.Matching = firstChanges(entry.Account.Matching)
	short.Account.Extra = firstChanges(entry.Account.Extra)
	short.Account.Missing = entry.Account.Missing[:min(bound.Lines, len(entry.Account.Missing))]
	short.Account.SymbolsMatching = entry.Account.SymbolsMatching[:min(bound.Lines, len(entry.Account.SymbolsMatching))]
	short.Account.SymbolsExtra = entry.Account.SymbolsExtra[:min(bound.Lines, len(entry.Account.SymbolsExtra))]
	short.Symbols = entry.Symbols[:min(bound.Lines, len(entry.Symbols))]
	short.PerPath = map[string]ledger.LineCount{}
	for _, c := range short.Changes {
		if n, ok := entry.PerPath[c.Path]; ok {
			short.PerPath[c.Path] = n
		}
	}
	return &short, nil
}

// firstChanges are as many changes as may be bound.Lines, those with very long
// paths counting for several.
func firstChanges(changes []ledger.Change) []ledger.Change {
	room := bound.Lines * bound.Line / 8
	for i, c := range changes {
		if room -= 200 + len(c.Path); i == bound.Lines || room < 0 {
			return changes[:i]
		}
	}
	return changes
}

// bounded is a fault as the journal takes it.
func (f *fault) bounded() *history.AttemptFailed {
	short := f.AttemptFailed
	short.Reasons = bound.First(f.Reasons, bound.Lines)
	if len(f.Findings) > bound.Lines {
		short.Findings = append(f.Findings[:bound.Lines:bound.Lines], gate.Finding{
			Message: fmt.Sprintf("and %d more", len(f.Findings)-bound.Lines)})
	}
	return &short
}
