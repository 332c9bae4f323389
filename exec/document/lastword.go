package document

import (
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
