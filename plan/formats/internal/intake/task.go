package intake

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/planlock/planlock/internal/jsontree"
	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/outline"
	"github.com/planlock/planlock/plan/formats/internal/sketch"
)

// task reads one item of the list, whose JSON pointer is given.
func (r *reader) task(item jsontree.Value, at string, n int) {
	key := fmt.Sprintf("tasks[%d]", n)
	r.Places[key] = r.t.Offset(item.Offset())
	var t plan.Task
	if item.Kind() != jsontree.Object {
		t = plan.Task{ID: r.free(n), Title: item.Text()}
		r.silent[n] = true
		r.report("task-field-missing", plan.Error, item.Offset(), t.ID,
			fmt.Sprintf("%s is %s, not a task", at, item.Kind()),
			`write  {"task_id": 1, "priority": "HIGH", "action": "…", "acceptance_criteria": ["…"]}`)
		r.Plan.Tasks = append(r.Plan.Tasks, t)
		return
	}
	t.ID = r.id(item, at, n)
	r.Places[key+".id"] = r.t.Offset(item.Get("task_id").Offset())
	r.action(item, at, &t)
	r.criteria(item, at, &t)
	r.priority(item, at, &t)
	t.DependsOn = r.depends(item, at, key, t.ID)
	r.files(item, &t)
	r.hints(item, &t)
	t.Description = r.more(item, at, &t)
	t.Status = sketch.Status(item.Get("status").Text())
	t.Kind = item.Get("type").Text()
	r.Plan.Tasks = append(r.Plan.Tasks, t)
}

// scalar is the text of a value that says something: a text, a number, true or
// false.
func scalar(v jsontree.Value) string { return strings.TrimSpace(v.Text()) }

// absent reports a member that the format asks for.
func (r *reader) absent(item jsontree.Value, at, name, task string, severity plan.Severity, hint string) {
	v := item.Get(name)
	message, place := fmt.Sprintf("%s has no %s", at, name), item.Offset()
	switch {
	case v.OK() && v.Kind() == jsontree.Null:
		message, place = fmt.Sprintf("%s/%s is null", at, name), v.KeyOffset()
	case v.OK():
		message, place = fmt.Sprintf("%s/%s is %s and says nothing", at, name, v.Kind()), v.KeyOffset()
	}
	r.report("task-field-missing", severity, place, task, message, hint)
}

// id reads task_id. A task without one is called by its place.
func (r *reader) id(item jsontree.Value, at string, n int) string {
	id := scalar(item.Get("task_id"))
	if id == "" {
		id = r.free(n)
		r.silent[n] = true
		r.absent(item, at, "task_id", id, plan.Warning, fmt.Sprintf(`add  "task_id": %d`, n+1))
	} else if first, ok := r.ids[id]; ok {
		r.report("task-duplicate-id", plan.Error, item.Get("task_id").Offset(), id,
			fmt.Sprintf("%s/task_id is %q, as that of task %d in the list", at, id,
				first+1), "give each task an id of its own")
	}
	if _, ok := r.ids[id]; !ok {
		r.ids[id] = n
	}
	return id
}

// free is an id for the item at a place of the list.
func (r *reader) free(n int) string {
	id := strconv.Itoa(n + 1)
	for _, taken := r.ids[id]; taken; _, taken = r.ids[id] {
		id = "item-" + id
	}
	return id
}

// action reads what is to be done; the older name is understood.
func (r *reader) action(item jsontree.Value, at string, t *plan.Task) {
	if t.Title = scalar(item.Get("action")); t.Title != "" {
		return
	}
	for _, other := range []string{"description", "title", "task", "name"} {
		if t.Title = scalar(item.Get(other)); t.Title != "" {
			r.absent(item, at, "action", t.ID, plan.Warning, fmt.Sprintf("call the member %q  \"action\"", other))
			return
		}
	}
	r.absent(item, at, "action", t.ID, plan.Error, `add  "action": "…"`)
}

