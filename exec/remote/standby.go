package remote

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/planlock/planlock/checkpoint"
)

// A StandBy goes on with runs whose owner is gone. Runs and Resume are needed.
// Several may stand by the same runs: whoever opens the journal of one first has it.
//
// A run is taken over once nobody has had its journal open during a whole grace,
// as often as it was looked at. So an owner whose connection breaks has that time
// to come back; one that comes back later is fenced, and what it adds is refused.
// Runs that were let go, since they wait for an answer or somebody stopped them,
// are left to whoever answers or resumes them.
type StandBy struct {
	// Runs are where the runs are kept.
	Runs checkpoint.Holders
	// Resume goes on with a run, and returns once that has ended or was let go. It
	// is called for several at a time. A *checkpoint.HeldError, or ErrFenced, says
	// that somebody else has the run; any other error that it cannot go on here.
	Resume func(ctx context.Context, run string) error
	// Grace is how long nobody must have had a run; 0: 15 seconds. It must be longer
	// than an owner takes to notice that its connection is gone: with PostgreSQL that
	// is 5 seconds.
	Grace time.Duration
	// Log gets which runs are taken over, and what came of them; nil discards it.
	Log *slog.Logger
}

const (
	looks = 5          // in a grace, besides the first
	rests = 40 * looks // for which a run is left alone that could not go on: 10 minutes
)

// watched is what was seen of a run.
type watched struct {
	free  int  // looks in a row that found nobody
	held  int  // looks in a row that found somebody
	rests int  // looks for which it is left alone, since it could not go on
	mine  bool // it goes on here
}

// Run takes runs over until ctx ends, and returns once all of them have ended or
// were let go.
//
// A run that could not go on is logged with the reason. It is tried again after ten
// minutes (with another grace, forty of them), or once its next owner, who kept it
// for a whole grace, is gone.
func (s *StandBy) Run(ctx context.Context) {
	type end struct {
		run string
		err error
	}
	log, ends, known, mine := cmp.Or(s.Log, slog.New(slog.DiscardHandler)), make(chan end), map[string]*watched{}, 0
	every := cmp.Or(s.Grace, 15*time.Second) / looks
	timer := time.NewTimer(every)
	defer timer.Stop()
	for told := ctx.Done(); told != nil || mine > 0; {
		select {
		case <-told:
			told = nil
		case e := <-ends:
			mine--
			w := &watched{}
			known[e.run] = w
			switch {
			case e.err == nil:
				log.Info("over", "run", e.run)
			case ctx.Err() != nil:
				log.Info("let go", "run", e.run, "err", e.err)
			case isHeld(e.err), errors.Is(e.err, checkpoint.ErrFenced):
				log.Info("somebody else has it", "run", e.run, "err", e.err)
			default:
				log.Warn("it does not go on here", "run", e.run, "err", e.err)
				w.rests = rests
			}
		case <-timer.C:
			for _, run := range s.look(ctx, log, known) {
				if ctx.Err() != nil {
					break
				}
				known[run].mine = true
				mine++
				log.Info("taken over", "run", run)
				go func() { ends <- end{run, s.Resume(ctx, run)} }()
			}
			timer.Reset(every)
		}
	}
}

// look sees who has the runs that are under way, and returns those that nobody has
// had for a grace. What cannot be seen counts for nobody: a server that was gone
// may be back before the owners are.
func (s *StandBy) look(ctx context.Context, log *slog.Logger, known map[string]*watched) (free []string) {
	there, err := s.underWay(ctx)
	if err != nil {
		log.Warn("runs cannot be listed", "err", err)
		for _, w := range known {
			w.free, w.held = 0, 0
		}
		return nil
	}
	for run, w := range known {
		if !there[run] && !w.mine {
			delete(known, run)
		}
	}
	for run := range there {
		w := known[run]
		if w == nil {
			w = &watched{}
			known[run] = w
		}
		if w.mine {
			continue
		}
		w.rests = max(w.rests-1, 0)
		by, err := s.Runs.Holder(ctx, run)
		switch {
		case err != nil:
			log.Warn("nobody says who has it", "run", run, "err", err)
			w.free, w.held = 0, 0
		case by != "":
			w.free, w.held = 0, w.held+1
			if w.held > looks { // it went on elsewhere
				w.rests = 0
			}
		default:
			w.free, w.held = w.free+1, 0
			if w.free > looks && w.rests == 0 {
				free = append(free, run)
			}
		}
	}
	return free
}

// underWay are the runs that have not ended, and that nobody let go. A run of which
// nothing was noted yet may have begun all the same.
func (s *StandBy) underWay(ctx context.Context) (map[string]bool, error) {
	runs := map[string]bool{}
	for l, err := range s.Runs.List(ctx, checkpoint.Which{Lock: "none"}) { // so those that are sealed are left out
		if err != nil {
			return nil, err
		}
		if l.State == checkpoint.Begun || l.State == "" {
			runs[l.Run] = true
		}
	}
	return runs, nil
}

// isHeld reports whether an error says that somebody has what was to be opened.
func isHeld(err error) bool {
	var by *checkpoint.HeldError
	return errors.As(err, &by)
}
