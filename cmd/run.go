package cmd

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/preset"
	"github.com/planlock/planlock/plan"
)

const presetHelp = "the way to cope with failure, a `name`: contract, spec, phase, assistant or reflective; what the plan says by default; part of what is locked"

// A session is what "run" and "resume" have in common: their flags.
type session struct {
	dir       *string
	mode      *string
	preset    *string
	executors list
	answers   *string
	patience  *time.Duration
	tokens    *int64
	isolate   *bool
	shadow    *bool
	noSandbox *bool
	format    *string
	pipeline  *pipeline
	person    *ask.Terminal // whoever sits at the terminal; nil until somebody is to be asked
	resumed   string        // id of the run that is resumed
	plan      string        // where its plan lies, if that was said
}

func newSession(flags *flag.FlagSet) *session {
	s := &session{
		dir:       flags.String("dir", ".", "the workspace, a `folder`"),
		mode:      flags.String("mode", "", "who is asked and when, a `mode`: silent, dynamic, collaborative or education; what the plan says by default"),
		preset:    flags.String("preset", "", presetHelp),
		answers:   flags.String("answers", "", "the `policy` for questions that no terminal can answer: refuse (the default), wait, or a file of rules"),
		patience:  flags.Duration("patience", 0, "how long, a `duration` as in 10m, a question waits for its answer; 0: for ever"),
		tokens:    flags.Int64("token-budget", 0, "how many `tokens` a session may use: at 70 % executors are asked to be brief, at 80 % the run stops, to be resumed; 0: what the plan says"),
		isolate:   flags.Bool("isolate", false, "work in a clone; the workspace changes only if the run succeeds"),
		shadow:    flags.Bool("shadow", false, "try the whole plan in a clone; the workspace stays as it is, and the run that follows is compared with the trial"),
		noSandbox: flags.Bool("no-sandbox", false, "run commands without a sandbox; part of what is locked"),
		format:    flags.String("format", "text", "the output's `format`: text, or jsonl: the journal's records as they are written"),
	}
	flags.Var(&s.executors, "executor", executorsHelp)
	s.pipeline = newPipeline(flags)
	return s
}

// controller is what the flags ask for. executor is the default one of the run
// that is resumed.
func (s *session) controller(ctx context.Context, executor string) (*exec.Controller, error) {
	if err := oneOf("format", *s.format, "text", "jsonl"); err != nil {
		return nil, err
	}
	if err := oneOf("mode", *s.mode, "", "silent", "dynamic", "collaborative", "education"); err != nil {
		return nil, err
	}
	if _, err := preset.Named(*s.preset); err != nil {
		return nil, &usageError{"--preset: " + err.Error()}
	}
	if *s.tokens < 0 {
		return nil, &usageError{"--token-budget: a number of tokens is not negative"}
	}
	if *s.patience < 0 {
		return nil, &usageError{"--patience: a time to wait is not negative"}
	}
	c := &exec.Controller{Dir: *s.dir, Mode: plan.Mode(*s.mode), Preset: *s.preset, NoSandbox: *s.noSandbox, Witness: checkpoint.UserWitness().Outside(*s.dir), Patience: *s.patience, TokenBudget: *s.tokens}
	if err := s.pipeline.seat(ctx, c); err != nil {
		return nil, err
	}
	return c, seatExecutors(c, s.executors, executor)
}

func prepareRun(p *cli, flags *flag.FlagSet) action {
	s := newSession(flags)
	lock := flags.String("lock", "", "the lock `file`; NAME.lock.json beside the plan by default, if it is there")
	strategy := flags.String("strategy", "", "how much ceremony, a `strategy`: direct or orchestrated; what follows from the plan by default")
	testFirst := flags.Bool("test-first", false, "steps that can write their test first do: red, green, refactor")
	deterministic := flags.Bool("deterministic", false, "refuse a step that makes another tree than it did before of the same inputs")
	var acks list
	flags.Var(&acks, "ack", ackHelp)
	return func(ctx context.Context, args []string) error {
		if err := oneOf("strategy", *strategy, "", "direct", "orchestrated"); err != nil {
			return err
		}
		if err := p.apart(*s.dir); err != nil {
			return err
		}
		c, err := s.controller(ctx, "")
		if err != nil {
			return err
		}
		c.Isolate, c.Shadow, c.TestFirst, c.Deterministic, c.Strategy = *s.isolate, *s.shadow, *testFirst, *deterministic, history.Strategy(*strategy)
		draft, err := p.read(args[0], c.Options())
		if err != nil {
			return err
		}
		if err := s.seatEscalator(p, c, ""); err != nil {
			return err
		}
		locked, err := p.lockFor(ctx, c, draft, args[0], *lock, acks)
		if err != nil {
			return s.placed(err, args[0], nil)
		}
		if err := seatsPrompts(c, locked.Plan(), locked.Options().Acknowledged); err != nil {
			return s.placed(err, args[0], nil)
		}
		if err := s.chooseMode(ctx, p, c, locked.Plan()); err != nil {
			return s.placed(err, args[0], nil)
		}
		return p.carryOut(ctx, s, c, args[0], func() (*exec.Report, error) { return c.Run(ctx, locked) })
	}
}

// carryOut runs or resumes, shows how it goes, and prints what came of it.
func (p *cli) carryOut(ctx context.Context, s *session, c *exec.Controller, path string, do func() (*exec.Report, error)) error {
	defer survivePipe()()
	var stream *streamer
	if *s.format == "jsonl" {
		stream = &streamer{out: p.out, workspace: workspaceIn(c.Dir), resumed: s.resumed}
		c.OpenLog = stream.open
	}
	shown := newProgress(p.err, p.isTerminal(p.err), p.now)
	shown.spell = spelling{dir: c.Dir}.spell
	c.Observer = shown.observer()
	unwatch := context.AfterFunc(ctx, shown.stopping)
	report, err := do()
	unwatch()
	shown.close()
	var refused *exec.RefusedError
	told := s.resumed != "" && errors.As(err, &refused) && !shown.begun // nothing is new about the run
	if stream == nil && report != nil && report.Run.Head.Seq > 0 && !told {
		id := report.Run.Started.Run
		spelled := spellingOf(report.Run, *s.dir, resumeIn(*s.dir, id)+s.again(report.Run))
		err = errors.Join(err, p.printReport(report, spelled))
	}
	if stream != nil && stream.err != nil && err == nil && !errors.Is(stream.err, syscall.EPIPE) {
		err = fmt.Errorf("the journal could not be streamed: %w", stream.err)
	}
	return s.placed(err, path, reportedRun(report))
}

// printReport prints the report of a run as text.
func (p *cli) printReport(report *exec.Report, as spelling) error {
	text, err := document.Text(report.Plan, report.Run, as.spell)
	if err != nil {
		return err
	}
	_, _ = p.out.Write(text) // who reads it may have gone away
	return nil
}

// reportedRun is the run that a report is about, or nil if none began.
func reportedRun(r *exec.Report) *history.Run {
	if r == nil || r.Run == nil || r.Run.Head.Seq == 0 {
		return nil
	}
	return r.Run
}

// survivePipe keeps the program alive when whoever reads its output goes away:
// a run must come to its end or restore its tree.
func survivePipe() func() {
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	return func() { signal.Stop(broken) }
}
