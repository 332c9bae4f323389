package life

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/commit"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/binding"
	"github.com/planlock/planlock/exec/internal/home"
	"github.com/planlock/planlock/exec/internal/lane"
	"github.com/planlock/planlock/exec/internal/needs"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/git"
	"github.com/planlock/planlock/plan"
)

// Begin approves the locked plan and writes the first fact of its run. Until
// then nothing has been changed.
//
// What is cheap to find out is asked first, and what asks others last: the lock
// itself, other runs, the tree, the envelope, the planning gates, tool servers.
// The first fact holds all that steers the run, so that another controller
// decides as this one does.
func (l *Life) Begin(ctx context.Context) error {
	if err := l.Locked.Verify(); err != nil {
		return &session.Refusal{Reasons: []string{err.Error()}, Hint: "lock the plan again", Err: err}
	}
	terms := l.Locked.Options()
	if terms.Amends != "" {
		return &session.Refusal{Hint: "resume that run; or lock the plan, and run it", Reasons: []string{fmt.Sprintf("lock %s adds steps to a run that is under way, and begins none", l.Locked.ID())}}
	}
	// Half a step of another run must not become the base of this one.
	waiting, err := l.unfinished(ctx)
	if err != nil {
		return err
	}
	from, err := l.origin(ctx)
	if err != nil {
		return err
	}
	base, err := l.Work.Scanner.Scan(ctx, l.Work.Root, nil)
	if err != nil {
		return err
	}
	l.Work.Base, l.Work.Tree = base, base
	if err := errors.Join(l.rehearsable(l.Locked.Format()), l.overlaid()); err != nil {
		return err
	}
	if err := l.roomFor(base); err != nil {
		return err
	}
	l.tellOfLarge(base)
	env, err := l.Bound.Envelope(ctx)
	if err != nil {
		return err
	}
	if err := l.boundTo(ctx, terms, env.Digest(), base.Digest()); err != nil {
		return err
	}
	if err := l.agreed(terms.Acknowledged); err != nil {
		return err
	}
	planning, err := l.Approve(ctx, l.Locked.Draft())
	if err != nil {
		return err
	}
	tools, warnings, err := l.Tools.Verify(ctx)
	if err != nil {
		return err
	}
	repository, err := git.Read(l.Work.Root)
	if err != nil {
		return err
	}
	replaced, err := l.replaced()
	if err != nil {
		return err
	}
	policy := l.Policy()
	if policy.Commits == commit.Off {
		policy.Commits = ""
	}
	committing, err := l.Commits.Settings(ctx, policy.Commits)
	if err != nil {
		return err
	}
	// All that the plan tracks is kept before anything runs: it is what a
	// rollback to the first step restores.
	snap, base, err := l.keepBase(ctx, base, func(base *ledger.Tree) error {
		return l.boundTo(ctx, terms, env.Digest(), base.Digest())
	})
	if err != nil {
		return err
	}
	id, err := l.NextRun(ctx)
	if err != nil {
		return err
	}
	started := &history.Started{
		Run:  id,
		Name: l.Plan.Meta.Name, Goal: l.Plan.Goal,
		Format: l.Locked.Format(), Profile: l.Plan.Profile,
		Plan: l.Locked.Digest(), Files: l.Locked.Files(),
		Lock: cmp.Or(l.Locked.ID(), id), LockFile: l.LockFile,
		Acknowledged: terms.Acknowledged,
		Envelope:     env, Base: snap, Git: repository, Commit: git.HeadAbove(l.Work.Root), Committing: committing,
		Policy: policy, Roles: l.Roles(), Remembered: l.Memory.Precedents(ctx, l.Locked.Digest()),
		Executor: l.Executor, Layer: l.layer(), Isolated: l.Isolate, Shadow: l.Shadow, NoSandbox: l.NoSandbox,
		Steps: l.outline(l.Locked.Format()), Planning: planning, Tools: tools, Version: l.Version,
	}
	started.Own, started.Unversioned, started.Said = l.Own(), l.Unversioned(), l.said()
	for i, f := range started.Files {
		if rel, ok := l.OwnSource(f); ok {
			started.Files[i].Path = rel
		}
	}
	if rel, ok := l.Inside(started.LockFile); ok {
		started.LockFile = rel
	}
	started.Warnings = warningsOf(l.Locked.Warnings())
	started.Warnings = slices.Concat(started.Warnings, warnings, l.Warnings, unrestorable(base),
		l.mounted(), l.shared(), replaced, l.unwatched(started), notEnded(waiting), l.notCovered(),
		lacking(env))
	if started.PlanBlob, err = keepPlan(ctx, l.Session); err != nil {
		return err
	}
	if l.LockFile != "" {
		if started.LockDigest, err = binding.FileDigest(l.LockFile); err != nil {
			return fmt.Errorf("exec: lock file: %w", err)
		}
	}
	var carried []history.Located
	if from != nil {
		if carried, err = l.takeOver(ctx, from, started); err != nil {
			return err
		}
	}
	if err := l.launch(ctx, started, carried); err != nil || len(waiting) == 0 || l.Isolate {
		return err
	}
	l.Warn(fmt.Sprintf("to go on with run %s instead, stop this one, roll back what it changed by then, and only then go on", waiting[0]),
		action.Action{Kind: action.Rollback, Run: id, Step: started.Steps[0].Address},
		action.Action{Kind: action.Resume, Run: waiting[0]})
	return nil
}

