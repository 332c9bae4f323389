package evidence

// A TaskType says which evidence a task owes.
type TaskType string

const (
	Experimental  TaskType = "experimental"  // a run that the tracking server knows, and its files
	Documentation TaskType = "documentation" // its files
)
