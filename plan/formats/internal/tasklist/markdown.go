package tasklist

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/decidable"
	"github.com/planlock/planlock/plan/formats/internal/labels"
	"github.com/planlock/planlock/plan/formats/internal/outline"
	"github.com/planlock/planlock/plan/formats/internal/page"
	"github.com/planlock/planlock/plan/formats/internal/sketch"
)

// DetectMarkdown finds a plan in a page that no tool wrote: checkboxes, a
// numbered list, headings with numbers, or what stands below a heading such as
// "Steps". It knows no mark of other formats: ask for those first.
func DetectMarkdown(name string, text []byte) plan.Format {
	if len(text) > sketch.MaxSize {
		return plan.Unknown
	}
	t := outline.New(name, text)
	if c := first(t); c == '{' || c == '[' || c == '<' {
		return plan.Unknown
	}
	if p := page.Of(t); !p.HasWork() {
		return plan.Unknown
	}
	return Markdown
}

// ReadMarkdown reads such a page, as [Read] reads the list of a tool.
func ReadMarkdown(name string, text []byte) (*plan.Draft, error) {
	return read(name, text, Markdown)
}

// A markdown reads a page. What it does not take for a task it tells to those who
// carry tasks out; what says how all is verified is for the plan's end.
type markdown struct {
	*list
	page.Page
	at     part                     // what lines belong to; task -1: to nobody
	indent int                      // of that item; -1: it is a heading
	loose  map[int]*strings.Builder // what stands around the items of a section
}

// readMarkdown goes through the sections of a page.
func readMarkdown(l *list) {
	m := &markdown{list: l, Page: page.Of(l.t), at: part{-1, -1}, loose: map[int]*strings.Builder{}}
	l.t.Hide(0, m.Sections[0].From)
	for n := range m.Sections {
		if m.full(m.t.At(m.Sections[n].From)) {
			break
		}
		m.section(n)
	}
	m.around()
	for i := range m.Plan.Tasks {
		m.files(i)
	}
	if !slices.ContainsFunc(m.Plan.Tasks, func(t plan.Task) bool { return t.Files == nil }) && len(m.Plan.Tasks) > 0 {
		m.Plan.Profile = plan.Scoped
	}
	m.taken()
}

// section reads a heading that is a task, with its steps, or items that are tasks,
// or what is part of a task above.
func (m *markdown) section(n int) {
	s := m.Sections[n]
	switch {
	case m.Heads[n]:
		m.at, m.indent = part{m.addTask(plan.Task{ID: m.next(), Title: s.Title()}, s.From), -1}, -1
	case m.Head(n) < 0:
		m.at = part{-1, -1}
	case m.at.task >= 0: // a heading inside of a task
		m.at.step, m.indent = -1, -1
		m.describe(m.at.task, -1, s.From)
	}
	whole := m.at.task // that all lines of the section are about
	for i := s.Body; i < s.To; i++ {
		it, ok := m.item(n, i)
		switch {
		case ok && m.full(m.t.At(i)):
			return
		case ok && whole >= 0:
			m.step(whole, it, i)
		case ok && m.at.task >= 0 && it.Indent > m.indent+1:
			m.step(m.at.task, it, i)
		case ok:
			t := plan.Task{ID: m.next(), Title: page.Plain(it.Text), Status: status(it)}
			m.at, m.indent = part{m.addTask(t, i), -1}, it.Indent
		case m.at.task >= 0 && (whole >= 0 || m.below(i)):
			m.describe(m.at.task, m.at.step, i)
		case m.Listed[n]:
			m.at.task = -1
			m.apart(n, i)
		}
	}
}

// apart keeps a line that stands among the items of a section and belongs to none.
func (m *markdown) apart(n, line int) {
	if m.loose[n] == nil {
		m.loose[n] = &strings.Builder{}
	}
	m.loose[n].WriteString(m.t.Line(line) + "\n")
}

