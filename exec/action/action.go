// Package action says what somebody can do about a run, without saying how a
// program spells it.
//
// A library does not know the command that a person types, and a host may have
// none. So texts of the library, errors and suggestions name actions, and
// whoever shows them spells them:
//
//	spell := func(a action.Action) string {
//		if a.Kind == action.Resume {
//			return "myprogram resume " + a.Run
//		}
//		return "" // in plain English
//	}
//	fmt.Println(action.Speller(spell).Say(next.Action))
//
// Actions are values: they can be compared, kept and sent elsewhere.
package action

import (
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// A Kind is what is done. The comment of each names the fields that an action
// of the kind may have.
type Kind string

const (
	Run      Kind = "run"      // run a plan, or run it again: Path, Acknowledge
	Finish   Kind = "finish"   // run a plan, taking over what a run completed that has ended: Run, Path, Acknowledge
	Attend   Kind = "attend"   // run a plan, or go on with a run, where somebody answers its questions: Path, or Run
	Lock     Kind = "lock"     // lock a plan: Path, Acknowledge
	Check    Kind = "check"    // check a plan against its workspace: Path
	Resume   Kind = "resume"   // go on with a run: Run; Accept
	Answer   Kind = "answer"   // answer a question: Run, Question; Choice, Acknowledge, Reason
	Status   Kind = "status"   // see where a run stands: Run
	Log      Kind = "log"      // read what happened: Run; Step, Failures
	Diff     Kind = "diff"     // see what an attempt of a step changed: Step; Run, Attempt
	Compare  Kind = "compare"  // see how two kept trees differ: From, To
	Rollback Kind = "rollback" // set a run back to before a step: Run, Step; Accept
	Abandon  Kind = "abandon"  // give a run up: Run; Accept
	Verify   Kind = "verify"   // prove what was done: Run
	Leave    Kind = "leave"    // do nothing: Run
)

// An Action is something that somebody can do. Fields that do not matter to its
// kind are empty.
type Action struct {
	Kind        Kind
	Run         string       // the id of the run
	Step        plan.Address // of the run
	Attempt     int          // of the step; 0: the one that counts
	Question    string       // the id of the question
	Choice      string       // the key of the choice; "": one of them
	Acknowledge []string     // words that have to be given
	Reason      bool         // a reason has to be given
	Failures    bool         // only failed attempts
	Path        string       // of the plan; "": the plan of the run
	Accept      []string     // names of what moved, and may have
	From, To    ledger.Digest
}

// A Speller says how an action is carried out in a host, as a command or a
// call; "" where the host has no words of its own for it.
type Speller func(Action) string

// Say spells an action; a nil Speller, and one that has no words for it, says
// it in plain English.
func (s Speller) Say(a Action) string {
	if text := s.spelled(a); text != "" {
		return text
	}
	return a.String()
}

// Spells reports whether the host has words of its own for an action.
func (s Speller) Spells(a Action) bool { return s.spelled(a) != "" }

func (s Speller) spelled(a Action) string {
	if s == nil {
		return ""
	}
	return s(a)
}
