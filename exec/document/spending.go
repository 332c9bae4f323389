package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/internal/safetext"
)

// Sizes of the picture of what was spent, in pixels.
const (
	spendWidth  = 600
	spendHeight = 120
)

// A spending is what attempts said that they cost, over time: one line for
// tokens and one for money, each up to its own total.
type spending struct {
	Tokens, Money string // the lines, as points of an SVG; "" where nobody said anything
	Rows          []spent
	Total         string
	Text          string
}

// spent is what the attempts of a step said.
type spent struct {
	Step, Link, Tokens, Money string
}

// newSpending adds up what attempts said; nil where none said anything. What was
// set back was paid for all the same.
func newSpending(rep *Model) *spending {
	var all []*attempt
	out := &spending{}
	for _, s := range rep.steps {
		var tokens int64
		var cost history.Money
		for _, a := range s.Attempts {
			if a.Said != nil && (a.Said.Tokens > 0 || a.Said.Cost > 0) {
				all = append(all, a)
				tokens, cost = tokens+a.Said.Tokens, cost.Plus(history.Money(a.Said.Cost))
			}
		}
		if tokens > 0 || cost > 0 {
			out.Rows = append(out.Rows, spent{safetext.Escape(string(s.Address)), anchor(s), fmt.Sprint(tokens), cost.String()})
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b *attempt) int { return cmp.Compare(a.Ended.UnixNano(), b.Ended.UnixNano()) })
	var tokens, cost []float64
	var ends []stamp
	for i, a := range all {
		t, c := float64(a.Said.Tokens), float64(a.Said.Cost)
		if i > 0 {
			t, c = t+tokens[i-1], c+cost[i-1]
		}
		tokens, cost, ends = append(tokens, t), append(cost, c), append(ends, a.Ended)
	}
	last := len(all) - 1
	out.Tokens, out.Money = rep.rising(ends, tokens), rep.rising(ends, cost)
	out.Total = fmt.Sprintf("%.0f tokens and %s, as attempts said", tokens[last], history.Money(cost[last]))
	var whole []string
	if all := rep.of.Flow.Tokens; all > int64(tokens[last]) {
		whole = append(whole, fmt.Sprintf("%d tokens", all))
	}
	if all := history.Money(rep.Counts.Cost); all > history.Money(cost[last]) {
		whole = append(whole, all.String())
	}
	if len(whole) > 0 {
		out.Total += "; with all others who were asked, " + strings.Join(whole, " and ")
	}
	out.Text = "What the attempts cost over time: " + out.Total
	return out
}

// rising is a line of steps that reaches each value when it was told; "" where
// all are 0.
func (rep *Model) rising(at []stamp, values []float64) string {
	most := values[len(values)-1]
	if most == 0 {
		return ""
	}
	whole := max(float64(rep.Duration), 1)
	var b strings.Builder
	fmt.Fprintf(&b, "0,%d", spendHeight)
	y := float64(spendHeight)
	for i, v := range values {
		x := spendWidth * min(max(float64(at[i].Sub(rep.Started.Time))/whole, 0), 1)
		fmt.Fprintf(&b, " %g,%g", round(x), round(y))
		y = spendHeight * (1 - v/most)
		fmt.Fprintf(&b, " %g,%g", round(x), round(y))
	}
	fmt.Fprintf(&b, " %d,%g", spendWidth, round(y))
	return b.String()
}