// agreed refuses a lock that was made without what agents need being accepted.
func (l *Life) agreed(given []string) error {
	missing := &plan.AckError{}
	for _, a := range needs.Acknowledgements(l.Needs) {
		if !slices.Contains(given, a.Code) {
			missing.Missing = append(missing.Missing, a)
		}
	}
	if len(missing.Missing) == 0 {
		return nil
	}
	return missing
}

// unwatched warns of what nobody looks at where steps work in the workspace itself.
func (l *Life) unwatched(started *history.Started) []string {
	if !l.InPlace() || len(started.Unversioned) == 0 {
		return nil
	}
	return []string{"steps work in the workspace itself: what they do to files that .gitignore names is neither told nor undone"}
}

// notCovered warns of what is an agent's and other commands can see.
func (l *Life) notCovered() (warnings []string) {
	box, _, err := l.Sandbox()
	for _, of := range l.Needs {
		if not := of.NotCovered(box); err == nil && not != "" {
			warnings = append(warnings, not)
		}
	}
	return warnings
}

// lacking warns of what the plan has the run depend on, and what is not there.
func lacking(env *envelope.Envelope) (warnings []string) {
	for _, c := range env.Components {
		if c.Digest.IsZero() {
			warnings = append(warnings, fmt.Sprintf("the run is bound to %s, which is not there (%s); the run stops once it is",
				strings.Replace(c.Name, ":", " ", 1), c.Text))
		}
	}
	return warnings
}

// warningsOf is what a run keeps of the warnings about its plan: one that several
// steps have is told once, with the first of them.
func warningsOf(all []plan.Diagnostic) (lines []string) {
	const few = 5
	steps := map[string][]plan.Address{}
	for _, d := range all {
		line, at := fmt.Sprintf("%s [%s]", d.Message, d.Code), d.Address()
		if _, ok := steps[line]; !ok {
			lines, steps[line] = append(lines, line), nil
		}
		if at != "" && !slices.Contains(steps[line], at) {
			steps[line] = append(steps[line], at)
		}
	}
	for i, line := range lines {
		if at := steps[line]; len(at) > few {
			lines[i] = fmt.Sprintf("%s and %d more: %s", plan.Addresses(at[:few]), len(at)-few, line)
		} else if len(at) > 0 {
			lines[i] = plan.Addresses(at) + ": " + line
		}
	}
	return lines
}

// unrestorable says what in a tree cannot be made again if a step takes it
// away.
func unrestorable(base *ledger.Tree) []string {
	const few = 5
	var names []string
	n := 0
	for entry := range base.All() {
		if entry.Kind != ledger.Special || entry.Target == ledger.FIFO || base.Tracked(entry.Path) {
			continue
		}
		if n++; n <= few {
			names = append(names, strconv.Quote(entry.Path))
		}
	}
	if n == 0 {
		return nil
	}
	if n > few {
		names = append(names, "…")
	}
	return []string{fmt.Sprintf("the workspace has sockets or devices, %d of them (%s): they are watched by name and mode, and cannot be made again if a step removes one; "+
		"move them elsewhere, or name them in ignore of [ledger]", n, strings.Join(names, ", "))}
}

// launch opens the journal of a new run. With its first record the lock has
// served: whatever happens then, the run is resumed, and not begun again.
//
// What it takes over of another run stands in the same write, so that it takes
// over all of it or has not begun.
func (l *Life) launch(ctx context.Context, started *history.Started, carried []history.Located) error {
	started.Boot = disk.From(ctx).Boot()
	run := started.Run
	if err := disk.From(ctx).Anywhere().MakeFolders(l.Home.RunDir(run), 0o755); err != nil {
		return fmt.Errorf("exec: run folder: %w", err)
	}
	if err := l.claim(ctx, started); err != nil {
		return err
	}
	log, err := l.Home.Open(ctx, run)
	if err != nil {
		return err
	}
	if l.Rec.Journal, err = checkpoint.OpenJournal(ctx, log, run, l.Now, nil); err != nil {
		return errors.Join(err, log.Close())
	}
	if started.Signer, err = (signing{l}).signs(); err != nil {
		return err
	}
	// Only its host finds a run of which it keeps contents or log.
	started.OwnStores = l.Home.Elsewhere()
	if started.Layered() {
		l.Rec.Run.Started.Run = run // names the folder
		started.Stamps = l.Work.Stamps().KeepBase(ctx)
	}
	if err := l.Rec.RecordAll(ctx, append(history.Where{}.Locate(started), carried...)...); err != nil {
		return err
	}
	l.Note(ctx, checkpoint.Begun)
	if l.Work.Base.Digest() == l.Rec.Run.Placed.Tree { // which was scanned just now
		l.Rec.Seen.Saw(guard.Workspace)
	}
	if started.From != nil {
		if l.Work.Base, err = l.Rec.Store.Tree(ctx, started.Base); err != nil {
			return err
		}
	}
	if err := l.enter(ctx); err != nil {
		return err
	}
	return l.Deliveries.LookFirst(ctx)
}

