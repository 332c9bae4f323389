package acp

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/planlock/planlock/exec"
)

// DefaultSilence is how long an agent may show no sign of life.
const DefaultSilence = 10 * time.Minute

// An Executor drives an agent by the Agent Client Protocol. It must not be
// changed once it is in use, and may be used by many runs at a time.
type Executor struct {
	// Args are the program and its arguments, as in "gemini", "--acp". A relative
	// path of the program is relative to the current folder.
	Args []string
	// Env are NAME=value pairs for its process alone.
	Env []string
	// Hidden are further NAME=value pairs of which nobody is to read the values, as
	// those of a file that logs the agent in. Its process does not get them; like
	// secrets of Env they stand in nothing that it shows or is said to fail of, but
	// their names do.
	Hidden []string
	// Label is what plans and messages call it; "": the file name of the program.
	Label string
	// Model is the one that it is to use, by the id or the name that the agent
	// has for it; "": its own choice.
	Model string
	// Mode is the mode that a session is to have, by the agent's id or name; "":
	// its own choice.
	Mode string
	// Prompt is what the agent is told of an attempt; nil: [Prompt]. Where an
	// attempt goes on with the conversation of an earlier one, the agent is told
	// its feedback instead.
	Prompt func(exec.Work) string
	// Silence is for how long the agent may say nothing, on either of its
	// streams: 0 is [DefaultSilence], below 0 for ever. It is no time-out, which
	// the plan has.
	Silence time.Duration
	// Login is what a person types to log in to the agent, for messages; "": not
	// known.
	Login string

	bound *bounds // nil: the usual ones
}

// CommandsOnly says that the executor touches the workspace by its program
// alone.
func (e *Executor) CommandsOnly() {}

// Name is what plans call the executor.
func (e *Executor) Name() string {
	if e.Label != "" || len(e.Args) == 0 {
		return e.Label
	}
	return filepath.Base(e.Args[0])
}

// mostAgain is how often an agent is told to go on that ended its turn because
// something was refused.
const mostAgain = 3

// Execute starts the agent, tells it what to do, answers what it asks, and
// waits for the end of all that it started.
func (e *Executor) Execute(ctx context.Context, w exec.Work) (exec.Outcome, error) {
	if w.Runner == nil {
		return exec.Outcome{}, errors.New("acp: no runner: Work.Runner is nil")
	}
	if ctx.Err() != nil {
		return exec.Outcome{}, fmt.Errorf("acp: not started: %w", context.Cause(ctx))
	}
	args, err := e.command()
	if err != nil {
		return exec.Outcome{}, err
	}
	var shown tail
	if w.Output == nil {
		w.Output = &shown
	}
	if w.Activity == nil {
		w.Activity = func(string) {}
	}
	c := e.begin(ctx, &w, args)
	err = c.work()
	c.end(err != nil)
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
		err = errors.Join(cause, err)
	}
	message, _, _ := c.tells.last()
	out := exec.Outcome{Output: shown.String(), Stdout: message, Usage: c.bill.usage}
	if c.result.Exit > 0 && err != nil {
		out.Exit = c.result.Exit
	}
	if errors.Is(err, exec.ErrContextExhausted) {
		out.Summary = summary(message)
		forget(e, &w)
	}
	return out, err
}

// work is what is said to the agent in an attempt.
func (c *conversation) work() error {
	if err := c.initialize(); err != nil {
		return err
	}
	earlier := recall(c.e, c.w)
	id := ""
	if earlier != nil {
		id = earlier.Session
	}
	s, goesOn, err := c.open(id)
	if err != nil {
		return err
	}
	if err := c.choose(s); err != nil {
		return err
	}
	text := c.e.prompt(*c.w)
	if goesOn {
		c.tells.note("goes on with its conversation")
		text = earlier.again(c.w, text)
	}
	now := &kept{Session: s.ID, Method: c.w.Method.ID, Attempt: c.w.Attempt, Phase: string(c.w.Phase),
		Told: digests(c.w.Feedback)}
	now.keep(c.e, c.w)
	for range 1 + mostAgain {
		t, err := c.prompt(s, text)
		if err == nil {
			err = c.stopped(t)
		}
		if err != nil {
			return err
		}
		if text = c.unfinished(); text == "" {
			break
		}
	}
	return c.limited()
}

// refusedLast reports whether the agent did nothing since it was refused
// something.
func (c *conversation) refusedLast() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.refusal != ""
}

// unfinished is what the agent is told that ended its turn at a refusal without
// another word; "" where it did not.
func (c *conversation) unfinished() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	reason := c.refusal
	c.refusal = ""
	if reason == "" {
		return ""
	}
	return "What you asked for was refused by the plan, and not by a person: " + reason +
		". Go on with the step, within what it may change. If it cannot be done so, say why."
}

// limited is the limit that an agent told of in place of an answer, as some do:
// its only words, and nothing was done.
func (c *conversation) limited() error {
	text, _, worked := c.tells.last()
	if worked || len(text) > 300 || !limitedSay.MatchString(text) {
		return nil
	}
	if limit := Limit(text, time.Now()); limit != nil {
		return limit
	}
	return nil
}

// prompt is what the agent is told of an attempt.
func (e *Executor) prompt(w exec.Work) string {
	if e.Prompt != nil {
		return e.Prompt(w)
	}
	return Prompt(w)
}

// command is Args with a relative path of the program made absolute.
func (e *Executor) command() ([]string, error) {
	if len(e.Args) == 0 || e.Args[0] == "" {
		return nil, errors.New("acp: no program: Executor.Args is empty")
	}
	args := slices.Clone(e.Args)
	if filepath.Base(args[0]) != args[0] {
		path, err := filepath.Abs(args[0])
		if err != nil {
			return nil, fmt.Errorf("acp: path of %q: %w", args[0], err)
		}
		args[0] = path
	}
	return args, nil
}
