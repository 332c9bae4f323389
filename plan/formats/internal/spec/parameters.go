package spec

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/planlock/planlock/internal/spelling"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/outline"
	"github.com/planlock/planlock/plan/internal/tomltree"
)

// readParameters reads parameters_NAME.toml, in all spellings that exist.
func readParameters(f *outline.Text) *half {
	h := &half{side: tomlSide, file: f}
	h.readTree()
	h.readGoal()
	h.rest.Profile = plan.Observe // unless the parameters say another
	for _, m := range h.root.Keys {
		h.table(m.Name, m.Value)
	}
	h.whole()
	for i, n := range tablesOf(h.root.Find("tasks")) {
		h.tasks = append(h.tasks, h.readTask(n, i))
	}
	for i, n := range tablesOf(h.root.Find("speclets")) {
		h.speclet(n, i)
	}
	h.nameDepends()
	for _, t := range h.tasks {
		h.keepExtras(t)
	}
	for _, s := range h.speclets {
		h.keep("speclets."+spelling.QuoteKey(s.id), s.extra)
	}
	return h
}

// maxFaults is how many values and keys are refused one by one.
const maxFaults = 100

// leastTable is how many bytes a table has on average at least, with its
// header. A file of smaller ones is no plan, and its tree would be much larger
// than itself.
const leastTable = 32

// readTree reads the whole file; of one that is no TOML, what stands before the
// fault.
func (h *half) readTree() {
	rules := tomltree.Rules{Tables: 1000 + len(h.file.Source())/leastTable}
	h.root, _ = tomltree.Parse([]byte(h.file.Source()), rules, func(f tomltree.Fault) {
		fatal := f.Kind == tomltree.NotText || f.Kind == tomltree.TooLarge || f.Kind == tomltree.NotTOML
		if fatal || len(h.faults) < maxFaults {
			h.faults = append(h.faults, fault{f.Offset, f.Text, fatal})
		}
	})
}

// tablesOf are the tables of a list; one table alone is a list of one.
func tablesOf(n *tomltree.Node) []*tomltree.Node {
	if n == nil {
		return nil
	}
	if n.Kind == tomltree.Table {
		return []*tomltree.Node{n}
	}
	var list []*tomltree.Node
	for _, item := range n.List {
		if item.Kind == tomltree.Table {
			list = append(list, item)
		}
	}
	return list
}

// readGoal reads [goal] and [goals], each a table, a text, or a list of them; in
// a table, too, a list has a goal for each text. A restatement of a goal is not a
// second one.
func (h *half) readGoal() {
	var add func(*tomltree.Node)
	add = func(g *tomltree.Node) {
		switch {
		case g == nil:
		case g.Kind == tomltree.String && strings.TrimSpace(g.Text) != "" &&
			!slices.ContainsFunc(h.goals, func(has said) bool { return sameText(has.text, g.Text) }):
			h.goals = append(h.goals, say(g.Text, g.At))
		case g.Kind == tomltree.Table:
			for _, name := range [...]string{"description", "statement", "goals"} {
				add(g.Find(name))
			}
		case g.Kind == tomltree.Array:
			for _, item := range g.List {
				add(item)
			}
		}
	}
	add(h.root.Find("goal"))
	add(h.root.Find("goals"))
}

// firstOf returns the first of the keys that a table has.
func firstIn(n *tomltree.Node, names ...string) *tomltree.Node {
	for _, name := range names {
		if v := n.Find(name); v != nil {
			return v
		}
	}
	return nil
}

// words is a text that a table has under the first of the keys; an empty one is
// not said.
func wordsIn(n *tomltree.Node, names ...string) said {
	for _, name := range names {
		if v := n.Find(name); v != nil && v.Kind == tomltree.String && strings.TrimSpace(v.Text) != "" {
			return say(v.Text, v.At)
		}
	}
	return said{}
}

// modeIn is what a table says of its mode; a value that is no text is none of the
// modes, and is reported where it stands.
func modeIn(n *tomltree.Node, names ...string) said {
	for _, name := range names {
		if v := n.Find(name); v != nil && v.Kind != tomltree.String {
			return say(cmp.Or(strings.TrimSpace(v.Text), "of a list or table"), v.At)
		}
	}
	return wordsIn(n, names...)
}

// A reading of a table notes which keys were read for their words, so that
// what stands under other names is kept.
type reading struct {
	table *tomltree.Node
	keys  []string
}

// words is what wordsIn finds where it was not read before. Keys that say
// nothing count as read.
func (r *reading) words(names ...string) said {
	for _, name := range names {
		if slices.Contains(r.keys, name) {
			continue
		}
		if found := wordsIn(r.table, name); found.ok {
			r.keys = append(r.keys, name)
			return found
		}
		if v := r.table.Find(name); v != nil && v.Kind == tomltree.String {
			r.keys = append(r.keys, name)
		}
	}
	return said{}
}

