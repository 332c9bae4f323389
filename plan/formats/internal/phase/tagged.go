package phase

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan"
)

var (
	// attribute is one of a tag, in either kind of quotes.
	attribute = lazyre.New(`([A-Za-z_][\w:-]*)\s*=\s*(?:"([^"]*)"|'([^']*)')`)
	// numberOf is the number that a title begins with: "Task 3: Title".
	numberOf = lazyre.New(`^(?i:task)\s+(\d[\w.]*)\s*[:.–—-]`)
)

// taskTag reads a line that holds nothing but <task …>, and returns its
// attributes. A tag in a sentence is none: prose speaks of tasks, and only a
// line of its own begins one.
func taskTag(line string) (attributes string, ok bool) {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "<task") || !strings.HasSuffix(line, ">") {
		return "", false
	}
	attributes = line[len("<task") : len(line)-1]
	ok = (attributes == "" || strings.IndexByte(" \t/", attributes[0]) >= 0) &&
		strings.IndexByte(attributes, '<') < 0 && strings.IndexByte(attributes, '>') < 0
	return attributes, ok
}

// tagged finds tasks between tags that have a line of their own. Depth is
// counted, so that a plan within a plan is text of the task that holds it;
// fences are not, since they are often nested wrongly. A task that is not
// closed goes on to the end of the file, and is reported.
func (r *reader) tagged(from int) []task {
	var tasks []task
	depth, open := 0, 0
	var attributes string
	for i := from; i < len(r.t.Lines); i++ {
		line := r.t.Line(i)
		if !strings.Contains(line, "task") || !strings.Contains(line, "<") {
			continue
		}
		if strings.TrimSpace(line) == "</task>" {
			if depth == 1 {
				tasks = append(tasks, r.tag(open, i, attributes))
			}
			depth = max(0, depth-1)
			continue
		}
		found, ok := taskTag(line)
		switch {
		case !ok:
		case strings.HasSuffix(strings.TrimSpace(found), "/"):
			if depth == 0 {
				tasks = append(tasks, r.tag(i, i, found))
			}
		default:
			if depth == 0 {
				open, attributes = i, found
			}
			depth++
		}
		if r.full(len(tasks), i) {
			return tasks
		}
	}
	if depth > 0 {
		r.report("task-not-closed", plan.Warning, r.t.At(open),
			"the task is not closed, so it goes on to the end of the file",
			"add a line  </task>  where it ends")
		tasks = append(tasks, r.tag(open, len(r.t.Lines), attributes))
	}
	return tasks
}

// tag reads the task whose tags stand on two lines: attributes, then elements
// in it, and labels where it has no elements. Its body is all of it as
// written, which is what an agent is given.
func (r *reader) tag(open, end int, attributes string) task {
	t := task{line: open, end: end + 1, dependsAt: open}
	var unread []string
	for _, m := range attribute.FindAllStringSubmatch(attributes, -1) {
		v := strings.TrimSpace(m[2] + m[3])
		switch m[1] {
		case "id":
			t.id = v
		case "type":
			t.kind = v
		case "priority":
			t.priority = v
		case "status":
			t.status = v
		case "tdd":
			t.tdd = v == "true"
		case "wave":
			t.wave = value{kind: 's', text: v, line: open}
		case "depends_on", "depends-on":
			t.depends = splitNames(v)
		case "name", "title":
			t.title = v
		case "gate": // a checkpoint stops the run in any case
		default:
			unread = append(unread, m[1])
		}
	}
	if len(unread) > 0 {
		r.report("key-without-effect", plan.Warning, r.t.At(open),
			fmt.Sprintf("the task has %s, which nothing acts on", strings.Join(unread, ", ")),
			"a task has id, type, priority, status, tdd, wave, depends_on, gate and name")
	}
	from := min(open+1, end)
	t.body = strings.TrimSpace(r.t.Join(from, end))
	elements := r.elements(from, end)
	for _, e := range elements {
		t.element(e)
	}
	if t.title == "" {
		r.headingInside(&t, from, end)
	}
	if len(elements) == 0 {
		r.fields(&t, from, end)
	}
	if m := numberOf.FindStringSubmatch(t.title); m != nil {
		t.number = m[1]
	}
	return t
}

// headingInside takes the title of a task from the heading in it.
func (r *reader) headingInside(t *task, from, end int) {
	for _, h := range r.titles {
		if h.line >= from && h.line < end {
			t.title = h.text
			return
		}
		if h.line >= end {
			return
		}
	}
}
