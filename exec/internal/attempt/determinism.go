package attempt

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/briefing"
	"github.com/planlock/planlock/exec/internal/method"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

const (
	runsCompared = 20 // earlier runs whose journals are looked at, the latest ones
	pathsNamed   = 20 // paths that a difference names
)

// A made is what an earlier attempt made of its inputs.
type made struct {
	run     string
	step    plan.Address
	attempt *history.Attempt
}

// inputsFrom is the digest of all that an executor begins with. Two attempts of
// one digest should end with one tree; where they do not, something that nobody
// declared decides about the outcome.
//
// A command is told nothing, so neither what became of other steps nor why an
// earlier attempt failed is one of its inputs.
func (t *trial) inputsFrom(from history.CyclePhase) (ledger.Digest, error) {
	var brief briefing.Briefing
	var told []string
	if t.About(t.s).Tells(t.method) {
		brief, told = t.brief(), feedback(t.Rec.Run, t.s)
	}
	text, err := json.Marshal(struct {
		Goal, Title, Description string
		Step                     *plan.Step
		Method                   method.Method
		Tree, Envelope           ledger.Digest
		Feedback                 []string
		Briefing                 briefing.Briefing
		Phase                    history.CyclePhase
	}{t.Plan.Goal, t.task.Title, t.task.Description, t.step, t.method, t.before.Digest(),
		t.Rec.Run.Started.Envelope.Digest(), told, brief, from})
	if err != nil {
		return "", fmt.Errorf("exec: inputs of step %s: %w", t.s.Address, err)
	}
	return ledger.Sum(text), nil
}

// compare looks whether an earlier attempt made something else of the same
// inputs: in this run before it was set back, else in an earlier run of this
// workspace. That is flagged, also of an attempt that came to its end and failed;
// where the step must repeat it is a fault.
func (t *trial) compare(ctx context.Context, failed *fault) *fault {
	if t.inputs == "" || failed != nil && (t.err != nil || t.entry == nil || !tells(failed.Class)) {
		return nil // nothing was executed, or it did not come to an end of its own
	}
	was := t.madeBefore(ctx)
	if was == nil || was.attempt.Accounted.Tree == t.entry.Tree {
		return nil
	}
	t.differs = &history.Differs{Inputs: t.inputs, Tree: t.entry.Tree, Was: was.attempt.Accounted.Tree, Run: was.run,
		Step:    was.step,
		Attempt: was.attempt.Number, Paths: unlike(was.attempt.Accounted.Changes, t.entry.Changes),
		Refused: failed == nil && t.step.Repeats(t.Rec.Run.Started.Deterministic)}
	text := fmt.Sprintf("step %s made another tree (%s) of the same inputs than attempt %d of step %s in run %s (%s)",
		t.s.Address, t.differs.Tree.Short(), was.attempt.Number, was.step, was.run, t.differs.Was.Short())
	t.Warn(text)
	if !t.differs.Refused {
		return nil
	}
	why := "the run is deterministic"
	if t.step.Repeats(false) {
		why = "its plan says that it does the same each time"
	}
	f := faultf(history.Nondeterministic, "%s, and %s", text, why)
	for _, path := range t.differs.Paths {
		f.Reasons = append(f.Reasons, "it differs in "+path)
	}
	return f
}

// madeBefore is the latest earlier attempt of the same inputs that came to its
// end, or nil.
func (t *trial) madeBefore(ctx context.Context) *made {
	for _, a := range slices.Backward(slices.Concat(t.s.Undone, t.s.Attempts)) {
		if a.Method.Inputs == t.inputs && comparable(a) {
			return &made{t.Rec.Run.Started.Run, t.s.Address, a}
		}
	}
	return t.earlierRuns(ctx)[t.inputs]
}

// comparable reports whether an attempt came to an end of its own, so that its
// tree is what its inputs make.
func comparable(a *history.Attempt) bool {
	if a.Said == nil || a.Said.Error != "" || a.Accounted == nil {
		return false
	}
	return a.Failure == nil || tells(a.Failure.Class)
}

// tells reports whether an attempt that failed so tells what its inputs make.
// What was refused for being another tree is not what the next one is measured
// by.
func tells(c history.Class) bool {
	return !c.ThroughNoFault() && c != history.TimedOut && c != history.Nondeterministic
}

// earlierRuns reads, once, what the latest earlier runs made of their inputs.
func (a *Attempts) earlierRuns(ctx context.Context) map[ledger.Digest]*made {
	if a.earlier != nil {
		return a.earlier
	}
	a.earlier = map[ledger.Digest]*made{}
	runs, err := a.Earlier(ctx, checkpoint.Which{Latest: runsCompared + 1})
	if err != nil {
		a.Rec.Log.Warn("earlier runs cannot be listed", "err", err)
	}
	n := 0
	for _, run := range runs {
		a.keepMade(run)
		if n++; n == runsCompared {
			break
		}
	}
	return a.earlier
}

// keepMade keeps what a run made of its inputs, where no later one did.
func (a *Attempts) keepMade(run *history.Run) {
	for _, s := range run.Steps {
		for _, was := range slices.Backward(slices.Concat(s.Undone, s.Attempts)) {
			if in := was.Method.Inputs; in != "" && comparable(was) && a.earlier[in] == nil {
				a.earlier[in] = &made{run.Started.Run, s.Address, was}
			}
		}
	}
}

// unlike are the paths that two lists of changes to one tree leave in different
// states, the first of them.
func unlike(a, b []ledger.Change) []string { return bound.First(unlikeIn(a, b), pathsNamed) }
