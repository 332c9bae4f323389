package phase

import (
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
)

var (
	// taskHeading is "Task 3: Title", "Task #3 (optional) - Title", "Task
	// T1-001: Title".
	taskHeading = lazyre.New(`^(?i:task)\s+#?([A-Za-z]{0,6}\d[\w.-]*|[A-Z]{1,6}-\d[\w.-]*)(?:\s*\([^()]*\))?\s*(?:(?:[:.]|[–—-])\s+(.*)|:)?$`)
	// codeHeading is a task that is called by a code alone: "WP1-T1: Title",
	// "T3.2: Title", "T3: Title".
	codeHeading = lazyre.New(`^((?:[A-Z]{1,4}\d+[-.])?T\d+(?:[.-]\d+)*[A-Za-z]?):\s*(.*)$`)
	// partedHeading is one whose code has parts, and needs no colon: "T4-01
	// Title", "T4-01 - Title", "T4-01".
	partedHeading = lazyre.New(`^((?:[A-Z]{1,4}\d+-)?T\d+-\d+)(?:\s+(?:[–—-]\s+)?(.*))?$`)
	// doneMark stands before the title of what was done.
	doneMark = lazyre.New(`^(?:\[[xX]\]|✅|☑️?|✔️?)\s*`)
	// openMark stands before the title of what was not.
	openMark = lazyre.New(`^(?:\[ ?\]|⬜|☐|🔲|⏳|🚧)\s*`)
)

// taskOf reads a heading as that of a task.
func taskOf(h heading) (task, bool) {
	if len(h.text) > maxPart || !strings.ContainsAny(h.text, "0123456789") {
		return task{}, false
	}
	text, status := h.text, ""
	if text[0] == '[' || text[0] >= 0x80 {
		if m := doneMark.FindString(text); m != "" {
			text, status = text[len(m):], "done"
		} else if m := openMark.FindString(text); m != "" {
			text = text[len(m):]
		}
	}
	if inner, ok := strings.CutPrefix(text, "**"); ok && strings.HasSuffix(inner, "**") {
		text = strings.TrimSuffix(inner, "**")
	}
	m := taskHeading.FindStringSubmatch(text)
	if m == nil {
		m = codeHeading.FindStringSubmatch(text)
	}
	if m == nil {
		m = partedHeading.FindStringSubmatch(text)
	}
	if m == nil {
		return task{}, false
	}
	id := strings.TrimRight(m[1], ".-")
	title := strings.TrimSpace(m[2])
	for _, mark := range []string{"✅", "☑", "✔"} {
		if strings.HasSuffix(title, mark) {
			title, status = strings.TrimSpace(strings.TrimSuffix(title, mark)), "done"
		}
	}
	return task{line: h.line, dependsAt: h.line, id: id, title: title, status: status}, true
}

// headed finds tasks that are headings. A task ends at the next heading of its
// level or above, or at the next task, whatever its level. Elements are read
// before labels and hidden from them, so that nothing is read twice.
func (r *reader) headed(int) []task {
	var tasks []task
	var levels []int
	for _, h := range r.titles {
		if t, ok := taskOf(h); ok {
			tasks = append(tasks, t)
			levels = append(levels, h.level)
		}
		if r.full(len(tasks), h.line) {
			break
		}
	}
	next := 0
	for i := range tasks {
		end := len(r.t.Lines)
		if i+1 < len(tasks) {
			end = tasks[i+1].line
		}
		for next < len(r.titles) && r.titles[next].line <= tasks[i].line {
			next++
		}
		for k := next; k < len(r.titles) && r.titles[k].line < end; k++ {
			if r.titles[k].level <= levels[i] {
				end = r.titles[k].line
			}
		}
		t := &tasks[i]
		t.end = end
		t.body = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(r.t.Join(t.line+1, end)), "\n---"))
		for _, e := range r.elements(t.line+1, end) {
			t.element(e)
			r.hideElement(e)
		}
		r.fields(t, t.line+1, end)
	}
	return tasks
}

// hideElement keeps the lines of an element from being read as labels.
func (r *reader) hideElement(e element) {
	r.t.Hide(e.line, e.line+1+strings.Count(e.text, "\n"))
}
