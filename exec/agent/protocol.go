package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/acp"
)

// byProtocol has the agent carry out a step by the Agent Client Protocol. It
// keeps the conversation itself.
func (e *Executor) byProtocol(ctx context.Context, w exec.Work, p program, h *home) (exec.Outcome, error) {
	prompt, err := first(w)
	if err != nil {
		return exec.Outcome{}, err
	}
	o, err := e.speak(ctx, w, p, h, prompt, false)
	quoted, failed := promptWords(w)
	if failed != nil {
		return o, errors.Join(err, failed)
	}
	said := &heard{told: quoted, word: o.Stdout}
	said.note(o.Stdout)
	o.Insights, o.Decisions = append(o.Insights, said.insights...), append(o.Decisions, said.decisions...)
	if why := said.notDone(); err == nil && why != "" {
		err = &FailedError{Agent: e.agent.Name, Said: why}
	}
	return o, err
}

// speak is one turn by the protocol. asked says that the agent is asked for its
// word alone.
func (e *Executor) speak(ctx context.Context, w exec.Work, p program, h *home, prompt string, asked bool) (exec.Outcome,
	error) {
	set := e.agent.of(use{home: h.dir, how: ACP, asked: asked})
	if err := set.settings(h.dir); err != nil {
		return exec.Outcome{}, fmt.Errorf("agent: %s: its settings: %w", e.agent.Name, err)
	}
	env, model := e.env(h.dir, set), e.o.Model
	if c := e.o.Custom; c != nil && c.takesModel() {
		model = "" // its arguments say it
	}
	x := &acp.Executor{Args: append(append([]string{p.path}, p.args...), set.args...), Env: env, Hidden: h.hide(env),
		Label: e.agent.Name, Model: model, Mode: e.agent.mode, Silence: e.o.Silence, Login: e.agent.Login,
		Prompt: func(exec.Work) string { return prompt }}
	o, err := x.Execute(ctx, w)
	return o, e.named(err)
}

// named is an error of the protocol as one of an agent, where there is one.
func (e *Executor) named(err error) error {
	switch err := err.(type) { // one that came with the end of the run is left as it is
	case *acp.LoginError:
		return &LoginError{Agent: e.agent.Name, Said: strings.TrimSpace(err.Text), Try: e.agent.Login}
	case *acp.SilenceError:
		return &SilentError{Agent: e.agent.Name, For: err.For, Doing: err.Doing}
	}
	return err
}
