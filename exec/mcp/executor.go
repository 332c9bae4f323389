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
)

// Executor carries out steps that are calls of tools: executor = "mcp", and in run
// the tool behind its server, with its arguments as a JSON object:
//
//	run = 'files.write_file {"path": "a.txt", "content": "hello"}'
//
// A backup may have them as tool_path and tool_args, the latter as name=value. The
// server is started for the attempt, in the sandbox of the step, and is told that
// the step's folder is its root; it is gone when Execute returns.
func (s *Servers) Executor() exec.Executor { return executor{s} }

type executor struct{ servers *Servers }

// Name is "mcp".
func (executor) Name() string { return exec.ToolCaller }

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
	server, tool := exec.ToolOf(cmp.Or(w.Method.Tool, w.Method.Run))
	if server == "" || tool == "" {
		return none, errors.New(`mcp: the step names no tool: give run = 'SERVER.TOOL {"argument": …}'`)
	}
	if !slices.Contains(exec.ServersOf(w.Step), server) {
		return none, &ServerError{server, Refused, "the plan does not name it for this step"}
	}
	if x.servers.known[server].URL != "" {
		return none, &ServerError{server, Refused, "a step calls servers that are started in its sandbox, and this one is reached by the network"}
	}
	args, err := argumentsOf(w, tool)
	if err != nil {
		return none, err
	}
	o, err := x.servers.open(ctx, server, place{runner: w.Runner, dir: w.Dir, root: cmp.Or(w.Path, w.Dir)}, w.Activity)
	if err != nil {
		return none, err
	}
	defer o.close()
	call := &sdk.CallToolParams{Name: tool, Arguments: args}
	call.SetProgressToken("step")
	said, err := o.session.CallTool(ctx, call)
	var no *jsonrpc.Error
	switch {
	case ctx.Err() != nil:
		time.Sleep(50 * time.Millisecond) // it is told that the call is taken back
		return none, fmt.Errorf("mcp: tool %q of server %q: %w", tool, server, context.Cause(ctx))
	case errors.As(err, &no):
		return none, &ToolError{server, tool, no.Message}
	case err != nil:
		return none, o.fault(ctx, err)
	}
	text := textOf(said)
	out := exec.Outcome{Output: text, Stdout: text}
	if said.IsError {
		return out, &ToolError{server, tool, text}
	}
	return out, nil
}

// argumentsOf are the arguments of a tool: a JSON object behind its name, or what
// a backup gives.
func argumentsOf(w exec.Work, tool string) (map[string]any, error) {
	args := map[string]any{}
	if w.Method.Tool != "" {
		for _, word := range w.Method.ToolArgs {
			name, value, ok := strings.Cut(word, "=")
			if !ok || name == "" {
				return nil, fmt.Errorf("mcp: tool %q: argument %q is not NAME=VALUE", tool, word)
			}
			args[name] = value
		}
		return args, nil
	}
	_, text, _ := strings.Cut(strings.TrimSpace(w.Method.Run), " ")
	if text = strings.TrimSpace(text); text == "" {
		return args, nil
	}
	if err := json.Unmarshal([]byte(text), &args); err != nil || args == nil {
		return nil, fmt.Errorf("mcp: tool %q: its arguments are no JSON object: %q", tool, text)
	}
	return args, nil
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
