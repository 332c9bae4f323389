package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"
)

// A session is a conversation that the agent keeps.
type session struct {
	ID     string `json:"sessionId"`
	Models *struct {
		Available []choice `json:"availableModels"`
		Current   string   `json:"currentModelId"`
	} `json:"models"`
	Modes *struct {
		Available []choice `json:"availableModes"`
		Current   string   `json:"currentModeId"`
	} `json:"modes"`
	Options []option `json:"configOptions"`
}

// A choice is a model or a mode.
type choice struct {
	Model string `json:"modelId"`
	ID    string `json:"id"`
	Value string `json:"value"`
	Name  string `json:"name"`

	Options []choice `json:"options"` // of a group
}

// id is what the choice is called in messages.
func (c choice) id() string { return c.Model + c.ID + c.Value }

// An option is something of a session that can be set.
type option struct {
	ID       string   `json:"id"`
	Category string   `json:"category"`
	Current  any      `json:"currentValue"`
	Options  []choice `json:"options"`
}

// open opens a session: the one that is kept, where there is one and the agent
// can go on with it, or a new one. It reports whether it went on.
func (c *conversation) open(kept string) (s session, goesOn bool, err error) {
	if kept != "" {
		if s, goesOn, err = c.load(kept); goesOn || c.ctx.Err() != nil {
			return s, goesOn, err
		}
	}
	params := sdk.NewSessionRequest{Cwd: c.cwd, McpServers: []sdk.McpServer{}}
	raw, err := c.ask(c.ctx, sdk.AgentMethodSessionNew, params, c.bound.open)
	var login *LoginError
	if errors.As(err, &login) && c.authenticate() {
		raw, err = c.ask(c.ctx, sdk.AgentMethodSessionNew, params, c.bound.open)
	}
	if err != nil {
		return s, false, err
	}
	if err := lenient(raw, &s); err != nil || s.ID == "" || len(s.ID) > 1<<10 {
		return s, false, &ProtocolError{Agent: c.name, Reason: "its answer to \"session/new\" names no session"}
	}
	return s, false, nil
}

// load goes on with a session that is kept. It is no fault where that is not to
// be had: there is a new one then.
func (c *conversation) load(id string) (s session, ok bool, err error) {
	var raw json.RawMessage
	c.replay(true)
	defer c.replay(false)
	switch {
	case c.agent.Capabilities.Session.Resume != nil:
		raw, err = c.ask(c.ctx, sdk.AgentMethodSessionResume, sdk.ResumeSessionRequest{
			Cwd: c.cwd, McpServers: []sdk.McpServer{}, SessionId: sdk.SessionId(id)}, c.bound.open)
	case c.agent.Capabilities.Load:
		raw, err = c.ask(c.ctx, sdk.AgentMethodSessionLoad, sdk.LoadSessionRequest{
			Cwd: c.cwd, McpServers: []sdk.McpServer{}, SessionId: sdk.SessionId(id)}, c.bound.open)
	default:
		return s, false, nil
	}
	var login *LoginError
	if errors.As(err, &login) && c.authenticate() {
		return c.load(id)
	}
	if err != nil || len(raw) > 0 && lenient(raw, &s) != nil {
		return s, false, err
	}
	s.ID = id
	return s, true, nil
}

// replay says whether what the agent tells from now on was told before.
func (c *conversation) replay(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.replaying = on
}

// choose sets the model and the mode of the session.
func (c *conversation) choose(s session) error {
	if want := c.e.Model; want != "" {
		var have []choice
		current := ""
		if s.Models != nil {
			have, current = s.Models.Available, s.Models.Current
		}
		err := c.set(s, "model", want, have, current, func(id string) (string, any) {
			return sdk.AgentMethodSessionSetModel,
				sdk.UnstableSetSessionModelRequest{SessionId: sdk.SessionId(s.ID), ModelId: sdk.UnstableModelId(id)}
		})
		if err != nil {
			return err
		}
	}
	if want := c.e.Mode; want != "" {
		var have []choice
		current := ""
		if s.Modes != nil {
			have, current = s.Modes.Available, s.Modes.Current
		}
		return c.set(s, "mode", want, have, current, func(id string) (string, any) {
			return sdk.AgentMethodSessionSetMode,
				sdk.SetSessionModeRequest{SessionId: sdk.SessionId(s.ID), ModeId: sdk.SessionModeId(id)}
		})
	}
	return nil
}

// set sets one of the two: by the method that is for it, or as an option of the
// session, which newer agents have instead.
func (c *conversation) set(s session, what, want string, have []choice, current string,
	method func(id string) (string, any)) error {
	if len(have) > 0 {
		id, ok := find(have, want)
		if !ok {
			return &ChoiceError{Agent: c.name, What: what, Want: want, Have: c.names(have)}
		}
		if id == current {
			return nil
		}
		name, params := method(id)
		_, err := c.ask(c.ctx, name, params, c.bound.open)
		return err
	}
	i := slices.IndexFunc(s.Options, func(o option) bool { return o.Category == what || o.ID == what })
	if i < 0 {
		return &ChoiceError{Agent: c.name, What: what, Want: want}
	}
	o := s.Options[i]
	var values []choice
	for _, each := range o.Options {
		if values = append(values, each); len(each.Options) > 0 {
			values = append(values[:len(values)-1], each.Options...)
		}
	}
	id, ok := find(values, want)
	if !ok {
		return &ChoiceError{Agent: c.name, What: what, Want: want, Have: c.names(values)}
	}
	if id == o.Current {
		return nil
	}
	_, err := c.ask(c.ctx, sdk.AgentMethodSessionSetConfigOption, map[string]any{
		"sessionId": s.ID, "configId": o.ID, "value": id}, c.bound.open)
	return err
}

