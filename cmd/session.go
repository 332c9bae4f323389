package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"os/user"
	"slices"
	"syscall"
	"time"

	"github.com/planlock/planlock/cmd/internal/paint"
	"github.com/planlock/planlock/cmd/internal/screen"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/escalator"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/preset"
	"github.com/planlock/planlock/plan"
)

// runCommand is "planlock run": it runs a plan in a workspace, by the lock file
// beside it or by a lock of its own that leaves no file. The report goes to
// standard output and progress to standard error. What the run comes to is the
// exit status; an interrupted run has restored the tree, and the last line says
// how to go on. It holds the workspace from before the first write until it
// ends.
type runCommand struct {
	arguments
	session
	ackFlag
	worktreeFlags
	Lock          string `again:"never" placeholder:"FILE" help:"the lock file; NAME.lock.json beside the plan by default, if it is there"`
	From          string `again:"never" placeholder:"RUN" help:"finish a run that has ended: what it accepted is taken over, if the plan says the same of it, and the rest is carried out"`
	Strategy      string `again:"begin" enum:",direct,orchestrated" default:"" placeholder:"STRATEGY" help:"how much ceremony: direct or orchestrated; what follows from the plan by default"`
	TestFirst     bool   `again:"begin" help:"steps that can write their test first do: red, green, refactor"`
	Deterministic bool   `again:"begin" help:"refuse a step that makes another tree than it did before of the same inputs; each is executed twice to tell"`

	runID string // of the run that begins; "": it is made when it does
}

// Run carries the command out.
func (f *runCommand) Run(ctx context.Context, p *cli) error {
	switch {
	case f.Worktree.asked:
		return f.inWorktree(ctx, p)
	case f.WorktreeDir != "":
		return &usageError{"--worktree-dir: there is no --worktree that it is for"}
	}
	return f.run(ctx, p)
}

// run runs the plan in the workspace.
func (f *runCommand) run(ctx context.Context, p *cli) error {
	if err := p.apart(f.Dir); err != nil {
		return err
	}
	f.flags = f.typed
	p.terms = f.terms
	c, err := f.controller(ctx, p, "")
	if err != nil {
		return err
	}
	c.RunID = f.runID
	c.Isolate, c.Shadow, c.TestFirst, c.Deterministic, c.Strategy = f.Isolate, f.Shadow, f.TestFirst, f.Deterministic,
		history.Strategy(f.Strategy)
	draft, err := p.read(f.Args[0], c.Options())
	if err != nil {
		return err
	}
	f.persist(c, draft)
	acks, own, err := f.consent(ctx, p, c, draft, &f.session, acceptedOf(draft, f.Ack))
	if err != nil {
		return f.placed(err, f.Args[0], nil)
	}
	mode := cmp.Or(plan.Mode(f.Mode), draft.Plan.Execution.DefaultMode)
	if err := f.seatEscalator(p, c, "", waitsForAnswers(&draft.Plan, mode)); err != nil {
		return err
	}
	locked, err := p.lockFor(ctx, c, draft, f.Args[0], f.Lock, acks, own)
	if err != nil {
		return f.placed(err, f.Args[0], nil)
	}
	if err := seatsPrompts(c, locked.Plan(), locked.Options().Acknowledged, draft.Format, f.Args[0]); err != nil {
		return f.placed(err, f.Args[0], nil)
	}
	tellMarked(p.err, draft, locked.Options().Acknowledged)
	tellWhereItEnds(p.err, f.Dir)
	if err := f.chooseMode(ctx, p, c, locked.Plan()); err != nil {
		return f.placed(err, f.Args[0], nil)
	}
	if err := tellNeeds(ctx, p.err, c, draft); err != nil {
		return f.placed(err, f.Args[0], nil)
	}
	for _, code := range own {
		fmt.Fprintf(p.err, "accepted: %s%s\n", escaped(code), f.by(code))
	}
	return f.goOn(ctx, p, c, f.Args[0], func(ctx context.Context) (*exec.Report, error) {
		again := func() (*plan.Locked, error) { return p.lock(ctx, c, draft, slices.Concat(acks, own)) }
		return p.runSettled(ctx, c, locked, f.begin(c), again)
	})
}

// begin is how the run begins: by itself, or as the end of another one.
func (f *runCommand) begin(c *exec.Controller) func(context.Context, *plan.Locked) (*exec.Report, error) {
	if f.From == "" {
		return c.Run
	}
	return func(ctx context.Context, locked *plan.Locked) (*exec.Report, error) {
		return c.RunFrom(ctx, locked, f.From)
	}
}