// item reads a line as one of the items that are work. A bullet below another is
// part of that one's text.
func (m *markdown) item(n, line int) (outline.Item, bool) {
	if !m.Listed[n] || m.t.Lines[line].Hidden {
		return outline.Item{}, false
	}
	is, it, ok := page.Item(m.t.Line(line))
	return it, ok && is == m.Mark && it.Text != "" && (is != page.Bullets || it.Indent < 2)
}

// below reports whether a line belongs to the item above it: it stands deeper, or
// is its text going on.
func (m *markdown) below(i int) bool {
	line := m.t.Line(i)
	return strings.TrimSpace(line) == "" || outline.Width(line) > m.indent || m.t.Lines[i].Hidden ||
		strings.TrimSpace(m.t.Line(i-1)) != "" && !m.t.Lines[i-1].Hidden
}

// step adds an item as a step of a task.
func (m *markdown) step(task int, it outline.Item, line int) {
	steps := len(m.Plan.Tasks[task].Steps)
	m.at = part{task, steps}
	s := plan.Step{ID: strconv.Itoa(steps + 1), Description: page.Plain(it.Text), Status: status(it)}
	m.addStep(task, s, m.t.At(line))
}

// next is the id of the next task: they are numbered as they stand.
func (m *markdown) next() string { return strconv.Itoa(len(m.Plan.Tasks) + 1) }

// status is what the box of an item says.
func status(it outline.Item) plan.Status {
	if it.Box == 0 {
		return ""
	}
	return statusOfBox(it.Box)
}

// Bounds of what is told of sections that are no task, in bytes.
const (
	maxContext = 4 << 10 // of one
	maxTold    = 4 << 20 // of all, to all tasks together
)

// around reads what is no task: the goal, what helps with the tasks, and what must
// hold at the end.
func (m *markdown) around() {
	var context []string
	left := maxTold / max(1, len(m.Plan.Tasks))
	for n, s := range m.Sections {
		text := m.t.Join(s.Body, s.To)
		if b := m.loose[n]; b != nil {
			text = b.String()
		} else if m.Listed[n] {
			text = ""
		}
		switch text = strings.TrimSpace(text); {
		case text == "" || m.Head(n) >= 0:
		case s.Role == page.Proof:
			m.proof(s, text)
		case s.Role == page.Goal && m.Plan.Goal == "":
			m.Plan.Goal, m.Places["goal"] = paragraph(text), m.t.At(s.From)
		default:
			if most := min(maxContext, left); len(text) > most {
				text = strings.ToValidUTF8(text[:most], "") + " …"
			}
			left = max(0, left-len(text))
			if s.Level > 1 {
				text = s.Title() + ": " + text
			}
			context = append(context, text)
		}
	}
	m.goal()
	m.Plan.Goal = kind.ReplaceAllString(m.Plan.Goal, "")
	if m.Plan.Goal == "" || page.RoleOf(m.Plan.Goal) == page.Work {
		m.Plan.Goal = m.Plan.Meta.Name
	}
	for i := range m.Plan.Tasks {
		m.Plan.Tasks[i].Hints = context
	}
}

