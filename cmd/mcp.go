package cmd

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/mcp"
	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/lockfile"
)

// mcpCommand is "planlock mcp": it serves an agent, on standard input and
// output, what check, lock, run, status, answer, report, verify and diff do, in
// one workspace. Who carries out steps, and all else about runs, is said by the
// flags of this call, and never by the agent. What a person must decide is put
// to the person at the agent's client, or waits. When the client goes away, a
// run that goes on is interrupted as by Ctrl-C.
type mcpCommand struct {
	arguments
	conduct
}

// Run carries the command out.
func (f *mcpCommand) Run(ctx context.Context, p *cli) error {
	dir, err := filepath.Abs(f.Dir)
	if err != nil {
		return err
	}
	if info, err := os.Stat(dir); err != nil {
		return err
	} else if !info.IsDir() {
		return &usageError{fmt.Sprintf("mcp: --dir %s is no folder", quoted(f.Dir))}
	}
	// What is wrong with the flags is told before a client waits for an answer.
	if _, err := (&session{conduct: f.conduct, flags: f.typed}).controller(ctx, p, ""); err != nil {
		return err
	}
	if p.isTerminal(p.in) {
		fmt.Fprintln(p.err, "planlock: mcp speaks JSON-RPC on standard input and output: an agent's client starts it (docs/mcp.md)")
	}
	defer survivePipe()()
	agent := &served{of: p, dir: dir, given: f.typed, settled: &f.settled}
	server := &mcp.Server{Dir: dir, Version: exec.Version(), By: defaultName(), Do: agent.do,
		Runs: func() ([]string, error) { return p.workspace(dir).IDs(ctx) }}
	return server.Serve(ctx, io.NopCloser(p.in), unclosed{p.out})
}

// unclosed is a writer that is closed elsewhere.
type unclosed struct{ io.Writer }

// Close does nothing.
func (unclosed) Close() error { return nil }

// served has commands carried out for an agent, as if they were typed.
type served struct {
	of    *cli
	dir   string
	given []string // the flags of the server

	settled *settled // when the server began
}

// A reply is what a command printed, and how it ended.
type reply struct {
	out  bytes.Buffer
	text string // what is left to say, as on standard error
	exit int
	err  error
}

// do carries out a call of an agent.
func (s *served) do(ctx context.Context, c mcp.Call) (mcp.Said, error) {
	switch c.Tool {
	case mcp.Check:
		flags := []string{"--format=json", "--dir=" + s.dir}
		r := s.call(ctx, c, "check", append(s.flagsOf("check", flags), flags...), c.Path)
		return r.said(r.exit == statusDone || r.exit == statusRefused), nil
	case mcp.Lock:
		return s.lock(ctx, c)
	case mcp.Run:
		return s.run(ctx, c)
	case mcp.Answer:
		return s.answer(ctx, c)
	case mcp.Status:
		r := s.call(ctx, c, "status", []string{"--format=json", "--dir=" + s.dir}, named(c.Run)...)
		return r.said(r.exit == statusDone), nil
	case mcp.Report:
		format := orElse(c.Format, "json")
		r := s.call(ctx, c, "report", []string{"--format=" + format, "--dir=" + s.dir}, named(c.Run)...)
		if format != "json" {
			return mcp.Said{Text: r.out.String(), Failed: r.exit != statusDone}, nil
		}
		return r.said(r.exit == statusDone), nil
	case mcp.Verify:
		r := s.call(ctx, c, "verify", []string{"--format=json", "--dir=" + s.dir}, named(c.Run)...)
		return r.said(r.exit == statusDone), nil
	case mcp.Diff:
		flags := []string{"--format=json", "--dir=" + s.dir}
		if c.Attempt > 0 {
			flags = append(flags, fmt.Sprintf("--attempt=%d", c.Attempt))
		}
		r := s.call(ctx, c, "diff", flags, append(named(c.Run), c.Step)...)
		return r.said(r.exit == statusDone), nil
	}
	return mcp.Said{}, fmt.Errorf("mcp: there is no tool %q", c.Tool)
}

// named is a run that was named, as an argument.
func named(run string) []string {
	if run == "" {
		return nil
	}
	return []string{run}
}

