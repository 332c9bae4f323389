package question

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/remedy"
	"github.com/planlock/planlock/ledger"
)

const (
	traceLines = 20 // of an attempt's output in a stuck report
	stuckFiles = 20 // named in one
)

// stuckReport is the evidence of a question about a step for which nothing is
// left to try: what went wrong and what has been tried. Where a person asked
// for details, it holds everything that is known: each attempt with its reasons
// and the end of its output, the files that it touched, what advisors said.
// What might help stands last.
func stuckReport(c *guard.Case, f *history.AttemptFailed, detailed bool) []string {
	s := c.Step
	report := evidenceOf(c, f)
	if detailed {
		for _, a := range s.Attempts {
			report = append(report, attemptReport(a)...)
		}
		if files := touched(s); len(files) > 0 {
			report = append(report, "files: "+strings.Join(bound.First(files, stuckFiles), ", "))
		}
		report = append(report, adviceReport(s)...)
	}
	report = append(report, otherPatterns(c)...)
	if last := s.Last(); f.Class == history.Crashed && !c.Hears() && last != nil && last.Failure == f &&
		(last.Said == nil || strings.TrimSpace(last.Said.Output) == "") {
		report = append(report, remedy.Suggests+"it printed nothing: see by hand what its command does; another one needs a new plan")
	} else if hint := remedy.Against(f.Class, f.Cause, c.Run.Started.Format).Now(c.Hears()); hint != "" && s.Refusal == nil {
		report = append(report, remedy.Suggests+hint)
	}
	return report
}

// attemptReport is an attempt with why it failed and the end of what it
// printed.
func attemptReport(a *history.Attempt) []string {
	lines := []string{fmt.Sprintf("attempt %d (%s): %s", a.Number, a.Method.Method, a.Method.Text)}
	for _, r := range a.Explained() {
		r.Why = a.Failure.Class.String() + ": " + r.Why
		for _, line := range r.Lines() {
			lines = append(lines, "  "+bound.Text(line, bound.Short))
		}
	}
	if a.Said == nil || a.Said.Output == "" || a.Said.Error != "" && a.Failure != nil {
		return lines // the reasons have it
	}
	trace := strings.Split(strings.TrimRight(a.Said.Output, "\n"), "\n")
	for _, line := range trace[max(0, len(trace)-traceLines):] {
		lines = append(lines, "  | "+bound.Text(line, bound.Short))
	}
	return lines
}

// touched are the files that the attempts of a step changed, sorted.
func touched(s *history.Step) []string {
	var files []string
	for _, a := range s.Attempts {
		if a.Accounted == nil {
			continue
		}
		for _, c := range a.Accounted.Changes {
			if c.Kind() != ledger.Dir {
				files = append(files, c.Path)
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// adviceReport is what advisors said about a step.
func adviceReport(s *history.Step) []string {
	var lines []string
	for _, a := range s.Advised {
		said := slices.Concat([]string{a.RootCause, a.Note}, a.Findings)
		said = slices.DeleteFunc(said, func(text string) bool { return text == "" })
		if len(said) > 0 {
			lines = append(lines, fmt.Sprintf("%s: %s", a.Kind, bound.Text(strings.Join(said, "; "), bound.Short)))
		}
	}
	return lines
}

// otherPatternsShown is how many other patterns a question about a failure
// names.
const otherPatternsShown = 2

// otherPatterns are the patterns that could serve instead of the plan's own,
// for whoever is asked about a failure.
func otherPatterns(c *guard.Case) []string {
	a := c.Advised("", advice.Feasible)
	if a == nil {
		return nil
	}
	var lines []string
	for _, x := range a.Alternatives[:min(len(a.Alternatives), otherPatternsShown)] {
		lines = append(lines, bound.Text(fmt.Sprintf("another pattern (similarity %.2f): %s", x.Confidence,
			x.Description), bound.Short))
	}
	return lines
}

// evidenceOf is what is known of a failure at once.
func evidenceOf(c *guard.Case, f *history.AttemptFailed) (evidence []string) {
	s := c.Step
	reasons := f.Explained()
	if last := s.Last(); last != nil && last.Failure == f {
		reasons = last.Explained()
	}
	for _, r := range reasons {
		evidence = append(evidence, r.Lines()...)
	}
	if last := s.Last(); last != nil && last.Accounted != nil && !last.Accounted.Account.Holds() &&
		!(last.Accounted.Unsaid && c.Plan.Profile.Records()) {
		evidence = append(evidence, last.Accounted.Account.String())
	}
	if f.Class == history.Breach {
		evidence = append(evidence, "why it matters: "+history.Unapproved)
	}
	if s.Refusal == nil {
		evidence = append(evidence, fmt.Sprintf("the tree was restored to the checkpoint before %s", s.Address))
		if last := s.Last(); last != nil && len(last.Stays) > 0 {
			evidence = append(evidence, "it stays as the attempt left it, since the plan only tracks it: "+
				strings.Join(last.Stays, ", "))
		}
	}
	if last := s.Last(); last != nil && last.Compensated != nil {
		evidence = append(evidence, "what it did outside of the workspace: "+last.Compensated.Told())
	}
	return append(evidence, tried(s)...)
}

// tried is what has been tried after failures, each thing once.
func tried(s *history.Step) []string {
	var lines []string
	times := map[string]int{}
	for _, r := range s.Recoveries {
		if times[r.Why]++; times[r.Why] == 1 {
			lines = append(lines, r.Why)
		}
	}
	for i, why := range lines {
		lines[i] = "tried: " + why
		if n := times[why]; n > 1 {
			lines[i] += fmt.Sprintf(" (%d times)", n)
		}
	}
	return lines
}
