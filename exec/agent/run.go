package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/acp"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/internal/process/output"
)

// A saying is one turn of an agent without a terminal: what it is told, where and
// by whom it is run, and who listens.
type saying struct {
	turn
	prompt string
	quoted string     // words of it that are not the agent's own
	before exec.Usage // what the conversation had spent
	dir    string
	home   *home
	runner gate.CommandRunner
	out    io.Writer // for people
	at     func(activity string)
	spent  func(exec.Usage)
}

// headless has the agent carry out a step without a terminal. It goes on with the
// conversation about the step where there is one, and begins another where that
// cannot be found any more.
func (e *Executor) headless(ctx context.Context, w exec.Work, p program, h *home) (exec.Outcome, error) {
	quoted, err := promptWords(w)
	if err != nil {
		return exec.Outcome{}, err
	}
	about := talkAbout(w)
	known := e.talkOf(about)
	s := saying{turn: turn{model: e.o.Model, session: known.session}, before: known.spent, dir: w.Dir, home: h, runner: w.Runner,
		quoted: quoted, out: w.Output, at: w.Activity, spent: w.Spent}
	if s.session != "" {
		prompt, err := again(w)
		if err != nil {
			return exec.Outcome{}, err
		}
		s.prompt = prompt
		heard, exit, err := e.say(ctx, p, s)
		var failed *FailedError
		if !errors.As(err, &failed) || ctx.Err() != nil || heard.usage.InputTokens+heard.usage.OutputTokens > 0 {
			return e.outcome(about, heard, exit, err)
		}
	}
	prompt, err := first(w)
	if err != nil {
		return exec.Outcome{}, err
	}
	s.prompt, s.session, s.before = prompt, "", exec.Usage{}
	heard, exit, err := e.say(ctx, p, s)
	return e.outcome(about, heard, exit, err)
}

// outcome is what an attempt came to, and keeps the conversation.
func (e *Executor) outcome(about string, h *heard, exit int, err error) (exec.Outcome, error) {
	e.one.Lock()
	if h.session != "" && !h.full {
		e.talks[about] = conversation{h.session, h.before}
	} else {
		delete(e.talks, about)
	}
	e.one.Unlock()
	o := exec.Outcome{Stdout: h.word, Exit: exit, Usage: h.usage}
	o.Insights, o.Decisions = h.insights, h.decisions
	if errors.Is(err, exec.ErrContextExhausted) {
		o.Summary = clip(h.word, 16<<10)
	}
	if why := h.notDone(); err == nil && why != "" {
		err = &FailedError{Agent: e.agent.Name, Said: why}
	}
	return o, err
}

// talkAbout names the conversation about the work.
func talkAbout(w exec.Work) string {
	address := ""
	if w.Step != nil {
		address = string(w.Step.Address)
	}
	return w.RunID + " " + address + " " + w.Method.ID
}

// A conversation of an agent, and what it had spent at its last end.
type conversation struct {
	session string
	spent   exec.Usage
}

func (e *Executor) talkOf(about string) conversation {
	e.one.Lock()
	defer e.one.Unlock()
	return e.talks[about]
}

