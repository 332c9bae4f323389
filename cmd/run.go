package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/planlock/planlock/cmd/internal/screen"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/preset"
	"github.com/planlock/planlock/plan"
)

// A session is what "run" and "resume" have in common.
type session struct {
	workspaceFlag
	roles
	presetFlag
	Mode        string        `enum:",silent,dynamic,collaborative,education" default:"" placeholder:"MODE" help:"who is asked and when: silent, dynamic, collaborative or education; what the plan says by default"`
	Answers     string        `placeholder:"POLICY" help:"the policy for questions that no terminal can answer: refuse (the default), wait, or a file of rules"`
	Patience    time.Duration `placeholder:"DURATION" help:"how long, as in 10m, a question waits for its answer; 0: for ever"`
	TokenBudget int64         `placeholder:"TOKENS" help:"how many tokens a session may use: at 70 % executors are asked to be brief, at 80 % the run stops, to be resumed; 0: what the plan says"`
	Isolate     bool          `help:"work in a clone; the workspace changes only if the run succeeds"`
	Shadow      bool          `help:"try the whole plan in a clone; the workspace stays as it is, and the run that follows is compared with the trial"`
	NoSandbox   bool          `help:"run commands without a sandbox; part of what is locked"`
	Format      string        `enum:"text,jsonl" default:"text" placeholder:"FORMAT" help:"the output's format: text, or jsonl: the journal's records as they are written"`

	person  *ask.Terminal // whoever sits at the terminal; nil until somebody is to be asked
	resumed string        // id of the run that is resumed
	moved   string        // where its plan lies, if that was said
}

// controller is what the flags ask for. executor is the default one of the run
// that is resumed.
func (s *session) controller(ctx context.Context, p *cli, executor string) (*exec.Controller, error) {
	if _, err := preset.Named(s.Preset); err != nil {
		return nil, &usageError{"--preset: " + err.Error()}
	}
	if s.TokenBudget < 0 {
		return nil, &usageError{"--token-budget: a number of tokens is not negative"}
	}
	if s.Patience < 0 {
		return nil, &usageError{"--patience: a time to wait is not negative"}
	}
	c := p.controller(s.Dir)
	c.Mode, c.Preset, c.NoSandbox, c.Patience, c.TokenBudget = plan.Mode(s.Mode), s.Preset, s.NoSandbox, s.Patience,
		s.TokenBudget
	return c, s.seat(ctx, p, c, executor)
}

// runCommand is "planlock run".
type runCommand struct {
	arguments
	session
	ackFlag
	Lock          string `placeholder:"FILE" help:"the lock file; NAME.lock.json beside the plan by default, if it is there"`
	Strategy      string `enum:",direct,orchestrated" default:"" placeholder:"STRATEGY" help:"how much ceremony: direct or orchestrated; what follows from the plan by default"`
	TestFirst     bool   `help:"steps that can write their test first do: red, green, refactor"`
	Deterministic bool   `help:"refuse a step that makes another tree than it did before of the same inputs"`
}

// Run carries the command out.
func (f *runCommand) Run(ctx context.Context, p *cli) error {
	if err := p.apart(f.Dir); err != nil {
		return err
	}
	c, err := f.controller(ctx, p, "")
	if err != nil {
		return err
	}
	c.Isolate, c.Shadow, c.TestFirst, c.Deterministic, c.Strategy = f.Isolate, f.Shadow, f.TestFirst, f.Deterministic,
		history.Strategy(f.Strategy)
	draft, err := p.read(f.Args[0], c.Options())
	if err != nil {
		return err
	}
	if err := f.seatEscalator(p, c, ""); err != nil {
		return err
	}
	locked, err := p.lockFor(ctx, c, draft, f.Args[0], f.Lock, f.Ack)
	if err != nil {
		return f.placed(err, f.Args[0], nil)
	}
	if err := seatsPrompts(c, locked.Plan(), locked.Options().Acknowledged); err != nil {
		return f.placed(err, f.Args[0], nil)
	}
	if err := f.chooseMode(ctx, p, c, locked.Plan()); err != nil {
		return f.placed(err, f.Args[0], nil)
	}
	return p.carryOut(ctx, &f.session, c, f.Args[0], func() (*exec.Report, error) { return c.Run(ctx, locked) })
}

// carryOut runs or resumes, shows how it goes, and prints what came of it.
func (p *cli) carryOut(ctx context.Context, s *session, c *exec.Controller, path string,
	do func() (*exec.Report, error)) error {
	defer survivePipe()()
	shown := screen.New(p.err, p.isTerminal(p.err), p.now, spelling{dir: c.Dir}.spell)
	var broken error // of writing the journal; the run does not fail because of it
	streams := s.Format == "jsonl"
	lines := json.NewEncoder(p.out)
	lines.SetEscapeHTML(false)
	c.Observe = func(ctx context.Context, e event.Event) {
		shown.Observe(ctx, e)
		if streams && broken == nil && e.Record != nil {
			broken = lines.Encode(e.Record)
		}
	}
	unwatch := context.AfterFunc(ctx, shown.Stopping)
	report, err := do()
	unwatch()
	shown.Close()
	var refused *exec.RefusedError
	told := s.resumed != "" && errors.As(err, &refused) && !shown.Begun() // nothing is new about the run
	if !streams && report != nil && report.Run.Head.Seq > 0 && !told {
		id := report.Run.Started.Run
		spelled := spellingOf(report.Run, s.Dir, resumeIn(s.Dir, id)+s.again(report.Run))
		err = errors.Join(err, p.printReport(report, spelled))
	}
	if broken != nil && err == nil && !errors.Is(broken, syscall.EPIPE) {
		err = fmt.Errorf("the journal could not be streamed: %w", broken)
	}
	return s.placed(err, path, reportedRun(report))
}

// printReport prints the report of a run as text.
func (p *cli) printReport(report *exec.Report, as spelling) error {
	model, err := document.New(report.Plan, report.Run, as.spell)
	if err != nil {
		return err
	}
	_ = document.Text(p.out, model) // who reads it may have gone away
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