// find is the id of the choice that somebody means: by its id, its name, or the
// only one whose id or name holds what was said.
func find(have []choice, want string) (id string, ok bool) {
	same := func(c choice) bool { return strings.EqualFold(c.id(), want) || strings.EqualFold(c.Name, want) }
	if i := slices.IndexFunc(have, same); i >= 0 {
		return have[i].id(), true
	}
	for _, c := range have {
		if holds(c.id(), want) || holds(c.Name, want) {
			if id != "" {
				return "", false
			}
			id = c.id()
		}
	}
	return id, id != ""
}

func holds(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

// names are what one can choose from.
func (c *conversation) names(have []choice) (all []string) {
	for _, each := range have[:min(len(have), 30)] {
		all = append(all, clip(c.secrets.Replace(each.id()), 100))
	}
	return all
}

// A turn is how a prompt ended.
type turn struct {
	Stop  sdk.StopReason  `json:"stopReason"`
	Usage json.RawMessage `json:"usage"`
	Meta  json.RawMessage `json:"_meta"`
}

// prompt tells the agent what to do and waits for the end of the turn. Where it
// is to stop meanwhile, it is asked to, and has some time for that.
func (c *conversation) prompt(s session, text string) (turn, error) {
	c.tells.begin()
	over, stop := context.WithCancelCause(context.WithoutCancel(c.ctx))
	defer stop(nil)
	type answered struct {
		raw json.RawMessage
		err error
	}
	done := make(chan answered, 1)
	go func() {
		raw, err := c.ask(over, sdk.AgentMethodSessionPrompt, sdk.PromptRequest{SessionId: sdk.SessionId(s.ID),
			Prompt: []sdk.ContentBlock{sdk.TextBlock(text)}}, 0)
		done <- answered{raw, err}
	}()
	var a answered
	select {
	case a = <-done:
	case <-c.ctx.Done():
		cause := context.Cause(c.ctx)
		if broken := new(ProtocolError); errors.As(cause, &broken) {
			stop(cause) // whatever it would say is not heard
			<-done
			return turn{}, cause
		}
		_ = c.conn.SendNotification(over, sdk.AgentMethodSessionCancel,
			sdk.CancelNotification{SessionId: sdk.SessionId(s.ID)})
		grace, cancel := context.WithTimeout(over, c.bound.stop)
		defer cancel()
		select {
		case a = <-done:
		case <-grace.Done():
			stop(cause)
			<-done
			return turn{}, cause
		}
		c.counted(a.raw)
		return turn{}, cause
	}
	t := c.counted(a.raw)
	if a.err == nil && t.Stop == "" {
		a.err = &ProtocolError{Agent: c.name, Reason: "its answer to \"session/prompt\" does not say why the turn ended"}
	}
	return t, a.err
}

// counted takes in what a turn has cost.
func (c *conversation) counted(raw json.RawMessage) (t turn) {
	if len(raw) == 0 || lenient(raw, &t) != nil {
		return t
	}
	c.mu.Lock()
	if n, ok := tokensOf(anyOf(t.Usage), 0); ok {
		c.bill.turn(n)
	} else if n, ok := tokensOf(anyOf(t.Meta), 0); ok {
		c.bill.turn(n)
	}
	if dollars, ok := dollarsOf(nil, anyOf(t.Meta), 0); ok && c.bill.usage.Cost == 0 {
		c.bill.session(dollars, false)
	}
	c.bill.usage.Calls++
	usage := c.bill.usage
	c.mu.Unlock()
	c.spent(usage)
	return t
}

// stopped is the error that a stop reason stands for.
func (c *conversation) stopped(t turn) (err error) {
	text, _, _ := c.tells.last()
	switch t.Stop {
	case sdk.StopReasonEndTurn:
		return nil
	case sdk.StopReasonMaxTokens, sdk.StopReasonMaxTurnRequests:
		return exhausted(c.name, t.Stop)
	case sdk.StopReasonRefusal:
		return &RefusalError{Agent: c.name, Text: clip(text, 1<<10)}
	case sdk.StopReasonCancelled:
		if c.refusedLast() {
			return nil // some agents end a turn so where something is refused
		}
		return &AnswerError{Agent: c.name, Method: sdk.AgentMethodSessionPrompt,
			Text: "it cancelled its turn, and nobody asked it to"}
	}
	return &ProtocolError{Agent: c.name, Reason: fmt.Sprintf("its turn ended with %q, which is no reason of the protocol",
		clip(c.secrets.Replace(string(t.Stop)), 60))}
}