// A session is what "run" and "resume" have in common.
type session struct {
	conduct
	summaryFlag
	commitFlags
	detachFlag
	Shadow bool   `again:"never" help:"try the whole plan in a clone; the workspace stays as it is, and the run that follows is compared with the trial"`
	Format string `again:"never" enum:"text,jsonl" default:"text" placeholder:"FORMAT" help:"the output's format: text, or jsonl: the journal's records as they are written"`

	person  *escalator.Terminal // whoever sits at the terminal; nil until somebody is to be asked
	resumed string              // id of the run that is resumed
	flags   []string            // what the run is given, by this call and by those before
}

// conduct is how runs are carried out, and by whom.
type conduct struct {
	workspaceFlag
	roles
	presetFlag
	terms
	Mode        string        `again:"begin" enum:",silent,dynamic,collaborative,education" default:"" placeholder:"MODE" help:"who is asked and when: silent, dynamic, collaborative or education; what the plan says by default"`
	Answers     string        `again:"path" placeholder:"POLICY" help:"the policy for questions that no terminal can answer: refuse, wait, or a file of rules; where none is named, they wait in a mode that was chosen and is not silent, and are refused else"`
	Patience    time.Duration `again:"always" placeholder:"DURATION" help:"how long, as in 10m, a question waits for its answer; 0: for ever"`
	TokenBudget int64         `again:"always" placeholder:"TOKENS" help:"how many tokens a session may use: at 70 % executors are asked to be brief, at 80 % the run stops, to be resumed; 0: what the plan says"`
	Budget      string        `again:"always" placeholder:"AMOUNT" help:"what the run may cost over all its sessions, in US dollars, as in 5.00, as far as who works for it says what that costs: it stops when that is spent, to be resumed with more; no limit by default"`
	Jobs        int           `again:"always" placeholder:"N" help:"how many steps run at once that the plan declares independent; 1: none, 0: what the plan says, else the processors for commands, and 4 for agents"`
	Isolate     bool          `again:"begin" help:"work in a clone; the workspace changes only if all was carried out as planned"`
	engineFlag
	NoSandbox bool `again:"begin" help:"run commands without a sandbox; part of what is locked"`
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
	budget, err := history.ParseMoney(cmp.Or(s.Budget, "0"))
	if err != nil || s.Budget != "" && budget == 0 {
		return nil, &usageError{fmt.Sprintf("--budget %q: an amount of US dollars, such as 5.00", s.Budget)}
	}
	if s.Jobs < 0 || s.Jobs > plan.MaxJobs {
		return nil, &usageError{fmt.Sprintf("--jobs: a number from 0 to %d", plan.MaxJobs)}
	}
	if err := s.terms.checked(); err != nil {
		return nil, err
	}
	if s.Patience < 0 {
		return nil, &usageError{"--patience: a time to wait is not negative"}
	}
	c := p.controller(s.Dir)
	c.Mode, c.Preset, c.NoSandbox, c.Patience, c.TokenBudget = plan.Mode(s.Mode), s.Preset, s.NoSandbox, s.Patience,
		s.TokenBudget
	c.Jobs, c.Given, c.Budget = s.Jobs, s.flags, budget
	if err := s.commits(c, s.flags); err != nil {
		return nil, err
	}
	if err := s.seat(ctx, p, c, executor); err != nil {
		return c, err
	}
	return c, p.giveAway(ctx, c, s.Engine)
}

// waitsForAnswers reports whether questions that nobody is there to answer are left, to be
// answered later: where the plan says so and, where it says nothing, in each
// mode that somebody chose in which people are asked. mode is "" if nobody chose
// one.
func waitsForAnswers(of *plan.Plan, mode plan.Mode) bool {
	if waits, said := of.Execution.Unattended(); said {
		return waits
	}
	return mode != "" && mode != plan.Silent
}

