package tasklist

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/jsontree"
	"github.com/planlock/planlock/plan/formats/internal/outline"
)

// statusOf says how far an item is; words of another meaning, like "deferred", stay as they are.
func statusOf(word string) plan.Status {
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "", "open", "pending", "todo":
		return plan.Open
	case "in-progress", "in_progress":
		return plan.InProgress
	case "done", "closed", "completed", "complete":
		return plan.Done
	}
	return plan.Status(word)
}

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

// quoted spells a name as a part of a dotted key.
func quoted(name string) string {
	if name != "" && strings.IndexFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	}) < 0 {
		return name
	}
	return strconv.Quote(name)
}

// references judges what items say about each other. Lists are cut from larger ones, so a name that is not there only warns.
func (r *reader) references() {
	at := map[string]int{}
	for i, t := range r.p.Tasks {
		if first, ok := at[t.ID]; ok && strings.HasPrefix(t.ID, "T") {
			r.report("task-duplicate-id", plan.Error, r.places[fmt.Sprintf("tasks[%d]", i)], t.ID,
				fmt.Sprintf("there are two tasks %s, the first on line %d", t.ID, r.places[fmt.Sprintf("tasks[%d]", first)].Line), "give each task an id of its own")
			continue
		}
		if _, ok := at[t.ID]; !ok {
			at[t.ID] = i
		}
	}
	for i, t := range r.p.Tasks {
		for _, name := range t.DependsOn {
			top, _, _ := strings.Cut(name, ".")
			if _, ok := at[name]; ok {
				continue
			}
			if _, ok := at[top]; ok && top != name {
				continue // a subtask
			}
			r.report("task-dep-unknown", plan.Warning, r.dependsAt(i), t.ID, fmt.Sprintf("task %s depends on %q, which is not in this list", t.ID, name),
				"name an item of the list, or take the dependency out")
		}
	}
	for _, cycle := range r.p.Graph().Cycles {
		r.report("task-cycle", plan.Error, r.dependsAt(at[cycle[0]]), cycle[0], "tasks wait for each other: "+chain(cycle), "take one of the dependencies out")
	}
}

func (r *reader) dependsAt(i int) plan.Position {
	if p, ok := r.places[fmt.Sprintf("tasks[%d].depends_on", i)]; ok {
		return p
	}
	return r.places[fmt.Sprintf("tasks[%d]", i)]
}

// chain names a cycle; one of many keeps its ends.
func chain(cycle []string) string {
	const most = 40
	if n := len(cycle); n > most {
		return strings.Join(cycle[:most/2], " → ") + fmt.Sprintf(" → … %d more … → ", n-most) + strings.Join(cycle[n-most/2:], " → ")
	}
	return strings.Join(cycle, " → ")
}
