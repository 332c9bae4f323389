package search

import (
	"strings"

	"github.com/planlock/planlock/gate/evidence"
)

// experimental and documentation are the words that tell the type of a task,
// wherever they stand in what it is called. Those of experiments are looked for
// first.
var (
	experimental  = [...]string{"execute", "run", "diagnostic", "experiment", "gpu", "model"}
	documentation = [...]string{"write", "design", "draft", "doc", "paper"} // a document has doc in it
)

// typeOf tells the type of a task by what is to be done, whatever the case of
// its letters: the first word that it contains decides, experiments before
// documents. Where none is there it is experimental: see Policy.TypeOf.
func typeOf(action string) evidence.TaskType {
	action = strings.ToLower(action)
	for _, word := range experimental {
		if strings.Contains(action, word) {
			return evidence.Experimental
		}
	}
	for _, word := range documentation {
		if strings.Contains(action, word) {
			return evidence.Documentation
		}
	}
	return evidence.Experimental
}
