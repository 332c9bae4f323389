package escalator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/internal/safetext"
)

// maxTries is how many times a terminal asks for one answer.
const maxTries = 5

// A Terminal shows questions to a person and reads the answers as lines. It
// must not be copied after first use. Questions that are asked at the same time
// are shown one after the other.
//
// Only In answers; what is printed to Out, by whomever, does not. Lines are
// read when they are wanted and never ahead (though In is buffered, so nobody
// else may read from it). A read cannot be broken off: when a question is given
// up, at its deadline or because its context ends, the read stays under way, in
// one goroutine for the whole Terminal, and its line goes to the next question.
// If that line comes before the next question is shown, it can only have been
// meant for the one before, and is dropped with a notice.
type Terminal struct {
	In  io.Reader        // nil: standard input
	Out io.Writer        // nil: standard error
	Now func() time.Time // nil: time.Now
	By  string           // who answers; "": "terminal"

	once  sync.Once
	turn  chan struct{} // holds a token while somebody is asking
	lines lines
}

// Ask shows q, with all its text escaped, and waits for a choice, for its
// acknowledgement, which must be typed exactly, and for a reason, which may be
// empty; for none where an empty line took the default, or where education mode
// explained a step or work was shown and the choice needs no words. What is none of that is asked
// for again, five times at most. The end of the input, a line that has no end,
// too many tries and the deadline are [ask.ErrNoAnswer]. A choice that was made
// in time stands if the deadline comes while the reason is awaited.
func (t *Terminal) Ask(ctx context.Context, q ask.Question) (ask.Answer, error) {
	if err := begin(ctx, q, clock(t.Now)); err != nil {
		return ask.Answer{}, err
	}
	if err := t.take(ctx, q); err != nil {
		return ask.Answer{}, err
	}
	defer func() { <-t.turn }()
	late, stop := t.deadline(q)
	defer stop()
	d := dialogue{Terminal: t, ctx: ctx, q: q, late: late}
	return d.run()
}

// deadline returns a channel that is closed at q's deadline.
func (t *Terminal) deadline(q ask.Question) (late <-chan struct{}, stop func() bool) { // late is nil without one
	if q.Deadline.IsZero() {
		return nil, func() bool { return true }
	}
	c := make(chan struct{})
	timer := time.AfterFunc(q.Deadline.Sub(clock(t.Now)), func() { close(c) })
	return c, timer.Stop
}

// in is where answers are typed.
func (t *Terminal) in() io.Reader {
	if t.In == nil {
		return os.Stdin
	}
	return t.In
}

// A dialogue is one question on a terminal.
type dialogue struct {
	*Terminal
	ctx  context.Context // of the one call that the dialogue lives in
	q    ask.Question
	late <-chan struct{}

	remember bool // the choice was typed behind the word "remember"
	enter    bool // the choice was made by an empty line
}

var (
	errLate  = errors.New("its deadline has passed")
	errShown = errors.New("it cannot be shown")
)

// run shows the question and asks until an answer counts. What was typed before
// the question was there answers nothing.
func (d *dialogue) run() (ask.Answer, error) {
	if old, ok := d.lines.stale(); ok && old.err == nil {
		if err := d.say("Not taken, it came before this question: %s\n\n", safetext.Escape(old.text)); err != nil {
			return ask.Answer{}, err
		}
	}
	if err := d.say("%s", ask.Render(d.q)); err != nil {
		return ask.Answer{}, err
	}
	for range maxTries {
		c, err := d.choose()
		if err != nil {
			return ask.Answer{}, d.failed(err)
		}
		if c == nil {
			continue
		}
		a := ask.Answer{Question: d.q.ID, Run: d.q.Run, Attempt: d.q.Attempt, Choice: c.Key,
			Acknowledged: c.Acknowledge,
			By:           d.By, At: clock(d.Now)}
		if a.By == "" {
			a.By = "terminal"
		}
		if d.q.Late(a.At) {
			return ask.Answer{}, d.failed(errLate)
		}
		if d.wordless(c) {
			return a, nil
		}
		want := "Reason (may be empty): "
		if c.NeedsReason {
			want = "Your words: "
		}
		a.Reason, err = d.prompt(want)
		if err != nil && d.ctx.Err() != nil && !expired(d.ctx, d.q, clock(d.Now)) {
			return ask.Answer{}, d.failed(err)
		}
		a.Reason = strings.TrimSpace(strings.ToValidUTF8(a.Reason, "\ufffd"))
		if c.NeedsReason && a.Reason == "" {
			if err != nil {
				return ask.Answer{}, d.failed(err)
			}
			if err := d.say("That choice is nothing without words; nothing was chosen.\n"); err != nil {
				return ask.Answer{}, err
			}
			continue
		}
		if err == nil && d.remember {
			if err := d.confirm(&a); err != nil && d.ctx.Err() != nil && !expired(d.ctx, d.q, clock(d.Now)) {
				return ask.Answer{}, d.failed(err)
			}
		}
		return a, nil
	}
	return ask.Answer{}, d.failed(fmt.Errorf("%d lines, and none was a choice", maxTries))
}

