package spec

import (
	"strconv"
	"strings"

	"github.com/planlock/planlock/plan"
)

// readParameters reads parameters_NAME.toml, in all spellings that exist.
func readParameters(f *file) *half {
	h := &half{side: tomlSide, file: f}
	h.root, h.faults = readTOML(f.text)
	h.readGoal()
	for _, m := range h.root.members {
		h.table(m.name, m.value)
	}
	for i, n := range tablesOf(h.root.find("tasks")) {
		h.tasks = append(h.tasks, readTask(n, i))
	}
	for i, n := range tablesOf(h.root.find("speclets")) {
		h.speclet(n, i)
	}
	h.nameDepends()
	for i := range h.tasks {
		h.keepExtras(h.tasks[i])
	}
	return h
}

// tablesOf are the tables of a list; one table alone is a list of one.
func tablesOf(n *node) []*node {
	if n == nil {
		return nil
	}
	if n.kind == kindTable {
		return []*node{n}
	}
	var list []*node
	for _, item := range n.list {
		if item.kind == kindTable {
			list = append(list, item)
		}
	}
	return list
}

func (h *half) readGoal() {
	n := h.root.find("goal")
	if n == nil {
		n = h.root.find("goals")
	}
	if n == nil {
		return
	}
	if n.kind == kindString {
		h.goals = append(h.goals, say(n.text, n.at))
		return
	}
	for _, t := range tablesOf(n) {
		for _, name := range [...]string{"description", "statement"} {
			if g := t.find(name); g != nil && g.kind == kindString && strings.TrimSpace(g.text) != "" &&
				(len(h.goals) == 0 || !sameText(h.goals[len(h.goals)-1].text, g.text)) {
				h.goals = append(h.goals, say(g.text, g.at))
			}
		}
	}
}

// firstOf returns the first of the keys that a table has.
func (n *node) firstOf(names ...string) *node {
	for _, name := range names {
		if v := n.find(name); v != nil {
			return v
		}
	}
	return nil
}

// words is a text that a table has under the first of the keys; an empty one is not said.
func (n *node) words(names ...string) said {
	for _, name := range names {
		if v := n.find(name); v != nil && v.kind == kindString && strings.TrimSpace(v.text) != "" {
			return say(v.text, v.at)
		}
	}
	return said{}
}

func (n *node) flag(names ...string) flag {
	v := n.firstOf(names...)
	switch {
	case v == nil:
		return flag{}
	case v.kind == kindBoolean:
		yes := v.text == "true"
		return flag{value: &yes, at: v.at}
	}
	return flag{at: v.at, odd: v.shown()}
}

func (n *node) number(names ...string) number {
	v := n.firstOf(names...)
	if v == nil {
		return number{}
	}
	if i, err := strconv.Atoi(v.text); v.kind == kindInteger && err == nil {
		return number{value: &i, at: v.at}
	}
	return number{at: v.at, odd: v.shown()}
}

// shown is a value as a message quotes it.
func (n *node) shown() string {
	if n.kind == kindString {
		return strconv.Quote(n.text)
	}
	if n.text != "" {
		return n.text
	}
	return "a list or table"
}

// ident is the id of a table: text as written, or a number. What has none is called by its place.
func (n *node) ident(index int) (id string, ok bool) {
	v := n.firstOf("id", "task_id", "step_id", "speclet_id", "backup_id")
	switch {
	case v == nil:
	case v.kind == kindFloat:
		return v.raw, true
	case v.kind == kindString || v.kind == kindInteger:
		if id := strings.TrimSpace(v.text); id != "" {
			return id, true
		}
	}
	return strconv.Itoa(index + 1), false
}

// items are the texts and numbers of a list, or the one that stands there alone.
func (n *node) items() []said {
	if n == nil {
		return nil
	}
	if n.kind != kindArray {
		if n.kind == kindTable || n.text == "" {
			return []said{}
		}
		return []said{say(n.text, n.at)}
	}
	list := []said{}
	for _, item := range n.list {
		if item.kind != kindTable && item.kind != kindArray {
			list = append(list, say(item.text, item.at))
		}
	}
	return list
}

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
func (n *node) others(read ...string) []plan.Setting {
	known := make(map[string]bool, len(read))
	for _, name := range read {
		known[name] = true
	}
	var list []plan.Setting
	for _, m := range n.members {
		if !known[m.name] {
			list = settingsOf(list, keyOf(m.name), m.value)
		}
	}
	return list
}

