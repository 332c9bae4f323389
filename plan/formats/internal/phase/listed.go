package phase

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/outline"
)

// entryID begins an entry of a list of tasks in YAML.
var entryID = lazyre.New(`^([ \t]*)- id:\s*\S`)

var (
	// anyEntry begins an entry of a list, whatever its first key.
	anyEntry = lazyre.New(`^([ \t]*)- [A-Za-z_]+:`)
	// furtherID is an id that is not the first key of its entry.
	furtherID = lazyre.New(`^[ \t]+id:[ \t]*\S`)
)

// maxKeys is how many lines of an entry are looked through for its id.
const maxKeys = 20

// listed finds tasks that are entries of a YAML list, "- id: T3-01" with keys
// below. An entry ends where the indentation does. Each is read on its own, so
// that a fault in one does not hide the others. One among them that has no id is
// no task, and is reported.
func (r *reader) listed(from int) []task {
	var tasks []task
	behind, level := -1, -1 // the line behind the latest entry, and its indentation
	for i := from; i < len(r.t.Lines); i++ {
		line := r.t.Line(i)
		if r.t.Lines[i].Hidden || !strings.Contains(line, "- ") {
			continue
		}
		m := anyEntry.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		indent := outline.Width(m[1])
		has := entryID.MatchString(line) || r.identified(i, indent)
		if !has && (i != behind || indent != level) {
			continue
		}
		end := i + 1
		for end < len(r.t.Lines) && r.within(end, indent) {
			end++
		}
		if has {
			tasks = append(tasks, r.entry(i, end, len(m[1]), len(tasks) < maxYAML))
		} else {
			r.report("key-without-effect", plan.Warning, r.t.At(i), "an entry of the list has no id, and is no task",
				"give it one, as in  - id: T1-02")
		}
		i, behind, level = end-1, end, indent
		if r.full(len(tasks), i) {
			break
		}
	}
	return tasks
}

// within reports whether a line belongs to an entry of so much indentation.
func (r *reader) within(i, indent int) bool {
	line := r.t.Line(i)
	return strings.TrimSpace(line) == "" || outline.Width(line) > indent
}

// identified reports whether an entry has an id that is not its first key.
func (r *reader) identified(from, indent int) bool {
	for i := from + 1; i < min(len(r.t.Lines), from+maxKeys) && r.within(i, indent); i++ {
		if furtherID.MatchString(r.t.Line(i)) {
			return true
		}
	}
	return false
}

// unlisted tells of entries that have the id of a task where the tasks of the file
// have another form, and none of them has that id.
func (r *reader) unlisted(from int) {
	known := map[string]bool{}
	for i := range r.tasks {
		known[fold(r.tasks[i].id)] = true
	}
	for i := from; i < len(r.t.Lines); i++ {
		line := r.t.Line(i)
		if r.t.Lines[i].Hidden || !strings.Contains(line, "- id:") || !entryID.MatchString(line) {
			continue
		}
		_, id, _ := strings.Cut(line, "- id:")
		id = unquote(id)
		if t, ok := taskOf(heading{line: i, text: id}); ok && !known[fold(t.id)] {
			known[fold(t.id)] = true
			r.report("key-without-effect", plan.Warning, r.t.At(i),
				fmt.Sprintf("%q is no task of the plan: its tasks have another form than an entry of a list", id),
				"write all tasks in one form")
		}
	}
}

// entry reads the lines of one entry, whose mark stands behind so many blanks;
// strictly as YAML first, and line by line where that fails, so that what a
// person can read is read.
func (r *reader) entry(from, end, blanks int, strictly bool) task {
	text := r.t.Join(from, end)
	mark := text[blanks:]
	rows := strings.Split(text[:blanks]+"  "+strings.TrimPrefix(mark, "- "), "\n")
	checks := map[int]string{} // by line: tags as the other forms have them, which are no YAML
	for i, row := range rows {
		if tag, is := strings.CutPrefix(strings.TrimSpace(row), "<verify>"); is && strings.HasSuffix(tag, "</verify>") {
			checks[from+i], rows[i] = strings.TrimSuffix(tag, "</verify>"), ""
		}
	}
	keys := strings.Join(rows, "\n")
	var v value
	var err error
	if strictly = strictly && len(keys) < maxMatter; strictly {
		v, err = parseYAML(keys, from)
	}
	if strictly && (err != nil || v.kind != 'm') {
		at, why := from, "it is no list of keys and values"
		if err != nil {
			at, why = yamlLine(err, from)
		}
		r.report("task-parse-error", plan.Warning, r.t.At(min(at, end-1)), "the task is no YAML: "+why,
			"write texts with a colon in quotes; the rest was read line by line")
		strictly = false
	}
	if !strictly {
		flush := strings.Join(outline.Dedent(strings.Split(keys, "\n")), "\n")
		v = readLines(outline.New(r.t.Name, []byte(flush)), 0, end-from)
		for k := range v.items {
			v.items[k].line += from
		}
	}
	t := task{line: from, end: end, dependsAt: from, id: v.get("id").text, status: v.get("status").text,
		estimate: v.get("estimate").text, estimateAt: v.get("estimate").line,
		kind: v.get("type").text, priority: v.get("priority").text, wave: v.get("wave"),
		about: v.get("description").text,
		body:  strings.TrimSpace(text)}
	for _, key := range []string{"title", "name", "task"} {
		if t.title == "" {
			t.title = v.get(key).text
		}
	}
	for _, key := range []string{"files", "files_modified", "files_hint"} {
		if f := v.get(key); f.kind != 0 {
			t.files = splitFiles(f.list())
		}
	}
	if d := v.get("depends_on"); d.kind != 0 {
		t.depends, t.dependsAt = listedNames(d.list()), d.line
	}
	for _, key := range []string{"acceptance", "acceptance_criteria"} {
		if a := v.get(key); a.kind != 0 {
			t.acceptance, t.acceptanceAt = a.texts(), a.line
		}
	}
	if c := v.get("verify"); c.kind != 0 {
		t.verified(strings.Join(c.texts(), "\n"), c.line)
	}
	for _, line := range slices.Sorted(maps.Keys(checks)) {
		t.verified(checks[line], line)
	}
	t.expected = v.get("done").text
	for _, m := range v.items {
		t.unread(m.key, m.line)
	}
	return t
}
