package tasklist

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/planlock/planlock/internal/jsontree"
	"github.com/planlock/planlock/internal/spelling"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/decidable"
	"github.com/planlock/planlock/plan/formats/internal/sketch"
)

// A taskMaster reads tasks.json: one list, or one for each tag.
type taskMaster struct{ *list }

// readTaskMaster reads the document. It parses, as it was detected by parsing
// it.
func readTaskMaster(l *list) {
	r := &taskMaster{l}
	root, _ := jsontree.ParseAll(r.t.Join(0, len(r.t.Lines)))
	if name := root.Get("meta").Get("projectName"); name.OK() {
		r.Plan.Goal, r.Places["goal"] = strings.TrimSpace(name.Text()), r.t.Offset(name.Offset())
	}
	if list := root.Get("tasks"); list.Kind() == jsontree.Array {
		r.tag("", list)
		return
	}
	for tag := range root.Each {
		if list := tag.Get("tasks"); list.Kind() == jsontree.Array {
			r.tag(tag.Key(), list)
		}
	}
}

// tag reads the tasks of one tag.
func (r *taskMaster) tag(tag string, list jsontree.Value) {
	before := map[string]bool{}
	for _, t := range r.Plan.Tasks {
		before[t.ID] = true
	}
	seen, shared := map[string]bool{}, false
	for v := range list.Each {
		if r.full(r.t.Offset(v.Offset())) {
			break
		}
		t := plan.Task{ID: v.Get("id").Text(), Title: strings.TrimSpace(v.Get("title").Text()),
			Priority: v.Get("priority").Text(),
			Status:   sketch.Status(v.Get("status").Text()), DependsOn: names(v.Get("dependencies"))}
		t.Description = paragraphs(v, "description", "details", "testStrategy")
		t.AcceptanceCriteria = bullets(v.Get("acceptanceCriteria"))
		if t.ID == "" {
			t.ID = fmt.Sprintf("item-%d", len(r.Plan.Tasks)+1)
			r.Report("item-irregular", plan.Warning, r.t.Offset(v.Offset()), t.ID,
				"the task has no id; it is kept as "+t.ID, `add  "id": 1`)
		}
		if seen[t.ID] {
			r.Report("task-duplicate-id", plan.Error, r.t.Offset(v.Get("id").Offset()), t.ID,
				fmt.Sprintf("there are two tasks %s", t.ID), "give each task an id of its own")
		}
		shared = shared || before[t.ID]
		seen[t.ID] = true
		if tag != "" {
			r.note("tags."+spelling.QuoteKey(tag), t.ID)
		}
		i := r.addTaskAt(t, r.t.Offset(v.Offset()))
		if d := v.Get("dependencies"); d.OK() {
			r.Places[fmt.Sprintf("tasks[%d].depends_on", i)] = r.t.Offset(d.Offset())
		}
		r.tested(part{i, -1}, v)
		r.subtasks(i, v.Get("subtasks"))
	}
	if shared {
		r.Report("tags-share-ids", plan.Warning, r.t.Offset(list.KeyOffset()), "",
			fmt.Sprintf("the tasks of tag %q have ids that those of another tag have", tag),
			"take the tag that is to be run into a file of its own")
	}
}

// subtask adds a subtask as a step; n counts from 0 and names one without an
// id.
func (r *taskMaster) subtasks(task int, list jsontree.Value) {
	t := &r.Plan.Tasks[task]
	var subs []jsontree.Value
	order := plan.Plan{}
	for v := range list.Each {
		if r.items+len(subs) >= sketch.MaxTasks {
			break
		}
		sub := plan.Task{ID: fmt.Sprint(len(subs))}
		subs, order.Tasks = append(subs, v), append(order.Tasks, sub)
	}
	place := map[string]int{}
	for i, v := range subs {
		if id := local(t, v.Get("id").Text()); id != "" {
			place[id] = i
		}
	}
	for i, v := range subs {
		for d := range v.Get("dependencies").Each {
			if j, ok := place[local(t, d.Text())]; ok {
				order.Tasks[i].DependsOn = append(order.Tasks[i].DependsOn, fmt.Sprint(j))
			}
		}
	}
	for _, i := range r.sequence(t, subs, &order) {
		r.subtask(task, subs[i], i)
	}
}

// local is the id of a subtask within its task: 2 for 7.2 in task 7.
func local(t *plan.Task, id string) string {
	if inner, ok := strings.CutPrefix(id, t.ID+"."); ok {
		return inner
	}
	return id
}

