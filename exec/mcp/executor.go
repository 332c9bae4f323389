package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/plan"
)

// Executor carries out steps and backups that are calls of tools (see
// [plan.Step.Tool]). A server that is started is started for the attempt, in the
// sandbox of the step, and is told that the step's folder is its root; it is gone
// when Execute returns. One that is reached by HTTP is called from here.
func (s *Servers) Executor() exec.Executor { return executor{s} }

type executor struct{ servers *Servers }

// Name is "mcp".
func (executor) Name() string { return plan.ToolCaller }

// A ToolError is what a tool said about its own failure.
type ToolError struct {
	Server, Tool string
	Text         string // untrusted
}

func (e *ToolError) Error() string {
	return fmt.Sprintf("mcp: tool %q of server %q failed: %q", e.Tool, e.Server, e.Text)
}

// Execute calls the tool.
func (x executor) Execute(ctx context.Context, w exec.Work) (exec.Outcome, error) {
	var none exec.Outcome
	if w.Runner == nil {
		return none, errors.New("mcp: no runner: Work.Runner is nil")
	}
	server, tool, ok := plan.ToolOf(w.Method.Tool)
	if !ok {
		return none, fmt.Errorf("mcp: step %s names no tool of a server: %q", w.Step.Address, w.Method.Tool)
	}
	if !slices.Contains(exec.ServersOf(w.Step), server) {
		return none, &ServerError{server, Refused, "the plan does not name it for this step"}
	}
	o, err := x.servers.open(ctx, server, place{runner: w.Runner, dir: w.Dir, root: cmp.Or(w.Path, w.Dir), sandbox: w.Sandbox},
		w.Activity)
	if err != nil {
		return none, err
	}
	defer o.close()
	tools, err := o.tools(ctx)
	if err != nil {
		return none, err
	}
	args, why := o.argumentsOf(tools, tool, w.Method.ToolArgs)
	if why != "" {
		return none, &exec.CallError{Step: w.Step.Address, Tool: w.Method.Tool, Why: why}
	}
	call := &sdk.CallToolParams{Name: tool, Arguments: args}
	call.SetProgressToken("step")
	said, err := o.session.CallTool(ctx, call)
	var no *jsonrpc.Error
	switch {
	case ctx.Err() != nil:
		time.Sleep(50 * time.Millisecond) // it is told that the call is taken back
		return none, fmt.Errorf("mcp: tool %q of server %q: %w", tool, server, context.Cause(ctx))
	case errors.As(err, &no):
		return none, &ToolError{server, tool, o.veil.Replace(no.Message)}
	case err != nil:
		return none, o.fault(ctx, err)
	}
	text := o.veil.Replace(textOf(said))
	out := exec.Outcome{Output: text, Stdout: text}
	if said.IsError {
		return out, &ToolError{server, tool, text}
	}
	return out, nil
}

// textOf is what a tool said; what is no text is named.
func textOf(r *sdk.CallToolResult) string {
	var parts []string
	for _, c := range r.Content {
		switch c := c.(type) {
		case *sdk.TextContent:
			parts = append(parts, c.Text)
		case *sdk.ImageContent:
			parts = append(parts, fmt.Sprintf("[%s, %d bytes]", c.MIMEType, len(c.Data)))
		case *sdk.AudioContent:
			parts = append(parts, fmt.Sprintf("[%s, %d bytes]", c.MIMEType, len(c.Data)))
		case *sdk.ResourceLink:
			parts = append(parts, c.URI)
		case *sdk.EmbeddedResource:
			if c.Resource != nil {
				parts = append(parts, c.Resource.Text)
			}
		}
	}
	if len(parts) == 0 && r.StructuredContent != nil {
		if text, err := json.Marshal(r.StructuredContent); err == nil {
			parts = append(parts, string(text))
		}
	}
	return strings.ToValidUTF8(strings.Join(parts, "\n"), "\ufffd")
}
