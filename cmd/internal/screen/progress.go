package screen

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/planlock/planlock/cmd/internal/paint"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/safetext"
)

// A Progress shows how a run goes: on a terminal what is over scrolls away and
// what is under way is redrawn below it; elsewhere it is a log, line by line.
type Progress struct {
	mu     sync.Mutex
	out    io.Writer
	screen *screen // nil: not a terminal
	brush  paint.Brush
	now    func() time.Time

	shown    map[*history.Step]bool // steps whose end was told
	cols     columns
	work     []*work // that is shown, in the order in which it began
	question string  // that was put last
	asking   string  // the step of a question of which nobody knows yet whether it was answered before, in its column
	pending  []string
	bar      string
	closed   bool
	begun    bool           // the run began or went on
	spell    action.Speller // how what can be done is typed
}

// New shows progress on out, which can be redrawn if it is live, and set off by
// brush. What can be done is spelled by spell.
func New(out io.Writer, live bool, brush paint.Brush, now func() time.Time, spell action.Speller) *Progress {
	p := &Progress{out: out, brush: brush, now: now, spell: spell, shown: map[*history.Step]bool{}}
	if live {
		p.screen = newScreen(out, p.region)
	}
	return p
}

// Observe shows what the controller tells.
func (p *Progress) Observe(_ context.Context, e event.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unanswered(e)
	switch f := e.Fact.(type) {
	case nil:
		p.live(e)
	case *history.Started:
		p.begin(e.State, "")
	case *history.Resumed:
		p.begin(e.State, f.Reason)
	case *history.GroupBegun:
		p.say("   " + safetext.Escape(f.String()))
	case *history.StepStarted:
		p.does(e.Step, "")
	case *history.AttemptStarted:
		p.attemptStarted(e)
	case *history.AttemptFailed:
		p.attemptFailed(e, f)
	case *history.Repeated:
		if f.Not != "" {
			p.say(fmt.Sprintf("   %s not compared: %s", p.cols.step(e.Step), safetext.Clip(f.Not, 200)))
		}
	case *history.Restored:
		p.does(e.Step, "the tree was restored")
	case *history.Advised:
		p.advised(e, f)
	case *history.Recovery:
		p.recovering(e, f)
	case *history.Approval:
		p.task(f, f.Status != history.Approved)
	case *history.Evidence:
		p.task(f, f.Lacks() || f.Retry > 0)
	case *history.TaskOutcome:
		p.task(f, f.Execution.Succeeded() && f.Status != history.Completed)
	case *history.Answered:
		p.answered(e, f.Answer)
	case *history.ModeSwitched:
		p.say("   mode switched from " + safetext.Escape(f.String()))
	case *history.StrategySet:
		p.strategy(f)
	case *history.Budget:
		p.budget(f)
	case *history.RolledBack:
		p.setBack(e.State, f)
	case *history.Lesson:
		p.say("   lesson: " + safetext.Escape(f.Result) + "; " + safetext.Escape(f.Lesson))
		for _, o := range f.Others {
			p.say("   " + safetext.Escape(o.Method) + " would have: " + safetext.Escape(o.Would))
		}
	case *history.StepCompleted, *history.StepFailed, *history.StepSkipped, *history.StepBlocked:
		p.over(e.Step)
		p.tell(e.State, e.OfStep())
	case *history.Sealed:
		p.work, p.pending = nil, nil
	}
	p.look(e)
}

// live shows what is no fact.
func (p *Progress) live(e event.Event) {
	switch e.Kind {
	case event.Judging:
		if e.Phase == gate.Before {
			p.under(e)
		} else {
			p.rest(e)
		}
		p.does(e.Step, activity(e.OfStep(), "gates · "+string(e.Phase)+" …"))
	case event.Asking:
		p.asked(e)
	case event.Activity:
		p.does(e.Step, activity(e.OfStep(), who(e)+" is "+e.Text))
	case event.Warning:
		p.warned(e)
	}
}

// who carries out the step of an event.
func who(e event.Event) string {
	if s := e.OfStep(); s != nil && s.Last() != nil && s.Last().Method.Executor != "" {
		return s.Last().Method.Executor
	}
	return cmp.Or(filepath.Base(e.State.Started.Executor), "the executor")
}

// warned tells a warning, with how to look at what it is about.
func (p *Progress) warned(e event.Event) {
	text := "   " + p.brush.As(paint.Waiting, "warning:") + " " + safetext.Escape(e.Text)
	for _, a := range e.Actions {
		text += "; " + safetext.Escape(p.spell.Say(a))
	}
	p.say(text)
}

