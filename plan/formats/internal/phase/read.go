package phase

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/internal/spelling"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/outline"
	"github.com/planlock/planlock/plan/formats/internal/sketch"
)

// Format is that of phase plans.
const Format = plan.PhasePlan

// planName is the word PLAN in the name of a file, set off from others.
var planName = lazyre.New(`(?:^|[-_.])PLAN(?:[-_.]|$)`)

// Named reports whether a file is called as phase plans are: PLAN.md,
// 04-01-PLAN.md, PHASE-3-PLAN-2026-02-02.md.
func Named(name string) bool {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	stem, ok := strings.CutSuffix(base, ".md")
	return ok && planName.MatchString(stem)
}

// phaseTitle is the title of a page about a phase.
var phaseTitle = lazyre.New(`(?m)^# +(?i:phase) +\d`)

// Detect tells a phase plan from what is unknown: it has tasks in one of the
// forms, or a front matter that says which plan of which phase it is. A page of
// prose is one only if it is called so, see [Named]. Whoever reads several
// formats asks those with narrower forms first: a SPEC and the task lists of
// other tools have headings for tasks as well.
func Detect(name string, text []byte) plan.Format {
	if Named(name) {
		return Format
	}
	if len(text) <= sketch.MaxSize && hasTasks(text) {
		return Format
	}
	return plan.Unknown
}

// Shows reports whether a text has anything of a phase plan, besides what it is
// called: the title of a phase, the front matter, or tasks.
func Shows(text []byte) bool { return phaseTitle.Match(text) || hasTasks(text) }

// hasTasks reports whether a text is a phase plan whatever it is called.
func hasTasks(text []byte) bool {
	r := &reader{t: outline.New("", text)}
	body := r.matter()
	if r.front.get("plan").kind != 0 && r.front.get("phase").kind != 0 || r.front.get("must_haves").kind != 0 {
		return true
	}
	for i := body; i < len(r.t.Lines); i++ {
		if r.shows(i) {
			return true
		}
	}
	return false
}

// shows reports whether a line shows that there are tasks.
func (r *reader) shows(i int) bool {
	line := r.t.Line(i)
	if _, ok := taskTag(line); ok {
		return true
	}
	if r.t.Lines[i].Hidden || line == "" {
		return false
	}
	if level, text := outline.Heading(line); level > 0 {
		_, is := taskOf(heading{i, level, text})
		return is
	}
	return strings.Contains(line, "- id:") && entryID.MatchString(line)
}

// Read reads one file; name stands in positions. What is wrong with it is in the draft. The error is a
// *[plan.SizeError].
func Read(name string, text []byte) (*plan.Draft, error) {
	r, err := read(name, text)
	if err != nil {
		return nil, err
	}
	b := &builder{sketch.New()}
	b.Plan.Goal = r.goal
	b.Places["goal"] = r.goalAt
	if r.goal == "" {
		b.Places["goal"] = r.t.At(0)
	}
	b.Plan.Meta.Name = strings.TrimSuffix(path.Base(strings.ReplaceAll(name, `\`, "/")), ".md")
	b.settings("phase_plan", r.front)
	b.Plan.Tasks = make([]plan.Task, 0, len(r.tasks))
	for i := range r.tasks {
		b.task(r, &r.tasks[i], r.tasks[i].id, func(id string) string { return id })
	}
	b.closing(r, 0)
	b.Found = r.Found
	return b.Draft(Format, plan.Text{Path: name, Text: text}), nil
}

// A builder gathers the plan of one file or of several. Readers of files know
// nothing of each other; what spans files is the builder's.
type builder struct{ sketch.Sketch }

// task adds a task under an id; call tells the ids of those that it depends on.
func (b *builder) task(r *reader, t *task, id string, call func(string) string) {
	m := t.model(id)
	if m.DependsOn != nil {
		names := make([]string, len(m.DependsOn))
		for i, name := range m.DependsOn {
			names[i] = call(name)
		}
		m.DependsOn = names
	}
	if m.Files == nil && !checkpointKind(m.Kind) {
		m.PlanFiles = r.modified
	}
	if len(m.Files)+len(m.PlanFiles) > 0 {
		b.Plan.Profile = plan.Scoped // what is named is what may be changed
	}
	key := fmt.Sprintf("tasks[%d]", len(b.Plan.Tasks))
	b.Places[key] = r.t.At(t.line)
	b.Places[key+".steps[0]"] = r.t.At(t.line)
	if t.depends != nil {
		b.Places[key+".depends_on"] = r.t.At(t.dependsAt)
	}
	if t.acceptance != nil {
		b.Places[key+".acceptance_criteria"] = r.t.At(t.acceptanceAt)
	}
	b.Plan.Tasks = append(b.Plan.Tasks, m)
}

// settings keeps all that a front matter says, below a key.
func (b *builder) settings(key string, v value) {
	if v.kind != 'm' {
		return
	}
	seen := map[string]bool{}
	for _, m := range v.items {
		if m.key == "" || seen[m.key] {
			continue
		}
		seen[m.key] = true
		name := key + "." + spelling.QuoteKey(m.key)
		if m.kind == 'm' && len(m.items) > 0 {
			b.settings(name, m)
		} else if m.kind != 0 {
			b.Plan.Settings = append(b.Plan.Settings, plan.Setting{Key: name, Value: m.setting()})
		}
	}
}

// setting is a value as settings hold it; maps in lists become tables.
func (v value) setting() plan.Value {
	switch v.kind {
	case 'l':
		list := make([]plan.Value, 0, len(v.items))
		for _, it := range v.items {
			list = append(list, it.setting())
		}
		return plan.Value{Kind: "array", List: list}
	case 'm':
		members := slices.Clone(v.items)
		slices.SortStableFunc(members, func(x, y value) int { return strings.Compare(x.key, y.key) })
		members = slices.CompactFunc(members, func(x, y value) bool { return x.key == y.key })
		list := make([]plan.Value, 0, 2*len(members))
		for _, m := range members {
			list = append(list, sketch.Text(m.key), m.setting())
		}
		return plan.Value{Kind: "table", List: list}
	}
	return sketch.Text(v.text)
}

// read goes through a file once.
func read(name string, text []byte) (*reader, error) {
	if err := sketch.CheckSize(name, text); err != nil {
		return nil, err
	}
	r := &reader{t: outline.New(name, text)}
	body := r.matter()
	r.titles = headings(r.t, body)
	if f := r.front.get("files_modified"); f.kind != 0 {
		r.modified = splitFiles(f.texts())
	}
	for _, form := range []struct {
		name string
		read func(from int) []task
	}{{"tags", r.tagged}, {"headings", r.headed}, {"list", r.listed}} {
		if r.tasks = form.read(body); len(r.tasks) > 0 {
			r.dialect = form.name
			break
		}
	}
	if r.dialect != "list" {
		r.unlisted(body)
	}
	r.findGoal(body)
	r.references()
	r.effects()
	return r, nil
}
