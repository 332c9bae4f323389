package exec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/contract"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/binding"
	"github.com/planlock/planlock/exec/internal/flow"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/git"
	"github.com/planlock/planlock/plan"
)

// begin approves the locked plan and writes the first fact of its run. Until
// then nothing has been changed.
func (e *execution) begin(ctx context.Context) error {
	if err := e.Locked.Verify(); err != nil {
		return &session.Refusal{Reasons: []string{err.Error()}, Hint: "lock the plan again", Err: err}
	}
	terms := e.Locked.Options()
	if terms.Amends != "" {
		return &session.Refusal{Hint: "resume that run; or lock the plan, and run it", Reasons: []string{fmt.Sprintf("lock %s adds steps to a run that is under way, and begins none", e.Locked.ID())}}
	}
	waiting, err := e.unfinished(ctx)
	if err != nil {
		return err
	}
	base, err := e.Work.Scanner.Scan(ctx, e.Work.Root, nil)
	if err != nil {
		return err
	}
	e.Work.Base, e.Work.Tree = base, base
	if err := e.cloneable(); err != nil {
		return err
	}
	if err := e.harmless(e.Locked.Format()); err != nil {
		return err
	}
	env, err := e.bound.Envelope(ctx)
	if err != nil {
		return err
	}
	if err := e.boundTo(ctx, terms, env.Digest(), base.Digest()); err != nil {
		return err
	}
	planning, err := e.approve(ctx, &plan.Draft{Plan: *e.Plan, Format: e.Locked.Format(), Files: e.Files})
	if err != nil {
		return err
	}
	tools, warnings, err := e.tools.Verify(ctx)
	if err != nil {
		return err
	}
	git, err := git.Read(e.Work.Root)
	if err != nil {
		return err
	}
	snap, err := e.Rec.Store.Snapshot(ctx, e.Work.Root, base, record.Snapshot{})
	if err != nil {
		return err
	}
	ws := e.workspace()
	id, err := ws.nextRun()
	if err != nil {
		return err
	}
	started := &history.Started{
		Run:  id,
		Name: e.Plan.Meta.Name, Goal: e.Plan.Goal,
		Format: e.Locked.Format(), Profile: e.Plan.Profile,
		Plan: e.Locked.Digest(), Files: e.Locked.Files(),
		Lock: cmp.Or(e.Locked.ID(), id), LockFile: e.LockFile,
		Acknowledged: terms.Acknowledged,
		Envelope:     env, Base: snap, Git: git,
		Policy: e.chosenPolicy(), Roles: e.roles(), Remembered: e.people.Before.Precedents(ctx, e.Locked.Digest()),
		Executor: name(e.c.Executor), Isolated: e.isolates(), Shadow: e.c.Shadow, NoSandbox: e.NoSandbox,
		Steps: e.outline(e.Locked.Format()), Planning: planning, Tools: tools, Version: Version(),
	}
	for _, d := range e.Locked.Warnings() {
		started.Warnings = append(started.Warnings, warningOf(d))
	}
	started.Warnings = slices.Concat(started.Warnings, warnings, e.withoutSay(), unrestorable(base), waiting)
	if started.PlanBlob, err = e.keepPlan(ctx); err != nil {
		return err
	}
	if e.LockFile != "" {
		if started.LockDigest, err = binding.FileDigest(e.LockFile); err != nil {
			return fmt.Errorf("exec: lock file: %w", err)
		}
	}
	return e.launch(ctx, started)
}

// warningOf is what a run keeps of a warning about its plan.
func warningOf(d plan.Diagnostic) string { return fmt.Sprintf("%s [%s]", d.Message, d.Code) }

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

// launch opens the journal of a new run.
func (e *execution) launch(ctx context.Context, started *history.Started) error {
	started.Boot = disk.From(ctx).Boot()
	ws := e.workspace()
	if err := disk.From(ctx).Anywhere().MakeFolders(ws.RunDir(started.Run), 0o755); err != nil {
		return fmt.Errorf("exec: run folder: %w", err)
	}
	log, err := ws.openLog(ctx, started.Run)
	if err != nil {
		return err
	}
	if e.Rec.Journal, err = checkpoint.OpenJournal(ctx, log, started.Run, e.c.now); err != nil {
		return errors.Join(err, log.Close())
	}
	started.OwnStores = ownStores(ws, started.Run)
	if err := e.Rec.Record(ctx, history.Where{}, started); err != nil {
		return err
	}
	e.PolicyMoved()
	return e.clone(ctx)
}

