package document

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/remedy"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// adviceOf names an advice, and who gave it where that has another name.
func adviceOf(a history.Advised) string {
	if a.Advisor == a.Kind {
		return a.Kind
	}
	return a.Kind + " by " + a.Advisor
}

// meaning says in plain words what a class of failure is.
func meaning(c history.Class) string {
	switch c {
	case history.Refused:
		return "it may not begin"
	case history.Crashed:
		return "its executor failed"
	case history.TimedOut:
		return "it did not come back in time"
	case history.Breach:
		return "it did something else than it declared"
	case history.GateFailed:
		return "a gate said no"
	case history.Undecided:
		return "a gate could not decide, and that is no yes"
	case history.Interrupted:
		return "it was interrupted"
	case history.Lost:
		return "the controller died while it ran"
	case history.NoSpace:
		return "the disk is full"
	case history.OutOfMemory:
		return "it needed more memory than there is"
	case history.Exhausted:
		return "it used up what its sandbox allows"
	case history.Met:
		return "it does not go together with what steps did that ran at once"
	case history.Moved:
		return "something is not what was locked"
	case history.Nondeterministic:
		return "it made something else of the same inputs than it did before"
	case history.Unrestorable:
		return "it changed something that is never restored"
	case history.ContextExhausted:
		return "the context of its executor was full"
	case history.NotServed:
		return "its executor was not served"
	case history.Declined:
		return "its executor does not do steps of this kind"
	case history.OverBudget:
		return "what the run may cost was spent"
	case history.SchemaMismatch:
		return "its output does not have the form that the step expects"
	case history.MissingEvidence:
		return "evidence that it owes is not there"
	}
	return string(c)
}

// meaning says in plain words how a step failed.
func (s *step) meaning() string {
	if s.aborted() {
		return "its plan was given up"
	}
	return meaning(s.Failure.Class)
}

// remedy says what helps against a class of failure, as it is done in this run.
func (rep *Model) remedy(c history.Class, cause gate.Cause) string {
	if rep == nil {
		return remedy.Against(c, cause, plan.Native).AtEnd(true, false)
	}
	return remedy.Against(c, cause, rep.Plan.Format).AtEnd(rep.Lock.File != "", rep.Shadow)
}

// remedy says what helps against the failure of the step.
func (s *step) remedy() string {
	var cause gate.Cause
	switch {
	case s.aborted():
		return "plan again, and run the new plan"
	case s.unanswered():
		return "answer its question: " + s.of.say(action.Action{Kind: action.Attend})
	case s.Failure.Class == history.Breach && s.notCreated():
		leave, rest := s.of.without(s.Address)
		return fmt.Sprintf("%s; if its work is there already (%s), leave it out: %s%s", s.of.remedy(history.Breach, ""),
			s.of.say(action.Action{Kind: action.Check}), s.of.say(leave), rest)
	}
	if f := s.trouble(); f != nil {
		cause = f.Cause
	}
	return s.of.remedy(s.Failure.Class, cause)
}

// unanswered reports whether all that keeps the step from its work is a question
// that nobody answered.
func (s *step) unanswered() bool {
	if len(s.Attempts) > 0 || s.Refusal != nil || len(s.Questions) == 0 ||
		s.Blocked != nil && s.Blocked.By != s.Address {
		return false
	}
	last := s.Questions[len(s.Questions)-1]
	return last.Refused != "" && !last.Earlier
}

// aborted reports whether the run ended at the step because its plan no longer
// holds.
func (s *step) aborted() bool { return s.of != nil && s.of.of.Step(s.Address).AbortedBy() != "" }

// notCreated reports whether the step was to create something, and did not.
func (s *step) notCreated() bool {
	a := s.lastFailure()
	return a != nil && a.Ledger != nil && slices.ContainsFunc(a.Ledger.Missing,
		func(e expectation) bool { return e.Op == ledger.Created && e.Symbol == "" })
}

// mark shows a status in one column, for people who do not see colours too.
func mark(status string) string {
	switch status {
	case "completed", accepted, "pass":
		return "✓"
	case failed, "fail", string(history.LaneGone):
		return "✗"
	case running, string(history.LaneOpen):
		return "▸"
	case "skipped":
		return "–"
	case "blocked":
		return "⊘"
	case undone:
		return "↶"
	case string(history.LaneJoined):
		return "⊕"
	case string(history.LaneAside):
		return "⊖"
	case string(history.LaneBack):
		return "⋯"
	case "partial":
		return "◐"
	case string(undecided), lost:
		return "?"
	}
	return "·"
}

