package document

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/planlock/planlock/exec/history"
)

// stuck reports whether a step failed or waits for a person.
func (rep *Model) stuck(s *step) bool { return s.Failure != nil || rep.waitsAt(s) }

func (rep *Model) waitsAt(s *step) bool { return rep.Waiting != nil && rep.Waiting.Step == s.Address }

// drawStuck draws, for every step that failed or waits for a person, everything
// that was tried and what is known.
func drawStuck(w io.Writer, rep *Model) error {
	d := &document{bufio.NewWriter(w)}
	d.put("# Stuck: %s\n", md(rep.Goal))
	for _, s := range rep.steps {
		if !rep.stuck(s) {
			continue
		}
		d.stuck(s, rep.of.Step(s.Address))
		if rep.waitsAt(s) {
			d.put("\n### Choices\n\n")
			for _, c := range rep.Waiting.Choices {
				d.put("- %s: %s. %s\n", rep.typed(rep.answer(c)), md(c.Label), md(c.Consequence))
			}
		}
	}
	return d.Flush()
}

func (d *document) stuck(s *step, was *history.Step) {
	d.put("\n## Step %s: %s\n\n", md(string(s.Address)), md(s.Title))
	d.put("### Problem\n\n")
	var reasons []string
	if s.Failure != nil {
		reasons = s.Failure.Reasons
	} else if a := s.judged(); a != nil && a.Failure != nil {
		reasons = a.Failure.Reasons
	} else if s.Refusal != nil {
		reasons = s.Refusal.Reasons
	}
	d.list("Nobody said what is wrong.", each(reasons, md))
	d.put("\n### What was tried\n\n")
	d.list("Nothing.", tries(s))
	d.put("\n### What advisors said\n\n")
	d.list("Nothing.", adviceLines(was))
	d.put("\n### Relevant files\n\n")
	d.list("None.", touched(s))
	d.put("\n### Traces\n\n")
	if a := s.judged(); a != nil && a.Said != nil && strings.TrimSpace(a.Said.Output) != "" {
		fence(d, "", "", tail(a.Said.Output, tracesShown))
	} else {
		d.put("None.\n")
	}
	d.put("\n### Suggestions\n\n")
	var out []string
	if s.Failure != nil {
		out = append(out, md(s.remedy()))
	}
	for _, a := range was.Advised {
		for _, alt := range a.Alternatives {
			out = append(out, fmt.Sprintf("%s (%.2f, %s)", md(alt.Description), alt.Confidence, md(alt.Source)))
		}
	}
	d.list("None.", out)
	if was.Checkpoint != nil {
		d.put("\nThe tree is that of the checkpoint, %s; nothing of the failed attempts is in it.\n",
			code(was.Checkpoint.Checkpoint.Tree.Short()))
	}
}

// tracesShown is how many lines of an output a stuck report shows.
const tracesShown = 30

// tries are the attempts of a step, and what led from one to the next.
func tries(s *step) []string {
	var out []string
	for i, a := range s.Attempts {
		line := fmt.Sprintf("attempt %d, %s (%s)", a.Number, code(a.Method), md(a.Text))
		if a.Failure != nil {
			line += fmt.Sprintf(": %s, %s", md(meaning(a.Failure.Class)), md(strings.Join(a.Failure.Reasons, "; ")))
		}
		out = append(out, line)
		if i < len(s.Recoveries) {
			out = append(out, fmt.Sprintf("then %s: %s", md(s.Recoveries[i].Rung), md(s.Recoveries[i].Why)))
		}
	}
	return out
}

func adviceLines(s *history.Step) []string {
	var out []string
	for _, a := range s.Advised {
		switch {
		case a.Error != "":
			out = append(out, fmt.Sprintf("%s: none, %s", md(a.Kind), md(a.Error)))
		default:
			out = append(out, fmt.Sprintf("%s by %s: %s (confidence %.2f)", md(a.Kind), md(a.Advisor), md(a.Note),
				a.Confidence))
		}
		for _, f := range a.Findings {
			out = append(out, "found "+md(f))
		}
	}
	return out
}

// touched are the files that attempts changed, each once.
func touched(s *step) []string {
	var out []string
	seen := map[string]bool{}
	for _, a := range s.Attempts {
		if a.Ledger == nil {
			continue
		}
		for _, c := range a.Ledger.Changes {
			if line := code(c.text()); !seen[line] {
				seen[line] = true
				out = append(out, line)
			}
		}
	}
	return out
}
