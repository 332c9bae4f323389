package counsel

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/disturbance"
	"github.com/planlock/planlock/exec/internal/engine"
	"github.com/planlock/planlock/exec/internal/method"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/ledger"
)

// adviceTime is how long an advisor may take.
const adviceTime = 5 * time.Minute

// A Counsel asks advisors about the run in hand. Advisor finds who gives a kind
// of advice; nil if nobody does.
type Counsel struct {
	*session.Session
	Advisor func(advice.Kind) advice.Advisor
}

// Advise has what a rung wants to know stand in the history: what the advisor
// said, or why there is no advice, and the patch that it brought.
func (co *Counsel) Advise(ctx context.Context, s *history.Step, a engine.Consult) error {
	if s.Advice(string(a.Kind), string(a.Point)) != nil {
		return fmt.Errorf("exec: rung %s wants the same advice twice: it must look at the history", a.Rung)
	}
	said, made, err := co.consultAbout(ctx, s, a.Failure, a.Kind, a.Point, co.Method(s, method.Current(s)))
	if err != nil || session.Interrupted(ctx) {
		return err // nothing was recorded; the loop stops
	}
	said.Rung = a.Rung
	facts := []history.Fact{said}
	if made != nil {
		facts = append(facts, made)
	}
	return co.Rec.Record(ctx, s.Where(s.Tried()), facts...)
}

// ReflectOn asks for a reflection on a failure at a point of a task. Nothing is
// recorded: the caller records it with what it does about it.
func (co *Counsel) ReflectOn(ctx context.Context, s *history.Step, f *history.AttemptFailed, at advice.Point,
	m method.Method) (*history.Advised, *history.Patched, error) {
	return co.consultAbout(ctx, s, f, advice.Reflection, at, m)
}

// consultAbout asks an advisor about a failure of a method, and readies the
// patch that it proposes; nothing is recorded. What it says is worth nothing if
// ctx has ended.
func (co *Counsel) consultAbout(ctx context.Context, s *history.Step, f *history.AttemptFailed, kind advice.Kind,
	point advice.Point, m method.Method) (*history.Advised, *history.Patched, error) {
	task, step := co.Contract.At(s.Address)
	if m.Executor == "" {
		m.Executor = step.Executor
	}
	shownTask, shownStep := co.Shown.At(s.Address)
	tree, err := co.Work.Known(ctx)
	if err != nil {
		return nil, nil, err
	}
	c := advice.Case{
		Kind: kind, Point: point, Run: co.Rec.Run.Started.Run, Goal: co.Plan.Goal, Task: shownTask, Step: shownStep,
		Method:  m.Advised(step, went(s)...),
		Failure: *f, Attempts: slices.Clone(s.Attempts), Earlier: slices.Clone(s.Advised),
		Criteria: slices.Concat(task.AcceptanceCriteria, step.Evidence), Plan: co.Locked.Plan(),
		Files:  co.filesOf(tree),
		Open:   func(path string) (io.ReadCloser, error) { return worktree.OpenIn(co.Work.Dir, path) },
		Runner: co.Runner(nil).Judge(),
	}
	said, patch := co.hear(ctx, c)
	said.Attempt = s.Tried()
	co.Work.Disturb()
	co.Rec.Seen.Forget(disturbance.StrangersRan...) // an advisor looks at the tree, and may have touched it
	if patch == nil {
		return said, nil, nil
	}
	made, ok := co.patched(s, c, m, said, patch)
	if said.Same = !ok; said.Same {
		return said, nil, nil
	}
	said.Patch = made.ID
	return said, made, nil
}

// went are the jobs of the last attempt that went well before one failed.
func went(s *history.Step) []history.JobDone {
	if n := len(s.Attempts); n > 0 && s.Attempts[n-1].Failure != nil {
		return s.Attempts[n-1].Jobs
	}
	return nil
}