// mark shows the status of the step in one column; one that waits for an answer
// is marked so, and one whose work was taken away after the run had ended.
func (s *step) mark() string {
	if s.of != nil && s.of.of.After.Of(s.Address) != nil {
		return mark(undone)
	}
	if n := len(s.Questions); n > 0 && s.Questions[n-1].Open && !s.Status.Over() {
		return "?"
	}
	return mark(string(s.Status))
}

// outcome is the run's status as a person says it.
func outcome(s history.Status) string {
	return strings.ReplaceAll(string(s), "_", " ")
}

// tally counts what there is to say about a run in one line.
func (rep *Model) tally() string {
	c := rep.Counts
	return Tally{c.Steps, c.Completed, c.Failed, c.Skipped, c.Blocked, c.Carried, c.Retries, c.Backups, c.Patches,
		c.Questions, history.Money(c.Cost), history.Money(c.Budget)}.String()
}

// asked is what gates came to: "5 gates", or "4 of 5 gates"; "" where none of them
// had anything to judge.
func asked(js []judgement) string {
	judged := only(js, judgement.judged)
	return passedOf(len(only(judged, func(j judgement) bool { return j.Result == "pass" })), len(judged))
}

// judged reports whether the gate had something to judge.
func (j judgement) judged() bool { return j.Result != idle }