// criteria reads acceptance_criteria, a list of texts; other items are
// reported and left out.
func (r *reader) criteria(item jsontree.Value, at string, t *plan.Task) {
	v := item.Get("acceptance_criteria")
	switch v.Kind() {
	case jsontree.Array:
		t.AcceptanceCriteria = []string{}
		for c := range v.Each {
			if text := scalar(c); text != "" {
				t.AcceptanceCriteria = append(t.AcceptanceCriteria, text)
			} else {
				r.report("acceptance-invalid", plan.Warning, c.Offset(), t.ID,
					fmt.Sprintf("a criterion in %s/acceptance_criteria is %s", at, c.Kind()), "write a text")
			}
		}
	case jsontree.String:
		if text := scalar(v); text != "" {
			t.AcceptanceCriteria = []string{text}
		}
	}
	if len(t.AcceptanceCriteria) > 0 {
		return
	}
	place := item.Offset()
	if v.OK() {
		place = v.KeyOffset()
	}
	r.report("task-no-acceptance", plan.Warning, place, t.ID,
		fmt.Sprintf("%s has no acceptance_criteria: nothing says when it is done", at),
		`add  "acceptance_criteria": ["…"]`)
}

// priority reads HIGH, MEDIUM or LOW in any case. Another word, or a number,
// is kept as it stands, and the task comes after all others.
func (r *reader) priority(item jsontree.Value, at string, t *plan.Task) {
	if t.Priority = scalar(item.Get("priority")); t.Priority == "" {
		r.absent(item, at, "priority", t.ID, plan.Warning, `add  "priority": "HIGH", "MEDIUM" or "LOW"`)
		return
	}
	switch strings.ToUpper(t.Priority) {
	case "HIGH", "MEDIUM", "LOW":
	default:
		r.report("priority-unknown", plan.Warning, item.Get("priority").Offset(), t.ID,
			fmt.Sprintf("%s/priority is %q: the task comes after all others", at,
				t.Priority), "write HIGH, MEDIUM or LOW")
	}
}

// depends reads the names of tasks that come before.
func (r *reader) depends(item jsontree.Value, at, key, task string) []string {
	for _, name := range []string{"dependencies", "depends_on"} {
		v := item.Get(name)
		if !v.OK() || v.Kind() == jsontree.Null {
			continue
		}
		r.Places[key+".depends_on"] = r.t.Offset(v.Offset())
		names := []string{}
		if text := scalar(v); text != "" {
			names = append(names, text)
		}
		if v.Kind() == jsontree.Array {
			n := 0
			for d := range v.Each {
				r.Places[fmt.Sprintf("%s.depends_on[%d]", key, len(names))] = r.t.Offset(d.Offset())
				if text := scalar(d); text != "" {
					names = append(names, text)
				} else {
					r.report("task-dep-unknown", plan.Warning, d.Offset(), task,
						fmt.Sprintf("%s/%s/%d is %s, not the id of a task", at, name, n, d.Kind()), "write a task_id")
				}
				n++
			}
		}
		return names
	}
	return nil
}

// files reads what a task is to leave behind. Where it names that, it is what the
// task may change, and evidence with it.
func (r *reader) files(item jsontree.Value, t *plan.Task) {
	add := func(names ...string) {
		for _, name := range names {
			for p := range item.Get(name).Each {
				text := scalar(p)
				if text != "" && ledger.CheckPattern(text) == nil && !slices.Contains(t.Files, text) {
					t.Files = append(t.Files, text)
				}
			}
		}
	}
	if add("artifacts", "expected_artifacts", "files", "outputs"); len(t.Files) > 0 {
		add("evidence_paths")
		if r.Plan.Profile == "" { // the list says no other
			r.Plan.Profile = plan.Scoped
		}
	}
}

// hints reads what may help with a task, and why a run left it.
func (r *reader) hints(item jsontree.Value, t *plan.Task) {
	add := func(text string) {
		if text != "" && !slices.Contains(t.Hints, text) {
			t.Hints = append(t.Hints, text)
		}
	}
	if why := scalar(item.Get("reason")); item.Get("from_run").OK() && why != "" {
		add(plan.LeftBefore + why)
	}
	v := item.Get("hints")
	add(scalar(v))
	for hint := range v.Each {
		add(scalar(hint))
	}
}

