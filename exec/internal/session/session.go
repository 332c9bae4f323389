package session

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/engine"
	"github.com/planlock/planlock/exec/internal/home"
	"github.com/planlock/planlock/exec/internal/method"
	"github.com/planlock/planlock/exec/internal/needs"
	"github.com/planlock/planlock/exec/internal/recorder"
	"github.com/planlock/planlock/exec/internal/scratch"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/gate/panel"
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/plan"
)

// A Session is a run in hand. What is known of the run is in Rec.Run, folded
// from the journal, and nowhere else; the remaining fields are the means. They
// are set before the run begins or goes on, and not changed after that.
type Session struct {
	Locked *plan.Locked // nil where the run is only set back
	Plan   *plan.Plan
	Files  []plan.Source
	// LockFile is where the lock was read from, "" if it is in no file.
	LockFile string

	Rec  *recorder.Recorder
	Work *worktree.Worktree

	// Contract is the plan made ready. Shown and Judging are copies of it for
	// executors and for gates: what a host's code gets to see, it could change.
	Contract, Shown, Judging *guard.Contract

	// Home has all runs of the workspace, this one among them.
	Home home.Home

	Panel panel.Panel
	// Person looks at work of which nothing else can say whether it is done; nil
	// if nobody is there.
	Person func(context.Context, ask.Question) (ask.Answer, error)
	// Sources reads source files.
	Sources *source.Reader
	// Touchy is set if code of the host is among what judges, which may have
	// touched the tree.
	Touchy bool
	// Ladder must be the one whose rungs the run names.
	Ladder recovery.Ladder
	// Guards are those of the host.
	Guards []guard.Guard
	// Isolate has a new run deliver nothing before it achieved its goal.
	Isolate bool
	// NoSandbox runs commands at level none, whatever the plan says.
	NoSandbox bool
	// Shell runs shell commands where the system has no sh.
	Shell []string
	// Scratch has the folders for temporary files and caches of commands.
	Scratch *scratch.Folders
	// Secrets are files and folders that no command sees in its sandbox.
	Secrets []string
	// Needs are those of who takes part, sorted by name.
	Needs []needs.Of
	// Version is that of planlock.
	Version string
	// Now is the clock of the journal.
	Now func() time.Time
	// NewID makes an id that nothing else has.
	NewID func() (string, error)
	// Tell tells the host of what is no fact; Observed is set if it listens.
	Tell     func(event.Event)
	Observed bool

	// Paused is called when the run was let go, and can be resumed: what is drawn
	// for whoever goes on is drawn then. TakenUp is called when it goes on.
	Paused, TakenUp func(context.Context)

	decides *engine.Decider
}

// Earlier yields the runs of the workspace that can be read, the latest first;
// the one in hand is not among them.
func (s *Session) Earlier(ctx context.Context, which checkpoint.Which) (iter.Seq2[string, *history.Run], error) {
	var ids []string
	for l, err := range s.Home.List(ctx, which) {
		if err != nil {
			return func(func(string, *history.Run) bool) {}, err
		}
		ids = append(ids, l.Run)
	}
	return func(yield func(string, *history.Run) bool) {
		for _, id := range ids {
			if id == s.Rec.Run.Started.Run {
				continue
			}
			run, err := s.Home.History(ctx, id)
			if err != nil {
				s.Rec.Log.Warn("an earlier run cannot be read", "run", id, "err", err)
				continue
			}
			if !yield(id, run) {
				return
			}
		}
	}, nil
}

// Note keeps what becomes of the run in hand for whoever lists runs.
func (s *Session) Note(ctx context.Context, state checkpoint.State) {
	run := s.Rec.Run.Started.Run
	if err := s.Home.Note(context.WithoutCancel(ctx), run, state); err != nil {
		s.Rec.Log.Warn("what becomes of a run cannot be noted, so that who begins another one reads it", "run", run, "err", err)
	}
}

// Decider decides what comes next.
func (s *Session) Decider() *engine.Decider {
	if s.decides == nil {
		ladder := make(recovery.Ladder, len(s.Ladder))
		for i, r := range s.Ladder {
			ladder[i] = rung{r}
		}
		s.decides = engine.New(s.Contract, ladder)
		for _, g := range s.Guards {
			s.decides.Guards = append(s.decides.Guards, s.hosted(g))
		}
	}
	return s.decides
}

// hosted is a guard of the host. Its panics name it, and what it sees of the
// plan is what all code of the host sees: not the contract itself.
func (s *Session) hosted(g guard.Guard) guard.Guard {
	name := g.Name()
	return guard.Of(name, func(c *guard.Case) guard.Verdict {
		defer home.InPort(fmt.Sprintf("guard %q", name))
		shown := *c
		shown.Contract = s.Shown
		return g.Look(&shown)
	})
}

// A rung is one of the host, mostly, whose panics name it.
type rung struct{ recovery.Rung }

func (r rung) Try(s recovery.Situation) (recovery.Next, bool) {
	defer home.InPort(fmt.Sprintf("rung %q", r.Name()))
	return r.Rung.Try(s)
}

// About is what may be looked at of a step; nil for the run as a whole.
func (s *Session) About(step *history.Step) *guard.Case {
	return &guard.Case{Contract: s.Contract, Run: s.Rec.Run, Seen: s.Rec.Seen, Step: step}
}

// Method finds a way to do a step by its name.
func (s *Session) Method(step *history.Step, id string) method.Method {
	_, planned := s.Contract.At(step.Address)
	return method.Approved(s.Rec.Run, planned, step, id)
}

// ShownTask is a task as hosts may see it.
func (s *Session) ShownTask(task *plan.Task) *plan.Task {
	shown, _ := s.Shown.At(task.Steps[0].Address)
	return shown
}