// begin says what is going to run.
func (p *Progress) begin(run *history.Run, resumed string) {
	p.begun = true
	s := &run.Started
	p.say(paint.Title(p.brush, safetext.Clip(cmp.Or(s.Goal, s.Name), 100)+"        "+identity(run)))
	if resumed != "" {
		p.say("resumed after: " + safetext.Escape(resumed))
	}
	for _, w := range s.Warnings {
		p.say(p.brush.As(paint.Waiting, "warning:") + " " + safetext.Escape(w))
	}
	p.say("")
	p.cols = columnsOf(run)
	for _, step := range run.Steps {
		if step.Status.Over() {
			p.tell(run, step)
		}
	}
}

// attemptStarted says what is tried. Where nothing is redrawn it names the
// step, once.
func (p *Progress) attemptStarted(e event.Event) {
	w := p.of(e.Step)
	if w == nil { // a resumed step begins in its middle
		w = p.under(e)
	}
	w.doing = activity(e.OfStep(), "")
	if p.screen == nil && !w.named {
		p.say(strings.TrimRight(w.heading, " "))
		w.named = true
	}
}

// attemptFailed says why an attempt counts for nothing. On a terminal the line
// of the step says it; elsewhere it is a line of the log.
func (p *Progress) attemptFailed(e event.Event, f *history.AttemptFailed) {
	if e.Attempt == 0 {
		return // the step was not begun
	}
	what, of := "failed", f.Class.String()
	if a := e.OfStep().SetAside(); a != nil && a.Number == e.Attempt {
		what, of = "is set aside", "join-failed, "+safetext.Escape(a.Aside.String())+": "+of
	}
	p.rest(e)
	p.does(e.Step, "restoring the tree")
	what = p.brush.As(paint.Waiting, fmt.Sprintf("attempt %d %s", e.Attempt, what))
	p.say(fmt.Sprintf("   %s %s (%s): %s", p.cols.step(e.Step), what, of, safetext.Clip(reason(f), 200)))
}

// advised tells what an advisor found, or that there is no advice.
func (p *Progress) advised(e event.Event, a *history.Advised) {
	text := "it proposes a change"
	if a.Patch == "" {
		text = fmt.Sprintf("findings: %d, other ways: %d", len(a.Findings), len(a.Alternatives))
	}
	text = safetext.Clip(cmp.Or(a.Note, a.RootCause, text), 200)
	if a.Error != "" {
		text = "none: " + safetext.Clip(a.Error, 200)
	}
	p.say(fmt.Sprintf("   %s advice: %s", p.cols.step(e.Step), text))
}

// recovering says what is tried next.
func (p *Progress) recovering(e event.Event, f *history.Recovery) {
	if recovery.Answers(f.Rung) || f.Method == "" {
		return
	}
	next := safetext.Escape(MethodName(f.Method))
	if f.Why != "" {
		next += " (" + safetext.Clip(f.Why, 200) + ")" // which of how many, and what it does otherwise
	}
	if laneOf(e.OfStep()) != nil {
		next += ", alone"
	}
	p.does(e.Step, "next "+next)
	p.say(fmt.Sprintf("   %s the tree was restored; next: %s", p.cols.step(e.Step), next))
}

// task tells what became of a task where no line of its steps says it.
func (p *Progress) task(f fmt.Stringer, tells bool) {
	if tells {
		p.say("   " + safetext.Clip(f.String(), 300))
	}
}

// asked makes room for a question: what is redrawn is taken off the terminal
// until somebody has answered.
func (p *Progress) asked(e event.Event) {
	p.question = e.Question.What
	if p.screen != nil {
		p.screen.print("")
		p.screen.suspend() // whoever asks needs the screen
	} else if e.Question.Kind != ask.Work { // of which nothing else is told
		p.asking = p.cols.step(e.Step)
	}
}

// answered tells what was chosen, and by whom.
func (p *Progress) answered(e event.Event, a ask.Answer) {
	p.say(fmt.Sprintf("   %s %s answered: %s by %s (%s)", p.cols.step(e.Step), safetext.Escape(a.Question),
		safetext.Escape(a.Choice), safetext.Clip(a.By, 40), safetext.Escape(p.question)))
}

// unanswered tells that a question waits, or that nobody is there to answer it,
// once something else than its answer comes. An answer that was left before comes
// at once.
func (p *Progress) unanswered(e event.Event) {
	if p.asking == "" {
		return
	}
	what := "a question waits:"
	switch f := e.Fact.(type) {
	case *history.Answered:
		what = ""
	case *history.Unanswered:
		if f.Final {
			what = "nobody answered a question:"
		}
	}
	if what != "" {
		p.say(fmt.Sprintf("   %s %s %s", p.asking, p.brush.As(paint.Waiting, what), safetext.Escape(p.question)))
	}
	p.asking = ""
}