// wordless reports whether no reason is asked for: the default was taken, or an
// explanation, or work that was shown, was answered with what needs no words.
func (d *dialogue) wordless(c *ask.Choice) bool {
	return !c.NeedsReason && c.Acknowledge == "" && !d.remember &&
		(d.enter || d.q.Kind == ask.Education || d.q.Kind == ask.Work)
}

// choose returns the choice that was made and acknowledged, or nil if the line
// was something else.
func (d *dialogue) choose() (*ask.Choice, error) {
	keys := make([]string, len(d.q.Choices))
	for i, c := range d.q.Choices {
		keys[i] = safetext.Escape(c.Key)
	}
	enter := ""
	if d.q.Default != "" {
		enter = fmt.Sprintf(" (Enter: %s)", safetext.Escape(d.q.Default))
	}
	text, err := d.prompt(fmt.Sprintf("What now? [%s]%s ", strings.Join(keys, "/"), enter))
	if err != nil && !errors.Is(err, errLongLine) {
		return nil, err
	}
	text, d.remember = strings.CutPrefix(text, "remember ")
	text = strings.TrimSpace(text)
	d.enter = text == ""
	c, ok := d.q.Typed(text)
	if !ok {
		return nil, d.say("%s is none of the choices.\n", safetext.Escape(fmt.Sprintf("%q", text)))
	}
	if c.Acknowledge == "" {
		return &c, nil
	}
	text, err = d.prompt(fmt.Sprintf("To acknowledge it, type: %s\n> ", safetext.Escape(c.Acknowledge)))
	if err != nil && !errors.Is(err, errLongLine) {
		return nil, err
	}
	if text != c.Acknowledge {
		return nil, d.say("These are not the words; nothing was chosen.\n")
	}
	return &c, nil
}

// prompt writes text and returns the next line, or why there is none.
func (d *dialogue) prompt(text string) (string, error) {
	if err := d.say("%s", text); err != nil {
		return "", err
	}
	select {
	case got := <-d.lines.next(d.in()):
		d.lines.took()
		return got.text, got.err
	case <-d.ctx.Done():
		return "", d.ctx.Err()
	case <-d.late:
		return "", errLate
	}
}

// say writes to the terminal. A question that nobody could see was not asked.
func (d *dialogue) say(format string, args ...any) error {
	out := d.Out
	if out == nil {
		out = os.Stderr
	}
	if _, err := fmt.Fprintf(out, format, args...); err != nil {
		return fmt.Errorf("ask: question %q was not asked: %w: %w", d.q.ID, errShown, err)
	}
	return nil
}

// confirm asks for which questions the choice is to be remembered, and for the
// words that confirm it. Where they do not come, the answer stands and is not
// remembered.
func (d *dialogue) confirm(a *ask.Answer) error {
	scope := ask.ForPlan
	if d.q.Step != "" {
		text, err := d.prompt(fmt.Sprintf("Remember it for step %s, or for the whole plan? [step/plan] ",
			safetext.Escape(string(d.q.Step))))
		if err != nil {
			return err
		}
		scope = ask.Scope(strings.TrimSpace(text))
	}
	if err := d.q.Rememberable(a.Choice, scope); err != nil {
		return d.say("Not remembered: %s\n", safetext.Escape(err.Error()))
	}
	words := d.q.RememberWords(a.Choice, scope)
	text, err := d.prompt(fmt.Sprintf("To confirm it, type: %s\n> ", safetext.Escape(words)))
	if err != nil {
		return err
	}
	if text != words {
		return d.say("These are not the words; the choice counts once, and is not remembered.\n")
	}
	a.Remember, a.Confirmed = scope, words
	return nil
}

// failed turns why there is no answer into the error that Ask returns.
func (d *dialogue) failed(err error) error {
	if errors.Is(err, errShown) {
		return err
	}
	if err := d.say("\n"); err != nil { // the prompt still stands on its line
		return err
	}
	switch {
	case d.ctx.Err() != nil:
		return stopped(d.ctx, d.q, clock(d.Now))
	case errors.Is(err, io.EOF):
		return noAnswer(d.q, "the input ended")
	}
	return noAnswer(d.q, "%w", err)
}
