package advice

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// A Reflector thinks about a failure without any model, in stages: signals are
// collected (R0) and normalised (R1), mined for known errors (R2), the root
// cause is weighed (R3), a note written (R4), a patch built where one is known
// (R5), and the risk scored (R6). The zero value is ready; it keeps nothing.
type Reflector struct{}

// Name is "reflector".
func (Reflector) Name() string { return "reflector" }

// Advise reflects on the failure of a case. It proposes a patch only where it
// knows one; its confidence in a cause that it merely guesses stays below
// [Threshold]. [ErrNothing] for cases that are no failures.
func (r Reflector) Advise(ctx context.Context, c Case) (Advice, error) {
	if err := context.Cause(ctx); err != nil {
		return Advice{}, err
	}
	if c.Kind != Reflection {
		return Advice{}, fmt.Errorf("%w: the reflector thinks about failures only", errOther)
	}
	signals := Signals(c)
	cause := RootCause(c, Mine(signals))
	a := Advice{
		Advisor: r.Name(), RootCause: string(cause.Error), Confidence: cause.Sure, Severity: cause.Severity,
		Note: note(c, cause), Cost: Cost{Calls: 1},
	}
	for _, s := range cause.Signals {
		if len(a.Signals) < maxQuoted {
			a.Signals = append(a.Signals, s.Text)
		}
	}
	a.Patch = propose(c, cause)
	if a.Patch == nil {
		a.Confidence = min(a.Confidence, Threshold-0.01) // it knows what is wrong, and not what to do
		a.Note += ", and no change is known that would mend it"
	}
	a.Risk = Risk(a.Confidence, a.Severity, cost(c))
	return a, nil
}

// RootCause weighs clusters against what the failure's class says (stage R3).
func RootCause(c Case, clusters []Cluster) Cluster {
	e, sure, severity := byClass(c.Failure)
	best := Cluster{Error: e, Sure: sure, Severity: severity, Attempts: len(c.Attempts)}
	for _, other := range clusters {
		if other.Error == best.Error {
			other.Sure = surer(max(other.Sure, best.Sure), 1, 0) // message and class agree
			return other
		}
	}
	if len(clusters) > 0 && clusters[0].Sure >= best.Sure {
		return clusters[0]
	}
	return best
}

// surer raises a certainty by every further line and every further attempt that
// says the same.
func surer(certainty float64, lines, attempts int) float64 {
	doubt := 1 - certainty
	for range min(lines, 4) {
		doubt *= 0.9
	}
	for range min(attempts, 4) {
		doubt *= 0.8
	}
	return 1 - doubt
}

func sortClusters(all []Cluster) {
	slices.SortStableFunc(all, func(a, b Cluster) int { return cmp.Compare(b.Sure, a.Sure) })
}

// note tells people what was found (stage R4).
func note(c Case, cause Cluster) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, with a certainty of %.2f", cause.Error, cause.Sure)
	if n := len(cause.Signals); n > 0 {
		fmt.Fprintf(&b, ", founded on %d %s in %d %s", n, plural(n, "line"), cause.Attempts, plural(cause.Attempts, "attempt"))
		fmt.Fprintf(&b, ", such as %q", cause.Signals[0].Text)
	} else if c.Failure.Class != "" {
		fmt.Fprintf(&b, ", founded on the class of the failure alone: %s", c.Failure.Class)
	}
	return b.String()
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// Risk is how risky it is to act on an advice: the more severe what went wrong,
// the less sure the advice and the dearer another attempt, the higher (stage
// R6). All are from 0 to 1, and so is the result.
func Risk(confidence, severity, cost float64) float64 {
	unit := func(x float64) float64 { return min(max(x, 0), 1) }
	return unit(severity) * (0.8*(1-unit(confidence)) + 0.2*unit(cost))
}

// Priority is what a retry is worth: sure advice against a severe failure
// first, cheap before dear.
func Priority(confidence, severity, cost float64) float64 {
	unit := func(x float64) float64 { return min(max(x, 0), 1) }
	return unit(confidence) * (0.5 + 0.5*unit(severity)) * (1 - 0.5*unit(cost))
}

// dear is an attempt that counts as expensive.
const dear = 30 * 60 // seconds

// cost is what another attempt will cost, from what the last ones took.
func cost(c Case) float64 {
	longest := 0.0
	for _, a := range c.Attempts {
		if a.Said != nil {
			longest = max(longest, a.Said.Took.Seconds())
		}
	}
	return min(longest/dear, 1)
}
