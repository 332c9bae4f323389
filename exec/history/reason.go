package history

import (
	"strings"

	"github.com/planlock/planlock/exec/internal/bound"
)

const (
	happenedLines = 30       // of what happened, the last ones
	happenedBytes = 2 << 10  // of them
	reasonsBytes  = 16 << 10 // of all that happened in an attempt; reasons behind that have none
)

// A Reason is one reason why an attempt counts for nothing, with what was
// expected, what happened (of a command that failed, with the end of what it
// printed), and what the executor or a test printed, where the reason itself
// does not say. All of it is text that nobody vouches for.
type Reason struct{ Why, Expected, Happened, Printed string }

// Lines are the reason as whoever tries again, and whoever is asked, is told.
func (r Reason) Lines() []string {
	lines := []string{r.Why}
	add := func(first, text string) {
		if text != "" {
			lines = append(lines, strings.Split(first+strings.ReplaceAll(text, "\n", "\n  | "), "\n")...)
		}
	}
	add("  expected: ", r.Expected)
	add("  happened: ", r.Happened)
	add("  | ", r.Printed)
	return lines
}

// Explained are the reasons of the failure, those of findings with what the
// gate found.
func (f *AttemptFailed) Explained() []Reason {
	reasons, next, room := make([]Reason, len(f.Reasons)), 0, reasonsBytes
	for i, why := range f.Reasons {
		reasons[i].Why = why
		for n := next; n < len(f.Findings); n++ {
			found := f.Findings[n]
			if !strings.HasSuffix(why, found.Message) {
				continue // the reason is of a gate that could not decide
			}
			next = n + 1
			if room > 0 {
				reasons[i].Expected, reasons[i].Happened = more(why, found.Expected), more(why, found.Happened)
				room -= len(reasons[i].Expected) + len(reasons[i].Happened)
			}
			break
		}
	}
	return reasons
}

// Explained are the reasons why the attempt failed. Those of a command, or of a
// test that was to be written first, have the end of what it printed. There are
// none where it did not fail.
func (a *Attempt) Explained() []Reason {
	if a.Failure == nil {
		return nil
	}
	reasons := a.Failure.Explained()
	if len(a.Failure.Findings) > 0 || len(reasons) == 0 {
		return reasons
	}
	if a.Said != nil && a.Said.Error != "" {
		reasons[0].Printed = more(reasons[0].Why, a.Said.Output)
	} else if n := len(a.Cycles); n > 0 && !a.Cycles[n-1].Holds {
		reasons[0].Printed = more(reasons[0].Why, a.Cycles[n-1].Output)
	}
	return reasons
}

// more is the end of a text, where errors stand; "" if the reason has it already.
func more(why, text string) string {
	text = strings.TrimSpace(text)
	if strings.Contains(why, text) {
		return ""
	}
	lines := strings.Split(text, "\n")
	short := strings.Join(lines[max(0, len(lines)-happenedLines):], "\n")
	if len(short) < len(text) && len(short) <= happenedBytes {
		return "…\n" + short
	}
	return bound.End(short, happenedBytes)
}