// more keeps all else that a task says as its description, and the files that
// it names. What planlock said of a task that a run left is not the task's.
func (r *reader) more(item jsontree.Value, at string, t *plan.Task) string {
	known := map[string]bool{"task_id": true, "action": true, "acceptance_criteria": true, "priority": true,
		"dependencies": true, "depends_on": true, "status": true, "type": true, "hints": true}
	if item.Get("from_run").OK() { // a run left the task: what it says of itself is no part of it
		for _, name := range []string{"from_run", "reason", "attempts", "actions", "expected_artifacts"} {
			known[name] = true
		}
	}
	var lines []string
	for v := range item.Each {
		name := v.Key()
		if known[name] || v.Kind() == jsontree.Null || scalar(v) == t.Title && t.Title != "" {
			continue
		}
		known[name] = true
		r.idle(v, at, t)
		switch {
		case name == "evidence_paths" && v.Kind() == jsontree.Array:
			for p := range v.Each {
				lines = append(lines, "evidence: "+p.Text())
			}
		case name == "description" || name == "rationale":
			lines = append(lines, scalar(v))
		case v.Kind() == jsontree.Array || v.Kind() == jsontree.Object:
			lines = append(lines, name+": "+spaces.ReplaceAllString(v.Raw(), " "))
		default:
			lines = append(lines, name+": "+scalar(v))
		}
	}
	return strings.Join(lines, "\n")
}

// told are the keys of native steps and tasks that a task says for whoever carries
// it out, or that are read.
var told = []string{"id", "title", "description", "prompt", "files", "artifacts", "evidence", "purpose"}

// idle reports a member that acts in a step of a native plan and is text here.
func (r *reader) idle(v jsontree.Value, at string, t *plan.Task) {
	name := v.Key()
	acts := slices.Concat(plan.Names(new(plan.Step).Visit), plan.Names(new(plan.Task).Visit))
	if slices.Contains(told, name) || !slices.Contains(acts, name) {
		return
	}
	r.report("key-idle", plan.Warning, v.KeyOffset(), t.ID,
		fmt.Sprintf("nothing acts on %s/%s: it is told to whoever carries the task out", at, name),
		"it acts in a step of a native plan: planlock convert writes one")
}

var spaces = lazyre.New(`\s+`)

// references judges dependencies: names that are nowhere, and cycles.
func (r *reader) references() {
	for i := range r.Plan.Tasks {
		t := &r.Plan.Tasks[i]
		for k, name := range t.DependsOn {
			if j, ok := r.ids[name]; ok && !r.silent[j] {
				continue
			}
			at := r.Places[fmt.Sprintf("tasks[%d].depends_on[%d]", i, k)]
			if at.Line == 0 {
				at = r.Places[fmt.Sprintf("tasks[%d].depends_on", i)]
			}
			r.Report("task-dep-unknown", plan.Warning, at, t.ID,
				fmt.Sprintf("task %q depends on %q, which is no task_id in this list", t.ID, name),
				"write the task_id of a task that is there, or take the dependency out")
		}
	}
	r.Cycles(&r.Plan, func(task string) plan.Position {
		return r.Places[fmt.Sprintf("tasks[%d].depends_on", r.ids[task])]
	})
}

// setting is a JSON value as settings hold it; numbers keep their spelling.
func setting(v jsontree.Value) plan.Value {
	switch v.Kind() {
	case jsontree.Array:
		list := []plan.Value{}
		for it := range v.Each {
			list = append(list, setting(it))
		}
		return plan.Value{Kind: "array", List: list}
	case jsontree.Bool:
		return plan.Value{Kind: "boolean", Text: v.Text()}
	case jsontree.Object, jsontree.Null:
		return sketch.Text(spaces.ReplaceAllString(v.Raw(), " "))
	}
	return sketch.Text(v.Text())
}

// A reader goes through one file. It reads what is there and reports what is
// missing with a JSON pointer: lists are written by programs, and whoever
// mends a program looks for the path.
type reader struct {
	sketch.Sketch
	t      *outline.Text
	ids    map[string]int // tasks by their ids, from 0
	silent map[int]bool   // tasks whose id we gave
}

// report adds a diagnostic at an offset into the text.
func (r *reader) report(code string, severity plan.Severity, at int, task, message, hint string) {
	r.Report(code, severity, r.t.Offset(at), task, message, hint)
}

// prefixed is how JSON pointers into the list begin: with the key that it
// stands under, if it does.
func prefixed(wrapper string) string {
	if wrapper == "" {
		return ""
	}
	return "/" + pointer(wrapper)
}

// pointer spells a name as a part of a JSON pointer.
func pointer(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}
