package advice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/cause"
)

// reflect thinks about the failure of a case, given what worked before.
func reflect(c Case, memory map[string][]history.Approach) Advice {
	signals := cause.Signals(c.Failure, c.Attempts)
	root := cause.Root(c.Failure, len(c.Attempts), cause.Mine(signals))
	a := Advice{
		Advisor: "reflector", RootCause: string(root.Error), Confidence: root.Sure, Severity: root.Severity,
		Note: note(c, root), Cost: history.AdviceCost{Calls: 1},
	}
	for _, s := range root.Signals {
		if len(a.Signals) < cause.MaxQuoted {
			a.Signals = append(a.Signals, s.Text)
		}
	}
	a.Patch = propose(c, root)
	best := remembered(c, memory[string(root.Error)])
	if best != nil && (a.Patch == nil || best.Confidence > a.Confidence) {
		a.Patch, a.Confidence = recall(c, root, best), best.Confidence
		a.Note += fmt.Sprintf("; memory: this helped before: %s", best.Description)
		a.Alternatives = []history.Approach{*best}
	}
	if a.Patch == nil {
		a.Confidence = min(a.Confidence, Threshold-0.01) // it knows what is wrong, and not what to do
		a.Note += ", and no change is known that would mend it"
	}
	a.Risk = cause.Risk(a.Confidence, a.Severity, cause.Cost(c.Attempts))
	return a
}

// remembered is the best of what worked before that was not proposed yet to the
// step; nil where nothing is known, or nobody would read it.
func remembered(c Case, known []history.Approach) *history.Approach {
	if c.Method.Prompt == "" {
		return nil // a command does not read feedback
	}
	var best *history.Approach
	for _, a := range known {
		told := slices.ContainsFunc(c.Earlier, func(e history.Advised) bool {
			return slices.ContainsFunc(e.Alternatives, func(o history.Approach) bool {
				return o.Source == fromMemory && o.Description == a.Description
			})
		})
		if !told && (best == nil || a.Confidence > best.Confidence) {
			a.Source = fromMemory
			best = &a
		}
	}
	return best
}

// recall is a patch that tells what worked before, and what the executor is told
// about the error in any case.
func recall(c Case, root cause.Cluster, best *history.Approach) *Patch {
	p := &Patch{Summary: "what helped before: " + best.Description,
		Feedback: []string{fmt.Sprintf("against %s this helped before: %s", root.Error, best.Description)}}
	if hint := propose(c, root); hint != nil {
		p.Feedback = append(p.Feedback, hint.Feedback...)
	}
	return p
}

// note tells people what was found (stage R4).
func note(c Case, root cause.Cluster) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, with a certainty of %.2f", root.Error, root.Sure)
	if n := lines(root.Signals); n > 0 {
		fmt.Fprintf(&b, ", founded on %d %s in %d %s", n, plural(n, "line"), root.Attempts, plural(root.Attempts, "attempt"))
		fmt.Fprintf(&b, ", such as %q", root.Signals[0].Text)
	} else if c.Failure.Class != "" {
		fmt.Fprintf(&b, ", founded on the class of the failure alone: %s", c.Failure.Class)
	}
	return b.String()
}

// lines is how many different lines signals are: an executor that says why it
// failed repeats what its program printed.
func lines(signals []cause.Signal) (n int) {
	for i, s := range signals {
		if !slices.ContainsFunc(signals[:i], func(o cause.Signal) bool {
			return o.Attempt == s.Attempt && (strings.Contains(o.Text, s.Text) || strings.Contains(s.Text, o.Text))
		}) {
			n++
		}
	}
	return n
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
