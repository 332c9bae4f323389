package history

import (
	"slices"
	"time"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// An Exchange is a question and what became of it.
type Exchange struct {
	Question   ask.Question
	Answer     *ask.Answer
	Unanswered *Unanswered  // the refusal that ended it
	Mistaken   []Unanswered // answers that did not count
}

// Open reports whether it still waits.
func (e *Exchange) Open() bool { return e.Answer == nil && e.Unanswered == nil }

// Asked is an escalation.
type Asked struct {
	Question ask.Question `json:"question"`
}

func (*Asked) Type() string { return "asked" }

func (f *Asked) String() string { return f.Question.ID + ": " + f.Question.What }

func (f *Asked) ofRun(r *Run, at moment) error { return f.ofStep(r, nil, at) }

func (f *Asked) ofStep(r *Run, s *Step, at moment) error {
	if q := r.asked(s); q != nil {
		return at.refuse("question %s is asked while %s is open", f.Question.ID, q.ID)
	}
	r.Asked++
	if r.under == nil {
		r.under = map[string]ledger.Digest{}
	}
	r.under[f.Question.ID] = r.Started.Plan
	x := &Exchange{Question: f.Question}
	if s != nil {
		s.Questions = append(s.Questions, *x)
		// it moves only when the step asks again, and that is when this one is
		// closed
		x = &s.Questions[len(s.Questions)-1]
	}
	r.open = append(r.open, openQuestion{s, x})
	return nil
}

// AskedUnder is the digest of the plan that a question of the run was asked
// under, or "". It stays that when the run is amended.
func (r *Run) AskedUnder(question string) ledger.Digest { return r.under[question] }

// exchange finds the open question that an answer, or a refusal, is about.
func (r *Run) exchange(id string, at moment) (int, *Exchange, error) {
	if len(r.open) == 0 {
		return 0, nil, at.refuse("an answer without a question")
	}
	i := slices.IndexFunc(r.open, func(o openQuestion) bool { return o.exchange.Question.ID == id })
	if i < 0 {
		return 0, nil, at.refuse("an answer to %s while %s is open", id, r.open[0].exchange.Question.ID)
	}
	return i, r.open[i].exchange, nil
}

// Answered is a decision on one.
type Answered struct {
	Answer ask.Answer `json:"answer"`
}

func (*Answered) Type() string { return "answered" }

func (f *Answered) String() string {
	return sprint("%s: %s by %s: %s", f.Answer.Question, f.Answer.Choice, f.Answer.By, f.Answer.Reason)
}

func (f *Answered) ofRun(r *Run, at moment) error {
	i, x, err := r.exchange(f.Answer.Question, at)
	if err != nil {
		return err
	}
	x.Answer = &f.Answer
	r.open = slices.Delete(r.open, i, i+1)
	return nil
}

func (f *Answered) ofStep(r *Run, _ *Step, at moment) error { return f.ofRun(r, at) }

// Unanswered says that an escalation was refused, or an answer to it.
type Unanswered struct {
	Question string `json:"question"`
	Why      string `json:"why"`
	Final    bool   `json:"final"` // false: an answer did not count, the question stands
}

func (*Unanswered) Type() string { return "unanswered" }

func (f *Unanswered) String() string { return f.Question + ": " + f.Why }

func (f *Unanswered) ofRun(r *Run, at moment) error {
	i, x, err := r.exchange(f.Question, at)
	switch {
	case err != nil:
		return err
	case !f.Final:
		x.Mistaken = append(x.Mistaken, *f)
		return nil
	}
	x.Unanswered = f
	r.open = slices.Delete(r.open, i, i+1)
	return nil
}

func (f *Unanswered) ofStep(r *Run, _ *Step, at moment) error { return f.ofRun(r, at) }

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

func (f *Remembered) ofRun(r *Run, _ moment) error {
	f.Plan = r.AskedUnder(f.Question)
	r.Remembered = append(r.Remembered, *f)
	return nil
}

func (f *Remembered) ofStep(r *Run, _ *Step, at moment) error { return f.ofRun(r, at) }