// claim has the lock serve the run that is about to begin. A trial does not use
// it up, but that of a lock without a name, which is the run's own.
func (l *Life) claim(ctx context.Context, started *history.Started) error {
	lock := started.Lock
	if started.Shadow {
		lock = started.Run
	}
	err := l.Home.Claim(ctx, lock, started.Run)
	if claimed := (*home.ClaimedError)(nil); errors.As(err, &claimed) {
		return served(claimed)
	}
	return err
}

// served refuses a lock that has served a run.
func served(by *home.ClaimedError) error {
	return &session.Refusal{Run: by.Run, Hint: "lock the plan again, or resume that run",
		Reasons: []string{by.Error()}}
}

// unfinished refuses a lock that has served a run, and a tree that holds half a
// step. It returns the runs of this workspace that have not ended: what this one
// changes, those have not done. Where runs are kept elsewhere, those of other folders
// are among them.
func (l *Life) unfinished(ctx context.Context) (waiting []string, _ error) {
	all, err := l.Earlier(ctx, checkpoint.Which{Lock: l.Locked.ID()})
	if err != nil {
		return nil, err
	}
	var last *history.Run // that worked in the workspace
	for id, run := range all {
		if run.Served(l.Locked.ID()) && !run.Started.Shadow {
			return nil, served(&home.ClaimedError{Lock: l.Locked.ID(), Run: id})
		}
		if gone(l.Home.RunDir(id)) {
			continue // it works in another folder
		}
		if run.Ended == nil && !run.Started.Shadow {
			waiting = append(waiting, id)
		}
		if session.Works(run) && (last == nil || session.Later(run, last)) {
			last = run
		}
	}
	if last != nil && last.After.CutOff() != nil {
		return nil, cutOff(last)
	}
	if inside := half(ctx, last); inside != "" {
		id := last.Started.Run
		return nil, &session.Refusal{Run: id, Actions: []action.Action{{Kind: action.Resume, Run: id}},
			Reasons: []string{fmt.Sprintf("run %s was stopped %s, and the tree may hold half of it", id, inside)}}
	}
	if l.Shadow {
		return nil, nil
	}
	return waiting, nil
}

// notEnded warns of runs that have not ended.
func notEnded(waiting []string) []string {
	if len(waiting) == 0 {
		return nil
	}
	more := ""
	if n := len(waiting) - 1; n > 0 {
		more = fmt.Sprintf(" (nor have %d before it)", n)
	}
	return []string{fmt.Sprintf("run %s has not ended%s: it goes on as it was once what this run changes is rolled back",
		waiting[0], more)}
}

// half says where a run was stopped that may have left half of something in the
// tree; "" where none did.
func half(ctx context.Context, run *history.Run) string {
	if run == nil || run.Sealed != nil {
		return ""
	}
	if run.Started.Layered() {
		if run.Behind() {
			return "while its work was brought into the workspace"
		}
		return ""
	}
	switch s := lane.Current(run); {
	case run.Restoring == nil && !lane.InFlight(run) && worktree.PowerWent(ctx, run):
		return "when the machine was"
	case run.Restoring == nil && !lane.InFlight(run):
		return ""
	case s != nil:
		return fmt.Sprintf("inside step %s", s.Address)
	}
	return "while its tree was restored"
}

// boundTo refuses a lock that was made for something else. A lock of a file may
// leave the envelope or the tree open; then it binds the plan alone.
func (l *Life) boundTo(ctx context.Context, terms plan.LockOptions, env, base ledger.Digest) error {
	var errs []error
	if !terms.Envelope.IsZero() && terms.Envelope != env {
		errs = append(errs, &plan.LockError{What: "envelope", Want: terms.Envelope, Got: env})
	}
	if !terms.Base.IsZero() && terms.Base != base {
		errs = append(errs, &plan.LockError{What: "base tree", Want: terms.Base, Got: base})
	}
	if len(errs) == 0 {
		return nil
	}
	refused := &session.Refusal{Hint: "lock the plan again", Err: errors.Join(errs...)}
	for _, err := range errs {
		refused.Reasons = append(refused.Reasons, err.Error())
	}
	if !terms.Base.IsZero() && terms.Base != base {
		refused.Reasons = append(refused.Reasons, l.Bound.SinceLock(ctx, terms.Base))
	}
	return refused
}

// said are the steps whose work is done in the words of a summary beside their
// plan.
func (l *Life) said() (list []history.Said) {
	for i := range l.Plan.Tasks {
		for _, s := range l.Plan.Tasks[i].Steps {
			if by := l.Plan.Tasks[i].Summary; by != "" {
				list = append(list, history.Said{Step: s.Address, By: by})
			}
		}
	}
	return list
}
