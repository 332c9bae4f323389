package history_test

import (
	"errors"
	"testing"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
)

// A chain of answers holds as it was written; an answer that was edited, moved,
// left out or repeated is refused.
func TestAddendaAreChained(t *testing.T) {
	first := history.Addendum{Step: "1.1", Question: "q1", Kind: ask.Deviation, Choice: "a", By: "alice",
		Artifacts: &ledger.Declared{Create: []string{"x"}}}.Seal(1, "")
	second := history.Addendum{Question: "q2", Kind: ask.StepFailed, Choice: "r", By: "bob"}.Seal(2, first.Digest)
	edited := second
	edited.By = "mallory"
	widened := first
	widened.Artifacts = &ledger.Declared{Create: []string{"x", "y"}}
	renumbered := history.Addendum{Question: "q2"}.Seal(3, first.Digest)
	detached := history.Addendum{Question: "q2"}.Seal(2, "sha256:another")
	tests := map[string]struct {
		chain []history.Addendum
		good  bool
	}{
		"as it was written":   {[]history.Addendum{first, second}, true},
		"edited":              {[]history.Addendum{first, edited}, false},
		"widened":             {[]history.Addendum{widened}, false},
		"the first left out":  {[]history.Addendum{second}, false},
		"repeated":            {[]history.Addendum{first, first}, false},
		"another number":      {[]history.Addendum{first, renumbered}, false},
		"behind another plan": {[]history.Addendum{first, detached}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			j := begun()
			for _, a := range tt.chain {
				j.add("1.1", 0, &a)
			}
			var order *history.OrderError
			if (j.last == nil) != tt.good || j.last != nil && !errors.As(j.last, &order) {
				t.Errorf("got %v, want it good: %t", j.last, tt.good)
			}
			if tt.good && (j.run.RecordDigest() != second.Digest || len(j.run.Step("1.1").Addenda) != 2) {
				t.Errorf("the record is %s with %d addenda", j.run.RecordDigest(), len(j.run.Step("1.1").Addenda))
			}
		})
	}
}