// call has a command carried out. What it asks goes to the person at the client.
// The flags of the server count as far as the command has them, and before
// flags.
func (s *served) call(ctx context.Context, c mcp.Call, command string, flags []string, args ...string) *reply {
	var r reply
	var says bytes.Buffer
	with := s.of.with
	if c.Person.Asked() && with.Escalator == nil {
		with.Escalator = c.Person
	}
	inner := &cli{with: with, in: strings.NewReader(""), out: &r.out, err: &says, now: s.of.now, begun: c.Begun,
		settled: s.settled}
	if c.Path != "" {
		inner.inside = s.inside
	}
	if c.Person.Asked() {
		inner.accept = c.Person.Accept
	}
	if c.Tell != nil {
		inner.err = io.MultiWriter(&says, &eachLine{tell: c.Tell})
	}
	words := append([]string{command, "--color=never"}, s.flagsOf(command, flags)...)
	words = append(append(words, flags...), "--")
	r.err = inner.dispatch(ctx, append(words, args...))
	r.exit = status(ctx, r.err)
	r.text = strings.Join(safetext.Lines(message(ctx, r.err)), "\n")
	if r.text == "" && r.exit != statusDone {
		r.text = says.String()
	}
	return &r
}

// flagsOf are the flags of the server that a command has and others do not
// replace.
func (s *served) flagsOf(command string, others []string) (list []string) {
	flags := commandNamed(command).parser().Model.Node
	for _, word := range s.given {
		f := flagNamed(flags, flagOf(word))
		if f != nil && f.Name != "color" && !gives(others, f.Name) &&
			(command != "resume" || f.Tag.Get("again") != againBegin) {
			list = append(list, word)
		}
	}
	return list
}

// inside refuses a file of a plan that lies elsewhere than in the workspace.
func (s *served) inside(path string) error {
	root, err := filepath.EvalSymlinks(s.dir)
	if err != nil {
		return err
	}
	full, err := filepath.Abs(path)
	if err == nil {
		full, err = filepath.EvalSymlinks(full)
	}
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(root, full); err != nil || !filepath.IsLocal(rel) {
		return &mcp.OutsideError{Path: displayPath(path)}
	}
	return nil
}

// said is a document that a command printed; what the command had to say stands
// beside it. done reports whether it did what it is for.
func (r *reply) said(done bool) mcp.Said {
	said := mcp.Said{Text: r.text, Failed: !done}
	if json.Valid(r.out.Bytes()) {
		said.Document = bytes.TrimSpace(r.out.Bytes())
	} else if r.text == "" {
		said.Text = r.out.String()
	}
	return said
}

// A lockedPlan is what came of a lock, for an agent.
type lockedPlan struct {
	Schema   string    `json:"schema"`
	Path     string    `json:"path"`
	Exit     int       `json:"exit"`
	File     string    `json:"lock_file,omitempty"`
	Plan     string    `json:"plan,omitempty"`
	Envelope string    `json:"envelope,omitempty"`
	Base     string    `json:"base,omitempty"`
	Accepted []string  `json:"accepted"`
	Missing  []missing `json:"missing,omitempty"` // what nobody accepted
}

// A missing code is one that a person has to accept.
type missing struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// lock locks a plan for an agent.
func (s *served) lock(ctx context.Context, c mcp.Call) (mcp.Said, error) {
	r := s.call(ctx, c, "lock", []string{"--dir=" + s.dir}, c.Path)
	doc := lockedPlan{Schema: "planlock.lock/1", Path: c.Path, Exit: r.exit, Accepted: []string{}}
	if r.exit == statusDone {
		draft, err := (&cli{with: s.of.with, terms: termsOf(s.given), inside: s.inside}).draft(c.Path)
		if err != nil {
			return mcp.Said{}, err
		}
		if doc.File, err = lockPath(draft, ""); err != nil {
			return mcp.Said{}, err
		}
		text, err := readLock(doc.File)
		if err != nil {
			return mcp.Said{}, err
		}
		locked, err := lockfile.Read(draft, text, plan.CheckOptions{})
		if err != nil {
			return mcp.Said{}, err
		}
		terms := locked.Options()
		doc.Plan, doc.Envelope, doc.Base = string(locked.Digest()), string(terms.Envelope), string(terms.Base)
		doc.Accepted = append(doc.Accepted, terms.Acknowledged...)
		return documented(doc, strings.TrimSpace(r.out.String()), false)
	}
	text := s.untrusted(r, lockWith(quoted(c.Path), s.dir, s.given))
	var needs *plan.AckError
	if errors.As(r.err, &needs) && len(needs.Missing) > 0 {
		typed := lockWith(quoted(c.Path), s.dir, s.given)
		for _, a := range needs.Missing {
			doc.Missing = append(doc.Missing, missing{a.Code, a.Text})
			typed += " --ack " + quoted(a.Code)
		}
		text = "a person has to accept what the plan holds, and you cannot. A person who does types:\n" + typed
	}
	return documented(doc, text, true)
}

