package cmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	planlock "github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/history"
	repository "github.com/planlock/planlock/ledger/git"
)

// Runs are given to owners, by an engine.
type Runs interface {
	// Give has an owner go on with a run of the store, and with one that waits there for an
	// answer look whether that was given. Again it does nothing.
	Give(ctx context.Context, run string) error
	// Take has owners let go of a run, at a checkpoint, and returns once they have.
	// They need not have it.
	Take(ctx context.Context, run string, stop planlock.Stop) error
}

// An Owner carries out runs that an engine gives it.
type Owner struct {
	// At is how many it has at a time.
	At int
	// Advance goes on with a run until that has ended, waits for a person, or ctx
	// ends, and returns how it stands then, nil where that cannot be read. It tells how the
	// run stands meanwhile.
	Advance func(ctx context.Context, run string, tell func(*history.Run)) (*history.Run, error)
	// Answer keeps an answer to an open question.
	Answer func(ctx context.Context, a ask.Answer) error
	// Log gets what becomes of runs.
	Log *slog.Logger
}

// detachFlag has owners carry a run out.
type detachFlag struct {
	Detach bool `again:"always" help:"have an owner carry the run out (planlock worker --own), which --engine finds: it is begun here, and let go of before its next step (docs/scale.md)"`
}

// goOn carries a run out, which begin begins or resumes, or gives it to owners.
func (s *session) goOn(ctx context.Context, p *cli, c *planlock.Controller, path string,
	begin func(context.Context) (*planlock.Report, error)) error {
	if s.Detach && !p.owns {
		return s.detach(ctx, p, c, path, begin)
	}
	return p.carryOut(ctx, s, c, path, func() (*planlock.Report, error) { return begin(ctx) })
}

// detach begins a run, or resumes it, so that what refuses it is told here, lets go of it
// at the first record, and gives it to owners. Where this process dies meanwhile,
// the run waits in the store, and planlock resume gives it to them.
func (s *session) detach(ctx context.Context, p *cli, c *planlock.Controller, path string,
	begin func(context.Context) (*planlock.Report, error)) error {
	if dir, err := filepath.Abs(s.Dir); err == nil {
		if top, _, is := repository.Top(dir); is {
			return &usageError{fmt.Sprintf("--detach: the workspace is in the repository %s, which owners do not have: leave --detach out",
				quoted(top))}
		}
	}
	owners, shut, err := p.owners(ctx, s.Engine)
	if err != nil {
		return err
	}
	defer shut()
	p.sign(c)
	begun, letGo := context.WithCancelCause(ctx)
	defer letGo(nil)
	away := &planlock.Stop{By: defaultName(), Why: "its owners carry it out"}
	c.Observe = func(_ context.Context, e event.Event) {
		if e.Kind == event.Warning {
			fmt.Fprintln(p.err, warningLine(e, spelling{dir: c.Dir}.spell))
		}
		if e.Fact != nil {
			letGo(away)
		}
	}
	report, err := begin(begun)
	run := reportedRun(report)
	if waits := errors.Is(err, away) || errors.Is(err, context.Canceled); run == nil || !waits || ctx.Err() != nil {
		return s.placed(err, path, run)
	}
	return s.placed(p.give(ctx, owners, run, s.Dir), path, run)
}

// owners opens the side of an engine that gives runs away.
func (p *cli) owners(ctx context.Context, name string) (Runs, func() error, error) {
	if name == "" || p.with.Engine == nil || p.with.Blobs == nil {
		return nil, nil, &usageError{"--detach: say with --store where the run is kept, and with --engine what finds owners: temporal://HOST:PORT/NAMESPACE"}
	}
	engine, err := p.with.Engine(ctx, name, p.kept.Store)
	if err != nil {
		return nil, nil, err
	}
	if engine.Runs == nil {
		return nil, nil, errors.Join(noRuns("--detach", name), engine.Close())
	}
	runs, err := engine.Runs(ctx)
	if err != nil {
		return nil, nil, errors.Join(err, engine.Close())
	}
	return runs, engine.Close, nil
}

// noRuns says that an engine gives away steps alone.
func noRuns(what, engine string) error {
	return &usageError{fmt.Sprintf("%s: the engine %s gives steps away, and no runs: temporal://HOST:PORT/NAMESPACE does",
		what, quoted(engine))}
}

// give gives a run to owners.
func (p *cli) give(ctx context.Context, to Runs, run *history.Run, dir string) error {
	if err := to.Give(ctx, run.Started.Run); err != nil {
		return fmt.Errorf("no owner was told of the run: %w", err)
	}
	fmt.Fprintf(p.out, "owners go on with run %s; to see how it stands:  planlock status %s%s\n", run.Started.Run,
		run.Started.Run, inDir(dir))
	return nil
}

// giveAgain gives a run to its owners once more.
func (p *cli) giveAgain(ctx context.Context, run *history.Run, engine, dir string) error {
	owners, shut, err := p.owners(ctx, engine)
	if err != nil {
		return err
	}
	return errors.Join(p.give(ctx, owners, run, dir), shut())
}

// withOwners does something at those who have a run, if it was given to any, as its
// journal says.
func (p *cli) withOwners(ctx context.Context, run *history.Run, do func(Runs) error) (were bool, err error) {
	if !gives(run.Policy.Given, "detach") || p.with.Engine == nil {
		return false, nil
	}
	owners, shut, err := p.owners(ctx, lastOf(run.Policy.Given, "engine", ""))
	if err != nil {
		return true, err
	}
	return true, errors.Join(do(owners), shut())
}

// takeBack has owners let go of a run that somebody goes on with here, or ends. Who has
// the journal decides: that they cannot be told is no reason to leave it to them.
func (p *cli) takeBack(ctx context.Context, run *history.Run, why string) {
	if _, err := p.withOwners(ctx, run, func(r Runs) error {
		return r.Take(ctx, run.Started.Run, planlock.Stop{By: defaultName(), Why: why})
	}); err != nil {
		p.warn("the owners of run %s were not told to let go of it: %s", run.Started.Run, escaped(err.Error()))
	}
}

// own readies carrying out the runs that an engine gives.
func (f *workerCommand) own(p *cli, s *standsBy, engine *Engine) (func(context.Context) error, error) {
	if engine.Own == nil {
		return nil, noRuns("worker --own", f.Engine)
	}
	fmt.Fprintf(p.err, "waits for runs at %s\n", escaped(s.at.Store))
	o := Owner{At: f.Jobs, Advance: s.advance, Log: s.log,
		Answer: func(_ context.Context, a ask.Answer) error { return s.workspace("").Questions().Answer(a) }}
	return func(ctx context.Context) error { return engine.Own(ctx, o) }, nil
}

// advance goes on with a run that was given to this owner.
func (s *standsBy) advance(ctx context.Context, run string, tell func(*history.Run)) (*history.Run, error) {
	s.log.Info("begun", "run", run)
	told := *s
	told.with.Observe = func(ctx context.Context, e event.Event) {
		if s.with.Observe != nil {
			s.with.Observe(ctx, e)
		}
		if e.Fact != nil {
			tell(e.State)
		}
	}
	err := told.resume(ctx, run)
	r, unread := s.workspace(run).History(context.WithoutCancel(ctx), run)
	switch {
	case unread != nil:
		r, err = nil, errors.Join(err, unread)
	case r.Sealed != nil:
		s.log.Info("over", "run", run)
		return r, nil
	}
	s.log.Info("let go", "run", run, "err", err)
	return r, err
}
