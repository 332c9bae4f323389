package exec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/planlock/planlock/checkpoint/delivery"
	"github.com/planlock/planlock/checkpoint/hold"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/attempt"
	"github.com/planlock/planlock/exec/internal/binding"
	"github.com/planlock/planlock/exec/internal/commits"
	"github.com/planlock/planlock/exec/internal/counsel"
	"github.com/planlock/planlock/exec/internal/deliveries"
	"github.com/planlock/planlock/exec/internal/drive"
	"github.com/planlock/planlock/exec/internal/ending"
	"github.com/planlock/planlock/exec/internal/home"
	"github.com/planlock/planlock/exec/internal/life"
	"github.com/planlock/planlock/exec/internal/people"
	"github.com/planlock/planlock/exec/internal/probe"
	"github.com/planlock/planlock/exec/internal/recorder"
	"github.com/planlock/planlock/exec/internal/rewind"
	"github.com/planlock/planlock/exec/internal/scratch"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/internal/tasks"
	"github.com/planlock/planlock/exec/internal/views"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/exec/preset"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/ledger/scan"
	"github.com/planlock/planlock/plan"
)

// An execution is a run that a controller holds in its hands: the session that
// the parts of the engine share, and what only the controller needs.
type execution struct {
	*session.Session
	c      *Controller
	chosen string // the preset that the host wants, "" if it leaves it to the plan

	bound  *binding.Binding
	rewind *rewind.Rewind
	// deliveries bring accepted work into the workspace
	deliveries *deliveries.Deliveries
	life       *life.Life
	drive      *drive.Drive
	shut       func() error  // closes the store
	probed     chan struct{} // closed once the sandbox was tried out, and what that left is gone; nil: nobody does
	needed     []string      // executors that the plan names
	servers    servers
}

// execution is a run of a plan that nobody has in hand yet. It has a controller
// of its own, with what the plan says where the host says nothing: the host may
// do with its controller what it likes.
func (c *Controller) execution(p *plan.Plan, files []plan.Source) *execution {
	own, chosen := *c, c.Preset
	c = &own
	c.Preset, c.Evidence = cmp.Or(chosen, preset.Of(p), preset.Default), evidenceFor(p, c.Evidence)
	e := &execution{c: c, chosen: chosen,
		Session: &session.Session{Plan: p, Files: files, LockFile: c.LockFile, Isolate: c.Isolate || c.Shadow,
			NoSandbox: c.NoSandbox, Secrets: c.Secrets, Shell: c.Shell, Now: c.now, NewID: c.newName}}
	e.bound = &binding.Binding{Session: e.Session, Rules: c.rules,
		Agents: func(ctx context.Context) ([]probe.Agent, error) {
			all, err := c.agents(ctx, e.needed)
			if err != nil {
				return nil, err
			}
			served, err := e.toolServers(ctx)
			return append(all, served...), err
		}}
	e.servers.of, e.servers.sought = c.Servers, binding.Sought(e.Plan)
	e.deliveries = &deliveries.Deliveries{Session: e.Session}
	e.rewind = &rewind.Rewind{Session: e.Session, Deliveries: e.deliveries}
	e.Tell = func(event.Event) {}
	e.Rec = &recorder.Recorder{Run: &history.Run{}, Seen: &guard.Seen{}, Log: c.logger(),
		Undone: func(ctx context.Context) error {
			_, err := e.Work.Restorer().Restore(ctx, e.Work.Dir, e.Rec.Run.Tree)
			return err
		}}
	e.Work = &worktree.Worktree{Rec: e.Rec, OwnBlobs: c.Blobs == nil, Warn: e.Warn,
		RunDir: func() string { return e.Home.RunDir(e.Rec.Run.Started.Run) }}
	return e
}

// workspace is the workspace of the run, seen from outside.
func (e *execution) workspace() Workspace {
	ws := e.c.workspace()
	ws.Dir = e.Work.Root
	return ws
}

