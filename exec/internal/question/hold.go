package question

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/choice"
	"github.com/planlock/planlock/exec/internal/flow"
	"github.com/planlock/planlock/plan"
)

// Propagation asks for the review of an earlier critical failure.
func Propagation(c *guard.Case, concerns []string) ask.Question {
	return about(c, ask.Propagation, "step "+title(c.Step),
		"an earlier critical step failed, and the plan asks for a review before anything that follows", concerns,
		choice.ToGoOn(c.Step), choice.ToSkip(c.Step, c.Run.Policy.Lenient), choice.ToStop())
}

// Repetition asks before a step that cannot be undone runs once more, after the
// run was set back.
func Repetition(c *guard.Case) ask.Question {
	s := c.Step
	return about(c, ask.InFlight, "step "+title(s),
		"the run was set back to before it, and what it did outside of the workspace cannot be undone",
		[]string{fmt.Sprintf("attempts before: %d", len(s.Undone))},
		choiceAgain(c), choice.ToSkip(s, c.Run.Policy.Lenient), choice.ToStop(), choice.ToGiveUp(s))
}

// Compliance asks before a task that does not keep the articles it is carried
// out under.
func Compliance(c *guard.Case, violations []string) ask.Question {
	return about(c, ask.Compliance, "may task "+c.Step.Task+" begin?",
		"the plan does not keep the articles that it is carried out under", violations,
		choice.ToGoOn(c.Step), choice.ToSkip(c.Step, c.Run.Policy.Lenient), choice.ToStop(), choice.ToGiveUp(c.Step))
}

// Threshold asks before a step, because dynamic mode ended.
func Threshold(c *guard.Case, switched *history.ModeSwitched) ask.Question {
	s := c.Step
	q := about(c, ask.Threshold, "before step "+title(s), "dynamic mode asks: "+switched.Causes(), Measurements(switched),
		ask.Choice{Key: choice.GoOn, Label: "go on in collaborative mode", Consequence: "somebody is asked about every failure from now on"},
		choice.ToGoDynamic())
	if to := setBackTo(c, nil); to != nil {
		q.Target = to.Address
		q.Choices = append(q.Choices, choice.ToGoBack(to))
	}
	q.Choices = append(q.Choices, choice.ToSkip(s, c.Run.Policy.Lenient), choice.ToStop(), choice.ToGiveUp(s))
	return q
}

// Measurements are what a question says about a switch of mode.
func Measurements(m *history.ModeSwitched) []string {
	lines := append([]string(nil), m.Measurements...)
	for _, tried := range m.Methods {
		lines = append(lines, "tried: "+tried)
	}
	return append(lines, "recommendation: "+m.Recommendation)
}

// Dependency asks what is to become of a step that needs one that is missing.
func Dependency(c *guard.Case, by *history.Step) ask.Question {
	s := c.Step
	evidence := []string{fmt.Sprintf("%s is %s", title(by), by.Status)}
	if by.Failed != nil {
		evidence = append(evidence, bound.First(by.Failed.Reasons, 5)...)
	}
	for _, other := range c.Run.Steps {
		if other != s && other.Status == history.Pending && needs(c, other, by) {
			evidence = append(evidence, fmt.Sprintf("%s needs it too", title(other)))
		}
	}
	run := choice.ToGoOn(s)
	run.Label = fmt.Sprintf("take %s as good enough, and run %s", by.Address, s.Address)
	run.Acknowledge = fmt.Sprintf("run %s without %s", s.Address, by.Address)
	return about(c, ask.Dependency, fmt.Sprintf("step %s is blocked by %s", title(s), by.Address),
		"it needs what is missing; what does not need it goes on", evidence,
		ask.Choice{Key: choice.Block, Label: fmt.Sprintf("leave %s blocked, and go on with the rest", s.Address),
			Consequence: "it can run when what it needs is mended"},
		run, choice.ToStop(), choice.ToGiveUp(s))
}

// needs reports whether a step needs an earlier one: before it in its task, or
// in a task or speclet that its own depends on.
func needs(c *guard.Case, s, other *history.Step) bool {
	if other.Task == s.Task {
		return other.Precedes(s)
	}
	return c.Needs(s.Task, other.Task)
}

