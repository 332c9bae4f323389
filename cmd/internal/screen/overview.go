package screen

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/internal/safetext"
)

// Overview is a run on one page: which it is, a line for each step, and how far
// it is.
func Overview(run *history.Run) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s        %s\n\n", safetext.Escape(cmp.Or(run.Started.Goal, run.Started.Name)), identity(run))
	cols := columnsOf(run)
	for _, step := range run.Steps {
		line := stepLine(run, step, cols)
		if step.Status == history.InFlight {
			line = strings.TrimRight(fmt.Sprintf(" %s %s  %s", underWay(step), cols.heading(step),
				safetext.Escape(activity(step, ""))), " ")
		}
		b.WriteString(line + "\n")
	}
	fmt.Fprintf(&b, "\n %s", bar(run))
	return b.String()
}

// identity is which run it is, and of which kind.
func identity(run *history.Run) string {
	s := &run.Started
	text := fmt.Sprintf("run %s · plan %s · mode %s", s.Run, s.Plan.Short(), safetext.Escape(string(run.Mode)))
	switch {
	case s.Shadow:
		text += " · a trial in a clone"
	case s.Isolated:
		text += " · isolated"
	}
	return text
}

// underWay is the mark of a step under way: of one that waits for an answer
// another than of one that runs.
func underWay(s *history.Step) string {
	if s.Waits() {
		return "?"
	}
	return marks[history.InFlight]
}