// open takes hold of the workspace and readies the means.
func (c *Controller) open(ctx context.Context, locked *plan.Locked) (*execution, error) {
	if locked == nil || locked.Digest() == "" {
		e := c.execution(&plan.Plan{}, nil)
		e.Plan = nil
		return e, &session.Refusal{Reasons: []string{"the plan is not locked"}, Hint: "make one with plan.Lock"}
	}
	e := c.execution(locked.Plan(), locked.Files())
	defer e.closePanicking()
	e.Locked, e.servers.accepted = locked, locked.Options().Acknowledged
	e.watched(ctx)
	return e, e.take(ctx)
}

// take readies the means, and takes hold of the workspace. The caller closes e,
// also after an error.
func (e *execution) take(ctx context.Context) error {
	if err := e.ready(); err != nil {
		return err
	}
	e.tryOut()
	if err := e.occupy(ctx); err != nil {
		return err
	}
	e.equip()
	if err := e.supplied(ctx); err != nil {
		return err
	}
	return e.furnish(ctx)
}

// ready finds the workspace, and refuses a controller that cannot carry the
// plan out.
func (e *execution) ready() error {
	if err := e.seat(); err != nil {
		return err
	}
	return e.c.validate(e.Plan)
}

// occupy takes hold of the workspace, and opens its store.
func (e *execution) occupy(ctx context.Context) (err error) {
	e.Work.Disk = disk.From(ctx)
	if e.bound.Held, err = hold.Workspace(ctx, e.Work.Root); err != nil {
		return err
	}
	if e.deliveries.Place, err = delivery.Open(ctx, e.Work.Root); err != nil {
		return fmt.Errorf("exec: %w", err)
	}
	e.Work.There = e.deliveries.Place.Check
	process.SweepTrials(e.Home.Path())
	ws := e.c.workspace()
	ws.Dir = e.Work.Root
	e.Rec.Store, e.shut, err = ws.home().Store(ctx)
	return err
}

// equip readies what follows from the plan alone.
func (e *execution) equip() {
	e.Contract, e.needed = &guard.Contract{Plan: e.Plan}, needed(e.Plan)
	e.Panel = e.c.panel()
	e.Sources = e.c.sources()
	e.Touchy = !e.Panel.OnlyLooks() || len(e.c.Checks) > 0
	e.Work.Noted = !e.Touchy && len(e.c.Advisors)+len(e.c.Reviewers) == 0 && e.c.Evidence == nil
	// What a host's code gets to see, it could change; the contract is not
	// among it.
	e.Shown, e.Judging = e.Contract, e.Contract
	if e.Locked != nil {
		e.Shown = &guard.Contract{Plan: e.Locked.Plan()}
	}
	if e.Locked != nil && e.Touchy {
		e.Judging = &guard.Contract{Plan: e.Locked.Plan()}
	}
	e.Ladder, e.Guards = e.c.ladder(), e.c.Guards
	e.Work.Scanner = scan.Scanner{Scope: e.Scope()}
}

// tryOut has the machine's sandbox tried out while stores, journals and trees
// are read: what the envelope says of it takes some processes to find out, once
// for each life of this one.
func (e *execution) tryOut() {
	box, _, err := e.Sandbox()
	if err != nil || box.Level == process.None {
		return
	}
	e.probed = make(chan struct{})
	go func() {
		defer close(e.probed)
		clean := process.TryOut(e.Home.Path())
		defer clean()             // whoever waits for a trial waits for its end alone
		_, _ = process.Reach(box) // whoever needs it asks again
		process.ReachBind()
	}()
}

// seat finds the workspace.
func (e *execution) seat() error {
	root, err := e.c.workspace().home().Root()
	if err != nil {
		return err
	}
	e.Work.Root, e.Work.Dir = root, root
	e.Scratch = &scratch.Folders{Workspace: root}
	e.assemble()
	return nil
}

