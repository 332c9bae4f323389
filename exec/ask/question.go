package ask

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/plan"
)

// A Kind says what a question is about. Hosts may branch on it.
type Kind string

const (
	StepFailed   Kind = "step-failed"  // every rung that may be tried without a person has been tried
	Precondition Kind = "precondition" // a step may not begin
	Propagation  Kind = "propagation"  // an earlier step failed: does this one run?
	InFlight     Kind = "in-flight"    // an irreversible step was running when the controller died
	Compensation Kind = "compensation" // a step could not be compensated
	Repository   Kind = "repository"   // a step changed what planlock never restores
	Threshold    Kind = "threshold"    // dynamic mode: too many failures in a row
	Checkpoint   Kind = "checkpoint"   // the plan wants a person at this step
	Education    Kind = "education"    // education mode explains a step before it begins
	Confirmation Kind = "confirmation" // collaborative mode asks before a critical step
	Deviation    Kind = "deviation"    // a step changed what it did not declare: accept, revert or halt
	Dependency   Kind = "dependency"   // a step needs one that failed or is blocked
	// a group of tasks failed that others need: try again, go on without them,
	// or stop
	Stage      Kind = "stage"
	Rollback   Kind = "rollback"   // set the run back to the last good checkpoint?
	Compliance Kind = "compliance" // a task does not keep the articles that the run is under
	Obsolete   Kind = "obsolete"   // somebody says that the plan no longer holds
	External   Kind = "external"   // somebody else changed the workspace
	Conflict   Kind = "conflict"   // somebody else changed what a step changed
	Overlap    Kind = "overlap"    // steps that ran at once changed the same
	Chain      Kind = "chain"      // a phase is complete in part: what follows?
	// nothing but a person can say whether work is done; it is put to
	// exec.Controller.Person alone, and is no escalation
	Work Kind = "work"
)

// A Question is an escalation: what is blocked, why, what is known, and what
// can be chosen, each choice with its consequence. It belongs to one run, one
// step and one attempt; an answer to anything else is refused.
type Question struct {
	ID       string       `json:"id"` // unique within the run
	Run      string       `json:"run"`
	Step     plan.Address `json:"step,omitempty"`
	Attempt  int          `json:"attempt,omitempty"`
	Kind     Kind         `json:"kind"`
	What     string       `json:"what"`               // what is blocked
	Why      string       `json:"why"`                // why it is
	Evidence []string     `json:"evidence,omitempty"` // what is known, a line each
	Choices  []Choice     `json:"choices"`
	Asked    time.Time    `json:"asked"`
	Deadline time.Time    `json:"deadline,omitzero"` // zero: none
	// Default is the key of the choice that an empty line on a terminal stands
	// for; "": none.
	Default string `json:"default,omitempty"`
	// Target is the step that the run is set back to before, where one of the
	// choices does that.
	Target plan.Address `json:"target,omitempty"`
	// Requested is when the request was left that the question came of; zero
	// where it came of none.
	Requested time.Time `json:"requested,omitzero"`
	// Teaching explains the approaches that there are; nil but for questions of
	// kind Education.
	Teaching *Teaching `json:"teaching,omitempty"`
}

// A Choice is one possible answer.
type Choice struct {
	Key         string `json:"key"`   // what is typed: "r"
	Label       string `json:"label"` // "run 2.1 again"
	Consequence string `json:"consequence"`
	// Acknowledge is a text that the answer must repeat, so that nothing
	// dangerous is accepted by pressing a key. Empty where the choice is
	// harmless.
	Acknowledge string `json:"acknowledge,omitempty"`
	// Also are other spellings of the key that a person may type: "yes" (see
	// [Question.Typed]). An answer names the key.
	Also []string `json:"also,omitempty"`
	// NeedsReason says that the answer must give a reason, because the choice
	// is nothing without its text.
	NeedsReason bool `json:"needs_reason,omitempty"`
}

// A Scope says for which questions a choice is remembered.
type Scope string

