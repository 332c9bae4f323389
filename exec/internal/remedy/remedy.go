// Package remedy says what helps against a failure: to whoever is asked about it
// while the run waits, and to whoever reads of it once the run is over.
package remedy

import (
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// Suggests begins the line of a question's evidence that names a way on.
const Suggests = "suggestion: "

// A Remedy is what helps against a failure.
type Remedy struct {
	now  string // what whoever is asked may do; "": nothing that a question does not say
	deaf string // likewise where the next attempt is told nothing; "": now
	end  string // once the run is over, with a plan that lies locked in a file
}

// Now is what helps while the run waits; hears says whether the next attempt is
// told anything. "" where there is nothing to be said.
func (r Remedy) Now(hears bool) string {
	if !hears && r.deaf != "" {
		return r.deaf
	}
	return r.now
}

// What ends the text about a run that is over.
const (
	theRest   = "run what is left of the plan"
	lockAgain = "lock again"
)

// AtEnd is what helps once the run is over. A plan without a lock file is locked as
// it is run, and nothing is taken over of a trial.
func (r Remedy) AtEnd(lockFile, trial bool) string {
	rest, lock := theRest, lockAgain
	if trial {
		rest = "run the plan again"
	}
	if !lockFile {
		lock = rest
	}
	return strings.NewReplacer(theRest, rest, lockAgain, lock).Replace(r.end)
}

// unsaid takes out what only formats say that have the keys of native plans: backups,
// and timeouts.
var unsaid = strings.NewReplacer("give it a longer timeout only if it needs one", "let it take longer only if it has to",
	", or give the step a backup with another executor", "",
	" or give the step a backup", "", ", or a backup with one", "", "have it done by a backup with another executor, or say", "say")

// Against is what helps against a class of failure of a step of a plan of a format;
// cause is that of a time-out.
func Against(c history.Class, cause gate.Cause, format plan.Format) Remedy {
	r := against(c, cause)
	if !format.HasBackups() {
		r.now, r.end = unsaid.Replace(r.now), unsaid.Replace(r.end)
	}
	return r
}

// against is what helps where all may be said that native plans say.
func against(c history.Class, cause gate.Cause) Remedy {
	switch c {
	case history.Refused:
		return Remedy{end: "mend what kept it from beginning, then run what is left of the plan"}
	case history.Crashed:
		return Remedy{
			now:  "look at the end of the output, and propose what the next attempt should do otherwise",
			deaf: "look at the end of the output; another command needs a new plan",
			end:  "read the output of the attempt, mend the method or give the step a backup, and lock again",
		}
	case history.TimedOut:
		return late(cause)
	case history.Breach:
		return Remedy{
			now:  "declare what the step really needs to change, or tell it to leave that alone",
			deaf: "see by hand what its command changes; another one, or another declaration, needs a new plan",
			end:  "mend the method so that it does what is declared, or declare what it must do, and lock again",
		}
	case history.GateFailed:
		return Remedy{
			now:  "tell the next attempt what the gate wants, with a proposal of your own",
			deaf: "see what the gate wants; another command needs a new plan",
			end:  "mend what the findings name, and run what is left of the plan",
		}
	case history.Undecided:
		return Remedy{
			now: "see why the gate could not decide; the step's work may be good",
			end: "make the gate able to decide, then run what is left of the plan",
		}
	case history.Interrupted, history.Lost, history.OverBudget, history.NotServed:
		return Remedy{end: "run what is left of the plan"}
	case history.NoSpace:
		return Remedy{
			now: "free some space, then run the step again",
			end: "free space, then run what is left of the plan",
		}
	case history.OutOfMemory, history.Exhausted:
		return Remedy{
			now: "let it work on less at a time; more than its sandbox allows needs a new plan",
			end: "let it work on less at a time, or raise the limit in [sandbox] and lock again",
		}
	case history.ContextExhausted:
		return Remedy{now: "split the step, or let it read less", end: "split the step, or let it read less, and lock again"}
	case history.Declined:
		return Remedy{
			now: "have it done by a backup with another executor, or say that it is done by hand; another executor needs a new plan",
			end: "give the step an executor that does such steps, or a backup with one, and lock again",
		}
	case history.Met:
		return Remedy{end: "declare what it reads and writes, or take parallel_allowed from its speclet, and lock again"}
	case history.Moved:
		return Remedy{end: "put back what moved, or lock again"}
	case history.Nondeterministic:
		return Remedy{end: "find what it depends on besides its inputs (a clock, the network, chance), and take it out or " +
			"declare it in [envelope]; without deterministic mode, or with deterministic = false in the step, it is only flagged"}
	case history.Unrestorable:
		return Remedy{end: "look at the repository and put it right by hand; keep the step away from it, and lock again"}
	}
	return Remedy{end: "read the report of the step, and lock again"}
}

// late is what helps against a time-out.
func late(cause gate.Cause) Remedy {
	switch cause {
	case gate.Resources:
		return Remedy{
			now: "free what ran out, then run the step again",
			end: "free memory, space or processor time, then run what is left of the plan",
		}
	case gate.Dependency:
		return Remedy{
			now: "see that what it waited for answers, then run the step again",
			end: "see that what it waited for answers, then run what is left of the plan",
		}
	case gate.ModelStall:
		return Remedy{
			now: "see that the model answers, or let another agent do the step",
			end: "see that the model answers, or give the step a backup with another executor, and lock again; " +
				"give it a longer timeout only if it needs one",
		}
	}
	r := Remedy{
		now: "give the step more time, or split it; both need a new plan",
		end: "find out what it waited for; give it a longer timeout only if it needs one, and lock again",
	}
	if cause == gate.Deadlock {
		r.end = "see what it printed last, and " + r.end
	}
	return r
}
