package tasklist

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/outline"
)

// timestamp is the time in parentheses that an item of Progress begins with.
var timestamp = lazyre.New(`^\((\d{4}-\d\d-\d\d[^()]{0,20})\)\s*`)

// readExecPlan reads the items of the section Progress as tasks, and the first
// paragraph of Purpose as the goal.
func readExecPlan(r *list) {
	inside, purpose, last := "", []string(nil), -1
	level := 0
	for i := range r.t.Lines {
		if r.t.Lines[i].Hidden {
			r.code(part{last, -1}, 0, i)
			continue
		}
		line := r.t.Line(i)
		if l, text := outline.Heading(line); l > 0 {
			if inside == "" || l <= level {
				inside, level = section(text), l
			}
			last = -1
			continue
		}
		it, ok := box(line)
		trimmed := strings.TrimSpace(line)
		switch {
		case inside == "progress" && ok && r.full(r.t.At(i)):
			return
		case inside == "progress" && ok:
			last = progress(r, i, it)
		case inside == "progress":
			r.detail(last, i)
		case inside == "purpose" && purpose == nil && trimmed != "":
			purpose = []string{trimmed}
			r.Places["goal"] = r.t.At(i)
		case inside == "purpose" && trimmed != "" && r.Plan.Goal == "":
			purpose = append(purpose, trimmed)
		case inside == "purpose" && purpose != nil && r.Plan.Goal == "":
			r.Plan.Goal = strings.Join(purpose, " ")
		}
	}
	if r.Plan.Goal == "" {
		r.Plan.Goal = strings.Join(purpose, " ")
	}
}

// progress adds an item of the section Progress. A time of day that it begins
// with tells when it was finished, and is no part of its title.
func progress(r *list, line int, it outline.Item) int {
	t := plan.Task{ID: fmt.Sprint(len(r.Plan.Tasks) + 1), Title: it.Text, Status: statusOfBox(it.Box)}
	if m := timestamp.FindStringSubmatch(it.Text); m != nil {
		t.Title = strings.TrimSpace(it.Text[len(m[0]):])
		r.note("finished", t.ID+" "+m[1])
	}
	return r.addTask(t, line)
}