// blockedListed is how many steps a choice names that it blocks.
const blockedListed = 5

// without is what follows from the failure of the step for what needs it: the
// speclets, else the steps, which are blocked.
func without(c *guard.Case) string {
	s := c.Step
	if !s.Critical && c.Run.Policy.Lenient {
		return "what needs it goes on all the same: it is not critical"
	}
	if id := c.Speclet(s.Task); id != "" {
		if waiting := flow.Dependents(c.Plan, c.Run, id); len(waiting) > 0 {
			return fmt.Sprintf("what is left of its task is blocked, and so is what needs speclet %s (%s)", id,
				strings.Join(waiting, ", "))
		}
	}
	var blocked []string
	for _, other := range c.Run.Steps {
		if other.Status == history.Pending && needs(c, other, s) {
			blocked = append(blocked, string(other.Address))
		}
	}
	switch n := len(blocked); {
	case n == 0:
		return "no other step needs it"
	case n == 1:
		return blocked[0] + " needs it, and is blocked"
	case n > blockedListed:
		blocked = append(blocked[:blockedListed], fmt.Sprintf("%d more", n-blockedListed))
	}
	return strings.Join(blocked, ", ") + " need it, and are blocked"
}

// BlockedBy says that the step cannot run, and what would let it.
func BlockedBy(s, by *history.Step) *history.StepBlocked {
	mend := fmt.Sprintf("mend what made %s fail; roll the run back to before it and resume, "+
		"or run what is left where it has ended", by.Address)
	if by.Status == history.Blocked && by.Blocked.By == by.Address {
		mend = fmt.Sprintf("have somebody say that %s may begin: %s", by.Address, attended)
	}
	return &history.StepBlocked{By: by.Address,
		Why: fmt.Sprintf("it needs %s, which is %s; run it again once that is mended", by.Address, by.Status),
		Unblock: []string{
			mend,
			fmt.Sprintf("run a plan in which %s does not need %s", s.Address, by.Address),
			fmt.Sprintf("in a run in collaborative mode leave %s out when asked, and say then that it is good enough as it is", by.Address),
		}}
}

// attended is how a step comes to run that nobody said may begin.
const attended = "finish the run once it has ended, where somebody is there to answer"

// NotBegun says that a step may not begin because nobody said that it may.
func NotBegun(s *history.Step, q ask.Question, why string) *history.StepBlocked {
	return &history.StepBlocked{By: s.Address, Why: fmt.Sprintf("nobody said that it may begin (%s): %s", q.Kind, why),
		Unblock: []string{attended}}
}

// Checkpoint asks a person where the plan wants one: at the steps of a task of
// the kind "checkpoint", of which what says more. Who looks at what was done can
// describe issues, with which it is done again.
func Checkpoint(c *guard.Case, what string) ask.Question {
	s := c.Step
	_, step := c.Place()
	var evidence []string
	for line := range strings.Lines(step.Prompt) {
		if line = strings.TrimSpace(line); line != "" && len(evidence) < 40 {
			evidence = append(evidence, line)
		}
	}
	kept := "the reason that you give is kept"
	if what == "decision" {
		kept = "say as the reason what you decided: whoever carries out the rest is told"
	}
	q := about(c, ask.Checkpoint, "checkpoint "+title(s), wanted(what), evidence,
		ask.Choice{Key: choice.Settled, Label: "it is settled", Consequence: fmt.Sprintf("%s counts as done; %s", s.Address, kept)})
	if work := underReview(c); what == "human-verify" && work != nil {
		q.Target = work.Address
		q.Choices = append(q.Choices, choice.ToDescribeIssues(work))
	}
	q.Choices = append(q.Choices,
		ask.Choice{Key: choice.GoOn, Label: fmt.Sprintf("have %s carried out", s.Address), Consequence: "the executor gets it like any other step"},
		choice.ToStop(), choice.ToGiveUp(s))
	return q
}

// reworks is how often work is done again because of what a person found at a
// checkpoint: as often as a validator may find something.
const reworks = 3