// untrusted is what is left to say of a call. Where that is what a person has to
// accept of a file of the repository, it says what the person types, and no flag,
// which no tool has.
func (s *served) untrusted(r *reply, typed string) string {
	var nobody *untrustedError
	var refused *exec.RefusedError
	if !errors.As(r.err, &nobody) || !errors.As(r.err, &refused) {
		return r.text
	}
	return strings.Join(append([]string{"refused:"}, indented(safetext.Lines(strings.Join(refused.Reasons, "\n")))...), "\n") +
		"\na person has to accept that, once, and you cannot. A person who does types:\n" + typed + acked(nobody.codes)
}

// A ranPlan is what came of a run, for an agent; its report says more.
type ranPlan struct {
	Schema    string          `json:"schema"`
	Run       string          `json:"run,omitempty"` // none where none began
	Status    history.Status  `json:"status,omitempty"`
	Exit      int             `json:"exit"` // as of planlock run
	Questions []questionAsked `json:"questions"`
	Resume    string          `json:"resume,omitempty"` // what a person types to go on
	Report    string          `json:"report,omitempty"` // the resource that says more
}

// A questionAsked is one that a run waits for, with what a person types.
type questionAsked struct {
	*ask.Question
	Type string `json:"type"`
}

// run begins a run for an agent, or goes on with one.
func (s *served) run(ctx context.Context, c mcp.Call) (mcp.Said, error) {
	begun := ""
	tell := c.Begun
	c.Begun = func(run string) {
		if begun != run {
			begun = run
			tell(run)
		}
	}
	flags := []string{"--dir=" + s.dir}
	if !c.Person.Asked() && !gives(s.given, "answers") {
		flags = append(flags, "--answers=wait")
	}
	ctx, stop := asInterrupt(ctx)
	defer stop()
	var r *reply
	if c.Run != "" {
		r = s.call(ctx, c, "resume", flags, c.Run)
	} else {
		if c.Shadow {
			flags = append(flags, "--shadow")
		}
		r = s.call(ctx, c, "run", flags, c.Path)
	}
	doc := ranPlan{Schema: "planlock.run/1", Exit: r.exit, Questions: []questionAsked{}}
	ws := s.of.workspace(s.dir)
	if begun == "" && c.Run != "" { // it is over already, or cannot go on
		begun, _ = ws.Find(ctx, c.Run)
	}
	if run, err := ws.History(context.WithoutCancel(ctx), begun); begun != "" && err == nil {
		doc.Run, doc.Status, doc.Report = begun, run.Status, "planlock://runs/"+begun+"/report.md"
		for _, q := range run.Questions() {
			doc.Questions = append(doc.Questions, questionAsked{q, howToAnswer(q, s.dir)})
		}
		if run.Ended == nil {
			doc.Resume = resumeFrom(run, s.dir)
		}
	}
	text := s.untrusted(r, cmp.Or(doc.Resume, lockWith(quoted(c.Path), s.dir, s.given)))
	var needs *plan.AckError
	if errors.As(r.err, &needs) {
		text = "refused: the plan holds what a person has to accept first: " + codesOf(needs.Missing) +
			". lock has the person asked, or says what the person types."
	}
	ran := r.exit == statusDone || r.exit == statusNotAchieved || r.exit == statusPartial || r.exit == statusWaiting
	return documented(doc, text, !ran)
}

// codesOf lists codes.
func codesOf(list []plan.Acknowledgement) string {
	var codes []string
	for _, a := range list {
		codes = append(codes, a.Code)
	}
	return strings.Join(codes, ", ")
}

