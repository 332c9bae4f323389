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
	said   map[int]string           // numbers that tasks have in the page, by their index
	waits  map[int]string           // what a table says that they wait for
	loose  map[int]*strings.Builder // what stands around the items of a section
}

// readMarkdown goes through the sections of a page.
func readMarkdown(l *list) {
	m := &markdown{list: l, Page: page.Of(l.t), at: part{-1, -1}, loose: map[int]*strings.Builder{},
		said: map[int]string{}, waits: map[int]string{}}
	l.t.Hide(0, m.Sections[0].From)
	for n := range m.Sections {
		if m.full(m.t.At(m.Sections[n].From)) {
			break
		}
		m.section(n)
	}
	m.around()
	scope := m.scope()
	for i := range m.Plan.Tasks {
		m.files(i)
		m.Plan.Tasks[i].PlanFiles = scope
	}
	unbound := func(t plan.Task) bool { return t.Files == nil && t.PlanFiles == nil }
	if !slices.ContainsFunc(m.Plan.Tasks, unbound) && len(m.Plan.Tasks) > 0 {
		m.Plan.Profile = plan.Scoped
	}
	m.order()
	m.taken()
}

// section reads a heading that is a task, with its steps, or items that are tasks,
// or what is part of a task above.
func (m *markdown) section(n int) {
	s := m.Sections[n]
	switch {
	case m.Heads[n]:
		t := plan.Task{ID: m.next(), Title: s.Title()}
		if s.Done && !m.Listed[n] {
			t.Status = plan.Done
		}
		m.said[len(m.Plan.Tasks)] = s.Number()
		m.at, m.indent = part{m.addTask(t, s.From), -1}, -1
	case m.Head(n) < 0:
		m.at = part{-1, -1}
	case m.at.task >= 0 && m.Steps[n]:
		var it outline.Item
		if it.Text = s.Title(); s.Done {
			it.Box = 'x'
		}
		m.step(m.at.task, it, s.From)
		m.indent = -1
	case m.at.task >= 0: // a heading inside of a task, or of a step
		if !m.Step(n) {
			m.at.step = -1
		}
		m.indent = -1
		m.describe(m.at.task, m.at.step, s.From)
	}
	whole := m.at.task // that all lines of the section are about
	for i := s.Body; i < s.To; i++ {
		it, ok := m.item(n, i)
		if row, is := m.Rows[i]; is && m.Listed[n] && m.Mark == page.Table {
			if m.full(m.t.At(i)) {
				return
			}
			m.row(whole, row, i)
			continue
		}
		switch {
		case ok && m.full(m.t.At(i)):
			return
		case ok && whole >= 0:
			m.step(whole, it, i)
		case ok && m.at.task >= 0 && it.Indent > m.indent+1:
			m.step(m.at.task, it, i)
		case ok:
			t := plan.Task{ID: m.next(), Title: page.Plain(it.Text), Status: status(it)}
			m.said[len(m.Plan.Tasks)] = it.Number
			m.at, m.indent = part{m.addTask(t, i), -1}, it.Indent
		case m.at.task >= 0 && (whole >= 0 || m.below(i)):
			m.describe(m.at.task, m.at.step, i)
		case m.Listed[n]:
			m.at.task = -1
			m.apart(n, i)
		}
	}
}

// row adds a row of a table as a task, or as a step of one. What its other columns
// say is its text.
func (m *markdown) row(task int, r page.Row, line int) {
	it := outline.Item{Text: r.Title}
	if r.Done {
		it.Box = 'x'
	}
	rest := strings.Join(r.Rest, "\n")
	if r.Files != "" {
		rest = strings.TrimLeft(rest+"\nFiles: "+r.Files, "\n")
	}
	if task >= 0 {
		m.step(task, it, line)
		m.body(m.at).text.WriteString(rest + "\n")
		return
	}
	m.said[len(m.Plan.Tasks)], m.waits[len(m.Plan.Tasks)] = r.Number, r.After
	t := plan.Task{ID: m.next(), Title: page.Plain(r.Title), Status: status(it), Description: rest}
	m.named(&t, r.Files, true)
	m.at, m.indent = part{m.addTask(t, line), -1}, 0
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
	if s := m.Title(); m.Plan.Goal == "" && s != nil {
		m.Plan.Goal, m.Places["goal"] = page.Plain(s.Text), m.t.At(s.From)
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
	// unchanged is a line that says of a file that it is only read.
	unchanged = lazyre.New(`(?i)\bread[- ]only\b|\bunchanged\b|\breference\b|\bno changes?\b`)
	// unending begins a command that waits for somebody, or acts on the world.
	unending = lazyre.New(`^(?:npm (?:start|run (?:dev|start|serve|watch))|(?:pnpm|yarn) (?:dev|start)|go run\b|git push\b|python3? -m (?:http\.server|flask)|docker (?:run|compose)|make (?:run|serve|deploy|release)|.*\bserve\b)`)
	// object is a title that is about one file, which it names without backquotes:
	// "Update CHANGELOG.md". What names of products end with is none.
	object = lazyre.New(`^(?i:create|add|write|update|edit|modify|extend|refactor|rewrite|delete|remove)\s+(?i:(?:the|a|an|new|file)\s+)*` +
		`([\w./@-]*\w)(?:\.?$|:\s|\s+(?:with|so|to)\b)`)
	// product is a word that looks like a file and most often is none: Node.js.
	product = lazyre.New(`^\w+\.js$`)
	// span is what stands in backquotes.
	span = lazyre.New("`([^`\\s]+)`")
)

// named adds the files that a text names in backquotes to those of a task; bare
// ones as well, where the text is to name files.
func (m *markdown) named(t *plan.Task, text string, bare bool) {
	for _, name := range paths(text, bare) {
		if !slices.Contains(t.Files, name) {
			t.Files = append(t.Files, name)
		}
	}
}

// paths are the files that a text names in backquotes, or else, where it is to name
// files, in its words.
func paths(text string, bare bool) (list []string) {
	add := func(word string) {
		name, _, _ := strings.Cut(strings.TrimPrefix(word, "./"), ":") // behind it: lines
		if decidable.IsPath(name) {
			list = append(list, name)
		}
	}
	for _, s := range span.FindAllStringSubmatch(text, -1) {
		add(s[1])
	}
	if list == nil && bare {
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ' ' || r == ';' }) {
			add(strings.Trim(word, "*"))
		}
	}
	return list
}

