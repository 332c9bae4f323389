package screen

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/safetext"
)

// A Progress shows how a run goes: on a terminal what is over scrolls away and
// what is under way is redrawn below it; elsewhere it is a log, line by line.
type Progress struct {
	mu     sync.Mutex
	out    io.Writer
	screen *screen // nil: not a terminal
	style  style
	now    func() time.Time

	shown   map[*history.Step]bool // steps whose end was told
	cols    columns
	current string // of the step under way: mark, address, title
	named   bool   // the log has a line with current
	doing   string // what it does right now
	since   time.Time
	asking  string // the line about a question of which nobody knows yet whether it was answered before
	pending []string
	bar     string
	closed  bool
	begun   bool           // the run began or went on
	spell   action.Speller // how what can be done is typed
}

// New shows progress on out, which a person sees as it changes if it is live.
// What can be done is spelled by spell.
func New(out io.Writer, live bool, now func() time.Time, spell action.Speller) *Progress {
	p := &Progress{out: out, now: now, spell: spell, shown: map[*history.Step]bool{}}
	if live && os.Getenv("TERM") != "dumb" {
		p.screen = newScreen(out, p.region)
		p.style = style{colour: os.Getenv("NO_COLOR") == ""}
	}
	return p
}

// Observer is what the controller tells.
func (p *Progress) Observer() exec.Observer {
	on := func(do func(exec.Event)) func(exec.Event) {
		return func(e exec.Event) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.unanswered(e)
			do(e)
			p.look(e)
		}
	}
	return exec.Observer{
		RunStarted:     on(func(e exec.Event) { p.begin(e.State, "") }),
		RunResumed:     on(func(e exec.Event) { p.begin(e.State, e.Text) }),
		StepStarted:    on(p.stepStarted),
		AttemptStarted: on(p.attemptStarted),
		GateAsked:      on(func(e exec.Event) { p.doing = activity(e.History, "gates · "+e.Text+" …") }),
		AttemptFailed:  on(p.attemptFailed),
		Restored:       on(func(e exec.Event) { p.doing = "the tree was restored" }),
		Advised:        on(p.advised),
		Recovering:     on(p.recovering),
		Asked:          on(p.asked),
		Answered:       on(p.answered),
		ModeSwitched:   on(func(e exec.Event) { p.say("   mode switched from " + safetext.Escape(e.Text)) }),
		Taught: on(func(e exec.Event) {
			p.say("   lesson: " + safetext.Escape(e.Lesson.Result) + "; " + safetext.Escape(e.Lesson.Lesson))
		}),
		StepDone: on(p.stepDone),
		RunEnded: on(func(e exec.Event) { p.current, p.pending = "", nil }),
		Warning:  on(p.warned),
	}
}

// warned tells a warning, with how to look at what it is about.
func (p *Progress) warned(e exec.Event) {
	text := "   warning: " + safetext.Escape(e.Text)
	for _, a := range e.Actions {
		text += "; " + safetext.Escape(p.spell.Say(a))
	}
	p.say(text)
}

// begin says what is going to run.
func (p *Progress) begin(run *history.Run, resumed string) {
	p.begun = true
	s := &run.Started
	p.say(fmt.Sprintf("%s        %s", p.style.bold(safetext.Clip(s.Goal, 100)), identity(run)))
	if resumed != "" {
		p.say("resumed after: " + safetext.Escape(resumed))
	}
	for _, w := range s.Warnings {
		p.say("warning: " + safetext.Escape(w))
	}
	p.say("")
	p.cols = columnsOf(run)
	for _, step := range run.Steps {
		if step.Status.Over() {
			p.tell(run, step)
		}
	}
}

func (p *Progress) stepStarted(e exec.Event) {
	p.under(e)
	p.doing = "preconditions"
}

// under remembers which step is under way.
func (p *Progress) under(e exec.Event) {
	p.since = p.now()
	p.current, p.named = " ▸ "+p.cols.heading(e.History), false
}

