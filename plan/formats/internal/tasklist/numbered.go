package tasklist

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/outline"
)

// A numberer reads the lists of Kiro and OpenSpec: items with numbers, of which 1.2
// is a step of 1, be that an item or the heading of a group.
type numberer struct {
	*list
	format  plan.Format
	tasks   map[string]int  // by id
	steps   map[string]bool // addresses
	group   int             // task of the heading above, -1
	at      part            // the item above, task -1 without
	indent  int             // of the item above
	level   int             // of the numbered heading above, 0 without
	free    int             // for groups without a number
	pending *pendingGroup
}

// A pendingGroup is a heading below which no item has been found yet.
type pendingGroup struct {
	line          int
	number, title string
	text          []int // lines below it
}

// parallelMark says that an item may run beside others.
var parallelMark = lazyre.New(`\s*\(P\)\s*`)

// readNumbered goes through a list of Kiro or OpenSpec line by line. It knows
// the item above and the group it is in; what has no number belongs to the
// item above it.
func readNumbered(r *list, format plan.Format) {
	n := &numberer{list: r, format: format, tasks: map[string]int{}, steps: map[string]bool{}, group: -1,
		at: part{-1, -1}}
	for i := range r.t.Lines {
		line := r.t.Line(i)
		if r.t.Lines[i].Hidden {
			if r.t.Lines[i].Code {
				n.above(i)
			}
			n.code(n.at, n.indent, i)
			continue
		}
		if level, text := outline.Heading(line); level > 0 {
			n.heading(i, level, text)
			continue
		}
		it, ok := box(line)
		if ok && r.full(r.t.At(i)) {
			return
		}
		switch {
		case !ok:
			n.detail(i)
		case numberedID.MatchString(it.Text) && strings.TrimSpace(it.Text) != "":
			n.item(i, it)
		default:
			n.plain(i, it, line)
		}
	}
}

// above keeps a line for the group of which no item has been found yet.
func (n *numberer) above(line int) {
	if n.pending != nil && n.at.task < 0 {
		n.pending.text = append(n.pending.text, line)
	}
}

// detail adds a line to the item above, or to the group.
func (n *numberer) detail(line int) {
	text := n.t.Line(line)
	if strings.TrimSpace(text) != "" {
		n.above(line)
	}
	if n.at.task >= 0 && strings.TrimSpace(text) != "" && outline.Width(text) > n.indent {
		n.describe(n.at.task, n.at.step, line)
	}
}

// heading remembers a group; it becomes a task with the first item that belongs
// to it. A heading without a number below a numbered one is only a part of
// that.
func (n *numberer) heading(line, level int, text string) {
	n.at, n.wave = part{-1, -1}, ""
	m := groupHead.FindStringSubmatch(text)
	switch {
	case m != nil:
		n.group, n.pending, n.level = -1, &pendingGroup{line: line, number: m[1], title: strings.TrimSpace(m[2])}, level
	case n.level > 0 && level > n.level:
	case n.format == OpenSpec && level == 2:
		n.group, n.pending, n.level = -1, &pendingGroup{line: line, title: text}, 0
	default:
		n.group, n.pending, n.level = -1, nil, 0
	}
}

// open makes a task of the group above.
func (n *numberer) open() {
	g := n.pending
	n.pending = nil
	if g == nil {
		return
	}
	id := g.number
	if id == "" {
		for n.free++; ; n.free++ {
			if id = "group-" + strconv.Itoa(n.free); n.tasks[id] == 0 {
				break
			}
		}
	}
	if i, ok := n.tasks[id]; ok {
		n.group = i
	} else {
		n.group = n.addTask(plan.Task{ID: id, Title: g.title}, g.line)
		n.tasks[id] = n.group
		n.Plan.Tasks[n.group].Steps = []plan.Step{}
	}
	for _, line := range g.text {
		n.describe(n.group, -1, line)
	}
}

