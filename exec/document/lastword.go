package document

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/evidence"
)

// A lastWord is what became of a task that somebody reviewed, or whose evidence
// was looked for.
type lastWord struct {
	history.TaskOutcome
	Lacking []evidence.Item `json:"lacking,omitempty"` // evidence that was looked for and not found
}

// lookedFor is what was found of what a task should have left behind.
type lookedFor struct {
	history.Evidence
	Undone bool `json:"undone"` // the run was set back to before the end of the task
}

func evidenceOf(r *history.Run) (all []lookedFor) {
	for _, e := range r.Evidence {
		all = append(all, lookedFor{e, e.Undone})
	}
	return all
}

// lastWordsOf are the last words that stand, in the order of the tasks.
func lastWordsOf(rep *Model, r *history.Run) []lastWord {
	var all []lastWord
	for _, t := range rep.Tasks {
		o := r.Task(t.ID).Outcome()
		if o == nil {
			continue
		}
		word := lastWord{TaskOutcome: *o}
		if e := r.Task(t.ID).Evidence(); e != nil {
			for _, item := range e.Items {
				if item.State != evidence.Found {
					word.Lacking = append(word.Lacking, item)
				}
			}
		}
		all = append(all, word)
	}
	return all
}

// lastWords writes what became of each task, with its runs and artifacts, and
// the evidence that is lacking. Nothing where no task has a last word.
func (d *document) lastWords(rep *Model) {
	if len(rep.LastWords) == 0 {
		return
	}
	d.section("What became of the tasks")
	var lacking []string
	d.table("", []string{"Task", "Status", "Approval", "Execution", "Evidence", "Attempts", "Runs", "Artifacts"},
		each(rep.LastWords, func(w lastWord) []string {
			o := w.TaskOutcome
			for _, item := range w.Lacking {
				lacking = append(lacking, fmt.Sprintf("task %s: %s %s is %s: %s", md(o.Task), md(string(item.Kind)),
					code(item.Name), md(string(item.State)), md(item.Why)))
			}
			return []string{md(o.Task), md(string(o.Status) + ": " + o.Reason), dash(md(string(o.Approval))),
				md(string(o.Execution)), md(string(o.Verification)),
				fmt.Sprint(o.Attempts), codes(o.Runs), codes(o.Artifacts)}
		}))
	if len(lacking) > 0 {
		d.put("\nEvidence that is lacking:\n\n")
		d.list("", lacking)
	}
}

// codes are names as they were given, or a dash where there are none.
func codes(names []string) string { return dash(strings.Join(each(names, code), " ")) }

// dash stands for what is not there.
func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
