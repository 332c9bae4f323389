package exec

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/gate/evidence"
	"github.com/planlock/planlock/plan"
)

// Actions of a retry for missing evidence.
const (
	requery    = "requery"    // look again, after a while
	regenerate = "regenerate" // carry a step out again, with another method
)

// pipeline reports whether tasks have last words: somebody reviews them, or looks for their evidence.
func (e *execution) pipeline() bool { return len(e.c.Reviewers) > 0 || e.c.Evidence != nil }

// conclude does the next thing that tasks need which are over: their evidence is
// looked for, and they get their last word. It reports whether it did something.
func (e *execution) conclude(ctx context.Context) (bool, error) {
	if !e.pipeline() || e.run.Current() != nil {
		return false, nil
	}
	halted := e.nextStep() == nil
	for i := range e.plan.Tasks {
		task := &e.plan.Tasks[i]
		if len(task.Steps) > 0 && e.run.Outcome(task.ID) == nil && (halted || e.taskOver(task)) {
			return true, e.concludeTask(ctx, task)
		}
	}
	return false, nil
}

// taskOver reports whether nothing more happens to the steps of a task by itself.
func (e *execution) taskOver(task *plan.Task) bool {
	return !slices.ContainsFunc(task.Steps, func(s plan.Step) bool { return !e.run.Step(s.Address).Status.Over() })
}

func (e *execution) concludeTask(ctx context.Context, task *plan.Task) error {
	x := e.run.TaskExecution(task.ID)
	seen := e.run.Verified(task.ID)
	if e.c.Evidence == nil || x != history.Succeeded && x != history.RetrySucceeded {
		return e.lastWord(ctx, task, x, seen)
	}
	retry := e.run.EvidenceRetry(task.ID)
	switch {
	case seen == nil:
		return e.lookForEvidence(ctx, task, &history.Evidence{Task: task.ID})
	case seen.Pass:
	case retry != nil && retry.Terminal != "":
	case retry != nil && retry.Retry > seen.Retry:
		if !e.wait(ctx, retry.At, retry.After) {
			return nil // the loop stops
		}
		return e.lookForEvidence(ctx, task, &history.Evidence{Task: task.ID, Retry: retry.Retry, Action: retry.Action})
	case seen.Retry < recovery.Reflections && e.c.Advisors.of(advice.Reflection) != nil:
		return e.retryEvidence(ctx, task, seen)
	}
	return e.lastWord(ctx, task, x, seen)
}

// lookForEvidence looks, and records what was found.
func (e *execution) lookForEvidence(ctx context.Context, task *plan.Task, found *history.Evidence) error {
	if err := e.verify(ctx); err != nil {
		return e.letGo(ctx, err)
	}
	tree, err := e.known(ctx)
	if err != nil {
		return err
	}
	e.tree = tree
	policy, shown := e.c.Evidence, e.shownTask(task)
	found.Kind = policy.Type(shown)
	found.Items = policy.Look(ctx, evidence.Place{Dir: e.dir, Runner: e.runner(nil)}, policy.Needs(shown, e.claim(task)))
	if interrupted(ctx) {
		return nil // nothing was recorded; the loop stops
	}
	found.Pass = evidence.Pass(found.Items)
	found.Items = firstItems(found.Items)
	e.unsure()
	facts := []located{{fact: found}}
	undo, changed, err := e.untouchedBy(ctx, "while evidence was looked for")
	if err != nil {
		return err
	}
	if changed != nil {
		found.Pass = false
		found.Items = append(found.Items, evidence.Item{Need: evidence.Need{Kind: evidence.Command},
			State: evidence.Unverifiable, Why: strings.Join(changed, "; ")})
		facts = append(facts, located{fact: undo})
	}
	return e.recordAll(ctx, facts...)
}

// firstItems are as many items as a journal takes, those that were not found first.
func firstItems(items []evidence.Item) []evidence.Item {
	if len(items) <= listed {
		return items
	}
	slices.SortStableFunc(items, func(a, b evidence.Item) int { return rank(a) - rank(b) })
	return items[:listed]
}

func rank(i evidence.Item) int {
	if i.State == evidence.Found {
		return 1
	}
	return 0
}

// shownTask is a task as hosts may see it.
func (e *execution) shownTask(task *plan.Task) *plan.Task { return e.shown[task.Steps[0].Address].task }