// item adds an item with a number.
func (n *numberer) item(line int, it outline.Item) {
	m := numberedID.FindStringSubmatch(it.Text)
	id, status := m[1], statusOfBox(it.Box)
	title := strings.TrimSpace(it.Text[len(m[0]):])
	parallel := strings.HasPrefix(title, "(P)") || strings.HasSuffix(title, "(P)")
	if parallel {
		n.note("parallel", id)
		title = strings.TrimSpace(parallelMark.ReplaceAllString(title, " "))
	}
	optional := it.Star || m[3] == "*"
	if optional {
		n.note("optional", id)
	}
	n.indent = outline.Width(n.t.Line(line))
	sub := strings.Contains(id, ".")
	if sub && n.pending != nil && n.pending.number != "" && strings.HasPrefix(id, n.pending.number+".") {
		n.open()
	}
	if task, rest, ok := n.parent(id); ok {
		n.step(task, rest, title, status, optional, line)
		return
	}
	if !sub && n.format == OpenSpec && (n.group >= 0 || n.pending != nil) { // "## Group" with items 1, 2, 3
		n.open()
		n.step(n.group, id, title, status, optional, line)
		return
	}
	if _, ok := n.tasks[id]; ok {
		n.duplicate(id, line)
	}
	t := plan.Task{ID: id, Title: title, Status: status}
	if parallel { // steps of a task run one after another all the same
		n.beside(&t)
	}
	i := n.addTask(t, line)
	if _, ok := n.tasks[id]; !ok {
		n.tasks[id] = i
	}
	n.at = part{i, -1}
}

// parent finds the task that an item is a step of, by its number: 1.2, else 1,
// for 1.2.3.
func (n *numberer) parent(id string) (task int, rest string, ok bool) {
	for end := strings.LastIndexByte(id, '.'); end > 0; end = strings.LastIndexByte(id[:end], '.') {
		if task, ok = n.tasks[id[:end]]; ok {
			return task, id[end+1:], true
		}
	}
	return 0, "", false
}

// duplicate reports a number that stands twice. The second item is kept under
// the same number, so that nothing that a person wrote is lost; the error
// keeps the plan from running.
func (n *numberer) duplicate(id string, line int) {
	n.Report("task-duplicate-id", plan.Error, n.t.At(line), id, fmt.Sprintf("the number %s stands twice", id),
		"give each item a number of its own")
}

// step adds an item as a step of a task. One that may be left out is not
// critical.
func (n *numberer) step(task int, id, title string, status plan.Status, optional bool, line int) {
	t := &n.Plan.Tasks[task]
	s := plan.Step{ID: id, Description: title, Status: status}
	if optional {
		no := false
		s.Critical = &no
	}
	address := t.ID + "." + id
	if n.steps[address] {
		n.duplicate(address, line)
	}
	n.steps[address] = true
	n.at = part{task, len(t.Steps)}
	n.addStep(task, s, n.t.At(line))
}

// plain keeps an item without a number: as a step of its group where the list
// has no need of numbers, else with the text of the item above.
func (n *numberer) plain(line int, it outline.Item, text string) {
	if n.format == OpenSpec {
		n.open()
		n.indent = outline.Width(text)
		if n.group < 0 {
			id := fmt.Sprintf("item-%d", line+1)
			n.at = part{n.addTask(plan.Task{ID: id, Title: it.Text, Status: statusOfBox(it.Box)}, line), -1}
			return
		}
		n.step(n.group, fmt.Sprintf("item-%d", line+1), it.Text, statusOfBox(it.Box), false, line)
		return
	}
	if n.at.task >= 0 {
		n.describe(n.at.task, n.at.step, line)
		n.irregular(line, "with the text of the item above it", "give it a number, as in  - [ ] 1.2 text")
		return
	}
	id := fmt.Sprintf("item-%d", line+1)
	n.irregular(line, fmt.Sprintf("as task %q", id), "give it a number, as in  - [ ] 1. text")
	n.at = part{n.addTask(plan.Task{ID: id, Title: it.Text, Status: statusOfBox(it.Box)}, line), -1}
}
