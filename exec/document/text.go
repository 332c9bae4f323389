package document

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/flow"
	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// textWidth is the number of columns of the text report.
const textWidth = 100

// A page of text. Everything that is not the page's own words goes through it
// escaped.
type page struct{ *bufio.Writer }

// line writes one line, cut to the width.
func (w *page) line(text string) {
	w.WriteString(strings.TrimRight(safetext.Clip(text, textWidth), " "))
	w.WriteByte('\n')
}

// wrap writes text in as many lines as it needs: the first behind first, the
// others behind rest.
func (w *page) wrap(first, rest, text string) {
	prefix := first
	for _, line := range safetext.Lines(text) {
		for _, part := range breakLine(line, textWidth-safetext.Width(rest)) {
			w.WriteString(strings.TrimRight(prefix+part, " "))
			w.WriteByte('\n')
			prefix = rest
		}
	}
}

// breakLine breaks an escaped line between words, or within a word that is too
// long.
func breakLine(line string, columns int) []string {
	var out []string
	now, used := "", 0
	for _, word := range strings.Fields(line) {
		n := safetext.Width(word)
		if used > 0 && used+1+n <= columns {
			now, used = now+" "+word, used+1+n
			continue
		}
		if used > 0 {
			out = append(out, now)
		}
		for n > columns {
			head := cutAt(word, columns)
			out, word, n = append(out, head), word[len(head):], n-safetext.Width(head)
		}
		now, used = word, n
	}
	if used > 0 {
		out = append(out, now)
	}
	return out
}

// cutAt returns the longest beginning of word that fits, at least one
// character.
func cutAt(word string, columns int) string {
	used := 0
	for i, r := range word {
		used += safetext.Width(string(r))
		if used > columns && i > 0 {
			return word[:i]
		}
	}
	return word
}

// pad is a text in so many columns: cut, or filled with spaces.
func pad(s string, columns int) string {
	s = safetext.Clip(s, columns)
	return s + strings.Repeat(" ", max(0, columns-safetext.Width(s)))
}

// speclets tells where each group of tasks stands.
func (w *page) speclets(rep *Model) {
	if len(rep.plan.Speclets) == 0 {
		return
	}
	w.line("")
	for i, s := range flow.Speclets(rep.plan, rep.of) {
		status := strings.ReplaceAll(s.Status, "_", " ")
		if s.Partial {
			status += " in part"
		}
		text := fmt.Sprintf("speclet %s: %s, %d of %s completed", s.ID, status, len(s.TasksCompleted),
			count(len(rep.plan.Speclets[i].Tasks), "task", "tasks"))
		switch {
		case len(s.TasksPartial) > 0:
			text += fmt.Sprintf(", %d in part", len(s.TasksPartial))
		case s.Partial:
			text += ", the rest left out"
		}
		if s.Reason != "" {
			text += ", " + s.InWords()
		}
		w.wrap("   ", "     ", text)
	}
}

// Text draws the report as plain lines of at most 100 columns, without colours.
func Text(out io.Writer, rep *Model) error {
	w := &page{bufio.NewWriter(out)}
	w.wrap("", "", rep.Titled())
	for _, parts := range headline(rep) {
		w.line(strings.Join(parts, " · "))
	}
	w.line("")
	for _, warning := range rep.Warnings {
		w.wrap(" ! ", "   ", warning)
	}
	for _, a := range rep.Amendments {
		w.wrap(" + ", "   ", a.String())
	}
	for _, g := range rep.Groups {
		w.wrap(" ∥ ", "   ", g.String())
	}
	if rep.From != nil {
		w.wrap(" ← ", "   ", "finishes "+rep.From.String())
	}
	for _, s := range rep.Switched {
		w.wrap(" ! ", "   ", s.String())
	}
	for _, r := range rep.RolledBack {
		w.wrap(" ↶ ", "   ", r.String())
	}
	for _, m := range rep.Moves {
		w.wrap(" ! ", "   ", m.String())
	}
	cols := columnsOf(rep)
	for _, s := range rep.steps {
		w.step(s, cols)
	}
	w.speclets(rep)
	for _, s := range rep.steps {
		w.failure(s)
	}
	w.listed("Drafts that did not pass", rejections(rep.of))
	w.listed("From memory", recalled(rep.of))
	w.judged("Approval", rep.Planning)
	w.judged("Completion", rep.Final)
	w.files(rep.Files, rep.unlisted())
	w.commits(rep.Commits)
	w.waiting(rep.Waiting)
	w.declarations(rep.Declarations)
	w.line("")
	how := outcome(rep.Status) + "  "
	w.wrap(how, strings.Repeat(" ", len(how)), rep.tally())
	if text := rep.Counts.Bases.String(); text != "" {
		w.line("  " + text)
	}
	if mark := rep.of.Mark(); mark != nil && rep.Status == history.Waiting {
		w.line("  checkpoint " + mark.ID)
	}
	if text := rep.Counts.Repeated.String(); text != "" {
		w.line("  " + text)
	}
	for _, reason := range rep.Reasons {
		w.wrap("  ", "  ", reason)
	}
	w.unlooked(rep.unlooked())
	if out := rep.leftOut(); len(out) > 0 && !rep.Ended.IsZero() {
		w.line("")
		w.wrap("   ", "   ", fmt.Sprintf("Left out, as the work was there: %s. Nobody saw a check fail without it. "+
			"To have that seen, take the work away, and run the plan with nothing left out.", plan.Addresses(out)))
	}
	for i, next := range nextSteps(rep) {
		first := []string{"next  ", "      "}[min(i, 1)]
		whole := rep.Waiting != nil || rep.of.Foreign != nil || next.do.Kind == action.Finish
		if whole && !rep.OwnStores && rep.speller.Spells(next.do) { // what is to be copied is not broken
			w.wrap(first, "      ", next.why+":")
			w.WriteString(safetext.Escape("        "+rep.say(next.do)+next.rest) + "\n")
			continue
		}
		w.wrap(first, "      ", rep.told(next))
	}
	return w.Flush()
}

