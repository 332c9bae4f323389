package intake

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/jsontree"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/outline"
	"github.com/planlock/planlock/plan/formats/internal/sketch"
)

// wrappers are the keys under which the list of tasks is looked for first.
var wrappers = []string{"decisions", "tasks", "pending_actions", "actions", "items"}

// Detect names the format of a JSON text, or says that it is unknown: pending
// actions, or a contract. Text that is not JSON is pending actions if the file
// is called so, or if it shows the keys of a task.
func Detect(name string, text []byte) plan.Format {
	if len(text) > sketch.MaxSize {
		return plan.Unknown
	}
	text = outline.Body(text)
	if trimmed := bytes.TrimSpace(text); len(trimmed) == 0 || trimmed[0] != '[' && trimmed[0] != '{' {
		return plan.Unknown
	}
	src := string(text)
	named := strings.Contains(strings.ToLower(path.Base(strings.ReplaceAll(name, `\`, "/"))), "pending_actions")
	root, err := jsontree.ParseAll(src)
	if err != nil {
		if named || strings.Contains(src, `"task_id"`) || strings.Contains(src, `"acceptance_criteria"`) &&
			strings.Contains(src, `"action"`) {
			return plan.PendingActions
		}
		return plan.Unknown
	}
	if root.Get("verdict").OK() && (root.Get("flags").OK() || root.Get("checks").OK() ||
		root.Get("proposed_jobs").OK()) {
		return Contract
	}
	if list, _ := find(root); named || list.OK() && (looksLike(list) || empty(list)) {
		return plan.PendingActions
	}
	return plan.Unknown
}

// looksLike reports whether one of the first items of a list is a task in the
// manner of this format. Task lists of other tools have "id" and "title".
func looksLike(list jsontree.Value) bool {
	n := 0
	for it := range list.Each {
		if it.Get("task_id").OK() || it.Get("action").OK() && !it.Get("title").OK() {
			return true
		}
		if n++; n == 20 {
			break
		}
	}
	return false
}

// empty reports whether a list has no items: there is nothing to do, which is
// what a team hands on that found nothing.
func empty(list jsontree.Value) bool {
	for range list.Each {
		return false
	}
	return true
}

// find returns the list of tasks, and the key of the object in which it lies.
func find(root jsontree.Value) (list jsontree.Value, wrapper string) {
	if root.Kind() == jsontree.Array {
		return root, ""
	}
	for _, name := range wrappers {
		if v := root.Get(name); v.Kind() == jsontree.Array {
			return v, name
		}
	}
	for v := range root.Each {
		if v.Kind() == jsontree.Array && looksLike(v) {
			return v, v.Key()
		}
	}
	return jsontree.Value{}, ""
}

// Read reads a file of pending actions, or a contract; name stands in
// positions. What is wrong with it is in the draft. The error is a *[plan.SizeError].
func Read(name string, text []byte) (*plan.Draft, error) {
	if err := sketch.CheckSize(name, text); err != nil {
		return nil, err
	}
	if Detect(name, text) == Contract {
		return readContract(name, text), nil
	}
	r := &reader{Sketch: sketch.New(), t: outline.New(name, text), ids: map[string]int{}, silent: map[int]bool{}}
	src := r.t.Join(0, len(r.t.Lines))
	root, err := jsontree.ParseAll(src)
	var bad *jsontree.Error
	if errors.As(err, &bad) {
		r.report("json-parse-error", plan.Error, bad.Offset, "", "this is not JSON: "+bad.Reason,
			"mend this place; nothing of the list was read")
	} else {
		r.document(root)
	}
	r.Broken = bad != nil
	return r.Draft(plan.PendingActions, plan.Text{Path: name, Text: text}), nil
}

// document reads the list and what stands around it.
func (r *reader) document(root jsontree.Value) {
	r.Plan.Meta.Name = strings.TrimSuffix(path.Base(strings.ReplaceAll(r.t.Name, `\`, "/")), ".json")
	list, wrapper := find(root)
	r.Places["goal"] = r.t.Offset(root.Offset())
	for _, key := range []string{"context", "description", "goal"} {
		v := root.Get(key)
		if v.Kind() == jsontree.Object { // as the table of a native plan
			v = v.Get("description")
		}
		if v.Kind() == jsontree.String && r.Plan.Goal == "" {
			r.Plan.Goal, r.Places["goal"] = strings.TrimSpace(v.Text()), r.t.Offset(v.Offset())
		}
	}
	switch {
	case !list.OK():
		r.report("no-tasks", plan.Error, root.Offset(), "", "there is no list of tasks",
			`write an array:  [{"task_id": 1, "priority": "HIGH", "action": "…", "acceptance_criteria": ["…"]}]`)
		return
	case wrapper != "":
		r.report("list-wrapped", plan.Note, list.KeyOffset(), "",
			fmt.Sprintf("the list of tasks is wrapped in an object, at /%s", pointer(wrapper)),
			"make the array the whole document")
		r.around(root, wrapper)
	}
	n := 0
	for item := range list.Each {
		if n == sketch.MaxTasks {
			r.report("too-many-tasks", plan.Error, item.Offset(), "",
				fmt.Sprintf("the list has more than %d tasks; the rest is not read",
					sketch.MaxTasks), "split the list up")
			break
		}
		r.task(item, fmt.Sprintf("%s/%d", prefixed(wrapper), n), n)
		n++
	}
	if n == 0 {
		r.report("no-tasks", plan.Error, list.Offset(), "", "the list of tasks is empty",
			`add  {"task_id": 1, "priority": "HIGH", "action": "…", "acceptance_criteria": ["…"]}`)
	}
	r.references()
	if n > 0 {
		r.order()
	}
}

// order keeps in which order the tasks are to be carried out. The plan itself
// keeps the order of the file.
func (r *reader) order() {
	var ids []string
	for _, i := range byPriority(r.Plan.Tasks) {
		ids = append(ids, r.Plan.Tasks[i].ID)
	}
	r.Plan.Settings = append(r.Plan.Settings, plan.Setting{Key: "intake.order_by_priority", Value: sketch.Texts(ids)})
}

// byPriority orders tasks by their priority, HIGH before MEDIUM before LOW
// before all else, otherwise as they are; it returns their indexes.
// Dependencies are not looked at.
func byPriority(tasks []plan.Task) []int {
	order := make([]int, len(tasks))
	for i := range order {
		order[i] = i
	}
	rank := func(i int) int {
		if n := slices.Index([]string{"HIGH", "MEDIUM", "LOW"},
			strings.ToUpper(strings.TrimSpace(tasks[i].Priority))); n >= 0 {
			return n
		}
		return 3
	}
	slices.SortStableFunc(order, func(a, b int) int { return rank(a) - rank(b) })
	return order
}