func readTask(n *node, index int) *task {
	id, ok := n.ident(index)
	t := &task{
		id: id, at: n.at, unnamed: !ok,
		title:     n.words("description", "name", "title"),
		critical:  n.flag("critical_flag", "critical"),
		mode:      n.words("mode"),
		retries:   n.number("max_retries"),
		balance:   n.find("critical_balance"),
		dependsOn: textsOf(n.find("depends_on").items()),
		sources:   textsOf(n.find("research_sources").items()),
		criteria:  textsOf(n.find("acceptance_criteria").items()),
	}
	t.short = t.id
	if f := n.flag("research_enabled"); f.value != nil {
		t.research = *f.value
	}
	for i, s := range tablesOf(n.find("steps")) {
		t.steps = append(t.steps, readStep(t.id, s, i))
	}
	read := []string{"description", "title"}
	if n.find("description") == nil {
		read = append(read, "name")
	}
	t.extra = n.others(append(read, "id", "task_id", "critical_flag", "critical", "mode", "max_retries",
		"depends_on", "research_sources", "acceptance_criteria", "research_enabled", "steps")...)
	return t
}

func readStep(task string, n *node, index int) *step {
	id, ok := n.ident(index)
	s := &step{
		id: local(task, id), at: n.at, unnamed: !ok,
		title:       n.words("description", "action", "name", "title"),
		method:      n.words("primary_method", "method"),
		expected:    n.words("expected_output"),
		critical:    n.flag("critical_flag", "critical"),
		mode:        n.words("mode"),
		retries:     n.number("max_retries"),
		components:  n.find("components").items(),
		constraints: n.find("constraints").items(),
	}
	read := []string{"id", "step_id", "description", "name", "title", "primary_method", "expected_output", "critical_flag",
		"critical", "mode", "max_retries", "components", "constraints", "backups", "backup_methods"}
	if n.find("description") == nil {
		read = append(read, "action")
	}
	if n.find("primary_method") == nil {
		read = append(read, "method")
	}
	for i, b := range tablesOf(n.find("backups")) {
		s.backups = append(s.backups, readBackup(b, i))
	}
	for i, b := range n.find("backup_methods").items() {
		if b.text == "" {
			continue
		}
		s.backups = append(s.backups, &backup{id: strconv.Itoa(i + 1), at: b.at, text: b})
	}
	if list := n.find("backups"); list != nil && list.kind == kindArray && !list.listed {
		for i, b := range list.items() {
			s.backups = append(s.backups, &backup{id: strconv.Itoa(i + 1), at: b.at, text: b})
		}
	}
	for _, m := range n.members {
		if id, ok := strings.CutPrefix(m.name, "backup_"); ok && m.value.kind == kindString && isNumber(id) {
			read = append(read, m.name)
			if strings.TrimSpace(m.value.text) == "" {
				continue
			}
			s.backups = append(s.backups, &backup{id: id, at: m.value.at, text: say(m.value.text, m.value.at)})
		}
	}
	s.extra = n.others(read...)
	return s
}

func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

func readBackup(n *node, index int) *backup {
	id, _ := n.ident(index)
	return &backup{
		id: id, at: n.at,
		text:    n.words("description", "action", "method", "name"),
		trigger: n.words("trigger_condition", "trigger").text,
		how:     n.words("execution_method").text,
		tool:    n.words("tool_path").text,
		args:    textsOf(n.find("tool_args").items()),
		extra: n.others("id", "description", "action", "method", "name", "trigger_condition", "trigger", "execution_method",
			"tool_path", "tool_args"),
	}
}

// speclet reads one of [[speclets]], and the tasks that stand in it: task 2 of speclet 1 is task 1.2.
func (h *half) speclet(n *node, index int) {
	id, ok := n.ident(index)
	if name := n.words("name"); !ok && name.ok {
		id = name.text
	}
	s := &speclet{id: id, name: n.words("name").text, at: n.at, title: n.words("description", "title", "purpose", "name"),
		parallel: n.flag("parallel_allowed")}
	if deps := n.firstOf("depends_on", "dependencies"); deps != nil {
		s.depends = append(s.depends, statement{deps.items(), deps.at})
	}
	tasks := n.find("tasks")
	nested := tablesOf(tasks)
	if tasks != nil {
		s.listed = true
		s.tasks = tasks.items()
	}
	for i, item := range nested {
		t := readTask(item, i)
		t.speclet = s
		if !strings.HasPrefix(t.id, s.id+".") {
			t.id = s.id + "." + t.short
		}
		s.tasks = append(s.tasks, say(t.id, t.at))
		h.tasks = append(h.tasks, t)
	}
	s.extra = n.others("id", "speclet_id", "name", "description", "title", "depends_on", "dependencies", "parallel_allowed", "tasks")
	h.speclets = append(h.speclets, s)
}
