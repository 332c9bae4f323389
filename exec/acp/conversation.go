package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process/output"
)

// A conversation is one process of an agent, and the messages with it.
type conversation struct {
	e      *Executor
	w      *exec.Work
	bound  bounds
	name   string
	cwd    string   // the workspace, as the agent sees it
	roots  []string // the same folder, by all names that the agent may use
	in     *outbox
	guard  *guard
	conn   *sdk.Connection
	tells  *narrator
	stderr tail

	secrets output.Secrets // that stand in nothing that is shown or kept

	// ctx ends when the agent is to stop: the cause says why.
	ctx  context.Context
	stop context.CancelCauseFunc

	ended  chan struct{} // closed: the process, and all that it started, has ended
	kill   context.CancelCauseFunc
	result gate.CommandResult
	runErr error

	agent initialized

	mu        sync.Mutex
	bill      bill
	replaying bool // what is told now was told before
	asks      int
	inARow    int    // how often it was refused since it was allowed something
	refusal   string // why it was refused, as long as it did nothing after that
}

// handle takes in what the agent asks and tells.
func (c *conversation) handle(_ context.Context, method string, params json.RawMessage) (any, *sdk.RequestError) {
	defer c.guard.taken()
	switch method {
	case sdk.ClientMethodSessionUpdate:
		var told struct {
			Update update `json:"update"`
		}
		if err := lenient(params, &told); err == nil {
			c.told(&told.Update)
		}
		return nil, nil
	case sdk.ClientMethodSessionRequestPermission:
		return c.permission(params)
	}
	return nil, sdk.NewMethodNotFound(method)
}

// told takes in an update.
func (c *conversation) told(u *update) {
	c.mu.Lock()
	replaying := c.replaying
	switch u.Kind {
	case "usage_update":
		if dollars, ok := dollarsOf(u.Cost, u.Meta, 0); ok {
			c.bill.session(dollars, replaying)
		}
		usage := c.bill.usage
		c.mu.Unlock()
		if !replaying {
			c.spent(usage)
		}
		return
	case "agent_message_chunk", "tool_call":
		if !u.aside() {
			c.refusal = ""
		}
	}
	c.mu.Unlock()
	if !replaying {
		c.tells.told(u)
	}
}

// spent tells what the attempt has cost so far.
func (c *conversation) spent(u exec.Usage) {
	if c.w.Spent != nil && u != (exec.Usage{}) {
		c.w.Spent(u)
	}
}

// permission answers what the agent asks for.
func (c *conversation) permission(params json.RawMessage) (any, *sdk.RequestError) {
	var p permission
	if err := lenient(params, &p); err != nil {
		return nil, sdk.NewInvalidParams(map[string]any{"error": err.Error()})
	}
	call := c.tells.asked(&p)
	reason := permit(c.w, c.roots, call.tool, call.paths)
	if c.ctx.Err() != nil {
		return answer(&p, "", false), nil
	}
	c.mu.Lock()
	c.asks++
	c.refusal = reason
	if c.inARow++; reason == "" {
		c.inARow = 0
	}
	asks, tooMany := c.asks, c.asks > c.bound.asks || c.inARow > c.bound.refused
	c.mu.Unlock()
	if reason != "" {
		c.tells.refused(call, reason)
	}
	if tooMany {
		c.stop(&AskingError{Agent: c.name, Times: asks, Last: c.secrets.Replace(reason)})
		return answer(&p, "", false), nil
	}
	return answer(&p, reason, true), nil
}

// answer is the answer to a permission request: one of its options, or that
// nobody chose.
func answer(p *permission, reason string, chosen bool) any {
	want := []sdk.PermissionOptionKind{sdk.PermissionOptionKindAllowOnce, sdk.PermissionOptionKindAllowAlways}
	var meta map[string]any
	if reason != "" {
		want = []sdk.PermissionOptionKind{sdk.PermissionOptionKindRejectOnce, sdk.PermissionOptionKindRejectAlways}
		meta = map[string]any{"planlock": map[string]any{"reason": reason}}
	}
	for _, kind := range want {
		for _, o := range p.Options {
			if chosen && o.Kind == kind {
				return map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": o.ID}, "_meta": meta}
			}
		}
	}
	return map[string]any{"outcome": map[string]any{"outcome": "cancelled"}}
}