// headline is what identifies the run, and when it was.
func headline(rep *Model) [2][]string {
	when := []string{rep.Started.clock(), rep.Duration.String()}
	if rep.Resumed > 0 {
		when = append(when, "resumed "+count(rep.Resumed, "time", "times"))
	}
	switch {
	case rep.Shadow:
		when = append(when, "a trial in a clone")
	case rep.Isolated:
		when = append(when, "isolated")
	}
	return [2][]string{{"run " + rep.Run, "plan " + rep.Plan.Digest.Short(), "mode " + string(rep.Mode)}, when}
}

// columns are the widths of the columns that differ from run to run.
type columns struct{ address, title, gates int }

// columnsOf makes room for every address, of up to 24 columns, and every count
// of gates; titles get what is left.
func columnsOf(rep *Model) columns {
	c := columns{address: 5, title: 20, gates: 12}
	for _, s := range rep.steps {
		c.address = max(c.address, safetext.Width(safetext.Clip(string(s.Address), 24)))
		c.title = max(c.title, safetext.Width(s.Title))
		c.gates = max(c.gates, safetext.Width(asked(s.gates())))
	}
	const others = 35 // the mark, what was changed, the time, and what lies between
	c.title = max(20, min(c.title, 40, textWidth-others-c.address-c.gates))
	return c
}

// step writes the one line of a step, and more below it for what does not fit.
func (w *page) step(s *step, cols columns) {
	line := fmt.Sprintf(" %s %s %s", s.mark(), pad(string(s.Address), cols.address), pad(s.Title, cols.title))
	if s.Carried != nil {
		line += "  " + s.size()
	} else if !s.Started.IsZero() {
		gates := asked(s.gates())
		line += fmt.Sprintf("  %s  %s  %8s ", pad(s.size(), 17), pad(gates, cols.gates), s.Duration)
	}
	w.noted(line, strings.Repeat(" ", 4+cols.address), s.notes())
}

// notes are what is said of a step besides its columns: who left it out and
// why, or what blocks it, and its detours.
func (s *step) notes() string {
	var notes []string
	if s.Carried != nil {
		notes = append(notes, s.Carried.String())
	} else if s.Skipped != nil {
		notes = append(notes, s.left())
	}
	if s.Blocked != nil {
		notes = append(notes, s.Blocked.by(s.Address)+": "+s.Blocked.Why)
	}
	return strings.Join(append(notes, s.story()...), ", ")
}

// left says who left the step out, or settled what it wants a person for, and why.
func (s *step) left() string {
	if was := s.of.of.Step(s.Address); was != nil && was.SettledBy() != "" {
		return "settled by " + was.SettledBy() + strings.TrimPrefix(s.Skipped.Why, "settled")
	}
	return "skipped by " + s.Skipped.By + ": " + s.Skipped.Why
}

// noted writes a line and what is to be noted about it: behind it where that
// fits, else below it, whole.
func (w *page) noted(line, indent, notes string) {
	line = safetext.Escape(line)
	if shown := safetext.Escape(notes); notes != "" && safetext.Width(line)+2+safetext.Width(shown) <= textWidth {
		line, notes = line+"  "+shown, ""
	}
	w.line(strings.TrimRight(line, " "))
	if notes != "" {
		w.wrap(indent, indent, notes)
	}
}