// paragraph is the first one of a text, on one line.
func paragraph(text string) string {
	text, _, _ = strings.Cut(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n")
	return page.Plain(strings.Join(strings.Fields(text), " "))
}

// proof reads a section that says how all is verified.
func (m *markdown) proof(s page.Section, text string) {
	f := decidable.Of(text)
	end := &m.Plan.Completion
	for _, c := range f.Checks {
		if unending.MatchString(c.Run) {
			f.Words, f.NotRun = append(f.Words, "`"+c.Run+"`"), append(f.NotRun, c.Run)
			continue
		}
		end.Checks = append(end.Checks, c)
	}
	for _, w := range f.Words {
		if w = page.Plain(w); w != "" {
			end.AcceptanceCriteria = append(end.AcceptanceCriteria, w)
		}
	}
	for _, text := range f.NotRun {
		m.NotRun(m.t.At(s.From), "", "section "+strconv.Quote(s.Title()), text)
	}
}

var (
	// changing is a word that says that the files of its line change.
	changing = lazyre.New(`(?i)\b(?:creat|add|writ|edit|modif|updat|chang|extend|refactor|rewrit|renam|delet|remov|replac|mov|fix|implement)(?:e|es|ed|ing|y|ies|s)?\b`)
	// located is a line that says where what stands below it is done.
	located = lazyre.New("^\\W*(?i:in|at|files?)\\b[\\s:*]*`")
	// kind is what a title says of the page before it says what for.
	kind = lazyre.New(`^(?i:(?:the )?(?:implementation |project |development |action |work )?(?:plan|to-?do(?: list)?|tasks?|checklist)(?: for)?)\s*[:–—-]\s*`)
	// spared is a line that says of a file that it does not change, or names it
	// for comparison.
	spared = lazyre.New("(?i)\\b(?:not|never|don't|without|unlike|like|similar to|same as)\\b|~~")
	// unending begins a command that waits for somebody, or acts on the world.
	unending = lazyre.New(`^(?:npm (?:start|run (?:dev|start|serve|watch))|(?:pnpm|yarn) (?:dev|start)|go run\b|git push\b|python3? -m (?:http\.server|flask)|docker (?:run|compose)|make (?:run|serve|deploy|release)|.*\bserve\b)`)
	// span is what stands in backquotes.
	span = lazyre.New("`([^`\\s]+)`")
)

// files gives a task the files that it says it changes. Where all tasks do, what is
// named is what may be changed.
func (m *markdown) files(i int) {
	t := &m.Plan.Tasks[i]
	add := func(text string) {
		for _, s := range span.FindAllStringSubmatch(text, -1) {
			name, _, _ := strings.Cut(strings.TrimPrefix(s[1], "./"), ":") // behind it: lines
			if decidable.IsPath(name) && !slices.Contains(t.Files, name) {
				t.Files = append(t.Files, name)
			}
		}
	}
	texts := []string{t.Title}
	for j, s := range t.Steps {
		texts = append(texts, s.Description)
		texts = append(texts, m.lines(part{i, j})...)
	}
	for _, text := range append(texts, m.lines(part{i, -1})...) {
		if spared.MatchString(text) {
			continue
		}
		if changing.MatchString(text) || located.MatchString(text) || text == t.Title {
			add(text)
		}
	}
	for j := -1; j < len(t.Steps); j++ {
		if b := m.bodies[part{i, j}]; b != nil {
			labels.Each(m.t, slices.Values(b.lines), func(f *labels.Field) {
				if f.Files() {
					add(strings.Join(f.Value(), "\n"))
				}
			})
		}
	}
}

// lines are those below a task or a step that are no code.
func (m *markdown) lines(at part) (list []string) {
	if b := m.bodies[at]; b != nil {
		for _, i := range b.lines {
			if !m.t.Lines[i].Hidden {
				list = append(list, m.t.Line(i))
			}
		}
	}
	return list
}

// Bounds of what is told of tasks one by one.
const (
	maxTaken = 12 // tasks
	maxTitle = 60 // bytes of what one is called
)

// taken tells what was taken for the tasks of the plan, since nobody who wrote the
// page had to say so.
func (m *markdown) taken() {
	if len(m.Plan.Tasks) == 0 {
		return
	}
	var names []string
	for i, t := range m.Plan.Tasks[:min(len(m.Plan.Tasks), maxTaken)] {
		title := t.Title
		if len(title) > maxTitle {
			title = strings.ToValidUTF8(title[:maxTitle], "") + " …"
		}
		name := fmt.Sprintf("%s %q on line %d", t.ID, title, m.Places[fmt.Sprintf("tasks[%d]", i)].Line)
		if n := len(t.Steps); n > 0 {
			name += fmt.Sprintf(" with %d of its items as steps", n)
		}
		names = append(names, name)
	}
	if more := len(m.Plan.Tasks) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	text := "taken for tasks: " + strings.Join(names, "; ")
	for i, c := range m.Plan.Completion.Checks {
		if i == 0 {
			text += "; decided at the end of the run"
		}
		text += fmt.Sprintf(": %s", c)
	}
	m.Report("taken-for-tasks", plan.Note, m.Places["tasks[0]"], "", text,
		"a checkbox for each task says so best:  - [ ] what is to be done")
}