// seatEscalator gives a controller whoever answers its questions. run is the
// run that is resumed, or ""; waits says that questions wait where nobody is
// there.
//
// Answers that "planlock answer" left come first. Then, on a terminal, the
// person there, unless a policy was named; else the policy: what was named, or
// for a run that has left questions before, to leave this one too.
func (s *session) seatEscalator(p *cli, c *exec.Controller, run string, waits bool) error {
	folder := p.questions(c.Dir)
	person, interactive := s.seatPerson(p), p.interactive()
	waits = !interactive && (waits || folder.Left(context.Background(), run))
	collect := &left{folder: folder}
	c.Escalator = collect
	if interactive && s.Answers != "refuse" && s.Answers != "wait" && p.with.Escalator == nil {
		c.Person = person
	}
	switch policy := s.Answers; {
	case policy == "wait":
		c.Escalator = folder
	case policy == "" && p.with.Escalator != nil:
		collect.next = p.with.Escalator
	case policy == "refuse":
		collect.refuse("the policy for questions is to refuse", c, run)
	case policy != "":
		rules, err := escalator.ReadRules(policy)
		if err != nil {
			return fmt.Errorf("--answers %s is neither refuse nor wait, nor a file of rules: %w", quoted(policy), err)
		}
		collect.next = rules
		switch {
		case interactive:
			collect.next = escalator.Sequence{rules, person}
		case waits:
			collect.next = escalator.Sequence{rules, folder}
		}
	case waits:
		c.Escalator = folder
	case interactive:
		collect.next = person
	default:
		collect.refuse("nobody is there to be asked; --answers wait leaves questions for planlock answer", c, run)
	}
	return nil
}

// seatPerson is whoever sits at the terminal. All that is read there goes
// through one value, which reads ahead of nobody.
func (s *session) seatPerson(p *cli) *escalator.Terminal {
	if s.person == nil {
		s.person = &escalator.Terminal{In: p.in, Out: p.err, Now: p.now, By: defaultName()}
	}
	return s.person
}

// chooseMode has the person at the terminal choose a mode, where neither a flag
// nor the plan says one and nobody named a policy for questions. An empty line,
// and the end of the input, are the default.
func (s *session) chooseMode(ctx context.Context, p *cli, c *exec.Controller, of *plan.Plan) error {
	if c.Mode != "" || of.Execution.DefaultMode != "" || s.Answers != "" || !p.interactive() {
		return nil
	}
	choices := modeChoices()
	key, byDefault, err := s.seatPerson(p).Pick(ctx, "Who is asked, and when? The plan says no mode.", choices,
		choices[0].Key)
	switch {
	case errors.Is(err, ask.ErrNoAnswer):
		return nil
	case err != nil:
		return err
	}
	for _, choice := range choices {
		if choice.Key == key {
			c.Mode, c.ModeBy = plan.Mode(choice.Label), "person"
		}
	}
	if byDefault {
		c.ModeBy = "accepted"
	}
	return nil
}

// keeps refuses to resume a run in another way than it began.
//
// A run that began in a clone works in a clone to its end, and one that began
// with a sandbox never goes on without: what was accepted when it was locked is
// what holds.
func (s *session) keeps(run *history.Run, typed []string) error {
	const how = "--%s: run %s began without it, and goes on as it began; start another run to have it"
	switch {
	case s.Isolate && !run.Started.Isolated:
		return &usageError{fmt.Sprintf(how, "isolate", run.Started.Run)}
	case s.Shadow && !run.Started.Shadow:
		return &usageError{fmt.Sprintf(how, "shadow", run.Started.Run)}
	case s.NoSandbox && !run.Started.NoSandbox:
		return &usageError{fmt.Sprintf(how, "no-sandbox", run.Started.Run)}
	}
	for _, name := range []string{"profile", "env", "writable"} {
		if gives(typed, name) {
			return &usageError{fmt.Sprintf("--%s: run %s goes on as it began; start another run to have it", name,
				run.Started.Run)}
		}
	}
	if began := cmp.Or(run.Started.Preset, preset.Default); s.Preset != "" && s.Preset != began {
		return &exec.RefusedError{Run: run.Started.Run,
			Hint:    fmt.Sprintf("leave --preset out, or say --preset %s", began),
			Reasons: []string{fmt.Sprintf("the run began under preset %q, and is to go on under %q", began, s.Preset)}}
	}
	return nil
}

// placed says what an error of the session is about; nil stays nil.
func (s *session) placed(err error, path string, run *history.Run) error {
	if err == nil {
		return nil
	}
	return &placedError{err: err, path: path, run: run, given: s.flags}
}