// scope are the files that a section such as "Files to change" lists, if every item
// of it names one; nil: there is none.
func (m *markdown) scope() (files []string) {
	for n, s := range m.Sections {
		if !s.Scope() || m.Head(n) >= 0 {
			continue
		}
		for i, line := range m.t.Shown(s.Body) {
			if i >= s.To {
				break
			}
			_, it, item := page.Item(line)
			text := it.Text
			if cell, _, ok := strings.Cut(strings.TrimLeft(strings.TrimSpace(line), "|"), "|"); !item && ok {
				text = strings.TrimSpace(cell)
			} else if !item {
				continue
			}
			first, _, _ := strings.Cut(text, " ")
			names := paths(text, false)
			if names == nil {
				names = paths(first, true)
			}
			switch {
			case len(names) > 0 && !spared.MatchString(line) && !unchanged.MatchString(line):
				files = append(files, names[0])
			case item && it.Indent < 2 && len(names) == 0:
				return nil // what changes is said otherwise
			}
		}
	}
	return files
}

// files gives a task the files that it says it changes. Where all tasks do, or a
// section lists them, what is named is what may be changed.
func (m *markdown) files(i int) {
	t := &m.Plan.Tasks[i]
	add := func(text string) { m.named(t, text, false) }
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
	if o := object.FindStringSubmatch(t.Title); o != nil && t.Files == nil && !spared.MatchString(t.Title) && !product.MatchString(o[1]) {
		m.named(t, o[1], true)
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
		name := fmt.Sprintf("%s %q on line %d", t.ID, clipped(t.Title), m.Places[fmt.Sprintf("tasks[%d]", i)].Line)
		if n := len(t.Steps); n > 0 {
			name += fmt.Sprintf(" with %d of its items as steps", n)
		}
		names = append(names, name)
	}
	if more := len(m.Plan.Tasks) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	text := "taken for tasks: " + strings.Join(names, "; ")
	if files := m.Plan.Tasks[0].PlanFiles; files != nil {
		text += "; what may change: " + told(files, "")
	}
	var checks, left []string
	for _, c := range m.Plan.Completion.Checks {
		checks = append(checks, c.String())
	}
	if checks != nil {
		text += "; decided at the end of the run: " + told(checks, "")
	}
	for n, s := range m.Sections {
		if boxes := m.Left(n); boxes > 0 {
			left = append(left, fmt.Sprintf("%d below %q on line %d", boxes, clipped(s.Title()), m.t.At(s.From).Line))
		}
	}
	if left != nil {
		text += "; checkboxes that are not taken: " + told(left, "in other places")
	}
	m.Report("taken-for-tasks", plan.Note, m.Places["tasks[0]"], "", text,
		"a checkbox for each task says so best:  - [ ] what is to be done")
}

// clipped is a title that is told among others.
func clipped(title string) string {
	if len(title) > maxTitle {
		return strings.ToValidUTF8(title[:maxTitle], "") + " …"
	}
	return title
}

// told are some things on one line, the first of very many.
func told(list []string, where string) string {
	if more := len(list) - maxTaken; more > 0 {
		list = append(slices.Clone(list[:maxTaken]), strings.TrimRight(fmt.Sprintf("and %d more %s", more, where), " "))
	}
	return strings.Join(list, ", ")
}
