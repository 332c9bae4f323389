package history

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Asked is an escalation.
type Asked struct {
	Question ask.Question `json:"question"`
}

func (*Asked) Type() string { return "asked" }

func (f *Asked) String() string { return f.Question.ID + ": " + f.Question.What }

// Answered is a decision on one.
type Answered struct {
	Answer ask.Answer `json:"answer"`
}

func (*Answered) Type() string { return "answered" }

func (f *Answered) String() string {
	return sprint("%s: %s by %s: %s", f.Answer.Question, f.Answer.Choice, f.Answer.By, f.Answer.Reason)
}

// Unanswered says that an escalation was refused, or an answer to it, or that
// nobody answered by its deadline.
type Unanswered struct {
	Question string `json:"question"`
	Why      string `json:"why"`
	Final    bool   `json:"final"`             // false: the question stands
	Expired  bool   `json:"expired,omitempty"` // it waits from now on without a deadline
}

func (*Unanswered) Type() string { return "unanswered" }

func (f *Unanswered) String() string { return f.Question + ": " + f.Why }

// Remembered says that somebody wanted a choice to be remembered, and what came
// of it.
type Remembered struct {
	ID       string       `json:"id,omitempty"` // of the remembered choice; "" if it was not remembered
	Question string       `json:"question"`
	Kind     ask.Kind     `json:"kind"`
	Step     plan.Address `json:"step,omitempty"` // "": for the whole plan
	Choice   string       `json:"choice"`
	Reason   string       `json:"reason,omitempty"`
	By       string       `json:"by"`
	At       time.Time    `json:"at"`
	Why      string       `json:"why,omitempty"` // it was not remembered

	Plan ledger.Digest `json:"-"` // of which it is remembered; set by the fold
}

func (*Remembered) Type() string { return "remembered" }

func (f *Remembered) String() string {
	if f.ID == "" {
		return sprint("%s was not remembered: %s", f.Choice, f.Why)
	}
	return sprint("%s as %s, for questions of the kind %s", f.Choice, f.ID, f.Kind)
}

// An Addendum is an answer that became part of the plan's record. Addenda are
// chained: each has the digest of the link before it (see [Amended] for the
// others), the first has the plan's, so that what a run was allowed to do
// follows from the last digest. A journal in which the chain does not hold is
// refused.
type Addendum struct {
	Number       int          `json:"number"` // from 1
	Step         plan.Address `json:"step,omitempty"`
	Question     string       `json:"question"`
	Kind         ask.Kind     `json:"kind"`
	Choice       string       `json:"choice"`
	Acknowledged string       `json:"acknowledged,omitempty"`
	Reason       string       `json:"reason,omitempty"`
	By           string       `json:"by"`
	// Artifacts are declared for the step from now on, besides the plan's own.
	// Nil: none.
	Artifacts *ledger.Declared `json:"artifacts,omitempty"`
	// MaxFiles, MaxLines and Modules are the step's limits from now on, where
	// the person acknowledged that they were exceeded; nil leaves a limit as
	// the plan has it.
	MaxFiles *int     `json:"max_files,omitempty"`
	MaxLines *int     `json:"max_lines,omitempty"`
	Modules  []string `json:"modules,omitempty"`
	// Unread are paths of source files of which the person said that the step
	// keeps what it promised of them, though nobody could read it.
	Unread []string `json:"unread,omitempty"`

	Prev   ledger.Digest `json:"prev"`   // of the link before it, or of the plan
	Digest ledger.Digest `json:"digest"` // of all of the above
}

func (*Addendum) Type() string { return "addendum" }

func (f *Addendum) String() string {
	return sprint("number %d, in answer to %s: %s by %s", f.Number, f.Question, f.Choice, f.By)
}

// Seal returns a with its place in a chain: number, the digest of what is
// before it, and its own digest.
func (a Addendum) Seal(number int, prev ledger.Digest) Addendum {
	a.Number, a.Prev = number, prev
	// what is not UTF-8 is replaced on the way to a journal, and the digest is
	// of what stands there
	if text, err := json.Marshal(a); err == nil {
		var written Addendum
		if json.Unmarshal(text, &written) == nil {
			a = written
		}
	}
	a.Digest = a.sum()
	return a
}

// sum is the digest that a must have.
func (a Addendum) sum() ledger.Digest {
	a.Digest = ""
	sum, err := sumLink("planlock.addendum/1", a)
	if err != nil {
		panic("history: an addendum cannot be encoded: " + err.Error()) // only strings, numbers and lists
	}
	return sum
}

// Unheard are questions about the step from before the run was set back to before
// it, whose answers no attempt can have heard: the next one does.
func (s *Step) Unheard() (found []Exchange) {
	for _, x := range s.Earlier {
		heard := func(a *Attempt) bool { return a.Number > x.Question.Attempt }
		if x.Answer != nil && !slices.ContainsFunc(s.Undone, heard) {
			found = append(found, x)
		}
	}
	return found
}

// Issues are what people said because of which a step is done again, oldest
// first: what they found at checkpoints after it was done, and what they had to
// say when a phase was tried once more of which it had failed.
func (r *Run) Issues(of *Step) (found []ask.Answer) {
	for _, s := range r.Consulted() {
		for _, x := range s.Earlier {
			about := x.Question.Kind == ask.Checkpoint || x.Question.Kind == ask.Chain
			if about && x.Question.Target == of.Address && x.Answer != nil && x.Answer.Reason != "" {
				found = append(found, *x.Answer)
			}
		}
	}
	return found
}

// OwesLesson is the question that explained a step of which something ran, which
// is over and of which no lesson is noted yet; nil where none is to be noted.
func (s *Step) OwesLesson() *Exchange {
	if s.Lesson != nil || !s.Status.Over() || len(s.Attempts) == 0 {
		return nil
	}
	for i := range slices.Backward(s.Questions) {
		if x := &s.Questions[i]; x.Question.Kind == ask.Education {
			if x.Question.Teaching == nil {
				return nil
			}
			return x
		}
	}
	return nil
}