// asInterrupt is a context in which a client that went away, or took its call
// back, has done what a person does by Ctrl-C.
func asInterrupt(ctx context.Context) (context.Context, func()) {
	inner, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	unwatch := context.AfterFunc(ctx, func() {
		if interruption(ctx) != nil {
			cancel(context.Cause(ctx))
			return
		}
		by := "the agent's client, which has gone away"
		if errors.Is(context.Cause(ctx), mcp.ErrTakenBack) {
			by = "the agent's client, which took its call back"
		}
		cancel(&signalError{os.Interrupt, by})
	})
	return inner, func() { unwatch(); cancel(nil) }
}

// An answeredQuestion is what came of asking the person at a client.
type answeredQuestion struct {
	Schema   string        `json:"schema"`
	Run      string        `json:"run"`
	Question string        `json:"question,omitempty"`
	Status   string        `json:"status"` // answered, waiting or nothing-asked
	Asked    *ask.Question `json:"asks,omitempty"`
	Choice   string        `json:"choice,omitempty"`
	By       string        `json:"by,omitempty"`
	Type     []string      `json:"type,omitempty"` // what a person types
}

// answer has the person at the client answer a question.
func (s *served) answer(ctx context.Context, c mcp.Call) (mcp.Said, error) {
	ws := s.of.workspace(s.dir)
	run, err := findRun(ctx, ws, c.Run)
	if err != nil {
		return mcp.Said{}, errors.New(forPeople(err.Error()))
	}
	doc := answeredQuestion{Schema: "planlock.answer/1", Run: run.Started.Run, Status: "nothing-asked"}
	open := run.Questions()
	if c.Question != "" {
		open = slices.DeleteFunc(slices.Clone(open), func(q *ask.Question) bool { return q.ID != c.Question })
	}
	if run.Ended != nil || len(open) == 0 {
		return documented(doc,
			fmt.Sprintf("run %s does not ask that: status says what it waits for", run.Started.Run), true)
	}
	q := open[0]
	doc.Question, doc.Asked = q.ID, q
	folder := ws.Questions()
	if a, err := folder.Given(*q); err == nil {
		return s.answered(ctx, run, doc, a)
	}
	doc.Status, doc.Type = "waiting", []string{howToAnswer(q, s.dir), resumeFrom(run, s.dir)}
	waits := "A person has to answer, and you cannot. " +
		"The person types what is said under type; the second line lets the run go on, as run does, with its id."
	if !c.Person.Asked() {
		return documented(doc, waits, false)
	}
	a, err := c.Person.Ask(ctx, *q)
	if err != nil {
		return documented(doc, "The person did not answer. "+waits, false)
	}
	if err := leave(ctx, s.of.questions(ws.Dir), *q, a); err != nil {
		return mcp.Said{}, errors.New(forPeople(err.Error()))
	}
	doc.Type = nil
	return s.answered(ctx, run, doc, a)
}

// answered is what came of a question that has its answer. The owners of the run,
// where it has any, are told.
func (s *served) answered(ctx context.Context, run *history.Run, doc answeredQuestion, a ask.Answer) (mcp.Said, error) {
	doc.Status, doc.Choice, doc.By = "answered", a.Choice, a.By
	owned, err := s.of.withOwners(ctx, run, func(r Runs) error { return r.Give(ctx, run.Started.Run) })
	switch {
	case err != nil:
		return documented(doc, "The answer is kept, and the owners of the run were not told of it: "+forPeople(err.Error())+
			". Answer once more to have them told.", true)
	case owned:
		return documented(doc, "It is answered, and the owners of the run go on with it: status says how it stands.", false)
	}
	return documented(doc, "It is answered: let the run go on (run, with its id).", false)
}

// documented is a document for an agent, with what is said besides it.
func documented(doc any, text string, failed bool) (mcp.Said, error) {
	var b bytes.Buffer
	if err := writeLine(&b, doc); err != nil {
		return mcp.Said{}, err
	}
	return mcp.Said{Document: bytes.TrimSpace(b.Bytes()), Text: text, Failed: failed}, nil
}

// eachLine tells what is written to it, line by line.
type eachLine struct {
	tell func(string)
	rest []byte
}

// Write never fails.
func (w *eachLine) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	for {
		line, rest, whole := bytes.Cut(w.rest, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		if text := strings.TrimSpace(string(line)); text != "" {
			w.tell(text)
		}
		w.rest = bytes.Clone(rest)
	}
}