const (
	ForStep Scope = "step" // questions of the same kind about the same step of the same plan
	ForPlan Scope = "plan" // questions of the same kind about any step of the same plan
)

// An Answer is a person's (or a policy's) decision.
type Answer struct {
	Question     string    `json:"question"`
	Run          string    `json:"run"`
	Attempt      int       `json:"attempt,omitempty"`
	Choice       string    `json:"choice"`
	Acknowledged string    `json:"acknowledged,omitempty"`
	Reason       string    `json:"reason,omitempty"`
	By           string    `json:"by"` // "terminal", "folder", "rule 3", a name
	At           time.Time `json:"at"`
	// Remember asks that the choice be remembered for questions like this one:
	// for the step, or for the whole plan. It counts only if Confirmed repeats
	// the words of [Question.RememberWords].
	Remember  Scope  `json:"remember,omitempty"`
	Confirmed string `json:"confirmed,omitempty"`
}

var (
	// ErrNoAnswer says that nobody answered, or nobody can: that is a refusal.
	ErrNoAnswer = errors.New("ask: no answer")
	// ErrLater says that the answer comes later: the run stops here and can be
	// resumed.
	ErrLater = errors.New("ask: waiting for an answer")
)

// A RefusedError says why an answer does not count, or why a remembered choice
// cannot be revoked.
type RefusedError struct {
	Question string // "" where it is about no question
	Why      string
}

func (e *RefusedError) Error() string {
	if e.Question == "" {
		return "ask: " + e.Why
	}
	return fmt.Sprintf("ask: the answer to question %s does not count: %s", e.Question, e.Why)
}

// Choice finds a choice by its key.
func (q Question) Choice(key string) (Choice, bool) {
	for _, c := range q.Choices {
		if c.Key == key {
			return c, true
		}
	}
	return Choice{}, false
}

// Typed finds the choice that a person means: by its key, by one of its other
// spellings in whatever case, or the default where nothing was typed. Keys go
// before spellings.
func (q Question) Typed(text string) (Choice, bool) {
	if c, ok := q.Choice(text); ok {
		return c, true
	}
	if text == "" {
		return q.Choice(q.Default)
	}
	for _, c := range q.Choices {
		if slices.ContainsFunc(c.Also, func(other string) bool { return strings.EqualFold(other, text) }) {
			return c, true
		}
	}
	return Choice{}, false
}

// Check returns nil if a answers q, or a *RefusedError that says why it does
// not: another run, question or attempt, an unknown choice, a missing
// acknowledgement or reason, or too late.
func (q Question) Check(a Answer) error {
	refuse := func(format string, args ...any) error {
		return &RefusedError{Question: q.ID, Why: fmt.Sprintf(format, args...)}
	}
	switch {
	case a.Run != q.Run:
		return refuse("it is for run %q, not for %q", a.Run, q.Run)
	case a.Question != q.ID:
		return refuse("it is for question %q", a.Question)
	case a.Attempt != q.Attempt:
		return refuse("it is for attempt %d, and attempt %d asks", a.Attempt, q.Attempt)
	case a.At.Year() < 0 || a.At.Year() > 9999:
		return refuse("the time that it was given at is none: it is of the year %d", a.At.Year())
	case !q.Deadline.IsZero() && a.At.After(q.Deadline):
		return refuse("it came %s after the deadline", a.At.Sub(q.Deadline).Round(time.Millisecond))
	}
	c, ok := q.Choice(a.Choice)
	if !ok {
		return refuse("%q is none of the choices", a.Choice)
	}
	if c.Acknowledge != "" && a.Acknowledged != c.Acknowledge {
		return refuse("choice %q must be acknowledged with the words %q", c.Key, c.Acknowledge)
	}
	if c.NeedsReason && strings.TrimSpace(a.Reason) == "" {
		return refuse("choice %q is nothing without a text: give it as the reason", c.Key)
	}
	return nil
}
