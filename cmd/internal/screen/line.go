package screen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/plan"
)

const (
	maxAddress = 24  // columns
	maxTitle   = 44  // columns
	maxNote    = 200 // columns, each
	maxReason  = 48  // columns
	maxPending = 6   // lines
	barWidth   = 20  // columns
)

// marks are what stands before a step.
var marks = map[history.StepStatus]string{
	history.Pending: " ", history.InFlight: "▸", history.Completed: "✓",
	history.Failed: "✗", history.Skipped: "–", history.Blocked: "⊘",
}

// setBack stands before a step whose work was taken away after the run had ended.
const setBack = "↶"

// columns are the widths of a step's address, its title and what its gates came
// to.
type columns struct{ address, title, gates int }

// columnsOf measures how wide the columns of a run must be, so that the lines
// of its steps stand below each other from the first one on.
func columnsOf(run *history.Run) columns {
	c := columns{address: 4, gates: 8}
	for _, s := range run.Steps {
		c.address = max(c.address, safetext.Width(safetext.Clip(string(s.Address), maxAddress)))
		c.title = max(c.title, safetext.Width(safetext.Clip(s.Title, maxTitle)))
		c.gates = max(c.gates, safetext.Width(document.Gates(s)))
	}
	return c
}

// step is an address in its column.
func (c columns) step(a plan.Address) string {
	return pad(safetext.Clip(string(a), maxAddress), max(c.address, 4))
}

// heading is a step's address and title in their columns.
func (c columns) heading(s *history.Step) string {
	return c.step(s.Address) + " " + pad(safetext.Clip(s.Title, maxTitle), c.title)
}

// pad fills a text up to a width, counted as a terminal shows it.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-safetext.Width(text)))
}

// stepLine is one line about a step: what it is, what it changed, what it took
// and what went wrong on the way.
func stepLine(run *history.Run, s *history.Step, cols columns) string {
	mark, back := marks[s.Stands()], run.After.Of(s.Address)
	if back != nil {
		mark = setBack
	}
	line := " " + mark + " " + cols.heading(s)
	if account := s.Account(); account != nil && s.Status == history.Completed {
		line += "  " + pad(account.Size(), 15)
	} else {
		line += "  " + pad("", 15)
	}
	line += "  " + pad(document.Gates(s), cols.gates)
	if !s.Started.IsZero() && !s.Over.IsZero() {
		line += fmt.Sprintf("  %7s", document.Took(run, s.Started, s.Over))
	}
	if note := note(run, s); back != nil {
		line += "   set back after the run had ended"
	} else if note != "" {
		line += "   " + note
	}
	return strings.TrimRight(line, " ")
}

// note says what is not as planned about a step that is over: how one came about
// that is completed, in the words of the report.
func note(run *history.Run, s *history.Step) string {
	switch {
	case s.Carried != nil:
		return "carried over from run " + safetext.Escape(s.Carried.Run)
	case s.Failed != nil:
		return safetext.Escape(s.Failed.Class.String()) + ": " +
			safetext.Clip(strings.Join(s.Failed.Reasons[:min(1, len(s.Failed.Reasons))], ""), 100)
	case s.SettledBy() != "":
		return "settled by " + safetext.Clip(s.SettledBy(), 40)
	case s.Skipped != nil:
		return "left out by " + safetext.Clip(s.Skipped.By, 40)
	case s.Blocked != nil && s.Blocked.By == s.Address && run.Untried(s):
		return "the trial ends before it"
	case s.Blocked != nil && s.Blocked.By == s.Address:
		return "nobody said that it may begin"
	case s.Blocked != nil:
		return "blocked by " + safetext.Escape(string(s.Blocked.By))
	case s.Completed == nil:
		return ""
	}
	notes := document.Detours(run, s, maxReason)
	if len(notes) == 0 {
		return lane(s.Last())
	}
	for i := range notes {
		notes[i] = safetext.Clip(notes[i], maxNote)
	}
	return strings.Join(notes, ", ")
}

// reason is why an attempt failed: the first of its reasons, or its class where
// it has none.
func reason(f *history.AttemptFailed) string {
	if len(f.Reasons) == 0 {
		return f.Class.String()
	}
	return f.Reasons[0]
}

// MethodName is a method for people: "backup 1" for "backup_1".
func MethodName(id string) string {
	if rest, ok := strings.CutPrefix(id, "backup_"); ok {
		return "backup " + rest
	}
	return id
}

// activity is what a step does right now.
func activity(s *history.Step, what string) string {
	if s == nil {
		return what
	}
	var parts []string
	if last := s.Last(); last != nil {
		parts = append(parts, fmt.Sprintf("attempt %d", last.Number))
		if last.Method.Method != recovery.Primary {
			parts = append(parts, MethodName(last.Method.Method))
		}
		parts = append(parts, lane(last))
	}
	parts = slices.DeleteFunc(append(parts, what), func(part string) bool { return part == "" })
	return strings.Join(parts, " · ")
}

// bar says how far a run is: what is complete, counted as in the report.
func bar(run *history.Run) string {
	tally, full := document.Count(run), 0
	if tally.Steps > 0 {
		full = tally.Completed * barWidth / tally.Steps
	}
	return strings.Repeat("█", full) + strings.Repeat("░", barWidth-full) + "  " + tally.String()
}
