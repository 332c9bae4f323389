package temporal

import (
	"slices"
	"time"

	"github.com/planlock/planlock/exec/history"
)

// A Task is what owners have to carry out.
type Task struct {
	// Key tells it from all others of the workspace: one that is started twice is
	// carried out once.
	Key string `json:"key"`
	// Plan says where the plan is, in words of the host: the digest of its text among
	// the contents, say. The text itself does not belong here.
	Plan string `json:"plan,omitempty"`
	// Run is the id of the run that is to be gone on with; "": none has been begun.
	Run string `json:"run,omitempty"`
}

// A State is how a run stands, in few words: the truth is in its journal.
type State struct {
	Run    string         `json:"run,omitempty"` // its id; "" before there is one
	Status history.Status `json:"status,omitempty"`
	// Over says that the run has ended, and that nothing is left to do.
	Over bool `json:"over,omitempty"`
	// Questions are the ids of those that nobody has answered, a hundred at most.
	Questions []string `json:"questions,omitempty"`
	// Until is when the run goes on though nobody has answered; zero: never.
	Until time.Time `json:"until,omitzero"`
	Done  int       `json:"done,omitempty"`  // how many of the steps are over
	Steps int       `json:"steps,omitempty"` // how many there are
	// Says is why it does not go on, for people.
	Says string `json:"says,omitempty"`
}

// A Stop says who cancels a run, and why; see exec.Stop.
type Stop struct {
	By  string `json:"by"`
	Why string `json:"why"`
}

// maxQuestions is how many a state names.
const maxQuestions = 100

// StateOf is how a run stands, by its journal.
func StateOf(r *history.Run) State {
	s := State{Run: r.Started.Run, Status: r.Status, Over: r.Sealed != nil, Steps: len(r.Steps)}
	for _, step := range r.Steps {
		if step.Status.Over() {
			s.Done++
		}
	}
	for _, q := range r.Questions() {
		if len(s.Questions) < maxQuestions {
			s.Questions = append(s.Questions, q.ID)
		}
		if !q.Deadline.IsZero() && (s.Until.IsZero() || q.Deadline.Before(s.Until)) {
			s.Until = q.Deadline
		}
	}
	return s
}

// same reports whether a run stands where it stood.
func (s State) same(as State) bool {
	return s.Run == as.Run && s.Status == as.Status && s.Over == as.Over && s.Done == as.Done && s.Steps == as.Steps
}

// bounded is the state in as few bytes as the service is given.
func (s State) bounded() State {
	s.Says = short(s.Says)
	s.Questions = slices.Clone(s.Questions[:min(len(s.Questions), maxQuestions)])
	return s
}