// say runs the agent for one turn, and reads what it prints. What was heard is
// never nil.
func (e *Executor) say(ctx context.Context, p program, s saying) (*heard, int, error) {
	name := e.agent.Name
	limit := cmp.Or(e.o.Silence, silence)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	pulse := watch(limit, func() { cancel(&SilentError{Agent: name, For: limit}) })
	defer pulse.stop()

	set := e.agent.of(use{home: s.home.dir, how: p.how, asked: s.asked})
	env := e.env(s.home.dir, set)
	h := &heard{told: s.quoted, spent: s.spent, before: s.before, veil: output.SecretsOf(env, s.home.hide(env)...)}
	last := ""
	h.at = func(text string) {
		if text = h.shown(text); text != last {
			last = text
			s.at(text)
		}
	}
	h.say = func(text string) { fmt.Fprintln(s.out, h.shown(text)) }
	stream := &lines{to: func(line []byte) { e.agent.talk.read(h, []byte(h.shown(string(line)))) }, long: func() { h.cut = true }}
	h.stop = func(why string) {
		h.fail(why)
		cancel(errStopped)
	}
	errs := output.NewTail(8 << 10)
	complaints := h.veil.Veil(errs) // before anything of it is cut off
	if err := set.settings(s.home.dir); err != nil {
		return h, 0, fmt.Errorf("agent: %s: its settings: %w", name, err)
	}
	command := gate.Command{Dir: s.dir, Private: s.home.dir, Env: env,
		Args:   append(append([]string{p.path}, p.args...), e.agent.talk.args(s.turn, set.args)...),
		Stdin:  strings.NewReader(s.prompt),
		Stdout: pulse.of(stream)}
	if inline, ok := e.agent.talk.(plainTalk); ok {
		h.over = true // its status says whether it did the step, and it need not print anything
		inline.put(&command, s)
	}
	result, err := process.RunLive(ctx, s.runner, command, pulse.of(complaints))
	if _, live := s.runner.(process.LiveRunner); !live {
		io.WriteString(complaints, result.Output)
	}
	complaints.Flush()
	stream.end()
	h.flush()
	said := strings.TrimSpace(errs.String())
	switch {
	case context.Cause(ctx) == errStopped:
		err = e.failure(h, 0, h.failed)
	case ctx.Err() != nil:
		err = fmt.Errorf("agent: %s: %w", name, context.Cause(ctx))
	case err != nil:
		err = fmt.Errorf("agent: %s: %w", name, err)
	default:
		err = e.judge(h, result.Exit, said)
	}
	return h, result.Exit, err
}

// errStopped ends a turn of which nothing can come any more.
var errStopped = errors.New("agent: it was stopped")

// judge is why a turn failed, or nil. What the agent says to people is not looked
// through: only what its stream says of its end, and what its program complains
// of.
func (e *Executor) judge(h *heard, exit int, complaint string) error {
	if exit == 0 && h.over && h.failed == "" {
		return nil
	}
	why := cmp.Or(h.failed, h.trouble, strings.TrimSpace(strings.Join(append(h.last, complaint), "\n")))
	return e.failure(h, exit, why)
}

// failure is a failure of which somebody said why.
func (e *Executor) failure(h *heard, exit int, why string) error {
	failed := &FailedError{Agent: e.agent.Name, Exit: exit, Said: tail(why)}
	if h.full || acp.ContextFull(why) {
		h.full = true
		return fmt.Errorf("%w: %w", exec.ErrContextExhausted, failed)
	}
	if limit := acp.Limit(why, time.Now()); limit != nil {
		return limit
	}
	if acp.LoggedOut(why) {
		return &LoginError{Agent: e.agent.Name, Said: tail(why), Try: e.agent.Login}
	}
	if h.cut && failed.Said == "" {
		failed.Said = fmt.Sprintf("it printed a line of more than %d bytes", mostLine)
	}
	return failed
}

// tail is the end of a text, for messages.
func tail(text string) string {
	const most = 1 << 10
	text = strings.TrimSpace(text)
	return strings.ToValidUTF8(text[max(0, len(text)-most):], "")
}

// A pulse calls somebody when nothing was heard for a time.
type pulse struct {
	timer *time.Timer
	after time.Duration
}

func watch(after time.Duration, do func()) *pulse {
	return &pulse{timer: time.AfterFunc(after, do), after: after}
}

func (p *pulse) stop() { p.timer.Stop() }

// of is a writer whose every write is a sign of life.
func (p *pulse) of(to io.Writer) io.Writer { return beat{p, to} }

type beat struct {
	*pulse
	to io.Writer
}

func (b beat) Write(text []byte) (int, error) {
	b.timer.Reset(b.after)
	return b.to.Write(text)
}
