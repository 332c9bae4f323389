package exec

import (
	"cmp"
	"context"
	"fmt"

	"github.com/oklog/ulid/v2"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/commit"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/life"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/evidence/search"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/ledger/source/languages"
	"github.com/planlock/planlock/plan"
)

// A Controller carries out locked plans in one workspace. Executors and Gates
// are needed; every other field has a useful zero value. The fields must not be
// changed while a run goes on. A Controller may be used for several runs, one
// after another; two at a time in one workspace exclude each other, whichever
// process they are in.
type Controller struct {
	// Dir is the workspace; the current folder if empty.
	Dir string
	// Policy says how runs are carried out.
	Policy
	// Means are what is taken from the world besides the workspace.
	Means
	// RunID is the id of the run that Run begins, made by [Controller.NewRun],
	// so that a host can write it down before anything happens. Empty: one is
	// made. It must be that of no run, and later than all others.
	RunID string

	// Executors carry out the steps; see [Default] for one that carries out
	// all.
	Executors Executors
	// Tools says whether a tool server that the plan names in [mcp_tools] can
	// be used: nil if so, else why not. It is asked before a run begins, and
	// before it goes on; each question has ten seconds. Where it is nil, tools
	// are listed and nobody looks for them.
	Tools func(ctx context.Context, name string) error
	// Servers are the tool servers that the host has configured. Where Tools is nil
	// they say which servers that the plan names in [mcp_tools] can be used; what
	// they are is part of the envelope, and what has to be accepted of them is
	// (see [Controller.Needs]). Nil: there are none.
	Servers ToolServers
	// Gates judge, in this order. Nil is refused with [ErrNoGates]:
	// builtin.Gates() are all that planlock has, a host appends its own, and an
	// empty list is none. Whoever looks at the work of a task when it is done is
	// a gate too, made by review.Work of a program, a model or a person; who that
	// is is part of the envelope (see gate.Identified and [Versioned]).
	Gates []gate.Gate
	// Checks are further kinds of checks, besides the built-in ones.
	Checks []gate.Check
	// Languages are those whose source files are read: what is public in them,
	// and which symbols they declare. Nil: languages.All(). A promise about a
	// file of any other is undecided, which blocks.
	Languages []source.Language
	// Guards may hold up a step before it begins, after those that every run
	// has. Their names stand in the journal, and no two guards have one name.
	Guards []guard.Guard
	// Escalator is asked where a person must decide. Nil refuses.
	Escalator ask.Escalator
	// Person looks at the work of a task of which no check and no reviewer says
	// whether it is done, when the task ends, and at the end at what the plan asks
	// for in words: a question of the kind ask.Work, with the differences, which
	// never becomes an escalation. What the person says is a review. Nil: nobody
	// is there. It is not asked in silent mode and in shadow runs, and not part of
	// the envelope.
	Person ask.Escalator
	// Advisors propose where the ladder wants advice, by kind; nil for the
	// built-in ones.
	Advisors Advisors
	// Hints are told to whoever carries out a step, such as what was learned from
	// earlier runs. They bind nobody, and decide nothing.
	Hints []string
	// Ready are jobs that went well in earlier runs. The reviewers of a task that does
	// the same are offered them; none runs unless all of them approve it.
	Ready []history.ReadyJob
	// Reviewers decide about each task before its first step; nil: nobody does.
	// Those who look at its work afterwards are among Gates.
	Reviewers []review.Reviewer
	// Evidence says how the evidence of each task is looked for at its end;
	// nil: it is not.
	Evidence *search.Policy
	// Committer commits accepted work to the repository of the workspace, as far
	// as the policy of the run wants that; module exec/git has one. Nil: nobody
	// does.
	Committer commit.Committer
	// Blobs keep contents; nil for a folder below .planlock.
	Blobs checkpoint.Blobs
	// Runs keep journals; nil for a folder below .planlock. A filelog.Runs of
	// that folder, [Own] and "runs" in it, can have a witness: it keeps outside of
	// the workspace how far those files reached, so that one which was cut is
	// recognised.
	Runs checkpoint.Runs
	// Papers are where requests wait, and choices are remembered; nil for folders
	// below .planlock. An Escalator that asks there too is [Workspace.Questions].
	Papers checkpoint.Papers

	// Isolate works in a clone; the workspace moves only if all was carried out as
	// planned.
	// It is refused where the plan watches paths of the workspace by their
	// stamps only: nothing of these is kept, so the clone would not have them.
	Isolate bool
	// Shadow tries the whole run: it works in a clone, as with Isolate, and the
	// workspace stays as it is whatever comes of it. What each step made is in
	// the journal, and a run of the same plan that follows is compared with it,
	// step by step (see Deterministic). It does not use up a lock. It ends
	// before the first step that acts outside of the workspace, which is one that
	// is not reversible: a clone does not contain that. Where that is the first
	// step of all, it is refused.
	Shadow bool
	// NoSandbox runs commands at level none, whatever the plan says. It is part
	// of the envelope.
	NoSandbox bool
	// LockFile is where the lock was read from, "" if it is in no file. It is
	// watched like the plan.
	LockFile string

	// Documents are drawn when a run ends, those for whoever goes on also while
	// it waits; nil for document.All, empty for none. The page for browsers is
	// a package of its own: append(document.All(), html.Page()).
	Documents []document.Document

	// Observe is told what happens, as it happens; see package event. It is
	// called by one goroutine at a time. It must return soon, because the run
	// waits for it, and must not call the controller. Its context has the
	// values of that of Run and does not end with it. If it panics, the run
	// goes on: the first time is told to Log, with its stack.
	//
	// A fact is told once another process can read it. The beginning of an
	// attempt need not outlive a power cut; all other facts do.
	Observe func(context.Context, event.Event)
}

