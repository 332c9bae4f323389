package document

import (
	"testing"
	"time"

	"github.com/planlock/planlock/exec/history"
)

// TestSpendingRises: what attempts cost adds up in the order in which they
// ended, whatever the order of steps, and what was set back counts.
func TestSpendingRises(t *testing.T) {
	begun := time.Date(2026, 11, 20, 8, 30, 0, 0, time.UTC)
	tried := func(ended time.Duration, tokens int64, cost history.Money) *attempt {
		return &attempt{Ended: newStamp(begun.Add(ended)), Said: &said{Tokens: tokens, Cost: dollars(cost)}}
	}
	m := &Model{of: &history.Run{}, Started: newStamp(begun), Duration: span(10 * time.Second), steps: []*step{
		{Address: "1.1", Attempts: []*attempt{tried(8*time.Second, 100, history.Dollar), {}}},
		{Address: "2.1", Attempts: []*attempt{tried(2*time.Second, 300, 0), tried(5*time.Second, 0, 0)}},
	}}
	m.Counts.Cost, m.of.Flow.Tokens = dollars(2*history.Dollar), 450
	got := newSpending(m)
	const tokens, money = "0,120 120,120 120,30 480,30 480,0 600,0", "0,120 120,120 120,120 480,120 480,0 600,0"
	if got.Tokens != tokens || got.Money != money {
		t.Errorf("the lines are %q and %q", got.Tokens, got.Money)
	}
	if want := "400 tokens and $1.00, as attempts said; with all others who were asked, 450 tokens and $2.00"; got.Total != want {
		t.Errorf("the total is %q", got.Total)
	}
	if len(got.Rows) != 2 || got.Rows[1].Tokens != "300" || got.Rows[0].Money != "$1.00" {
		t.Errorf("the rows are %+v", got.Rows)
	}
	m.steps = m.steps[1:]
	m.steps[0].Attempts = nil
	if newSpending(m) != nil {
		t.Error("nobody said anything, and there is a picture")
	}
}
