package view

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/internal/terminal"
)

// textWidth is the number of columns of the text report.
const textWidth = 100

// A page of text. Everything that is not the page's own words goes through it escaped.
type page struct{ bytes.Buffer }

// line writes one line, cut to the width.
func (w *page) line(text string) {
	w.WriteString(strings.TrimRight(terminal.Clip(text, textWidth), " "))
	w.WriteByte('\n')
}

// wrap writes text in as many lines as it needs: the first behind first, the others behind rest.
func (w *page) wrap(first, rest, text string) {
	prefix := first
	for _, line := range terminal.Lines(text) {
		for _, part := range breakLine(line, textWidth-terminal.Width(rest)) {
			w.WriteString(strings.TrimRight(prefix+part, " "))
			w.WriteByte('\n')
			prefix = rest
		}
	}
}

// breakLine breaks an escaped line between words, or within a word that is too long.
func breakLine(line string, columns int) []string {
	var out []string
	now, used := "", 0
	for _, word := range strings.Fields(line) {
		n := terminal.Width(word)
		if used > 0 && used+1+n <= columns {
			now, used = now+" "+word, used+1+n
			continue
		}
		if used > 0 {
			out = append(out, now)
		}
		for n > columns {
			head := cutAt(word, columns)
			out, word, n = append(out, head), word[len(head):], n-terminal.Width(head)
		}
		now, used = word, n
	}
	if used > 0 {
		out = append(out, now)
	}
	return out
}

// cutAt returns the longest beginning of word that fits, at least one character.
func cutAt(word string, columns int) string {
	used := 0
	for i, r := range word {
		used += terminal.Width(string(r))
		if used > columns && i > 0 {
			return word[:i]
		}
	}
	return word
}

func pad(s string, columns int) string {
	s = terminal.Clip(s, columns)
	return s + strings.Repeat(" ", max(0, columns-terminal.Width(s)))
}

func drawText(rep *report) []byte {
	w := &page{}
	w.wrap("", "", rep.Goal)
	for _, parts := range headline(rep) {
		w.line(strings.Join(parts, " · "))
	}
	w.line("")
	for _, warning := range rep.Warnings {
		w.wrap(" ! ", "   ", warning)
	}
	cols := columnsOf(rep)
	for _, s := range rep.steps {
		w.step(s, cols)
	}
	for _, s := range rep.steps {
		w.failure(s)
	}
	w.judged("Approval", rep.Planning)
	w.judged("Completion", rep.Final)
	w.waiting(rep.Waiting)
	w.declarations(rep.Declarations)
	w.line("")
	w.line(fmt.Sprintf("%s  %s", outcome(rep.Status), rep.tally()))
	for _, reason := range rep.Reasons {
		w.wrap("  ", "  ", reason)
	}
	for i, next := range nextSteps(rep) {
		w.wrap([]string{"next  ", "      "}[min(i, 1)], "      ", next)
	}
	return w.Bytes()
}

// headline is what identifies the run, and when it was.
func headline(rep *report) [2][]string {
	when := []string{rep.Started.clock(), rep.Duration.String()}
	if rep.Resumed > 0 {
		when = append(when, "resumed "+count(rep.Resumed, "time", "times"))
	}
	if rep.Isolated {
		when = append(when, "isolated")
	}
	return [2][]string{{"run " + rep.Run, "plan " + rep.Plan.Digest.Short(), "mode " + string(rep.Mode)}, when}
}

// clock is a time for people, in UTC.
func (s stamp) clock() string { return s.UTC().Format("2006-01-02 15:04:05 UTC") }

// columns are the widths of the columns that differ from run to run.
type columns struct{ address, title, gates int }

// columnsOf makes room for every address, of up to 24 columns, and every count of gates; titles get what is left.
func columnsOf(rep *report) columns {
	c := columns{address: 5, title: 20, gates: 12}
	for _, s := range rep.steps {
		c.address = max(c.address, terminal.Width(terminal.Clip(string(s.Address), 24)))
		c.title = max(c.title, terminal.Width(s.Title))
		if js := s.gates(); len(js) > 0 {
			c.gates = max(c.gates, terminal.Width(asked(js)))
		}
	}
	const others = 35 // the mark, what was changed, the time, and what lies between
	c.title = max(20, min(c.title, 40, textWidth-others-c.address-c.gates))
	return c
}

// step writes the one line of a step, and a second one for its detours where they do not fit.
func (w *page) step(s *step, cols columns) {
	line := fmt.Sprintf(" %s %s %s", mark(string(s.Status)), pad(string(s.Address), cols.address), pad(s.Title, cols.title))
	if !s.Started.IsZero() {
		size, gates := "", ""
		if e := s.account(); e != nil {
			size = e.size()
		}
		if js := s.gates(); len(js) > 0 {
			gates = asked(js)
		}
		line += fmt.Sprintf("  %s  %s  %8s", pad(size, 17), pad(gates, cols.gates), s.Duration)
	}
	if s.Skipped != nil {
		line += "  skipped by " + s.Skipped.By + ": " + s.Skipped.Why
	}
	if s.Blocked != nil {
		line += "  blocked by " + string(s.Blocked.By) + ": " + s.Blocked.Why
	}
	detours := strings.Join(s.detours(), ", ")
	line = terminal.Escape(line)
	if detours = terminal.Escape(detours); terminal.Width(line)+3+terminal.Width(detours) <= textWidth && detours != "" {
		line, detours = line+"   "+detours, ""
	}
	w.line(line)
	if detours != "" {
		indent := strings.Repeat(" ", 4+cols.address)
		w.wrap(indent, indent, detours)
	}
}

// size is what an attempt changed: "2 files +61 −3".
func (e *entry) size() string {
	files := 0
	for _, c := range e.Changes {
		if c.Kind != "dir" {
			files++
		}
	}
	return count(files, "file", "files") + e.Lines.String()
}

func (n lineCount) String() string {
	out := ""
	if n.Added > 0 {
		out += fmt.Sprintf(" +%d", n.Added)
	}
	if n.Removed > 0 {
		out += fmt.Sprintf(" −%d", n.Removed)
	}
	return out
}

// waiting writes the question that is open; the choices stand with what is next.
func (w *page) waiting(q *question) {
	if q == nil {
		return
	}
	w.line("")
	w.wrap(" ? ", "   ", fmt.Sprintf("question %s: %s", q.ID, q.What))
	w.wrap("   ", "   ", q.Why)
	for _, e := range q.Evidence {
		w.wrap("     ", "     ", e)
	}
	if !q.Deadline.IsZero() {
		w.line("   answer before " + q.Deadline.clock())
	}
}

// stopped reports whether the step's last word was no.
func (s *step) stopped() bool {
	return s.Status == history.Failed || !s.Status.Over() && s.trouble() != nil
}
