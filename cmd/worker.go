package cmd

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/planlock/planlock/cmd/internal/ownshell"
	planlock "github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/remote"
	"github.com/planlock/planlock/plan"
)

// An Engine carries jobs from the owners of runs to workers, and runs to owners. Each
// call opens one side of it. Runs and Own are nil where it carries jobs alone.
type Engine struct {
	Queue  func(ctx context.Context) (remote.Queue, error)
	Source func(ctx context.Context, of planlock.Executors) (remote.Source, error)
	Runs   func(ctx context.Context) (Runs, error)
	Own    func(ctx context.Context, o Owner) error // until ctx ends, and each run is let go of
	Close  func() error                             // closes what was opened
}

// engineFlag says which engine gives steps to workers.
type engineFlag struct {
	Engine string `again:"always" placeholder:"ENGINE" help:"have steps carried out by workers (planlock worker): postgres, in the database of --store, or temporal://HOST:PORT/NAMESPACE (docs/scale.md)"`
}

// workerCommand is "planlock worker": it carries out steps of runs that others
// own, until it is told to end. What it has begun then is given back, for
// another worker. It can also carry out runs that are given to owners, and stand by,
// and go on with runs whose owner is gone.
type workerCommand struct {
	arguments
	storeFlags
	Engine string `placeholder:"ENGINE" help:"what gives it steps: postgres, in the database of --store, or temporal://HOST:PORT/NAMESPACE"`
	Dir    string `placeholder:"FOLDER" help:"where it works, a folder of its own; a temporary one by default"`
	Own    string `placeholder:"FOLDER" help:"carry out whole runs, too, that --engine gives to owners (planlock run --detach), each in a folder of its own in this one"`
	standByFlags
	Cache    size     `default:"1GB" placeholder:"SIZE" help:"how much of what runs keep it keeps in its folder too, so that it reads it once: 500MB, 20GB, 0 for nothing; what was not used for longest goes first"`
	Jobs     int      `default:"1" placeholder:"N" help:"how many steps it carries out at once, and with --own how many runs"`
	Agent    []string `sep:"none" placeholder:"NAME" help:"a coding agent that carries out steps here: NAME or NAME=MODEL, as planlock agents lists them; may be repeated: the first is the default"`
	Executor []string `sep:"none" placeholder:"PATH" help:"who carries out steps that name nobody: shell, or the path of a program; NAME=PATH for steps that ask for NAME; may be repeated"`
}