// ask asks the agent something, and gives it some time for the answer.
func (c *conversation) ask(ctx context.Context, method string, params any, limit time.Duration) (
	json.RawMessage, error) {
	if limit > 0 {
		var cancel context.CancelFunc
		late := &ProtocolError{Agent: c.name, Hint: c.guard.hint,
			Reason: fmt.Sprintf("it did not answer %q within %s", method, limit)}
		ctx, cancel = context.WithTimeoutCause(ctx, limit, late)
		defer cancel()
	}
	type answered struct {
		result json.RawMessage
		err    error
	}
	done := make(chan answered, 1)
	go func() {
		result, err := sdk.SendRequest[json.RawMessage](c.conn, ctx, method, params)
		done <- answered{result, err}
	}()
	var a answered
	select {
	case a = <-done:
	case <-c.ended:
		// What it wrote before its end was passed on; the answer may be among it.
		c.guard.end()
		c.guard.drained()
		select {
		case a = <-done:
		case <-time.After(c.bound.late):
			c.guard.close()
			<-done
			return nil, c.gone()
		}
	}
	if cause := context.Cause(ctx); a.err != nil && cause != nil {
		return nil, cause
	}
	var said *sdk.RequestError
	if errors.As(a.err, &said) {
		return nil, c.failed(method, said)
	}
	return a.result, a.err
}

// gone is the error of an agent that ended without an answer.
func (c *conversation) gone() error {
	if c.runErr != nil {
		return fmt.Errorf("acp: %s: %w", c.name, c.runErr)
	}
	last := c.stderr.String()
	if last == "" {
		last = strange(c.secrets.Replace(c.result.Output))
	}
	if LoggedOut(last) {
		return c.login(last)
	}
	if limit := Limit(last, time.Now()); limit != nil {
		return limit
	}
	if !c.guard.begun.Load() {
		return &ProtocolError{Agent: c.name, Hint: c.guard.hint, Reason: fmt.Sprintf(
			"it ended with exit status %d and without an answer; its last output: %q", c.result.Exit, last)}
	}
	return &EndedError{Agent: c.name, Code: c.result.Exit, Tail: last}
}

// strange is the end of an output, without the lines that are messages.
func strange(output string) string {
	var t tail
	for line := range strings.Lines(output) {
		if !strings.HasPrefix(strings.TrimSpace(line), "{") {
			io.WriteString(&t, line)
		}
	}
	return t.String()
}

// failed is an error with which the agent answered.
func (c *conversation) failed(method string, said *sdk.RequestError) error {
	text := said.Message
	if detail := details(said.Data, 0); detail != "" && !strings.Contains(text, detail) {
		text += ": " + detail
	}
	text = clip(c.secrets.Replace(text), 1<<10)
	err := &AnswerError{Agent: c.name, Method: method, Code: said.Code, Text: text}
	switch limit := Limit(text, time.Now()); {
	case said.Code == 429 && limit == nil:
		return &exec.LimitError{Reason: text}
	case said.Code != 429 && ContextFull(text): // "exceeded the context limit" is no limit of a service
		return fmt.Errorf("%w: %w", exec.ErrContextExhausted, err)
	case limit != nil:
		return limit
	case said.Code == authRequired && method != sdk.AgentMethodInitialize || LoggedOut(text):
		return c.login(text)
	}
	return err
}

// details is what the data of an error says in words.
func details(data any, depth int) string {
	switch d := data.(type) {
	case string:
		return d
	case map[string]any:
		for _, key := range []string{"details", "message", "error", "errorKind", "reason"} {
			if text := details(d[key], depth+1); text != "" && depth < 4 {
				return text
			}
		}
	}
	return ""
}

// initialized is what an agent says of itself.
type initialized struct {
	Protocol     *int `json:"protocolVersion"`
	Capabilities struct {
		Load    bool `json:"loadSession"`
		Session struct {
			Resume *json.RawMessage `json:"resume"`
		} `json:"sessionCapabilities"`
	} `json:"agentCapabilities"`
	Info *struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"agentInfo"`
	Auth []authMethod `json:"authMethods"`
}

// initialize greets the agent.
func (c *conversation) initialize() error {
	version := exec.Version()
	raw, err := c.ask(c.ctx, sdk.AgentMethodInitialize, sdk.InitializeRequest{
		ProtocolVersion: sdk.ProtocolVersionNumber,
		ClientInfo:      &sdk.Implementation{Name: "planlock", Version: version},
	}, c.bound.answer)
	if err != nil {
		return err
	}
	if err := lenient(raw, &c.agent); err != nil || c.agent.Protocol == nil {
		return &ProtocolError{Agent: c.name, Hint: c.guard.hint,
			Reason: "its answer to \"initialize\" names no version of the protocol"}
	}
	if v := *c.agent.Protocol; v != sdk.ProtocolVersionNumber {
		return &ProtocolError{Agent: c.name, Hint: "install a version of the agent that speaks it",
			Reason: fmt.Sprintf("it speaks version %d of the protocol, and planlock version %d", v, sdk.ProtocolVersionNumber)}
	}
	return nil
}
