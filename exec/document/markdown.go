package document

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/planlock/planlock/exec/safetext"
)

// Markdown draws the report as Markdown.
func Markdown(w io.Writer, rep *Model) error {
	d := &document{bufio.NewWriter(w)}
	d.put("# %s\n\n", md(rep.Goal))
	d.put("**%s** · %s\n\n", outcome(rep.Status), rep.tally())
	for _, r := range rep.Reasons {
		d.put("- %s\n", md(r))
	}
	d.bound(rep)
	d.section("Steps")
	d.table("There are none.", []string{"", "Step", "Title", "Changes", "Gates", "Time", "Detours"},
		each(rep.steps, stepRow))
	for _, s := range rep.steps {
		d.step(s)
	}
	d.lastWords(rep)
	d.phase("Approval", rep.Planning)
	d.phase("Completion", rep.Final)
	if q := rep.Waiting; q != nil {
		d.section("Waiting for an answer")
		d.question(*q)
	}
	d.files(rep)
	if len(rep.Declarations) > 0 {
		d.section("Declarations that would have made this plan strict")
		d.declarations(rep.Declarations)
	}
	d.figures(rep.analysis.KPIs)
	d.section("Next steps")
	d.list("Nothing is left to do.", each(nextSteps(rep), func(n nextStep) string { return md(rep.told(n)) }))
	return d.Flush()
}

// bound writes what the run was bound to.
func (d *document) bound(rep *Model) {
	d.section("Run")
	rows := [][]string{
		{"Run", code(rep.Run)},
		{"Started", rep.Started.clock()},
		{"Duration", rep.Duration.String()},
		{"Mode", md(string(rep.Mode))},
		{"Plan", code(string(rep.Plan.Digest))},
		{"Lock", code(rep.Lock.ID)},
		{"Envelope", code(string(rep.Envelope.Digest))},
		{"Base tree", code(string(rep.Base.Digest))},
		{"Tree", code(string(rep.Tree.Digest))},
	}
	if rep.Executor != "" {
		rows = append(rows, []string{"Executor", md(rep.Executor)})
	}
	for _, a := range rep.Lock.Acknowledged {
		rows = append(rows, []string{"Acknowledged", code(a)})
	}
	for _, m := range rep.ModeSwitches {
		rows = append(rows, []string{"Mode switch",
			fmt.Sprintf("%s to %s: %s", md(string(m.From)), md(string(m.To)), md(m.Cause))})
	}
	for _, r := range rep.RolledBack {
		rows = append(rows, []string{"Rolled back", "to before " + md(string(r.To))})
	}
	for _, a := range rep.Amendments {
		rows = append(rows, []string{"Amended", md(a.String())})
	}
	d.table("", []string{"", ""}, rows)
	for _, w := range rep.Warnings {
		d.put("\n> Warning: %s\n", md(w))
	}
}

func stepRow(s *step) []string {
	row := []string{s.mark() + " " + string(s.Status), md(string(s.Address)), md(s.Title), "", "", "", ""}
	row[3] = s.size()
	if js := s.gates(); len(js) > 0 {
		row[4] = asked(js)
	}
	if !s.Started.IsZero() {
		row[5] = s.Duration.String()
	}
	row[6] = md(join(s.detours()))
	switch {
	case s.Skipped != nil:
		row[6] = md("by " + s.Skipped.By + ": " + s.Skipped.Why)
	case s.Blocked != nil:
		row[6] = md("by " + string(s.Blocked.By) + ": " + s.Blocked.Why)
	}
	return row
}

// step writes the details of a step of which there is more to say than its row
// does.
func (d *document) step(s *step) {
	if len(s.Attempts) == 0 && len(s.Gates) == 0 && len(s.Questions) == 0 && s.Failure == nil {
		return
	}
	d.put("\n### %s %s: %s\n\n", s.mark(), md(string(s.Address)), md(s.Title))
	if p := s.Propagation; p != nil && p.Decision != "" && p.Decision != "proceed" {
		d.put("- Decision: %s. %s\n", md(p.Decision), md(p.Concern))
	}
	d.judgements("", s.Gates)
	for _, a := range s.Attempts {
		d.attempt(a)
	}
	for _, q := range s.Questions {
		d.put("- %s\n", q.deviation())
	}
	if s.stopped() {
		d.put("\n")
		d.failure(s)
	}
}

func (d *document) attempt(a *attempt) {
	d.put("- %s Attempt %d: %s, %s", mark(a.Outcome), a.Number, md(a.Method), a.Outcome)
	if a.Ended.IsZero() {
		d.put("\n")
	} else {
		d.put(", %s\n", a.Duration)
	}
	if a.Text != "" {
		d.put("  - %s\n", md(safetext.Clip(a.Text, 200)))
	}
	if e := a.Ledger; e != nil {
		for _, c := range e.Changes {
			lines := ""
			if c.Lines != nil {
				lines = c.Lines.String()
			}
			d.put("  - %s %s%s\n", md(string(c.Op)), code(c.shown), lines)
		}
	}
	d.judgements("  ", a.Gates)
	if a.Failure != nil {
		d.put("  - %s%s\n", md(meaning(a.Failure.Class)), md(because(a.Failure.Reasons)))
	}
}

func (d *document) judgements(indent string, js []judgement) {
	for _, j := range js {
		d.put("%s- %s gate %s (%s, level %d): %s", indent, mark(j.Result), md(j.Gate), md(string(j.Phase)),
			int(j.Level), md(j.Result))
		if j.Error != "" {
			d.put(": %s", md(j.Error))
		}
		d.put("\n")
		for _, f := range j.Findings {
			d.finding(indent+"  ", f)
		}
	}
}

func (d *document) phase(title string, js []judgement) {
	if len(js) > 0 {
		d.section(title)
		d.judgements("", js)
	}
}

func (d *document) question(q question) {
	d.put("**%s** %s\n\n%s\n\n", md(q.ID), md(q.What), md(q.Why))
	for _, e := range q.Evidence {
		d.put("- %s\n", md(e))
	}
	d.put("\n")
	d.table("There is no choice.", []string{"Choice", "", "Consequence"}, each(q.Choices, func(c choice) []string {
		return []string{code(c.Key), md(c.Label), md(c.Consequence)}
	}))
}

func join(parts []string) string { return strings.Join(parts, ", ") }

func orNone(lines string) string {
	if lines == "" {
		return " no lines counted"
	}
	return lines
}

// tail is the last n lines of a text.
func tail(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	return strings.Join(lines, "\n")
}