// assemble makes the parts that do what is wanted.
func (e *execution) assemble() {
	s, c, ws := e.Session, e.c, e.workspace()
	documents := &views.Views{Session: s, Table: ws.documents(), Deliveries: e.deliveries}
	s.Version = Version()
	s.Home, s.Paused, s.TakenUp = ws.home(), documents.DrawAhead, documents.TakenUp
	persons := &people.People{Session: s, Patience: c.Patience,
		Before: &people.Memory{Session: s, Choices: ws.Choices()},
		Inbox:  &people.Inbox{Session: s, Folder: ws.Questions()}}
	if x := c.Escalator; x != nil {
		persons.Ask = func(ctx context.Context, q ask.Question) (ask.Answer, error) { return escalate(ctx, x, q) }
	}
	if x := c.Person; x != nil {
		s.Person = func(ctx context.Context, q ask.Question) (ask.Answer, error) { return escalate(ctx, x, q) }
	}
	signer, earlier := c.signers()
	advisors := &counsel.Counsel{Session: s, Advisor: c.Advisors.of}
	e.life = &life.Life{Session: s, Bound: e.bound, Memory: persons.Before, Deliveries: e.deliveries,
		Tools: &binding.Tools{Session: s, Ask: e.toolsAsked()},
		Host: life.Host{Executor: name(c.Executors[""]), Shadow: c.Shadow, Mode: c.Mode,
			Preset: e.chosen, Under: c.under, NextRun: c.runID, Find: ws.Find,
			Options: c.Options, Bind: c.bind, Signer: signer, EarlierSigners: earlier,
			Policy:   func() history.Policy { return c.policyFor(e.Plan) },
			Roles:    func() history.Roles { return c.roles(e.needed) },
			Warnings: slices.Concat(c.withoutSay(e.Plan), c.untested(e.Plan), c.unasked(e.Plan))}}
	e.rewind.Beside = e.life.Beside
	e.life.Commits = &commits.Commits{Session: s, Deliveries: e.deliveries}
	if x := c.Committer; x != nil {
		e.life.Commits.Committer = namedCommitter{x}
	}
	e.drive = &drive.Drive{Session: s, Bound: e.bound, People: persons, Rewind: e.rewind, Counsel: advisors,
		Approvals: &tasks.Approvals{Session: s, Counsel: advisors, Reviewers: c.Reviewers, Hints: c.Hints,
			Ready: c.Ready},
		Evidence: &tasks.Evidence{Session: s, Counsel: advisors, Rewind: e.rewind, Policy: c.Evidence},
		Attempts: &attempt.Attempts{Session: s, Spending: &attempt.Spending{}, Bound: e.bound, Rewind: e.rewind,
			Hints: c.Hints, Inbox: persons.Inbox, Executor: e.executor},
		Deliveries: e.deliveries, Commits: e.life.Commits,
		Ending: &ending.Ending{Session: s, Bound: e.bound, Rewind: e.rewind, Deliveries: e.deliveries,
			Views: documents}}
}

// executor finds who carries out a method, for an attempt.
func (e *execution) executor(ctx context.Context, named string) (attempt.Executor, error) {
	x, err := e.c.Executors.find(named)
	if err != nil {
		return attempt.Executor{}, err
	}
	identity, err := identityOf(ctx, x)
	if err != nil {
		return attempt.Executor{}, fmt.Errorf("exec: identity of the executor %q: %w", named, err)
	}
	place, err := e.homeOf(ctx, named, x)
	if err != nil {
		return attempt.Executor{}, err
	}
	_, only := x.(CommandsOnly)
	var elsewhere func(*plan.Step) bool
	if a, ok := x.(Away); ok {
		elsewhere = a.Away
	}
	do := func(ctx context.Context, w attempt.Work) (attempt.Outcome, error) {
		o, err := x.Execute(ctx, Work{RunID: e.Rec.Run.Started.Run, Goal: e.Plan.Goal, Task: w.Task, Step: w.Step,
			Method: w.Method, Attempt: w.Attempt, Dir: w.Dir, Path: w.Path, Became: w.Became, Phase: w.Phase, Tests: w.Tests,
			Within: w.Within, Bound: w.Bound, NonGoals: w.NonGoals, Compress: e.Rec.Run.Flow.Warned,
			Feedback: w.Feedback, Briefing: w.Briefing, Home: place, Activity: w.Activity, Spent: func(u Usage) { w.Spent(u.spent()) },
			Sandbox: e.sandboxed().Sandbox, Runner: w.Runner, Output: w.Output})
		var unserved *attempt.Unserved
		if limit := (*LimitError)(nil); errors.As(err, &limit) {
			unserved = &attempt.Unserved{Until: limit.Until, Reason: limit.Reason}
		}
		return attempt.Outcome{Output: o.Output, Stdout: o.Stdout, Exit: o.Exit,
			Tokens: o.Usage.spent().Tokens, Calls: o.Usage.Calls, Cost: o.Usage.spent().Cost,
			Unserved: unserved, Metrics: o.Metrics, Stateful: o.Stateful, Summary: o.Summary, Runs: o.Runs, Artifacts: o.Artifacts,
			Insights: o.Insights, Decisions: o.Decisions}, err
	}
	return attempt.Executor{ByCommands: only, Away: elsewhere, Identity: identity, Home: place, Do: do}, nil
}

