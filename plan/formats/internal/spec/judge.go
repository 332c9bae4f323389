package spec

import (
	"strconv"

	"github.com/planlock/planlock/plan"
)

// A judged pair is what the rules look at. A half that is not there is nil.
type judged struct {
	markdown, toml *half // the files
	m, t           *half // of them what can be judged: a file that was not read to its end says nothing
	titles         map[[2]string]string
	paired         []stepPairing
	methods        map[*step]said
	ordered        *plan.Graph
}

// A reporter takes what a rule found: in a file, at an offset, for a task and a
// step or neither.
type reporter func(h *half, at int, task, step, message, hint string)

// settle chooses how tasks inside [[speclets.tasks]] are called, as the
// Markdown calls them: by their own id, or with that of the speclet before it.
// And speclets that the Markdown calls by a name of the parameters get their
// ids.
func (j *judged) settle() {
	known := j.markdown.taskIDs()
	own, full := 0, 0
	for _, t := range j.toml.tasks {
		if t.speclet != nil {
			own += count(known[t.short])
			full += count(known[t.id])
		}
	}
	j.markdown.resolve(j.toml.names())
	if own <= full {
		return
	}
	for _, t := range j.toml.tasks {
		if t.speclet == nil {
			continue
		}
		for i := range t.speclet.tasks {
			if t.speclet.tasks[i].text == t.id {
				t.speclet.tasks[i].text = t.short
			}
		}
		t.id = t.short
	}
}

// count is 1 for true, for sums.
func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// judge puts the pair before every rule.
func (j *judged) judge() []plan.Diagnostic {
	j.m, j.t = j.markdown, j.toml
	if j.t != nil && j.t.broken() {
		j.t = nil
	}
	if j.m != nil && j.m.broken() {
		j.m = nil
	}
	var found []plan.Diagnostic
	for _, r := range rules() {
		said := 0
		r.judge(j, func(h *half, at int, task, step, message, hint string) {
			if said++; said > maxOfOne {
				return
			}
			found = append(found, plan.Diagnostic{Code: r.code, Severity: r.severity, Message: message, Hint: hint,
				Task: task, Step: step, Pos: h.file.Offset(at)})
		})
		if said > maxOfOne {
			last := &found[len(found)-1]
			last.More = said - maxOfOne
			last.Message += "; and " + strconv.Itoa(last.More) + " more of this kind"
		}
	}
	return found
}

// maxOfOne is how often one rule is reported; the last of them tells how many
// there are.
const maxOfOne = 500

// both reports whether there are two halves to compare.
func (j *judged) both() bool { return j.m != nil && j.t != nil }

// called is the title that a task, or a step of it, has in the Markdown, or "".
func (j *judged) called(taskID, stepID string) string {
	if j.titles == nil {
		j.titles = map[[2]string]string{}
		j.m.steps(func(t *task, s *step) { j.titles[[2]string{t.id, s.id}] = s.title.text })
		if j.m != nil {
			for _, t := range j.m.tasks {
				j.titles[[2]string{t.id, ""}] = t.title.text
			}
		}
	}
	return j.titles[[2]string{taskID, stepID}]
}

// graph is the order of the speclets, worked out once.
func (j *judged) graph(h *half) *plan.Graph {
	if j.ordered == nil {
		j.ordered = h.graph()
	}
	return j.ordered
}
