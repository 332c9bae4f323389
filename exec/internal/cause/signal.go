package cause

import (
	"regexp"
	"strings"
	"sync"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/internal/safetext"
)

// Bounds of what is read of one attempt.
const (
	maxLines  = 2000 // the last ones
	maxLine   = 500  // bytes, half of the beginning and half of the end
	MaxQuoted = 5    // signals that stand in an advice
)

// A Signal is one line that something said during an attempt, and what it looks
// like without what differs from run to run.
type Signal struct {
	From    string // "reason", "finding", "output"
	Attempt int
	Text    string // as it was said, without terminal escapes
	Shape   string // without numbers, addresses, times and temporary paths, in lower case
}

// Signals are all lines that were said of a failure and of the attempts before
// it, the failed one included: why they failed, what gates found, and, of those
// whose command failed, what it printed (stages R0 and R1). The newest attempt
// comes first.
func Signals(f history.AttemptFailed, attempts []*history.Attempt) []Signal {
	var all []Signal
	add := func(from string, attempt int, text string) {
		for line := range strings.Lines(text) {
			if line = Clean(line); line != "" {
				all = append(all, Signal{From: from, Attempt: attempt, Text: line, Shape: Shape(line)})
			}
		}
	}
	said := func(attempt int, why history.AttemptFailed) {
		for _, r := range why.Reasons {
			add("reason", attempt, r)
		}
		for _, finding := range why.Findings {
			add("finding", attempt, finding.Message)
			add("finding", attempt, lastLines(finding.Happened, maxLines))
		}
	}
	said(len(attempts), f)
	for i := len(attempts) - 1; i >= 0; i-- {
		a, why := attempts[i], f
		if a.Failure != nil && i < len(attempts)-1 {
			why = *a.Failure
			said(i+1, why)
		}
		if a.Said != nil && ofCommand(why.Class, a.Said) {
			add("output", i+1, lastLines(a.Said.Output, maxLines))
			add("output", i+1, a.Said.Error)
		}
	}
	return all
}

// ofCommand reports whether an attempt failed as its command did. What a command
// printed that went well is no cause of what others found.
func ofCommand(class history.Class, said *history.AttemptEnded) bool {
	if said.Exit != 0 || said.Error != "" {
		return true
	}
	switch class {
	case history.Crashed, history.TimedOut, history.OutOfMemory, history.NoSpace, history.Exhausted, history.ContextExhausted:
		return true
	}
	return false
}

// Clean is a line as it is quoted: without its middle where it is very long, as
// several lines made one end with why, and without anything invisible.
func Clean(line string) string {
	line = strings.TrimSpace(strings.ToValidUTF8(line, "�"))
	if len(line) > maxLine {
		head, tail := line[:maxLine/2], line[len(line)-maxLine/2:]
		line = strings.ToValidUTF8(head, "") + " … " + strings.ToValidUTF8(tail, "")
	}
	return safetext.Escape(line)
}

// lastLines are the last n lines of a text: that is where programs say why they
// failed.
func lastLines(text string, n int) string {
	for at := len(text) - 1; at >= 0; at-- {
		if text[at] == '\n' && at != len(text)-1 {
			if n--; n == 0 {
				return text[at+1:]
			}
		}
	}
	return text
}

// changing is what differs from run to run.
var changing = sync.OnceValue(func() []replacement {
	return []replacement{
		{regexp.MustCompile(`\d{4}-\d\d-\d\d[t ]\d\d:\d\d(:\d\d(\.\d+)?)?z?`), "<time>"},
		{regexp.MustCompile(`0x[0-9a-f]+`), "<address>"},
		{regexp.MustCompile(`(/private)?(/var/folders|/tmp|/var/tmp)/\S+`), "<temporary>"},
		{regexp.MustCompile(`\b[0-9a-f]{12,}\b`), "<digest>"},
		{regexp.MustCompile(`\d+([.,]\d+)*`), "<n>"},
		{regexp.MustCompile(`\s+`), " "},
	}
})

type replacement struct {
	what *regexp.Regexp
	as   string
}

// Shape is a line without what differs from run to run. Equal causes have equal
// shapes.
func Shape(line string) string {
	line = strings.ToLower(strings.TrimSpace(line))
	for _, c := range changing() {
		line = c.what.ReplaceAllString(line, c.as)
	}
	return line
}
