package plan

import (
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger"
)

// Parts are what a front end makes a draft of.
type Parts struct {
	Plan   Plan
	Format Format
	Files  []Text       // the sources, in order
	Found  []Diagnostic // what reading and the format's own rules found
	Broken bool         // not read to its end, or no plan: only Found can be said of it

	// Outline says where things stand: at least "goal", "tasks[0]", "tasks[0].steps[1]",
	// "tasks[0].steps[1].backups[0]" and "speclets[0]". [Places] is one.
	Outline Outline

	Sides []Side
}

// Assemble makes a draft of what a front end read. It keeps Parts, which the caller must not change any more.
// Addresses follow from the ids.
//
// In a plan of another format than the native one, a plan without a profile is run under observe: its steps are
// recorded, not held to what they declare. A step without a method is given its description as its prompt. A task
// without steps is given one, "1", whose prompt is the task's text, its files and its acceptance criteria;
// [Draft.Implied] tells such a step from those of the source.
func Assemble(p Parts) *Draft {
	d := &Draft{Plan: p.Plan, Format: p.Format, Found: sortDiagnostics(slices.Clone(p.Found)), broken: p.Broken, sides: p.Sides,
		outline: p.Outline, texts: p.Files}
	for i := range d.texts {
		d.texts[i].index()
		d.Files = append(d.Files, Source{Path: d.texts[i].Path, Digest: ledger.Sum(d.texts[i].Text)})
	}
	if d.foreign() {
		d.Found = capped(d.Found)
		d.complete()
	}
	d.Plan.readdress()
	for i := range d.sides {
		d.sides[i].Plan.readdress()
	}
	return d
}

// complete adds what a plan of another format leaves to who runs it.
func (d *Draft) complete() {
	p := &d.Plan
	p.Schema = SchemaVersion
	if p.Profile == "" {
		p.Profile = Observe
	}
	spec := p.Profile != Observe || d.Format == SpecPair || d.Format == SpecMarkdown || d.Format == SpecTOML
	for i := range p.Tasks {
		t := &p.Tasks[i]
		if len(t.Steps) == 0 && !spec {
			t.Steps = []Step{{ID: "1", Description: t.label(), Prompt: t.prompt(), Status: t.Status}}
			if d.implied == nil {
				d.implied = map[int]bool{}
			}
			d.implied[i] = true
		}
		for j := range t.Steps {
			if s := &t.Steps[j]; s.Run == "" && s.Prompt == "" {
				s.Prompt = s.Description
			}
		}
	}
}

// prompt tells all that a task says to who is to do it.
func (t *Task) prompt() string {
	var b strings.Builder
	b.WriteString(t.label())
	if t.Description != "" && t.Description != t.label() {
		b.WriteString("\n\n" + t.Description)
	}
	for _, l := range []struct {
		head  string
		items []string
	}{{"Files", t.Files}, {"It is done when", t.AcceptanceCriteria}} {
		if len(l.items) > 0 {
			b.WriteString("\n\n" + l.head + ":\n- " + strings.Join(l.items, "\n- "))
		}
	}
	return b.String()
}

// addressOf joins the ids of a task and a step. A step may also be called by its whole address.
func addressOf(task, step string) Address {
	if strings.HasPrefix(step, task+".") {
		return Address(step)
	}
	return Address(task + "." + step)
}

// readdress makes the addresses follow from the ids.
func (p *Plan) readdress() {
	for t, s := range p.Steps() {
		s.Address = addressOf(t.ID, s.ID)
	}
}

// capped leaves out of what a front end found what nobody would read.
func capped(found []Diagnostic) []Diagnostic {
	if len(found) <= maxFindings {
		return found
	}
	rest := found[maxFindings:]
	f := &Diagnostics{list: slices.Clone(found[:maxFindings])}
	f.errors = maxFindings
	f.Add(Diagnostic{Code: "too-many", Pos: rest[0].Pos})
	last := &f.list[maxFindings]
	if !slices.ContainsFunc(rest, func(d Diagnostic) bool { return d.Severity == Error }) {
		last.Severity = Warning
	}
	return f.list
}