// Run carries the command out.
func (f *workerCommand) Run(ctx context.Context, p *cli) error {
	at := place{Schema: storeSchema}
	var err error
	if at.Store, err = storeURL(f.Store); err == nil {
		at.Blobs, err = storeURL(f.Blobs)
	}
	switch {
	case err != nil:
		return err
	case f.Own != "" && f.Engine == "":
		return &usageError{"worker --own: say with --engine what gives it runs: temporal://HOST:PORT/NAMESPACE"}
	case at.Store == "" || f.Engine == "" && f.StandBy == "":
		return &usageError{"worker: say with --store where runs are kept, and with --engine what gives out their steps, " +
			"or with --stand-by that it goes on with runs"}
	case f.Grace < leastGrace:
		return &usageError{fmt.Sprintf("worker: --grace is %s at least, so that an owner notices that its connection is gone", leastGrace)}
	case f.Jobs < 1 || f.Jobs > plan.MaxJobs:
		return &usageError{fmt.Sprintf("worker: --jobs is a number from 1 to %d", plan.MaxJobs)}
	case p.with.Open == nil || p.with.Engine == nil:
		return becomeWorker(at, p.args)
	}
	seats := &roles{cast: cast{Agent: f.Agent}, Executor: f.Executor}
	hands := &planlock.Controller{Dir: "."}
	if err := seats.seatExecutors(hands, p.with.Executors, ""); err != nil {
		return err
	}
	delete(hands.Executors, plan.ToolCaller) // its servers are those of the owner
	kept, err := p.with.Open(ctx, at.Store, at.Blobs, true)
	if err != nil {
		return err
	}
	p.later(kept.Close)
	log := slog.New(slog.NewTextHandler(p.err, &slog.HandlerOptions{ReplaceAttr: plainly}))
	var does []func(context.Context) error
	if f.StandBy != "" {
		stands, err := f.stands(p, at, kept, log)
		if err != nil {
			return err
		}
		does = append(does, stands)
	}
	if f.Engine != "" {
		engine, err := p.with.Engine(ctx, f.Engine, at.Store)
		if err != nil {
			return err
		}
		p.later(engine.Close)
		if f.Own != "" {
			s, err := f.takesUp(p, f.Own, at, kept, log)
			if err != nil {
				return err
			}
			owns, err := f.own(p, s, engine)
			if err != nil {
				return err
			}
			does = append(does, owns)
		}
		source, err := engine.Source(ctx, hands.Executors)
		if err != nil {
			return err
		}
		w := &remote.Worker{Jobs: source, Blobs: kept.Blobs, Executors: hands.Executors, Dir: f.Dir,
			Cache: cmp.Or(int64(f.Cache), -1), At: f.Jobs, Shell: ownshell.Args(), Secrets: secrets(), Log: log}
		fmt.Fprintf(p.err, "waits for steps of runs at %s\n", escaped(at.Store))
		does = append(does, w.Run)
	}
	return together(ctx, does) // a signal ends ctx, and a worker that is told to end has done what it should
}

// together does several things at a time, until all have ended. Where one fails, the
// others are told to end.
func together(ctx context.Context, all []func(context.Context) error) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	errs := make([]error, len(all))
	var wait sync.WaitGroup
	for i, do := range all {
		wait.Go(func() {
			if errs[i] = do(ctx); errs[i] != nil {
				end()
			}
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

// A size is a number of bytes, as in 20GB.
type size int64

// UnmarshalText reads it.
func (s *size) UnmarshalText(text []byte) error {
	digits := bytes.TrimRight(text, "kKMGTB")
	power := slices.Index([]string{"", "KB", "MB", "GB", "TB"}, strings.ToUpper(string(text[len(digits):])))
	n, err := strconv.ParseInt(string(digits), 10, 64)
	for ; power > 0 && n <= math.MaxInt64/1000; power-- {
		n *= 1000
	}
	if power != 0 || err != nil || n < 0 {
		return fmt.Errorf("%q is no size: it is a number of KB, MB, GB or TB, as in 20GB", text)
	}
	*s = size(n)
	return nil
}

// plainly leaves out what nobody looks for on a screen.
func plainly(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.LevelKey {
		return slog.Attr{}
	}
	return a
}

// giveAway has the executors of a controller work by an engine.
func (p *cli) giveAway(ctx context.Context, c *planlock.Controller, name string) error {
	switch {
	case name == "":
		return nil
	case p.with.Blobs == nil || p.with.Engine == nil:
		return &usageError{"--engine: workers need what the run keeps: say with --store where that is"}
	}
	engine, err := p.with.Engine(ctx, name, p.kept.Store)
	if err != nil {
		return err
	}
	p.later(engine.Close)
	queue, err := engine.Queue(ctx)
	if err != nil {
		return err
	}
	for called, x := range c.Executors {
		if called != plan.ToolCaller {
			c.Executors[called] = &remote.Executor{Jobs: queue, Blobs: p.with.Blobs, As: x, NoSandbox: c.NoSandbox}
		}
	}
	return nil
}

// later has something closed when the call ends.
func (p *cli) later(shut func() error) { p.closers = append(p.closers, shut) }

// shut closes what the call opened, the last first.
func (p *cli) shut() (err error) {
	for i := len(p.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, p.closers[i]())
	}
	p.closers = nil
	return err
}