// Run carries out a locked plan: approve, execute step by step, complete, seal.
//
// The report is never nil: it says what was done, also where the error is not
// nil. The error is nil only if the goal was achieved; else it is
//
//   - *[OutcomeError]: the run ended, and not as planned
//   - *[RefusedError]: nothing was done, or nothing more: the lock, the plan, the
//     envelope, an agent or the tree is not what it must be
//   - [ErrWaiting]: a question waits; resume the run when it is answered
//   - [ErrHandoff], an ErrWaiting: the token budget is nearly used up; resume the run
//   - context.Cause(ctx): it was interrupted; the tree is restored to the last
//     checkpoint, and the run can be resumed
//   - *checkpoint.HeldError: another controller works here
//   - any other: the machine would not (a full disk, no permission)
func (c *Controller) Run(ctx context.Context, locked *plan.Locked) (*Report, error) {
	return c.run(ctx, locked, "")
}

// run begins a run; from is the one that it finishes, "" where there is none.
func (c *Controller) run(ctx context.Context, locked *plan.Locked, from string) (report *Report, err error) {
	defer reported(&report, &err)
	e, err := c.open(ctx, locked)
	defer e.close()
	defer e.panicked(&report, &err)
	if err != nil {
		return e.report(), err
	}
	e.life.From = from
	if err := e.life.Begin(ctx); err != nil && (e.Rec.Run.Head.Seq == 0 || !session.CutOff(ctx, err)) {
		return e.report(), err
	}
	return e.over(ctx, e.drive.CarryOn(ctx))
}

// RunFrom is Run for a plan of which another run, which has ended, carried out a
// part: what that one accepted is taken over, and the rest is carried out. from
// is its id or a unique prefix of it, "" the latest; its journal is verified first.
//
// A step is taken over if the plan says the same of it as it did, the steps that
// it needs are taken over, and nobody changed since what it declares to read. It
// is never carried out twice, and rests on what it rested on; the journal says
// which record of which run proves it ([history.StepCarried]). The run goes on from
// the tree that the other one left. What somebody did in the workspace since
// is a question first, and a step whose work was changed is unverified.
//
// Errors are those of Run, and [ErrNoRun]. A run that has not ended, or whose
// journal does not hold, is a *[RefusedError]. Whoever resumes the new run says
// nothing of the other one any more.
func (c *Controller) RunFrom(ctx context.Context, locked *plan.Locked, from string) (report *Report, err error) {
	defer reported(&report, &err)
	id, err := c.workspace().Find(ctx, from)
	if err != nil {
		return nil, err
	}
	return c.run(ctx, locked, id)
}