// size is what the step changed, or that what it changed was undone; "" where
// nothing was accounted.
func (s *step) size() string {
	e := s.account()
	switch {
	case e == nil:
		return ""
	case s.undone() && len(e.Changes) > 0:
		if a := s.lastFailure(); a != nil && len(a.of.Stays) > 0 {
			return "undone in part"
		}
		return "undone"
	}
	return e.size()
}

// undone reports whether nothing is left of what the step did, because its
// checkpoint was restored.
func (s *step) undone() bool {
	if s.Status == history.Completed || s.restoring || len(s.Attempts) == 0 {
		return false
	}
	last := s.Attempts[len(s.Attempts)-1]
	return last.past || last.Failure != nil
}

// size is what an attempt changed: "2 files +61 −3".
func (e *entry) size() string {
	files := e.more
	for _, c := range e.Changes {
		if c.Kind != "dir" {
			files++
		}
	}
	return count(files, "file", "files") + e.Lines.String()
}

// String is " +61 −3", with a space before each part that is not zero.
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

// filesNamed is how many files the report names of each kind of change; report.md
// has all of them.
const filesNamed = 12

// files names what the accepted steps created, modified and deleted.
func (w *page) files(all []file, unlisted int) {
	first := true
	for _, op := range []ledger.Op{ledger.Created, ledger.Modified, ledger.Deleted} {
		names := each(only(all, func(f file) bool { return f.Op == op }), func(f file) string { return f.Shown() })
		if len(names) == 0 {
			continue
		}
		if n := len(names) - filesNamed; n > 0 {
			names = append(names[:filesNamed], fmt.Sprintf("and %d more", n))
		}
		if first {
			w.line("")
			first = false
		}
		w.wrap(fmt.Sprintf("   %-10s", op), strings.Repeat(" ", 13), join(names))
	}
	if unlisted > 0 {
		w.wrap("   besides   ", strings.Repeat(" ", 13),
			count(unlisted, "change", "changes")+" of which the journal has the number alone")
	}
}

// waiting writes the question that is open; the choices stand with what is
// next.
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

// gate writes a judgement that stops something.
func (w *page) gate(j judgement) {
	text := fmt.Sprintf("gate %s: %s", j.Gate, j.Result)
	if j.Error != "" {
		text += ": " + j.Error
	}
	w.wrap("   ", "     ", text)
	w.findings(j.Findings)
}

// judged writes the gates of a phase of the whole run that did not pass.
func (w *page) judged(title string, js []judgement) {
	said := asked(js)
	if said == "" {
		return
	}
	w.line("")
	w.line(fmt.Sprintf("   %s: %s", title, said))
	for _, j := range js {
		if j.Result != "pass" && j.judged() {
			w.gate(j)
		}
	}
}

// listed writes lines below what they are.
func (w *page) listed(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	w.line("")
	w.line("   " + title + ":")
	for _, line := range lines {
		w.wrap("     ", "     ", line)
	}
}

// unlooked writes what would verify the steps that nobody looked at, once the
// run is over.
func (w *page) unlooked(steps []*step) {
	if len(steps) == 0 || steps[0].of.Ended.IsZero() {
		return
	}
	w.line("")
	nobody := "Nobody judged what these steps did. A reviewer, or a check like this in the plan, would:"
	if len(steps[0].of.Approvals) > 0 { // a word of its own: who approved a draft has not seen the work
		nobody = "Reviewers saw drafts, and nobody judged what these steps did. A validator, or a check like this in the " +
			"plan, would:"
	}
	for _, group := range []struct {
		looks bool
		said  string
	}{{false, nobody},
		{true, "These steps changed nothing, so that no check fails without them. A reviewer can say that they are done; " +
			"or the goal does not depend on them:"}} {
		of := only(steps, func(s *step) bool { return s.Standing.looks == group.looks })
		if len(of) == 0 {
			continue
		}
		w.wrap("   ", "   ", group.said)
		for _, s := range of {
			w.line("   # " + string(s.Address))
			w.WriteString(safetext.Escape("   "+s.Standing.Verify) + "\n") // never cut: it is to be copied
		}
	}
}

// declarations writes what was seen of an observing run, ready to be copied into
// the plan.
func (w *page) declarations(ds []declaration) {
	if len(ds) == 0 {
		return
	}
	w.line("")
	w.line("   Artifacts and limits that were seen, as declarations:")
	for _, d := range ds {
		w.line("")
		for _, line := range d.toml() {
			w.WriteString("   " + line + "\n") // never cut: it is to be copied
		}
	}
}
