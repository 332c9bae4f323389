package evidence

// A TaskType says which evidence a task owes.
type TaskType string

const (
	Experimental  TaskType = "experimental"  // a run that the tracking server knows, and its files
	Documentation TaskType = "documentation" // its files
)

// A Claim is what is said about a task: by its plan, its reviewers and its
// jobs.
type Claim struct {
	Runs      []string // ids of runs that its jobs named
	Artifacts []string // paths that were declared, expected or named
}