// close lets go of everything, also where a part of it panics.
func (e *execution) close() {
	if e.probed != nil {
		<-e.probed
	}
	shut := func(what string, close func() error) {
		defer func() {
			if p := recover(); p != nil {
				e.Rec.Log.Error("panic while "+what, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			}
		}()
		if err := close(); err != nil {
			e.Rec.Log.Warn(what, "err", err)
		}
	}
	if e.drive != nil {
		e.drive.Ending.Views.Stop()
	}
	if e.Scratch != nil {
		shut("removing what commands had for temporary files and caches",
			func() error { return e.Scratch.Close(context.Background()) })
	}
	if e.Work != nil && e.Work.Layers != nil { // who comes next finds nothing that is still being removed
		shut("removing layers", e.Work.Layers.Close)
	}
	if e.Rec.Journal != nil {
		shut("closing the journal", e.Rec.Journal.Close)
		e.Rec.Journal = nil
	}
	if e.shut != nil {
		shut("closing the store", e.shut)
		e.shut = nil
	}
	if e.deliveries.Place != nil {
		shut("letting go of the workspace", e.deliveries.Place.Close)
		e.deliveries.Place = nil
	}
	if e.bound.Held != nil {
		shut("letting go of the workspace", e.bound.Held.Release)
		e.bound.Held = nil
	}
}

// panicked is deferred while the run is in hand: where code of the host panics,
// the report says how far the run came, and the error which one it is.
func (e *execution) panicked(report **Report, err *error) {
	if p := recover(); p != nil {
		failed := home.Panicked(p)
		failed.Run = e.Rec.Run.Started.Run
		*report, *err = e.report(), failed
	}
}

// closePanicking is deferred where somebody else closes what is returned: it
// closes that where nothing is returned, because of a panic.
func (e *execution) closePanicking() {
	if p := recover(); p != nil {
		e.close()
		panic(p)
	}
}

// over ends the work on a run with an error, or nil.
func (e *execution) over(ctx context.Context, err error) (*Report, error) {
	if err == nil {
		err = outcome(e.Rec.Run)
	}
	if failed := e.Rec.Await(ctx); failed != nil {
		err = errors.Join(err, failed)
	}
	return e.report(), err
}

// report is what is known now.
func (e *execution) report() *Report { return &Report{Run: e.Rec.Run, Plan: e.Plan} }

// watched has the host told what happens, if it wants to know.
func (e *execution) watched(ctx context.Context) {
	if e.c.Observe == nil {
		return
	}
	e.Observed = true
	ctx = context.WithoutCancel(ctx)
	var one sync.Mutex
	panicked := false // and that was told
	tell := func(ev event.Event) {
		one.Lock()
		defer one.Unlock()
		defer func() {
			if p := recover(); p != nil && !panicked {
				panicked = true
				e.Rec.Log.Error("an observer panicked: the run goes on, and further panics are not told", "run",
					ev.Run, "step", ev.Step,
					"panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			}
		}()
		e.c.Observe(ctx, ev)
	}
	e.Tell = func(ev event.Event) {
		ev.Run, ev.State, ev.Time, ev.Seq = e.Rec.Run.Started.Run, e.Rec.Run, e.Rec.Run.Latest, e.Rec.Run.Head.Seq
		tell(ev)
	}
	e.Rec.Tell = func(f history.Fact, rec record.Record) { tell(event.Of(e.Rec.Run, rec, f)) }
}