func (p *Progress) attemptStarted(e exec.Event) {
	p.doing = activity(e.History, "")
	if p.current == "" { // a resumed step begins in its middle
		p.under(e)
	}
	if p.screen == nil && !p.named {
		p.say(strings.TrimRight(p.current, " "))
		p.named = true
	}
}

func (p *Progress) attemptFailed(e exec.Event) {
	p.doing = "restoring the tree"
	if a := e.History.Last(); a != nil && a.Failure != nil {
		p.say(fmt.Sprintf("   %s attempt %d failed (%s): %s", p.cols.step(e.Step), a.Number, a.Failure.Class,
			safetext.Clip(reason(a.Failure), 200)))
	}
}

// advised tells what an advisor found, or that there is no advice.
func (p *Progress) advised(e exec.Event) {
	a := e.Advice
	text := safetext.Clip(cmp.Or(a.Note, a.RootCause, "it proposes a change"), 200)
	if e.Err != nil {
		text = "none: " + safetext.Clip(e.Err.Error(), 200)
	}
	p.say(fmt.Sprintf("   %s advice: %s", p.cols.step(e.Step), text))
}

func (p *Progress) recovering(e exec.Event) {
	p.doing = fmt.Sprintf("next %s", safetext.Escape(MethodName(e.Next)))
	if e.Next != "" {
		p.say(fmt.Sprintf("   %s the tree was restored; next: %s", p.cols.step(e.Step),
			safetext.Escape(MethodName(e.Next))))
	}
}

func (p *Progress) asked(e exec.Event) {
	if p.screen != nil {
		p.screen.print("")
		p.screen.suspend() // whoever asks needs the screen
	} else {
		p.asking = fmt.Sprintf("   %s a question waits: %s", p.cols.step(e.Step), safetext.Escape(e.Question.What))
	}
}

// answered tells what was chosen, and by whom.
func (p *Progress) answered(e exec.Event) {
	p.say(fmt.Sprintf("   %s %s answered: %s by %s (%s)", p.cols.step(e.Step), safetext.Escape(e.Question.ID),
		safetext.Escape(e.Answer.Choice),
		safetext.Clip(e.Answer.By, 40), safetext.Escape(e.Question.What)))
}

// unanswered tells that a question waits, once something else than its answer
// comes. An answer that was left before comes at once.
func (p *Progress) unanswered(e exec.Event) {
	if p.asking != "" && e.Answer == nil {
		p.say(p.asking)
	}
	p.asking = ""
}

func (p *Progress) stepDone(e exec.Event) {
	p.current, p.doing = "", ""
	p.tell(e.State, e.History)
}

// tell prints the line of a step that is over, once.
func (p *Progress) tell(run *history.Run, s *history.Step) {
	if p.shown[s] {
		return
	}
	p.shown[s] = true
	p.say(p.style.step(stepLine(run, s, p.cols), s.Status))
}

// Begun reports whether the run began or went on.
func (p *Progress) Begun() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.begun
}

// say prints a line that stays.
func (p *Progress) say(line string) {
	if p.screen != nil {
		p.screen.print(line)
		return
	}
	fmt.Fprintln(p.out, line)
}

// look remembers what the region that is redrawn shows.
func (p *Progress) look(e exec.Event) {
	if e.State == nil {
		return
	}
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
	if e.Question == nil {
		p.screen.resume()
	}
}

// region is what is redrawn: the step under way, what comes next, the bar.
func (p *Progress) region() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var lines []string
	if p.current != "" {
		lines = append(lines, fmt.Sprintf("%s  %s   %s", p.current, safetext.Clip(p.doing, 60),
			seconds(p.now().Sub(p.since))))
	}
	for _, line := range p.pending {
		lines = append(lines, p.style.dim(line))
	}
	if p.bar != "" {
		lines = append(lines, "", " "+p.bar)
	}
	return lines
}

// Stopping says that the run is being stopped, which may take a moment.
func (p *Progress) Stopping() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.doing = "ending the step"
	p.say("   stopping: the step is ended and the tree restored; another Ctrl-C ends planlock at once")
}

// Close ends the display; the bar stays as its last line.
func (p *Progress) Close() {
	p.mu.Lock()
	p.unanswered(exec.Event{})
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
