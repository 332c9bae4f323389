package evidence

import "strings"

// A TaskType says which evidence a task owes.
type TaskType string

const (
	Experimental  TaskType = "experimental"  // a run that the tracking server knows, and its files
	Documentation TaskType = "documentation" // its files
)

// experimental and documentation are the words that tell the type of a task,
// wherever they stand in what it is called. Those of experiments are looked for
// first.
var (
	experimental  = [...]string{"execute", "run", "diagnostic", "experiment", "gpu", "model"}
	documentation = [...]string{"write", "design", "draft", "doc", "paper"} // a document has doc in it
)

// TypeOf tells the type of a task by what is to be done, whatever the case of
// its letters: the first word that it contains decides, experiments before
// documents. Where none is there it is experimental, because too much evidence
// does less harm than too little.
func TypeOf(action string) TaskType {
	action = strings.ToLower(action)
	for _, word := range experimental {
		if strings.Contains(action, word) {
			return Experimental
		}
	}
	for _, word := range documentation {
		if strings.Contains(action, word) {
			return Documentation
		}
	}
	return Experimental
}

// A Claim is what is said about a task: by its plan, its reviewers and its
// jobs.
type Claim struct {
	Runs      []string // ids of runs that its jobs named
	Artifacts []string // paths that were declared, expected or named
}
