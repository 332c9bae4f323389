package learn

import (
	"errors"
	"fmt"
	"slices"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/analysis"
	"github.com/planlock/planlock/exec/internal/cause"
	"github.com/planlock/planlock/exec/internal/method"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/plan"
)

// ErrUnfinished says that a run is not sealed yet. Nothing is learned from it.
var ErrUnfinished = errors.New("learn: the run is not finished")

// read harvests a finished run. [ErrUnfinished] if it is not sealed.
func read(p *plan.Plan, r *history.Run) (harvest, error) {
	if r.Sealed == nil || r.Ended == nil {
		return harvest{}, fmt.Errorf("%w: run %q", ErrUnfinished, r.Started.Run)
	}
	h := harvest{run: r.Started.Run}
	if !r.Started.NoSandbox && !r.Started.Shadow {
		h.lost = lostJobs(r)
	}
	if why := forbidden(r); why != "" {
		h.excluded = append(h.excluded, exclusion{Why: why})
		return h, nil
	}
	standings := r.Standings()
	for _, s := range r.Steps {
		if why := forbiddenStep(r, s); why != "" {
			h.excluded = append(h.excluded, exclusion{Step: s.Address, Why: why})
			continue
		}
		a := r.Task(s.Task).Approval()
		jobs := a != nil && a.RunBy == s.Address && a.Status.Runs()
		if jobs && s.Completed.Method == recovery.Primary {
			h.jobs(p, a, s, standings)
			continue
		}
		h.step(p, r, s, jobs)
	}
	return h, nil
}

// forbidden is why nothing may be learned from a run.
func forbidden(r *history.Run) string {
	switch {
	case r.Started.NoSandbox:
		return "the sandbox was bypassed"
	case len(r.Moves) > 0:
		return "a person had it go on although what it is bound to had moved"
	case r.Started.Shadow:
		return "it was a trial: the run that repeats it would confirm the same twice"
	case r.Ended.Status == history.NotAchieved:
		return "the outcome is known to be wrong"
	}
	return ""
}

// setBack is why nothing is learned from work that was set back.
const setBack = "it was set back: its outcome was wrong"

// forbiddenStep is why nothing may be learned from a step.
func forbiddenStep(r *history.Run, s *history.Step) string {
	for _, x := range s.Questions {
		if x.Answer == nil {
			continue
		}
		c, _ := x.Question.Choice(x.Answer.Choice)
		switch x.Question.Kind {
		case ask.Precondition, ask.Repository, ask.Compensation, ask.InFlight:
			return fmt.Sprintf("a person overrode a refusal (question %s)", x.Question.ID)
		}
		if c.Acknowledge != "" {
			return fmt.Sprintf("a person accepted a risk (question %s)", x.Question.ID)
		}
	}
	switch {
	case slices.ContainsFunc(s.Undone, func(a *history.Attempt) bool { return !a.Lost() }),
		r.After.Of(s.Address) != nil:
		return setBack
	case s.Status != history.Completed:
		return fmt.Sprintf("it is %s", s.Status)
	}
	if word := r.Task(s.Task).Word(); word != nil && word.Status != history.Completed {
		return fmt.Sprintf("its task is %s: %s", word.Status, word.Reason)
	}
	return ""
}

// step learns from a completed step. Where jobs of reviewers are what ran, their
// commands, as they were patched, stand beside what helped: the step of the plan
// has none, and is known by what it says.
func (h *harvest) step(p *plan.Plan, r *history.Run, s *history.Step, jobs bool) {
	task, step, found := p.Step(s.Address)
	if !found || len(s.Attempts) == 0 {
		return
	}
	does := method.Does(task, step)
	if len(s.Attempts) == 1 && s.Completed.Method == "primary" {
		if text := step.Run + step.Prompt; text != "" {
			h.candidates = append(h.candidates, candidate{Kind: Procedural, Pattern: does, Does: does, Remedy: text,
				Run: h.run, Step: s.Address}.named())
		}
		return
	}
	helped, how, by := remedy(r, step, s)
	if patch := s.Patch(s.Completed.Method); jobs && patch != nil && how == "" {
		how = patch.Method.Run
	}
	seen := map[string]bool{}
	for i, a := range s.Attempts {
		if a.Failure == nil {
			continue
		}
		root := cause.Of(*a.Failure, s.Attempts[i:i+1]).Error
		pattern := string(root)
		if root == cause.Unknown || seen[pattern] {
			continue
		}
		seen[pattern] = true
		h.meetings = append(h.meetings, meeting{step: s.Address, pattern: pattern, does: does, helped: helped})
		if helped != "" {
			h.candidates = append(h.candidates, candidate{Kind: by, Pattern: pattern, Does: does, Remedy: helped, How: how,
				Run: h.run, Step: s.Address}.named())
		}
	}
}

// remedy is what made a step work in the end, and the command or the prompt of
// it where it has one; "" where it was the same once more.
func remedy(r *history.Run, step *plan.Step, s *history.Step) (what, how string, by Kind) {
	if _, words := analysis.Decisive(r, s); words != "" {
		return words, "", Confirmed
	}
	if patch := s.Patch(s.Completed.Method); patch != nil {
		return patch.Summary, "", Semantic
	}
	for _, b := range step.Backups {
		if "backup_"+b.ID == s.Completed.Method {
			return b.Description, b.Run + b.Prompt, Semantic
		}
	}
	for i := len(s.Questions) - 1; i >= 0; i-- {
		if a := s.Questions[i].Answer; a != nil && a.Reason != "" {
			return a.Reason, "", Confirmed
		}
	}
	return "", "", ""
}