// flagIn is a truth that a table has under the first of the keys that is
// there. What stands there and is none is kept as it is shown, so that a rule
// can tell.
func flagIn(n *tomltree.Node, names ...string) flag {
	v := firstIn(n, names...)
	switch {
	case v == nil:
		return flag{}
	case v.Kind == tomltree.Boolean:
		yes := v.Text == "true"
		return flag{value: &yes, at: v.At}
	}
	return flag{at: v.At, odd: shown(v)}
}

// numberIn is a whole number that a table has under the first of the keys that
// is there, with the same care.
func numberIn(n *tomltree.Node, names ...string) number {
	v := firstIn(n, names...)
	if v == nil {
		return number{}
	}
	if i, err := strconv.Atoi(v.Text); v.Kind == tomltree.Integer && err == nil {
		return number{value: &i, at: v.At}
	}
	return number{at: v.At, odd: shown(v)}
}

// shown is a value as a message quotes it.
func shown(n *tomltree.Node) string {
	if n.Kind == tomltree.String {
		return strconv.Quote(n.Text)
	}
	if n.Text != "" {
		return n.Text
	}
	return "a list or table"
}

// ident is the id of a table: text as written, or a number. What has none is
// called by its place.
func identOf(n *tomltree.Node, index int) (id string, ok bool) {
	v := firstIn(n, "id", "task_id", "step_id", "speclet_id", "backup_id")
	switch {
	case v == nil:
	case v.Kind == tomltree.Float:
		return v.Raw, true
	case v.Kind == tomltree.String || v.Kind == tomltree.Integer:
		if id := strings.TrimSpace(v.Text); id != "" {
			return id, true
		}
	}
	return strconv.Itoa(index + 1), false
}

// flagOrDefault is what a task says of all its steps, or [defaults] of all
// steps.
func (h *half) flagOrDefault(n *tomltree.Node) flag {
	if f := flagIn(n, "critical_flag", "critical"); f.value != nil || f.odd != "" {
		return f
	}
	return flagIn(h.defaults, "critical_flag")
}

// retriesOrDefault is the same for how often a step may be tried again.
func (h *half) retriesOrDefault(n *tomltree.Node) number {
	if r := numberIn(n, "max_retries"); r.value != nil || r.odd != "" {
		return r
	}
	return numberIn(h.defaults, "max_retries")
}

// items are the texts and numbers of a list, or the one that stands there
// alone.
func itemsOf(n *tomltree.Node) []said {
	if n == nil {
		return nil
	}
	if n.Kind != tomltree.Array {
		if n.Kind == tomltree.Table || n.Text == "" {
			return []said{}
		}
		return []said{say(n.Text, n.At)}
	}
	list := []said{}
	for _, item := range n.List {
		if item.Kind != tomltree.Table && item.Kind != tomltree.Array {
			list = append(list, say(item.Text, item.At))
		}
	}
	return list
}

// textsOf are the texts alone; nil stays nil, which says that the source has
// no such list.
func textsOf(list []said) []string {
	if list == nil {
		return nil
	}
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = s.text
	}
	return texts
}

// others are the keys of a table that were not read, as settings.
func othersIn(n *tomltree.Node, read ...string) []plan.Setting {
	known := make(map[string]bool, len(read))
	for _, name := range read {
		known[name] = true
	}
	var list []plan.Setting
	for _, m := range n.Keys {
		if !known[m.Name] {
			list = m.Value.Settings(list, spelling.QuoteKey(m.Name))
		}
	}
	return list
}

// readTask reads one of [[tasks]] with its steps. Keys that mean nothing here
// are kept as settings. The index counts from 0 and names a task without an
// id.
func (h *half) readTask(n *tomltree.Node, index int) *task {
	id, ok := identOf(n, index)
	own := reading{table: n}
	t := &task{
		id: id, at: n.At, unnamed: !ok,
		title:     own.words("description", "name", "title"),
		critical:  h.flagOrDefault(n),
		mode:      modeIn(n, "mode").or(modeIn(h.defaults, "mode")),
		retries:   h.retriesOrDefault(n),
		balance:   n.Find("critical_balance"),
		dependsOn: textsOf(itemsOf(n.Find("depends_on"))),
	}
	t.sources, t.criteria = h.texts(n, "research_sources", t.id), h.texts(n, "acceptance_criteria", t.id)
	t.short = t.id
	if f := flagIn(n, "research_enabled"); f.value != nil {
		t.research = *f.value
	} else if f.odd != "" {
		h.idle(idle{ofTask.name, "research_enabled"}, f.at, t.id, "", func() (why, hint string) {
			return "it is " + f.odd, "write true or false without quotes"
		})
	}
	for i, s := range tablesOf(n.Find("steps")) {
		t.steps = append(t.steps, h.readStep(t.id, s, i))
	}
	t.act = new(plan.Task)
	t.acts, t.extra = h.native(ofTask, n, t.id, "", t.act.Visit, append(own.keys, "id", "task_id", "critical_flag", "critical",
		"mode", "max_retries", "depends_on", "research_sources", "acceptance_criteria", "research_enabled", "steps"))
	if v := n.Find("title"); v != nil && !slices.Contains(own.keys, "title") {
		t.extra = v.Settings(t.extra, "title") // the description is what the task is called
	}
	return t
}