// sequence orders subtasks; those that wait for each other stay as they are.
func (r *taskMaster) sequence(t *plan.Task, subs []jsontree.Value, p *plan.Plan) []int {
	for i := range p.Tasks {
		p.Tasks[i].Steps = []plan.Step{{Address: plan.Address(p.Tasks[i].ID)}}
	}
	g := p.Graph()
	order := make([]int, 0, len(subs))
	for _, a := range g.Order {
		i, _ := strconv.Atoi(string(a))
		order = append(order, i)
	}
	for _, cycle := range g.Cycles {
		i, _ := strconv.Atoi(cycle[0])
		var ids []string
		for _, c := range cycle {
			k, _ := strconv.Atoi(c)
			ids = append(ids, subs[k].Get("id").Text())
		}
		r.Report("subtask-cycle", plan.Warning, r.t.Offset(subs[i].Get("dependencies").Offset()), t.ID,
			fmt.Sprintf("subtasks of task %s wait for each other: %s; they stay in the order of the file", t.ID,
				sketch.Chain(ids)), "take one of the dependencies out")
	}
	if len(order) == len(subs) {
		return order
	}
	order = order[:0]
	for i := range subs {
		order = append(order, i)
	}
	return order
}

// subtask makes a step of a subtask. One without an id is named by its place.
func (r *taskMaster) subtask(task int, v jsontree.Value, n int) {
	t := &r.Plan.Tasks[task]
	s := plan.Step{ID: local(t, v.Get("id").Text()), Description: strings.TrimSpace(v.Get("title").Text()),
		Status: sketch.Status(v.Get("status").Text())}
	if s.ID == "" {
		s.ID = fmt.Sprintf("item-%d", n+1)
	}
	s.Prompt = strings.TrimSpace(s.Description + "\n\n" +
		paragraphs(v, "description", "details", "testStrategy", "acceptanceCriteria"))
	r.addStep(task, s, r.t.Offset(v.Offset()))
	at := part{task, len(t.Steps) - 1}
	r.criteria(at, bullets(v.Get("acceptanceCriteria")), r.place(at))
	r.tested(at, v)
}

// tested reads how a task or a subtask is verified.
func (r *taskMaster) tested(at part, v jsontree.Value) {
	if how := v.Get("testStrategy"); how.OK() {
		r.verified(at, decidable.Of(how.Text()), r.t.Offset(how.Offset()))
	}
}

// readBeads reads one issue from each line. A line that is none is reported, and
// the others are read.
func readBeads(r *list) {
	seen := map[string]bool{}
	for i := range r.t.Lines {
		line := r.t.Line(i)
		if strings.TrimSpace(line) == "" {
			continue
		}
		if r.full(r.t.At(i)) {
			return
		}
		v, err := jsontree.ParseAll(line)
		var bad *jsontree.Error
		switch {
		case errors.As(err, &bad):
			at := r.t.Offset(r.t.Start(i) + bad.Offset)
			r.Report("json-parse-error", plan.Error, at, "", "the line is not JSON: "+bad.Reason,
				"mend the line; the others were read")
		case v.Get("id").Text() == "":
			r.Report("item-irregular", plan.Warning, r.t.At(i), "", "the line is no issue with an id",
				`write  {"id": "bd-1", "title": "…", "status": "open"}`)
		default:
			if id := v.Get("id"); seen[id.Text()] {
				r.Report("task-duplicate-id", plan.Error, r.t.Offset(r.t.Start(i)+id.Offset()), id.Text(),
					fmt.Sprintf("there are two issues %q", id.Text()), "keep one of them")
			}
			seen[v.Get("id").Text()] = true
			readIssue(r, i, v)
		}
	}
}

// readIssue adds an issue as a task. Only "blocks" is a dependency; how else
// issues hang together is kept as a note.
func readIssue(r *list, line int, v jsontree.Value) {
	t := plan.Task{ID: v.Get("id").Text(), Title: strings.TrimSpace(v.Get("title").Text()),
		Priority: v.Get("priority").Text(),
		Kind:     v.Get("issue_type").Text(), Status: sketch.Status(v.Get("status").Text()), Description: paragraphs(v,
			"description", "design", "notes"),
		AcceptanceCriteria: bullets(v.Get("acceptance_criteria"))}
	deps := v.Get("dependencies")
	if deps.Kind() == jsontree.Array {
		t.DependsOn = []string{}
	}
	for d := range deps.Each {
		on, how := d.Get("depends_on_id").Text(), d.Get("type").Text()
		if how == "blocks" {
			t.DependsOn = append(t.DependsOn, on)
		} else if on != "" {
			r.note(spelling.QuoteKey(how), t.ID+" "+on)
		}
	}
	i := r.addTask(t, line)
	if deps.OK() {
		r.Places[fmt.Sprintf("tasks[%d].depends_on", i)] = r.t.Offset(r.t.Start(line) + deps.Offset())
	}
}
