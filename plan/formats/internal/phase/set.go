package phase

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/internal/spelling"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/sketch"
)

// ReadSet reads the plans of a folder as one: each file is a speclet, whose id
// is the plan's own. Files come in the order of their names. The ids of tasks
// are made unique by the plan's id before them where that is needed.
func ReadSet(files []plan.Text) (*plan.Draft, error) {
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b plan.Text) int { return strings.Compare(a.Path, b.Path) })
	var set []*member
	var found []plan.Diagnostic
	for _, f := range files {
		r, err := read(f.Path, f.Text)
		if err != nil {
			return nil, err
		}
		set = append(set, newMember(r))
	}
	b := &builder{sketch.New()}
	found = append(found, link(set)...)
	b.head(set)
	names := b.names(set)
	for i, m := range set {
		b.speclet(set, m, names[i])
		found = append(found, m.Found...)
	}
	found = append(found, cycles(set, b.Plan.Speclets)...)
	found = append(found, waves(set, b.Plan.Speclets)...)
	for i := range found { // the ids that tasks have in the whole
		for k, m := range set {
			if found[i].Task != "" && found[i].Pos.File == m.t.Name {
				if id, ok := names[k][found[i].Task]; ok {
					found[i].Task = id
				}
			}
		}
	}
	b.Found = found
	return b.Draft(Format, files...), nil
}

var (
	// fileNumber is the number of a plan in the name of its file: 03 of
	// 01-03-PLAN.md.
	fileNumber = lazyre.New(`(?:^|[-_])(\d+[a-z]?)[-_.]PLAN`)
	// leading is the number that a phase begins with: 04 of "04-lamps".
	leading = lazyre.New(`^\d+(?:\.\d+)*`)
)

// newMember says which plan of which phase a file is: by its front matter, or
// else by its name and its folder's.
func newMember(r *reader) *member {
	m := &member{reader: r, id: r.front.get("plan").text}
	base := path.Base(strings.ReplaceAll(r.t.Name, `\`, "/"))
	if m.id == "" {
		if found := fileNumber.FindStringSubmatch(base); found != nil {
			m.id = found[1]
		} else {
			m.id = strings.TrimSuffix(base, ".md")
		}
	}
	m.phase = fold(leading.FindString(r.front.get("phase").text))
	if m.phase == "" {
		folder := path.Base(path.Dir(strings.ReplaceAll(r.t.Name, `\`, "/")))
		m.phase = fold(leading.FindString(folder))
	}
	d := r.front.get("depends_on")
	m.depends, m.at = d.list(), d.line
	w := r.front.get("wave")
	m.wave, m.hasWave = w.wave()
	m.waveAt = w.line
	return m
}

// link looks up the plans that each plan depends on, by number, by phase and
// number, or by the name of the file. A dependency on another phase is outside
// of what is known here.
func link(set []*member) []plan.Diagnostic {
	var found []plan.Diagnostic
	at := map[string]int{}
	add := func(key string, i int) {
		if _, ok := at[key]; !ok {
			at[key] = i
		}
	}
	for i, m := range set {
		if j, ok := at[fold(m.id)]; ok {
			found = append(found, plan.Diagnostic{Code: "speclet-duplicate-id", Severity: plan.Error,
				Pos: m.t.At(m.front.get("plan").line),
				Message: fmt.Sprintf("this is plan %q, as %q is", m.id,
					set[j].t.Name), Hint: "give each plan of the folder a number of its own"})
		}
		add(fold(m.id), i)
		if m.phase != "" {
			add(m.phase+"-"+fold(m.id), i)
		}
		add(fold(stem(m.t.Name)), i)
	}
	for _, m := range set {
		for _, name := range m.depends {
			j, ok := at[fold(stem(name))]
			switch {
			case ok && !slices.Contains(m.needs, j):
				m.needs = append(m.needs, j)
			case !ok && m.mine(name):
				found = append(found, plan.Diagnostic{Code: "plan-dep-unknown", Severity: plan.Warning,
					Pos:     m.t.At(m.at),
					Message: fmt.Sprintf("plan %q depends on %q, which is not in this folder", m.id, name),
					Hint:    "name a plan of this folder, or add the file"})
			}
		}
	}
	return found
}

// stem is the name of a plan without what all of them have: "05-01" for
// "05-01-PLAN.md".
func stem(name string) string {
	name = path.Base(strings.ReplaceAll(strings.TrimSpace(name), `\`, "/"))
	name = strings.TrimSuffix(name, ".md")
	if i := strings.Index(name, "-PLAN"); i > 0 {
		name = name[:i]
	}
	return name
}

// mine reports whether a dependency, by its spelling, is on a plan of the same
// phase.
func (m *member) mine(name string) bool {
	if strings.ContainsAny(name, " \t") {
		return false
	}
	first, _, two := strings.Cut(stem(name), "-")
	return !two || m.phase == "" || fold(first) == m.phase
}

// head is what the plans have in common. The goal of a phase of one plan is that of
// the plan.
func (b *builder) head(set []*member) {
	for _, m := range set {
		if phase := m.front.get("phase"); phase.text != "" && b.Plan.Goal == "" {
			b.Plan.Goal, b.Plan.Meta.Name = "Phase "+phase.text, phase.text
			b.Places["goal"] = m.t.At(phase.line)
		}
	}
	if len(set) > 0 && b.Plan.Goal == "" || len(set) == 1 && set[0].goal != "" {
		b.Plan.Goal, b.Places["goal"] = set[0].goal, set[0].goalAt
	}
}

// ownCode is an id that no file of another plan has by chance, with a letter
// or two numbers.
var ownCode = lazyre.New(`[A-Za-z]|\d-\d`)

// names gives every task of every plan an id: its own, where it is a code that
// no other plan uses, else with the plan's id before it.
func (b *builder) names(set []*member) []map[string]string {
	uses := map[string]int{}
	for _, m := range set {
		for _, t := range m.tasks {
			uses[t.id]++
		}
	}
	names := make([]map[string]string, len(set))
	for i, m := range set {
		names[i] = map[string]string{}
		for _, t := range m.tasks {
			id := t.id
			if !ownCode.MatchString(id) || uses[id] > 1 {
				id = m.id + "-" + id
			}
			names[i][t.id] = id
		}
	}
	return names
}

// speclet adds a plan and its tasks.
func (b *builder) speclet(set []*member, m *member, names map[string]string) {
	s := plan.Speclet{ID: m.id, Description: m.goal, Tasks: []string{}}
	if m.hasWave {
		s.Wave = strconv.Itoa(m.wave)
	}
	if m.depends != nil {
		s.DependsOn = []string{}
	}
	for _, j := range m.needs {
		s.DependsOn = append(s.DependsOn, set[j].id)
	}
	key := fmt.Sprintf("speclets[%d]", len(b.Plan.Speclets))
	b.Places[key] = m.t.At(0)
	if m.depends != nil {
		b.Places[key+".depends_on"] = m.t.At(m.at)
	}
	for i := range m.tasks {
		id := names[m.tasks[i].id]
		s.Tasks = append(s.Tasks, id)
		b.task(m.reader, &m.tasks[i], id, func(name string) string {
			if id, ok := names[name]; ok {
				return id
			}
			return name
		})
	}
	b.Plan.Speclets = append(b.Plan.Speclets, s)
	b.settings("phase_plan."+spelling.QuoteKey(m.id), m.front)
	b.closing(m.reader, len(b.Plan.Tasks)-len(m.tasks))
}