// readStep reads a step in all spellings that were found: backups are tables,
// a list of texts, or keys such as backup_1. A name under which another key
// was read already is kept, so that nothing is lost. Everything else is said as
// in native plans.
func (h *half) readStep(task string, n *tomltree.Node, index int) *step {
	id, ok := identOf(n, index)
	own := reading{table: n}
	s := &step{
		id: local(task, id), at: n.At, unnamed: !ok,
		title:       own.words("description", "action", "name", "title"),
		method:      own.words("primary_method", "action", "method"),
		expected:    wordsIn(n, "expected_output"),
		critical:    flagIn(n, "critical_flag", "critical"),
		mode:        modeIn(n, "mode"),
		retries:     numberIn(n, "max_retries"),
		components:  itemsOf(n.Find("components")),
		constraints: itemsOf(n.Find("constraints")),
	}
	read := append(own.keys, "id", "step_id", "expected_output", "critical_flag", "critical", "mode", "max_retries",
		"components", "constraints", "backups", "backup_methods")
	for i, b := range tablesOf(n.Find("backups")) {
		id, written := identOf(b, i)
		if !written {
			id = s.nextBackup()
		}
		s.backups = append(s.backups, h.readBackup(task, s.id, id, b))
	}
	for _, b := range itemsOf(n.Find("backup_methods")) {
		if b.text == "" {
			continue
		}
		s.backups = append(s.backups, &backup{id: s.nextBackup(), at: b.at, text: b})
	}
	if list := n.Find("backups"); list != nil && list.Kind == tomltree.Array && !list.Listed() {
		for _, b := range itemsOf(list) {
			s.backups = append(s.backups, &backup{id: s.nextBackup(), at: b.at, text: b})
		}
	}
	for _, m := range n.Keys {
		if id, ok := strings.CutPrefix(m.Name, "backup_"); ok && m.Value.Kind == tomltree.String && isNumber(id) {
			read = append(read, m.Name)
			if strings.TrimSpace(m.Value.Text) == "" {
				continue
			}
			s.backups = append(s.backups, &backup{id: id, at: m.Value.At, text: say(m.Value.Text, m.Value.At)})
		}
	}
	s.act = new(plan.Step)
	h.inherit(s.act)
	s.acts, s.extra = h.native(ofStep, n, task, s.id, s.act.Visit, read)
	return s
}

// isNumber reports whether a text has digits and nothing else.
func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// readBackup reads a backup that is a table.
func (h *half) readBackup(task, step, id string, n *tomltree.Node) *backup {
	own := reading{table: n}
	b := &backup{
		id: local(task+"."+step, id), at: n.At,
		text:    own.words("description", "action", "method", "name"),
		method:  own.words("action", "method"),
		trigger: wordsIn(n, "trigger_condition", "trigger").text,
		how:     wordsIn(n, "execution_method").text,
		tool:    wordsIn(n, "tool_path").text,
		args:    textsOf(itemsOf(n.Find("tool_args"))),
	}
	_, b.extra = h.native(ofBackup, n, task, step, b.act.Visit, append(own.keys, "id", "backup_id",
		"trigger_condition", "trigger",
		"execution_method", "tool_path", "tool_args"))
	return b
}

// speclet reads one of [[speclets]], and the tasks that stand in it: task 2 of
// speclet 1 is task 1.2.
func (h *half) speclet(n *tomltree.Node, index int) {
	id, ok := identOf(n, index)
	own := reading{table: n}
	if name := wordsIn(n, "name"); !ok && name.ok {
		id = name.text
	}
	s := &speclet{id: id, name: wordsIn(n, "name").text, at: n.At,
		title:    own.words("description", "title", "purpose", "name"),
		parallel: flagIn(n, "parallel_allowed")}
	if deps := firstIn(n, "depends_on", "dependencies"); deps != nil {
		s.depends = append(s.depends, statement{itemsOf(deps), deps.At})
	}
	tasks := n.Find("tasks")
	nested := tablesOf(tasks)
	if tasks != nil {
		s.listed = true
		s.tasks = itemsOf(tasks)
	}
	for i, item := range nested {
		t := h.readTask(item, i)
		t.speclet = s
		if !strings.HasPrefix(t.id, s.id+".") {
			t.id = s.id + "." + t.short
		}
		s.tasks = append(s.tasks, say(t.id, t.at))
		h.tasks = append(h.tasks, t)
	}
	_, s.extra = h.native(ofSpeclet, n, "", "", s.act.Visit, append(own.keys, "id", "speclet_id", "name", "depends_on",
		"dependencies", "parallel_allowed", "tasks"))
	h.speclets = append(h.speclets, s)
}
