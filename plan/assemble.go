package plan

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger"
)

// The formats of other tools that front ends read, as `check --format json` names them.
const (
	SpecPair       Format = "spec-pair"
	SpecMarkdown   Format = "spec-markdown"
	SpecTOML       Format = "spec-toml"
	PhasePlan      Format = "phase-plan"
	PendingActions Format = "pending-actions"
	Contract       Format = "contract"
	SpecKit        Format = "spec-kit"
	Kiro           Format = "kiro"
	OpenSpec       Format = "openspec"
	TaskMaster     Format = "task-master"
	Beads          Format = "beads"
	ExecPlan       Format = "execplan"
	Superpowers    Format = "superpowers"
)

// A Text is a file as a front end read it.
type Text struct {
	Path string
	Text []byte
}

// A Side is one half of a pair as read on its own.
type Side struct {
	Name   string // "markdown" or "toml"
	File   string
	Goals  []string // every goal that the half states, as written
	Plan   Plan
	Places map[string]Position // as in [Parts]
}

// Parts are what a front end makes a draft of.
type Parts struct {
	Plan   Plan
	Format Format
	Files  []Text       // the sources, in order
	Found  []Diagnostic // what reading and the format's own rules found
	Broken bool         // not read to its end, or no plan: only Found can be said of it

	// Places say where things stand, by the path of their key: "goal", "tasks[0]", "tasks[0].steps[1]",
	// "tasks[0].steps[1].backups[0]", "speclets[0]". What has no place of its own is where the nearest
	// thing around it is.
	Places map[string]Position

	Sides []Side

	// Reread reads the plan from where it came from once more. It is how a lock notices that the plan
	// moved; nil is for plans from memory.
	Reread func() (*Draft, error)
}

// Assemble makes a draft of a plan in another format. It keeps Parts, which the caller must not
// change any more.
//
// A plan without a profile is run under observe: its steps are recorded, not held to what they
// declare. A step without a method is given its description as its prompt. A task without steps is given
// one, "1", whose prompt is the task's text, its files and its acceptance criteria; [Draft.Implied] tells
// such a step from those of the source. Addresses follow from the ids.
func Assemble(p Parts) *Draft {
	d := &Draft{Plan: p.Plan, Format: p.Format, Found: capped(p.Found), broken: p.Broken, sides: p.Sides,
		places: p.Places}
	if d.places == nil {
		d.places = map[string]Position{}
	}
	for _, f := range p.Files {
		d.Files = append(d.Files, Source{Path: f.Path, Digest: ledger.Sum(f.Text)})
		d.texts = append(d.texts, newSource(f.Path, f.Text))
	}
	d.complete()
	for i := range d.sides {
		d.sides[i].Plan.readdress()
	}
	if p.Reread != nil {
		d.Rereadable(p.Reread)
	}
	return d
}

// Rereadable says how a plan that was assembled is read once more, as [Parts] can. It is to be said
// right after reading; a native plan keeps its own way.
func (d *Draft) Rereadable(again func() (*Draft, error)) {
	if d.places == nil {
		return
	}
	d.reread, d.asRead = again, d.Plan.Digest()
	d.origin, d.stamps = originOf(d.Files)
}

// complete adds what a plan of another format leaves to who runs it.
func (d *Draft) complete() {
	p := &d.Plan
	p.Schema = schemaVersion
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
	p.readdress()
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

// capped sorts what a front end found, and leaves out what nobody would read.
func capped(found []Diagnostic) []Diagnostic {
	found = sortDiagnostics(slices.Clone(found))
	if len(found) <= maxFindings {
		return found
	}
	rest := found[maxFindings:]
	f := &findings{}
	f.list = slices.Clone(found[:maxFindings])
	f.add("too-many", rest[0].Pos, "", "") // writes its own text
	last := &f.list[maxFindings]
	if !slices.ContainsFunc(rest, func(d Diagnostic) bool { return d.Severity == Error }) {
		last.Severity = Warning
	}
	return f.list
}

// Sides are the halves of a SPEC pair, each as read on its own; other plans have none.
func (d *Draft) Sides() []Side { return d.sides }

// Position finds the place of a key in the half, as [Draft.Position] does.
func (s *Side) Position(key string) Position {
	return nearestPlace(s.Places, key, Position{File: s.File, Line: 1, Column: 1})
}

// Implied reports whether the task with this index had no steps in its source, so that its only
// step stands for the task itself.
func (d *Draft) Implied(task int) bool { return d.implied[task] }

// nearestPlace finds a key, or what is nearest around it.
func nearestPlace(places map[string]Position, key string, top Position) Position {
	for key != "" {
		if p, ok := places[key]; ok {
			return p
		}
		if open := strings.LastIndexByte(key, '['); open > 0 && strings.HasSuffix(key, "]") {
			key = key[:open]
			continue
		}
		key = key[:max(0, strings.LastIndexByte(key, '.'))]
	}
	return top
}

// originOf names where a plan was read from, and takes the stamps of its files and of their folders: a
// file that is added may change what the plan means.
func originOf(files []Source) (string, []stamp) {
	if len(files) == 0 {
		return "", nil
	}
	origin, err := filepath.Abs(files[0].Path)
	if err != nil {
		origin = files[0].Path
	}
	return origin, stampsOf(files)
}