// tell prints the line of a step that is over, once.
func (p *Progress) tell(run *history.Run, s *history.Step) {
	if p.shown[s] {
		return
	}
	p.shown[s] = true
	p.say(stepLine(run, s, p.cols))
	for _, line := range document.Tolerated(s) {
		p.say(fmt.Sprintf("   %s %s", p.cols.step(s.Address), safetext.Clip(line, 200)))
	}
}

// strategy tells that there is another amount of ceremony from here on, and why.
func (p *Progress) strategy(f *history.StrategySet) {
	if f.From == f.Strategy {
		p.say(fmt.Sprintf("   new phases: %s", safetext.Clip(f.Why, 200)))
	} else if f.From != "" {
		p.say(fmt.Sprintf("   strategy switched from %s to %s: %s", safetext.Escape(string(f.From)),
			safetext.Escape(string(f.Strategy)), safetext.Clip(f.Why, 200)))
	}
}

// budget tells how far the tokens of the session are used up, and what follows.
func (p *Progress) budget(f *history.Budget) {
	if f.CostLimit > 0 {
		p.say(fmt.Sprintf("   the run has cost %s of %s: it ends here, to be resumed with a larger --budget", f.Cost, f.CostLimit))
		return
	}
	follows := "executors are asked to be brief"
	if f.Handoff {
		follows = "the session ends here, and another one goes on from the checkpoint"
	}
	p.say(fmt.Sprintf("   %d %% of the tokens of this session are used (%d of %d): %s",
		f.Used*100/max(1, f.Limit), f.Used, f.Limit, follows))
}

// setBack tells where the run stands, and forgets the ends of steps that are
// not over any more: they are told when they end again.
func (p *Progress) setBack(run *history.Run, f *history.RolledBack) {
	text := fmt.Sprintf("   the run was set back to before %s", f.To)
	if f.By != "" {
		text += " by " + safetext.Clip(f.By, 80)
	}
	if f.Reason != "" {
		text += ": " + safetext.Clip(f.Reason, 200)
	}
	p.say(text)
	for _, s := range run.Steps {
		if !s.Status.Over() {
			delete(p.shown, s)
		}
	}
	p.work = nil
}

// Begun reports whether the run began or went on.
func (p *Progress) Begun() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.begun
}

// say prints a line that stays.
func (p *Progress) say(line string) {
	line = paint.Mark(p.brush, line, 0)
	if p.screen != nil {
		p.screen.print(line)
		return
	}
	fmt.Fprintln(p.out, line)
}

// look remembers what the region that is redrawn shows.
func (p *Progress) look(e event.Event) {
	p.bar = bar(e.State)
	p.pending = p.pending[:0]
	if p.screen == nil {
		return
	}
	for _, s := range e.State.Steps {
		if s.Status == history.Pending && len(p.pending) < maxPending {
			p.pending = append(p.pending, strings.TrimRight("   "+p.cols.heading(s), " "))
		}
	}
	if e.Kind != event.Asking {
		p.screen.resume()
	}
}

// region is what is redrawn: the steps under way, what comes next, the bar.
func (p *Progress) region() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var lines []string
	for _, w := range p.work {
		lines = append(lines, fmt.Sprintf("%s  %s   %s", paint.Mark(p.brush, w.heading, 0), safetext.Clip(w.doing, 60),
			document.Duration(p.now().Sub(w.since))))
	}
	for _, line := range p.pending {
		lines = append(lines, p.brush.As(paint.Dim, line))
	}
	if p.bar != "" {
		lines = append(lines, "", " "+p.bar)
	}
	return lines
}

// Stopping says that the run is being stopped, which may take a moment; again is
// what ends it at once, "" if nothing does.
func (p *Progress) Stopping(again string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	for _, w := range p.work {
		w.doing = "ending the step"
	}
	text := "   stopping: the step is ended and the tree restored"
	if again != "" {
		text += "; " + again + " ends planlock at once"
	}
	p.say(text)
}

// Close ends the display; the bar stays as its last line.
func (p *Progress) Close() {
	p.mu.Lock()
	p.unanswered(event.Event{})
	p.closed = true
	p.mu.Unlock()
	if p.screen != nil {
		p.screen.close()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != "" {
		fmt.Fprintf(p.out, "\n %s\n\n", p.bar)
	}
}