// idleOf names the gates that had nothing to judge, in one line; "" where there
// are none.
func idleOf(js []judgement) string {
	var names []string
	for _, j := range js {
		if !j.judged() {
			names = append(names, j.Gate)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "nothing to judge: " + strings.Join(names, ", ")
}

// gates are all judgements of a step that count for its last attempt.
func (s *step) gates() []judgement {
	if a := s.judged(); a != nil {
		return append(s.Gates[:len(s.Gates):len(s.Gates)], a.Gates...)
	}
	return s.Gates
}

// refuted says what a summary claims that the step was carried out against.
func (s *step) refuted() []string {
	was := s.of.of.Step(s.Address)
	if was == nil || was.Checkpoint == nil || len(was.Checkpoint.Refuted) == 0 {
		return nil
	}
	all := was.Checkpoint.Refuted
	return []string{all[0] + because(all[1:])}
}

// whatAndWhy says what something is and more about it, where there is more.
func whatAndWhy(what, why string) string {
	if why == "" || why == what {
		return what
	}
	return what + ": " + why
}

// setBack tells of the attempts that were made before the run was set back to
// before the step, where some of them failed: how many there were, and why the
// last of those did.
func (s *step) setBack() []string {
	n, failures, why, last := 0, 0, "", false
	for _, a := range s.Attempts {
		if !a.RolledBack {
			continue
		}
		n, last = n+1, a.Failure != nil
		if !last {
			continue
		}
		failures, why = failures+1, meaning(a.Failure.Class)
		if len(a.Failure.Reasons) > 0 {
			why = a.Failure.Reasons[0]
		}
	}
	how := ", which ended with "
	switch {
	case failures == 0:
		return nil
	case !last:
		how = fmt.Sprintf(", %d of which failed, the last of these with ", failures)
		if failures == 1 {
			how = ", one of which failed, with "
		}
	case n > 1:
		how = ", the last of which ended with "
	}
	return []string{"set back after " + count(n, "attempt", "attempts") + how + quote(why)}
}

// Detours are those of a step of a run, as all documents tell them, without what
// was tolerated: how it came about, where that is not as planned. Of each reason so
// many columns are told.
func Detours(r *history.Run, s *history.Step, columns int) []string {
	rep := &Model{of: r, Profile: r.Started.Profile, Groups: groups(r), judged: map[*gate.Judgement][]judgement{}}
	return rep.newStep(nil, s).way(func(why string) string { return safetext.Clip(why, columns) })
}

// detours tells of retries and backups, each with the reason for it, of what was
// tried before the run was set back, and of what did not hold and was tolerated.
func (s *step) detours() []string {
	return append(s.way(func(why string) string { return why }), Tolerated(s.of.of.Step(s.Address))...)
}

// way is all of that but what was tolerated.
func (s *step) way(told func(reason string) string) []string {
	out := append(s.refuted(), s.setBack()...)
	for _, a := range s.Attempts {
		if a.Outcome == lost && a.Failure != nil {
			out = append(out, fmt.Sprintf("attempt %d was lost: %s", a.Number, meaning(history.Lost)))
		}
	}
	if patch := s.of.of.Redrafted(s.of.of.Step(s.Address)); patch != "" {
		out = append(out, "jobs for the prompt of "+strings.Replace(patch, "_", " ", 1))
	}
	why, aside, cut, put := "", false, false, false
	var used []string
	for _, a := range s.Attempts {
		if a.past || a.Outcome == lost {
			continue
		}
		again := false
		for _, m := range used {
			again = again || m == a.Method
		}
		name := ""
		switch {
		case a.Reinstates > 0 && len(a.reverted) > 0:
			name = fmt.Sprintf("what attempt %d did was kept without %s", a.Reinstates, safetext.Escape(join(a.reverted)))
		case a.Reinstates > 0 && a.Failure != nil:
			name = fmt.Sprintf("what attempt %d did was judged anew", a.Reinstates)
		case a.Reinstates > 0:
			name = fmt.Sprintf("what attempt %d did was accepted", a.Reinstates)
		case a.continues > 0:
			name = fmt.Sprintf("went on from what attempt %d left", a.continues)
		case again && aside:
			name = "alone"
		case again && cut, !again && put: // somebody stopped it, or only its work was judged: nothing that counts as a retry
			name = "begun anew"
		case again:
			name = "retry"
		case strings.HasPrefix(a.Method, "backup_"), strings.HasPrefix(a.Method, "patch_"):
			name = strings.Replace(a.Method, "_", " ", 1)
		case len(used) > 0: // a person began with a backup
			name = "primary method"
		}
		if name != "" && why != "" {
			name += " after " + quote(told(why))
		}
		if name != "" {
			out = append(out, name)
		}
		if put = put || a.Reinstates > 0; a.Reinstates == 0 {
			used = append(used, a.Method)
		}
		aside = a.Lane != nil && a.Lane.State == history.LaneAside
		cut = a.Failure != nil && a.Failure.Class == history.Interrupted
		if a.Failure != nil && len(a.Failure.Reasons) > 0 {
			why = a.Failure.Reasons[0]
		}
	}
	if s.Refusal != nil && why != "" {
		out = append(out, "not tried again after "+quote(told(why)))
	}
	if why := s.uncompared(); why != "" {
		out = append(out, why)
	}
	return append(out, s.unrefactored(told)...)
}

// story is how a step came about: how its test was written first, where it was, and
// its detours.
func (s *step) story() []string {
	if text := s.testFirst(); text != "" {
		return append([]string{text}, s.detours()...)
	}
	return s.detours()
}

// unrefactored says of a step that wrote its test first why a refactoring is not
// in what was accepted.
func (s *step) unrefactored(told func(reason string) string) (all []string) {
	was := s.of.of.Step(s.Address)
	if was == nil || was.Completed == nil || was.Last() == nil {
		return nil
	}
	for _, c := range was.Last().Cycles {
		if c.Phase == history.Refactor && !c.Holds {
			all = append(all, "the refactoring was undone after "+quote(told(c.Why)))
		}
	}
	return all
}

// quote puts a text between straight quotes.
func quote(s string) string { return `"` + s + `"` }

// say spells an action as the reader of the document would carry it out.
func (rep *Model) say(a action.Action) string {
	if rep.OwnStores {
		return a.String() + inHost
	}
	return rep.speller.Say(a)
}

// without is how the plan is run again without a step whose work is there, and
// what follows that in a sentence. A lock file says what was accepted, so that
// is where it has to stand.
func (rep *Model) without(step plan.Address) (a action.Action, rest string) {
	a = action.Action{Kind: action.Run, Acknowledge: []string{step.DoneCode()}}
	if rep.Lock.File != "" {
		a.Kind, rest = action.Lock, ", and run it"
	}
	return a, rest
}

// inHost follows what can be done about a run in stores of its host's own: no
// other program finds them.
const inHost = ", in the program that has its stores"
