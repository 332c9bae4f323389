package tasklist

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/internal/jsontree"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/outline"
)

// names are the ids in a list; nil where there is none.
func names(v jsontree.Value) []string {
	if v.Kind() != jsontree.Array {
		return nil
	}
	list := []string{}
	for d := range v.Each {
		if name := strings.TrimSpace(d.Text()); name != "" {
			list = append(list, name)
		}
	}
	return list
}

// paragraphs joins the texts of some members.
func paragraphs(v jsontree.Value, keys ...string) string {
	var list []string
	for _, key := range keys {
		if text := strings.TrimSpace(v.Get(key).Text()); text != "" {
			list = append(list, text)
		}
	}
	return strings.Join(list, "\n\n")
}

// bullets are the items of a text with a list in it, or the text as one.
func bullets(v jsontree.Value) []string {
	if v.Kind() == jsontree.Array {
		return names(v)
	}
	text := strings.TrimSpace(v.Text())
	if text == "" {
		return nil
	}
	var list []string
	for line := range strings.SplitSeq(text, "\n") {
		if it, ok := outline.ListItem(line); ok && it.Indent == 0 {
			list = append(list, it.Text)
		}
	}
	if list == nil {
		list = []string{text}
	}
	return list
}

// references judges what items say about each other. Lists are cut from larger
// ones, so a name that is not there only warns.
func (r *reader) references() {
	at := map[string]int{}
	for i, t := range r.Plan.Tasks {
		if first, ok := at[t.ID]; ok && strings.HasPrefix(t.ID, "T") {
			r.Report("task-duplicate-id", plan.Error, r.Places[fmt.Sprintf("tasks[%d]", i)], t.ID,
				fmt.Sprintf("there are two tasks %s, the first on line %d", t.ID,
					r.Places[fmt.Sprintf("tasks[%d]", first)].Line), "give each task an id of its own")
			continue
		}
		if _, ok := at[t.ID]; !ok {
			at[t.ID] = i
		}
	}
	for i, t := range r.Plan.Tasks {
		for _, name := range t.DependsOn {
			top, _, _ := strings.Cut(name, ".")
			if _, ok := at[name]; ok {
				continue
			}
			if _, ok := at[top]; ok && top != name {
				continue // a subtask
			}
			r.Report("task-dep-unknown", plan.Warning, r.dependsAt(i), t.ID,
				fmt.Sprintf("task %s depends on %q, which is not in this list", t.ID, name),
				"name an item of the list, or take the dependency out")
		}
	}
	r.Cycles(&r.Plan, func(task string) plan.Position { return r.dependsAt(at[task]) })
}

func (r *reader) dependsAt(i int) plan.Position {
	if p, ok := r.Places[fmt.Sprintf("tasks[%d].depends_on", i)]; ok {
		return p
	}
	return r.Places[fmt.Sprintf("tasks[%d]", i)]
}