// claim is what is said about a task: by its plan, its reviewers, and the jobs of its completed steps.
func (e *execution) claim(task *plan.Task) evidence.Claim {
	var c evidence.Claim
	add := func(to *[]string, names ...string) {
		for _, name := range names {
			if !slices.Contains(*to, name) {
				*to = append(*to, name)
			}
		}
	}
	if a := e.run.Approval(task.ID); a != nil {
		for _, job := range a.Jobs {
			add(&c.Artifacts, job.Artifacts...)
		}
	}
	for i := range task.Steps {
		s := e.run.Step(task.Steps[i].Address)
		if s.Status != history.Completed {
			continue
		}
		add(&c.Artifacts, expected(&task.Steps[i])...)
		if said := s.Last().Telemetry; said != nil {
			add(&c.Runs, said.Runs...)
			add(&c.Artifacts, said.Artifacts...)
		}
	}
	return c
}

// lastWord records what a task came to.
func (e *execution) lastWord(ctx context.Context, task *plan.Task, x history.ExecutionStatus, seen *history.Evidence) error {
	o := &history.TaskOutcome{Task: task.ID, Execution: x, Verification: history.VerificationNone, Retries: e.run.TaskRetries(task.ID)}
	if a := e.run.Approval(task.ID); a != nil {
		o.Approval = a.Status
	}
	switch {
	case seen != nil && seen.Pass:
		o.Verification = history.VerificationPass
	case seen != nil:
		o.Verification = history.VerificationFail
	case e.c.Evidence == nil && (x == history.Succeeded || x == history.RetrySucceeded):
		o.Verification = history.VerificationWaived
	}
	o.Status, o.Reason = history.Conclude(o.Approval, o.Execution, o.Verification, o.Retries)
	if seen != nil && !seen.Pass && o.Status != history.TaskCompleted {
		o.Reason += ": " + e.lacks(seen)
	}
	if r := e.run.EvidenceRetry(task.ID); o.Status != history.TaskCompleted && r != nil && r.Terminal != "" {
		o.Reason += "; nothing more was tried: " + r.Terminal
	}
	for i := range task.Steps {
		o.Attempts += e.run.Step(task.Steps[i].Address).Tried()
	}
	c := e.claim(task)
	o.Runs, o.Artifacts = firstOf(c.Runs, listed), firstOf(c.Artifacts, listed)
	return e.record(ctx, history.Where{}, o)
}

// lacksShown is how much of the evidence that is missing the last word about a task names; the journal has all of it.
const lacksShown = 3

// lacks says of what type a task is, which evidence it lacks, and the ways out that a person would not guess.
func (e *execution) lacks(seen *history.Evidence) string {
	var missing []string
	run := false
	for _, i := range seen.Items {
		if i.State == evidence.Found {
			continue
		}
		run = run || i.Kind == evidence.Run
		what := string(i.Kind)
		if i.Name != "" {
			what += fmt.Sprintf(" %q", i.Name)
		}
		missing = append(missing, what+": "+clip(i.Why, stuckLine))
	}
	shown := strings.Join(firstOf(missing, lacksShown), "; ")
	text := fmt.Sprintf("it counts as %s, and lacks %s", seen.Kind, shown)
	if run && seen.Kind == evidence.Experimental {
		text += "; if it is no experiment, name it as documentation (docs/pipeline.md lists the words)"
		if e.c.Evidence == nil || e.c.Evidence.Tracker == nil {
			text += "; if it is one, give a tracker (Policy.Tracker) and have its job print MLFLOW_RUN_ID=…"
		}
	}
	return text
}

// unproven is a task that a step needs and that did not come to its end, or "".
func (e *execution) unproven(s *history.Step) *history.TaskOutcome {
	for i := range e.run.Outcomes {
		if o := &e.run.Outcomes[i]; !o.Undone && o.Status != history.TaskCompleted && e.depends.on(s.Task, o.Task) {
			return o
		}
	}
	return nil
}

// afterUnproven leaves a step out that needs a task whose evidence is missing.
func (e *execution) afterUnproven(ctx context.Context, s *history.Step) (bool, error) {
	o := e.unproven(s)
	if o == nil {
		return false, nil
	}
	by := s.Address
	for _, other := range e.run.Steps {
		if other.Task == o.Task {
			by = other.Address
		}
	}
	return true, e.leaveOut(ctx, s, &history.StepBlocked{By: by,
		Why: fmt.Sprintf("it needs task %s, which is %s: %s", o.Task, o.Status, o.Reason)})
}

// isGlob reports whether a declared path stands for several.
func isGlob(path string) bool { return strings.ContainsAny(path, "*?[{") }