// hear asks an advisor, and bounds what it says: it comes from outside, and
// must neither fill the journal nor claim numbers that are none. That there is
// no advice is an outcome, which is recorded as one that there is.
func (co *Counsel) hear(ctx context.Context, c advice.Case) (*history.Advised, *advice.Patch) {
	said := &history.Advised{Kind: string(c.Kind), Point: string(c.Point)}
	advisor := co.Advisor(c.Kind)
	if advisor == nil {
		said.Error, said.Nothing = fmt.Sprintf("nobody gives advice of kind %s", c.Kind), true
		return said, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, adviceTime,
		fmt.Errorf("exec: the advisor took longer than %s", adviceTime))
	defer cancel()
	begin := time.Now()
	var a advice.Advice
	err := session.Caught("the advisor", func() (err error) {
		a, err = advisor.Advise(ctx, c)
		return err
	})
	took := time.Since(begin)
	if err != nil {
		said.Error, said.Nothing = bound.Text(strings.TrimPrefix(err.Error(), advice.ErrNothing.Error()+": "),
			bound.Line), errors.Is(err, advice.ErrNothing)
	}
	if a.Cost.Took > 0 {
		took = a.Cost.Took
	}
	said.Advisor, said.RootCause, said.Note = bound.Text(a.Advisor, bound.Line), bound.Text(a.RootCause, bound.Line),
		bound.Text(a.Note, bound.Line)
	said.Confidence, said.Severity, said.Risk = share(a.Confidence), share(a.Severity), share(a.Risk)
	said.Signals, said.Queries = bound.First(a.Signals, bound.Lines), bound.First(a.Queries, bound.Lines)
	said.Sources, said.Findings = bound.First(a.Sources, bound.Lines), bound.First(a.Findings, bound.Lines)
	for i, x := range a.Alternatives {
		if i == bound.Lines {
			break
		}
		said.Alternatives = append(said.Alternatives, history.Approach{
			Name: bound.Text(x.Name, bound.Line), Description: bound.Text(x.Description, bound.Line),
			Confidence: share(x.Confidence), Source: bound.Text(x.Source, bound.Line)})
	}
	said.Cost = history.AdviceCost{Took: took, Calls: max(a.Cost.Calls, 0), Tokens: max(a.Cost.Tokens, 0),
		Cost: max(a.Cost.Cost, 0)}
	if err != nil {
		return said, nil
	}
	return said, a.Patch
}

// tried reports whether a method comes to one that a step was tried with, or that
// reviewers were shown: nothing is tried twice without a change.
func (co *Counsel) tried(s *history.Step, m method.Method) bool {
	var used []string
	for _, a := range slices.Concat(s.Undone, s.Attempts) {
		if a.Counts() {
			used = append(used, a.Method.Method)
		}
	}
	for _, a := range co.Rec.Run.Approvals {
		if a.Task == s.Task && !a.Undone {
			used = append(used, cmp.Or(a.Patch, recovery.Primary))
		}
	}
	return slices.ContainsFunc(used, func(id string) bool { return !co.Method(s, id).Changes(m) })
}

// patched is the fact that a patch becomes. There is none where nothing that
// the method does would change, or where it did that before. One that reaches for more than its method did
// is recorded as refused, with the reasons, so that nobody proposes it again.
func (co *Counsel) patched(s *history.Step, c advice.Case, m method.Method, said *history.Advised,
	p *advice.Patch) (*history.Patched, bool) {
	made := &history.Patched{
		ID: fmt.Sprintf("patch_%d", len(s.Patches)+1), Attempt: fmt.Sprintf("%s#%d", s.Address, s.Tried()),
		Kind: said.Kind, Point: said.Point, Base: m.ID, Summary: bound.Text(strings.TrimSpace(p.Summary), bound.Line),
		Confidence: said.Confidence,
	}
	text, err := json.Marshal(p)
	if err != nil || len(text) > method.PatchSize {
		made.Refused, made.Why = true, []string{fmt.Sprintf("the patch is too large: %d bytes, and %d are allowed",
			len(text), method.PatchSize)}
		return made, true
	}
	made.Checksum = ledger.Sum(text)
	after, err := m.Patched(p, c.Method, c.Step, co.Plan.Sandbox.Env)
	made.Diff = method.Diff(m, after)
	var widens *method.WidenError
	switch {
	case errors.As(err, &widens):
		made.Refused, made.Why, made.Diff = true, widens.Reasons, widens.Diff
	case err != nil:
		made.Refused, made.Why = true, []string{err.Error()}
	case !m.Changes(after) || co.tried(s, after):
		return nil, false
	}
	if made.Summary == "" { // people are told which approach is tried
		_, changes, _ := strings.Cut(made.Diff, " @@\n")
		made.Summary = bound.Text(strings.Join(strings.Fields(changes), " "), bound.Line)
	}
	made.Method = history.PatchedMethod{Description: made.Summary, Run: after.Run, Prompt: after.Prompt,
		Executor: m.Executor,
		Tool:     m.Tool, ToolArgs: m.ToolArgs, Env: after.Env, Feedback: after.Feedback}
	return made, true
}

// filesOf lists the files of a tree, for advisors that look for names: contents
// they open one by one.
func (co *Counsel) filesOf(tree *ledger.Tree) []string {
	var paths []string
	for entry := range tree.All() {
		if entry.Kind == ledger.File && !slices.Contains(co.Rec.Run.Started.Own, entry.Path) {
			paths = append(paths, entry.Path)
		}
	}
	return paths
}

// share is a number from 0 to 1; what is no number is 0. Confidence is compared
// with thresholds, and NaN would be below none of them.
func share(v float64) float64 {
	if !(v > 0) {
		return 0
	}
	return min(v, 1)
}