// ownStores reports whether a run is kept where only its host finds it. A log
// of the host that writes the default file is none of these.
func ownStores(ws Workspace, run string) bool {
	if ws.Blobs != nil || ws.OpenLog == nil {
		return ws.Blobs != nil
	}
	_, err := os.Stat(ws.journal(run))
	return isMissing(err)
}

// unfinished refuses a lock that has served a run, and a tree that holds half a
// step. It warns of a run that waits: what this one changes, that one has not
// done.
func (e *execution) unfinished(ctx context.Context) (warnings []string, _ error) {
	ws := e.workspace()
	ids, err := ws.Runs()
	if err != nil {
		return nil, err
	}
	var waiting []string
	for i := len(ids) - 1; i >= 0; i-- {
		run, err := ws.History(ctx, ids[i])
		if err != nil || run.Head.Seq == 0 {
			e.Rec.Log.Warn("an earlier run cannot be read", "run", ids[i], "err", err)
			continue
		}
		if run.Served(e.Locked.ID()) && !run.Started.Shadow {
			return nil, &session.Refusal{Run: ids[i], Hint: "lock the plan again, or resume that run",
				Reasons: []string{fmt.Sprintf("lock %s has served run %s, and a lock serves one run", e.Locked.ID(),
					ids[i])}}
		}
		if run.Ended == nil && !run.Started.Shadow {
			waiting = append(waiting, ids[i])
		}
		if i < len(ids)-1 || run.Started.Isolated || run.Sealed != nil {
			continue
		}
		inside := ""
		switch s := contract.Current(run); {
		case run.Restoring == nil && !contract.InFlight(s) && worktree.PowerWent(ctx, run):
			inside = "when the machine was"
		case run.Restoring == nil && !contract.InFlight(s):
		case s != nil:
			inside = fmt.Sprintf("inside step %s", s.Address)
		default:
			inside = "while its tree was restored"
		}
		if inside != "" {
			return nil, &session.Refusal{Run: ids[i], Actions: []action.Action{{Kind: action.Resume, Run: ids[i]}},
				Reasons: []string{fmt.Sprintf("run %s was stopped %s, and the tree may hold half of it", ids[i],
					inside)}}
		}
	}
	if len(waiting) == 0 || e.c.Shadow {
		return nil, nil
	}
	more := ""
	if n := len(waiting) - 1; n > 0 {
		more = fmt.Sprintf(" (nor have %d before it)", n)
	}
	return []string{fmt.Sprintf("run %s has not ended%s, and cannot go on in a workspace that this run has changed",
		waiting[0], more)}, nil
}

// boundTo refuses a lock that was made for something else.
func (e *execution) boundTo(ctx context.Context, terms plan.LockOptions, env, base ledger.Digest) error {
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
		refused.Reasons = append(refused.Reasons, e.bound.SinceLock(ctx, terms.Base))
	}
	return refused
}

// approve asks the planning gates: those of level 2 first.
func (e *execution) approve(ctx context.Context, draft *plan.Draft) ([]gate.Judgement, error) {
	pass := &gate.Pass{Phase: gate.Planning, Plan: e.Plan, Draft: draft, Dir: e.Work.Root, Base: e.Work.Base,
		Before: e.Work.Base, After: e.Work.Base,
		Content: e.Work.Content(e.Work.Root), Runner: e.Runner(nil), Log: e.Rec.Log}
	judged := e.Panel.Ask(ctx, gate.Planning, pass)
	var reasons []string
	for _, j := range judged {
		if j.Blocks() {
			reasons = append(reasons, session.Why(j)...)
		}
	}
	if len(reasons) > 0 {
		return judged, &session.Refusal{Reasons: reasons, Hint: "the plan is not approved: change it and lock it again"}
	}
	return judged, nil
}

// outline is the order of the run.
func (e *execution) outline(format plan.Format) []history.Outline {
	order := flow.Order(e.Plan, format)
	steps := make([]history.Outline, 0, len(order))
	for _, address := range order {
		at := e.Contract.At(address)
		first, _, _ := strings.Cut(at.Step.Description, "\n")
		steps = append(steps, history.Outline{Address: address, Task: at.Task.ID, Title: first,
			Critical: at.Step.IsCritical(), Rollback: at.Step.Rollback})
	}
	return steps
}