// carryOut runs or resumes, shows how it goes, and prints what came of it.
//
// What is shown goes to standard error and what came of it to standard output,
// also where the run ends with an error: a report of what was done is worth
// more then. A journal that is streamed takes the report's place.
func (p *cli) carryOut(ctx context.Context, s *session, c *exec.Controller, path string,
	do func() (*exec.Report, error)) error {
	defer survivePipe()()
	p.sign(c)
	shown := screen.New(p.err, p.redraws(p.err), p.brush(p.err), p.now, spelling{dir: c.Dir}.spell)
	told := s.settled.notifier(s.Dir)
	var broken error // of writing the journal; the run does not fail because of it
	streams := s.Format == "jsonl"
	tell, done := p.telemetry()
	defer done(ctx) // what came of it is printed by then: nobody waits for a collector
	c.Observe = func(ctx context.Context, e event.Event) {
		shown.Observe(ctx, e)
		told.Observe(ctx, e)
		tell(ctx, e)
		if p.begun != nil && e.Run != "" {
			p.begun(e.Run)
		}
		if p.with.Observe != nil {
			p.with.Observe(ctx, e)
		}
		if streams && broken == nil && e.Record != nil {
			broken = writeLine(p.out, e.Record)
		}
	}
	unwatch := context.AfterFunc(ctx, func() { shown.Stopping(interruption(ctx).again()) })
	report, err := do()
	unwatch()
	shown.Close()
	for _, err := range told.Close() {
		p.warn("somebody could not be told: %s", escaped(err.Error()))
	}
	var refused *exec.RefusedError
	nothing := s.resumed != "" && errors.As(err, &refused) && !shown.Begun() // nothing is new about the run
	if !streams && report != nil && report.Run.Head.Seq > 0 && !nothing {
		spelled := spellingOf(report.Run, s.Dir, s.flags)
		err = errors.Join(err, p.printReport(report, spelled))
	}
	if run := reportedRun(report); run != nil && err == nil && !streams && !nothing {
		err = p.proveAchieved(ctx, run, s.Dir)
	}
	if run := reportedRun(report); s.Summary && run != nil {
		err = errors.Join(err, p.writeSummaries(ctx, p.workspace(s.Dir), run))
	}
	p.tellTree(ctx, s.Dir, reportedRun(report))
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
	_ = p.draw(p.out, paint.Report, func(w io.Writer) error { return document.Text(w, model) }) // who reads it may be gone
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

// modeChoices are the modes as a person is offered them, the default first.
func modeChoices() []ask.Choice {
	return []ask.Choice{
		{Key: "1", Also: []string{string(plan.Dynamic)}, Label: "dynamic", Consequence: "goes on by itself, and asks when failures pile up (recommended)"},
		{Key: "2", Also: []string{string(plan.Silent)}, Label: "silent", Consequence: "goes on by itself, and asks only where nothing else is left"},
		{Key: "3", Also: []string{string(plan.Collaborative)}, Label: "collaborative", Consequence: "asks before critical steps, about every failure, and about what it blocks"},
		{Key: "4", Also: []string{string(plan.Education)}, Label: "education", Consequence: "explains steps before they begin, and what they taught"},
	}
}

// left collects the answers that lie in a folder; where there is none it asks
// somebody else.
type left struct {
	folder *escalator.Folder
	next   ask.Escalator
}

// Ask returns the answer that was left, or asks next.
func (l *left) Ask(ctx context.Context, q ask.Question) (ask.Answer, error) {
	if _, err := l.folder.Given(q); errors.Is(err, ask.ErrLater) {
		return l.next.Ask(ctx, q)
	}
	return l.folder.Ask(ctx, q)
}

// refuse has a controller know that nobody answers, but for what was left for a
// run. What is no folder is for Ask to name.
func (l *left) refuse(why string, c *exec.Controller, run string) {
	nobody := escalator.Refuse{Why: why}
	l.next = nobody
	if info, err := os.Lstat(l.folder.Dir); err != nil || info.IsDir() && !l.folder.Left(context.Background(), run) {
		c.Escalator = nobody
	}
}

// defaultName is what the system calls who is there.
func defaultName() string {
	for _, name := range []string{"USER", "LOGNAME", "USERNAME"} {
		if v := os.Getenv(name); v != "" {
			return v
		}
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	if id := os.Getuid(); id >= 0 {
		return fmt.Sprintf("uid %d", id)
	}
	return "somebody"
}

// interactive reports whether a person sees what is asked and can answer.
func (p *cli) interactive() bool { return p.isTerminal(p.in) && p.isTerminal(p.err) }