// Resume goes on with a run that was interrupted, crashed or waits, from its
// last checkpoint. run is its id or a unique prefix of it. The plan must be the
// one that the run began with: the same value, or in another process a lock of
// the same plan, made with plan.Lock and what Started.Acknowledged holds, or
// read with lockfile.Read where it lay in a file. A step that was under way is undone first; if it
// was irreversible, a person is asked.
//
// Resume of a finished run changes nothing and returns its report, and the
// error that Run returned. Otherwise errors are those of Run, and [ErrNoRun].
func (c *Controller) Resume(ctx context.Context, locked *plan.Locked, run string) (_ *Report, err error) {
	return c.resume(ctx, locked, run, life.Accepted{})
}

// ResumeAccepting is Resume on the word of a person, who lets the run go on
// although something moved that it was bound to: a deployed gate has another
// version, say. moved are the names of all that did, as the refusal of Resume
// gives them, such as "agent gate polite"; by and all of them stand in the
// journal. What moved and is not named is refused, and so is a name of
// something that did not move. "repository" stands for what somebody did in the
// repository while the run rested: commits, branches, tags, what is staged,
// settings. A hook has a name of its own, "hook pre-commit", and so has each of
// what commits obey, where the run makes any. Neither the plan nor the tree can be
// accepted so: amend the run, put them back, or answer the question about
// what others did.
func (c *Controller) ResumeAccepting(ctx context.Context, locked *plan.Locked, run, by string,
	moved ...string) (_ *Report, err error) {
	return c.resume(ctx, locked, run, life.Accepted{By: by, Moved: moved})
}

func (c *Controller) resume(ctx context.Context, locked *plan.Locked, run string,
	accepted life.Accepted) (report *Report, err error) {
	defer reported(&report, &err)
	e, err := c.open(ctx, locked)
	defer e.close()
	defer e.panicked(&report, &err)
	if err != nil {
		return e.report(), err
	}
	e.life.Accepted = accepted
	if err := e.life.Reopen(ctx, run); err != nil {
		return e.report(), err
	}
	if e.Rec.Run.Sealed != nil {
		return e.report(), outcome(e.Rec.Run)
	}
	return e.over(ctx, e.drive.CarryOn(ctx))
}

// sources reads source files for a run.
func (c *Controller) sources() *source.Reader { return readerOf(c.Languages) }

// readerOf is what reads source files in some languages; nil: in all of planlock.
func readerOf(l []source.Language) *source.Reader {
	if l == nil {
		l = languages.All()
	}
	return &source.Reader{Languages: l}
}

func (c *Controller) workspace() Workspace {
	return Workspace{Dir: c.Dir, Blobs: c.Blobs, Runs: c.Runs, Papers: c.Papers, Documents: c.Documents,
		Languages: c.Languages}
}

// NewRun makes an id for RunID: one that no run in the workspace has, and that
// sorts behind those of all others, also where the clock was set back since the
// last one began. Nothing is written.
func (c *Controller) NewRun(ctx context.Context) (string, error) {
	last, err := c.workspace().home().LastRun(ctx)
	if err != nil {
		return "", err
	}
	id, err := c.newID()
	if err != nil {
		return "", err
	}
	if id.Compare(last) <= 0 {
		err = id.SetTime(last.Time() + 1)
	}
	if err != nil {
		return "", fmt.Errorf("exec: run %s in %s is of the end of time, move it elsewhere: %w", last,
			cmp.Or(c.Dir, "."), err)
	}
	return id.String(), nil
}

// runID is the id of the run that is to begin. One that was cut off before its
// first record has not begun.
func (c *Controller) runID(ctx context.Context) (string, error) {
	if c.RunID == "" {
		return c.NewRun(ctx)
	}
	id, err := ulid.ParseStrict(c.RunID)
	if err != nil || id.String() != c.RunID {
		return "", &session.Refusal{Reasons: []string{fmt.Sprintf("%q is no id of a run", c.RunID)},
			Hint: "make one with Controller.NewRun"}
	}
	ws := c.workspace().home()
	last, err := ws.LastRun(ctx)
	switch {
	case err != nil:
		return "", err
	case id == last && !ws.Begun(ctx, checkpoint.Listed{Run: c.RunID}), id.Compare(last) > 0:
		return c.RunID, nil
	case id == last:
		return "", &session.Refusal{Run: c.RunID, Reasons: []string{"the run has begun"}, Hint: "resume it"}
	}
	return "", &session.Refusal{Reasons: []string{fmt.Sprintf("run %s has begun since the id %s was made, and runs are told apart by which is later",
		last, c.RunID)}, Hint: "make another id with Controller.NewRun"}
}