// underReview is the work that a checkpoint is about: the step that was
// completed last before it. It is nil where there is none, where it cannot be
// done again, and after the last round.
func underReview(c *guard.Case) *history.Step {
	var work *history.Step
	for _, s := range c.Run.Steps {
		if s.Precedes(c.Step) && s.Status == history.Completed && s.Carried == nil {
			work = s
		}
	}
	if !CanUnwind(c.Run, work) || len(c.Run.Issues(work)) >= reworks {
		return nil
	}
	return work
}

// wanted says what a checkpoint wants of a person.
func wanted(checkpoint string) string {
	switch checkpoint {
	case "human-verify":
		return "a person is to look at what was done"
	case "decision":
		return "a person is to decide"
	case "human-action":
		return "a person is to do something that no program can"
	}
	return "the plan wants a person here"
}

// disclaimer are the words with which a person goes on with a plan that no
// longer holds.
const disclaimer = "go on with a plan that no longer holds"

// Obsolete asks whether the run goes on under a plan that somebody says no
// longer holds.
func Obsolete(c *guard.Case, why string) ask.Question {
	evidence := []string{
		fmt.Sprintf("what is complete stays: %d of %d steps", c.Run.Count(history.Completed), len(c.Run.Steps)),
		fmt.Sprintf("the checkpoint is tree %s", c.Run.Tree.Tree.Short())}
	return about(c, ask.Obsolete, "the plan no longer holds", why, evidence,
		ask.Choice{Key: choice.Replan, Label: "stop, and plan again", Consequence: "nothing more runs under this plan; run another one, or add steps to it"},
		ask.Choice{Key: choice.GoOn, Label: "go on all the same", Consequence: "the disclaimer becomes part of the record",
			Acknowledge: disclaimer},
		ask.Choice{Key: choice.GiveUp, Label: "abort the run", Consequence: "the run ends; what is complete stays"})
}

// Rollback asks whether the run is to be set back, as somebody wants.
func Rollback(c *guard.Case, r *ask.Request) ask.Question {
	to := c.Run.Step(r.Step)
	q := about(c, ask.Rollback, fmt.Sprintf("the run stands before %s", title(c.Step)),
		fmt.Sprintf("%s wants it set back to before %s: %s", r.By, r.Step, r.Reason), nil,
		choice.ToGoBack(to), ask.Choice{Key: choice.GoOn, Label: "go on", Consequence: "nothing is undone"},
		choice.ToStop(), choice.ToGiveUp(c.Step))
	q.Target = to.Address
	return q
}

// Stage asks what becomes of the speclets that wait for one whose critical step
// failed.
func Stage(c *guard.Case, failed *history.Step, speclet string, waiting []string) ask.Question {
	need := strings.Join(waiting, ", ") + " need it"
	if len(waiting) == 1 {
		need = waiting[0] + " needs it"
	}
	var choices []ask.Choice
	if failed.Rollback != plan.Irreversible {
		choices = append(choices, ask.Choice{Key: choice.Again,
			Label: fmt.Sprintf("try step %s once more", failed.Address),
			Consequence: "the run is set back to before it: its ladder begins anew, and " +
				"all that follows runs after it"})
	}
	choices = append(choices,
		ask.Choice{Key: choice.GoOn, Label: "go on without " + strings.Join(waiting, ", "),
			Consequence: "they are blocked, what does not need them runs, and the end is PARTIAL at best"},
		choice.ToStop(),
		ask.Choice{Key: choice.GiveUp, Label: "give the run up", Consequence: "the run ends here; what was completed stays"})
	return about(c, ask.Stage, fmt.Sprintf("speclet %s failed at step %s, and %s", speclet, title(failed), need),
		"what needs a speclet runs only when that is complete", bound.First(failed.Failed.Reasons, 5), choices...)
}

// AboutStage reports whether a question about a stage was asked because of a
// step.
func AboutStage(q ask.Question, failed *history.Step) bool {
	return q.Kind == ask.Stage && strings.Contains(q.What, " at step "+title(failed)+", ")
}
