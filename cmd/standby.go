package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/hold"
	planlock "github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/remote"
	"github.com/planlock/planlock/internal/safetext"
)

// standByFlags have a worker go on with runs whose owner is gone.
type standByFlags struct {
	StandBy string        `placeholder:"FOLDER" help:"go on with runs of --store whose owner is gone, each in a folder of its own in this one, as planlock resume does elsewhere (docs/scale.md)"`
	Grace   time.Duration `default:"15s" placeholder:"DURATION" help:"how long nobody must have had a run before --stand-by goes on with it"`
}

// leastGrace is twice what an owner takes to notice that its connection is gone.
const leastGrace = 10 * time.Second

// stands readies standing by the runs of a store.
func (f *workerCommand) stands(p *cli, at place, kept *Kept, log *slog.Logger) (func(context.Context) error, error) {
	runs, ok := kept.Runs.(checkpoint.Holders)
	if !ok {
		return nil, &usageError{fmt.Sprintf("worker --stand-by: nobody can be asked at %s who has a run: that is known of runs in PostgreSQL",
			quoted(at.Store))}
	}
	s, err := f.takesUp(p, f.StandBy, at, kept, log)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(p.err, "stands by the runs at %s\n", escaped(at.Store))
	return func(ctx context.Context) error {
		(&remote.StandBy{Runs: runs, Resume: s.resume, Grace: f.Grace, Log: log}).Run(ctx)
		return nil
	}, nil
}

// takesUp readies going on with runs, each in a folder of its own.
func (f *workerCommand) takesUp(p *cli, folder string, at place, kept *Kept, log *slog.Logger) (*standsBy, error) {
	dir, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	s := &standsBy{with: p.with, now: p.now, dir: dir, at: at, kept: kept, log: log,
		flags: []string{"--color=never", "--answers=wait", "--store=" + at.Store}}
	if at.Blobs != "" {
		s.flags = append(s.flags, "--blobs="+at.Blobs)
	}
	if f.Engine != "" {
		s.flags = append(s.flags, "--engine="+f.Engine)
	}
	for _, word := range f.Executor {
		if label, _ := labelled(word); label != "" { // the run remembers its default
			s.flags = append(s.flags, "--executor="+word)
		}
	}
	return s, nil
}

// workspace is that of a run.
func (s *standsBy) workspace(run string) planlock.Workspace {
	return planlock.Workspace{Dir: filepath.Join(s.dir, run), Runs: s.kept.Runs, Blobs: s.kept.Blobs,
		Papers: s.kept.Papers}
}

// standsBy goes on with runs that nobody has in hand, as if a person resumed them.
type standsBy struct {
	with  With
	now   func() time.Time
	dir   string   // has the folders of the runs
	flags []string // of planlock resume
	at    place
	kept  *Kept
	log   *slog.Logger
}

// resume is "planlock resume" of a run in a folder of its own. What it says is
// logged; the report is for whoever asks for it.
func (s *standsBy) resume(ctx context.Context, run string) error {
	ws := s.workspace(run)
	dir := ws.Dir
	r, err := ws.History(ctx, run)
	if err == nil && r.Sealed != nil {
		return nil // it ended just now
	}
	if err == nil {
		err = s.afresh(ctx, dir)
	}
	if err != nil {
		return err
	}
	words := append([]string{"resume", "--dir=" + dir}, s.flags...)
	of := commandNamed("resume").parser().Model.Node
	for _, word := range r.Policy.Given {
		if f := flagNamed(of, flagOf(word)); f != nil && f.Tag.Get("again") == againAlways && !gives(words, f.Name) {
			words = append(words, word)
		}
	}
	says := &eachLine{tell: func(line string) { s.log.Info(line, "run", run) }}
	inner := &cli{with: s.with, in: strings.NewReader(""), out: io.Discard, err: says, now: s.now, owns: true}
	if err = inner.dispatch(ctx, append(words, "--", run)); err == nil {
		return nil
	}
	lines := safetext.Lines(message(ctx, err))
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return &resumeError{strings.Join(lines, "; "), err}
}

// A resumeError is why a run does not go on, as the command says it.
type resumeError struct {
	text string
	err  error
}

func (e *resumeError) Error() string { return e.text }
func (e *resumeError) Unwrap() error { return e.err }

// afresh readies the folder in which a run goes on: what is there since it went on
// here before is removed, since another one may have gone on with it meanwhile. All
// of it that was accepted is in the store.
func (s *standsBy) afresh(ctx context.Context, dir string) error {
	if was, err := placeOf(dir); err != nil || was != s.at && was.Store != "" {
		return errors.Join(err, fmt.Errorf("%s is not the folder of a run that went on here: remove it", quoted(dir)))
	} else if was.Store != "" {
		held, err := hold.Workspace(ctx, dir)
		if err != nil {
			return err
		}
		if err := errors.Join(held.Release(), os.RemoveAll(dir)); err != nil {
			return err
		}
	}
	return os.MkdirAll(dir, 0o755)
}
