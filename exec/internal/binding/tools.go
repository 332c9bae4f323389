package binding

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/plan"
)

// toolTime is how long it may take to find out whether a tool server is there.
const toolTime = 10 * time.Second

// What a plan needs a tool server for.
const (
	toolRequired    = "required"
	toolRecommended = "recommended"
	toolOptional    = "optional"
)

// What is known of a tool server.
const (
	toolVerified = "verified"
	toolMissing  = "missing"
	toolListed   = "listed"
)

// Tools are the tool servers that a plan names. Ask says why one of them cannot
// be used, nil if it can; where Ask is nil they are listed, and nobody looks
// for them.
type Tools struct {
	*session.Session
	Ask func(ctx context.Context, name string) error
}

// A CallError says why a step cannot call a tool of a server that is there.
type CallError struct {
	Step plan.Address
	Tool string // with its server
	Why  string
}

func (e *CallError) Error() string {
	return fmt.Sprintf("exec: step %s cannot call %s: %s", e.Step, e.Tool, e.Why)
}

// Called are the servers whose tools a step calls, it or its backups, each once.
func Called(s *plan.Step) (names []string) {
	add := func(name string) {
		if server, _, ok := plan.ToolOf(name); ok && !slices.Contains(names, server) {
			names = append(names, server)
		}
	}
	add(s.Tool)
	for _, b := range s.Backups {
		add(b.Tool)
	}
	return names
}

// calledIn are the servers whose tools the steps of a plan call, each once.
func calledIn(p *plan.Plan) (names []string) {
	for _, s := range p.Steps() {
		for _, name := range Called(s) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// toolsOf lists the tool servers that a plan names in [mcp_tools], and those
// whose tools its steps call, which it requires.
func toolsOf(p *plan.Plan) (tools []history.Tool) {
	tools = listedIn(p)
	for _, name := range calledIn(p) {
		called := history.Tool{Name: name, Need: toolRequired, Status: toolListed}
		if i := slices.IndexFunc(tools, func(t history.Tool) bool { return t.Name == name }); i >= 0 {
			tools[i] = called
		} else {
			tools = append(tools, called)
		}
	}
	return tools
}

// listedIn lists the tool servers that a plan names in [mcp_tools], each once: where
// it is needed most.
func listedIn(p *plan.Plan) (tools []history.Tool) {
	add := func(name, need string) {
		if !slices.ContainsFunc(tools, func(t history.Tool) bool { return t.Name == name }) {
			tools = append(tools, history.Tool{Name: name, Need: need, Status: toolListed})
		}
	}
	for _, need := range []string{toolRequired, toolRecommended, toolOptional} {
		for _, s := range p.Under("mcp_tools", need) {
			_, of, table := strings.Cut(s.Key, ".")
			switch {
			case table: // [mcp_tools.required.NAME]
				name, _, _ := strings.Cut(of, ".")
				add(strings.Trim(name, `"`), need)
			case s.Value.Kind == "string":
				add(s.Value.Text, need)
			default:
				for _, v := range s.Value.List {
					add(toolName(v), need)
				}
			}
		}
	}
	return tools
}

// Sought are the names of the tool servers that are looked for, each once: those
// whose tools the steps of a plan call, and, unless the plan turns that off, those
// that it requires or recommends.
func Sought(p *plan.Plan) []string {
	names := calledIn(p)
	if !verifies(p, "check_on_startup") {
		return names
	}
	for _, tool := range listedIn(p) {
		if tool.Need != toolOptional && !slices.Contains(names, tool.Name) {
			names = append(names, tool.Name)
		}
	}
	return names
}

// A Wanted is a tool server that a plan names, or whose tools its steps call.
type Wanted struct {
	Name string
	// Need is "required", "recommended" or "optional".
	Need string
	// Steps are those that call its tools, they or their backups.
	Steps []plan.Address
	// Sought says that a lock or a run looks whether it is there.
	Sought bool
	// Install is how the plan has it installed; "": it does not say.
	Install string
}

// WantedIn lists the tool servers that a plan names, or whose tools its steps
// call.
func WantedIn(p *plan.Plan) (list []Wanted) {
	sought := Sought(p)
	for _, tool := range toolsOf(p) {
		w := Wanted{Name: tool.Name, Need: tool.Need, Install: installing(p, tool.Name),
			Sought: slices.Contains(sought, tool.Name)}
		for _, s := range p.Steps() {
			if slices.Contains(Called(s), tool.Name) {
				w.Steps = append(w.Steps, s.Address)
			}
		}
		list = append(list, w)
	}
	return list
}

// installing is how the plan has a tool server installed: what its table says of
// it, or [mcp_tools.install]; "" where it says nothing.
func installing(p *plan.Plan, name string) string {
	for _, s := range p.Settings {
		if own, of, _ := strings.Cut(s.Key, "."+name); s.Key == "mcp_tools.install."+name ||
			strings.HasPrefix(own, "mcp_tools.") && strings.HasPrefix(of, ".install") {
			return s.Value.Text
		}
		for _, v := range s.Value.List {
			if !strings.HasPrefix(s.Key, "mcp_tools.") || v.Kind != "table" || toolName(v) != name {
				continue
			}
			for i := 0; i+1 < len(v.List); i += 2 {
				if strings.HasPrefix(v.List[i].Text, "install") {
					return v.List[i+1].Text
				}
			}
		}
	}
	return ""
}

// toolName is what a tool server is called that a plan names by a text, or by a
// table with a name.
func toolName(v plan.Value) string {
	for i := 0; v.Kind == "table" && i+1 < len(v.List); i += 2 {
		if v.List[i].Text == "name" {
			return v.List[i+1].Text
		}
	}
	return v.Plain()
}

// verifies reports what [mcp_tools.verification] says of a key: true unless it
// says no.
func verifies(p *plan.Plan, key string) bool {
	return !slices.ContainsFunc(p.Settings, func(s plan.Setting) bool {
		return s.Key == "mcp_tools.verification."+key && s.Value.Kind == "boolean" && s.Value.Text == "false"
	})
}

// Verify looks for the tool servers that the plan names, and refuses where a
// required one is missing, and where a call of a step does not fit one that is
// there. What is to be said besides are the warnings. Optional ones
// are listed, and nobody looks for them; nor for any where nobody can, which is said.
// With check_on_startup = false those alone are looked for that steps call.
func (x *Tools) Verify(ctx context.Context) (tools []history.Tool, warnings []string, err error) {
	tools = toolsOf(x.Plan)
	sought, ask := Sought(x.Plan), x.Ask
	if called := calledIn(x.Plan); ask == nil && len(called) == 0 {
		if len(sought) == 0 {
			return tools, nil, nil
		}
		return tools, x.unseen(tools), nil
	} else if ask == nil {
		ask = func(context.Context, string) error { return errors.New("no tool server is configured at all") }
	}
	var missing, names, unfit []string
	for i := range tools {
		tool := &tools[i]
		if !slices.Contains(sought, tool.Name) {
			continue
		}
		why := isThere(ctx, ask, tool.Name)
		if session.Interrupted(ctx) {
			return nil, nil, context.Cause(ctx)
		}
		tool.Status = toolVerified
		if why == nil {
			continue
		}
		if call := (*CallError)(nil); errors.As(why, &call) {
			unfit = append(unfit, bound.Text(strings.TrimPrefix(call.Error(), "exec: "), bound.Line))
			continue
		}
		tool.Status, tool.Why = toolMissing, bound.Text(why.Error(), bound.Line)
		names = append(names, tool.Name)
		how := installing(x.Plan, tool.Name)
		if how != "" {
			how = "; the plan installs it by  " + how
		}
		line := fmt.Sprintf("tool %q is %s by the plan and is not there: %s%s", tool.Name, tool.Need, tool.Why, how)
		switch {
		case tool.Need == toolRequired && verifies(x.Plan, "halt_if_required_missing"):
			missing = append(missing, line)
		case tool.Need == toolRequired || verifies(x.Plan, "warn_if_recommended_missing"):
			warnings = append(warnings, line)
		}
	}
	var hints []string
	if len(missing) > 0 {
		hints = append(hints, "install and configure "+strings.Join(names, ", ")+", in .mcp.json or in a file for --mcp")
	}
	if len(unfit) > 0 {
		hints = append(hints, "mend tool and tool_args of the steps")
	}
	if len(hints) > 0 {
		return tools, warnings, &session.Refusal{Reasons: append(missing, unfit...), Hint: strings.Join(hints, "; ")}
	}
	return tools, warnings, nil
}

// isThere asks about one tool server. A panic is a reason why it is not there,
// and so is an answer that comes too late: one that heeds no time is not waited
// for.
func isThere(ctx context.Context, ask func(context.Context, string) error, name string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, toolTime,
		fmt.Errorf("exec: nobody said within %s whether it is there", toolTime))
	defer cancel()
	answer := make(chan error, 1)
	go func() {
		answer <- session.Caught(fmt.Sprintf("asking for tool %q", name), func() error { return ask(ctx, name) })
	}()
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// VerifyAgain looks once more before a run goes on. A run that ended only lacks
// its views.
func (x *Tools) VerifyAgain(ctx context.Context) error {
	if x.Rec.Run.Ended != nil {
		return nil
	}
	_, warnings, err := x.Verify(ctx)
	for _, w := range warnings {
		x.Warn(w)
	}
	return err
}

// unseen says which tool servers the plan needs, and nobody can look for; it is
// silent about those of which nobody wants to know that they are missing.
func (x *Tools) unseen(tools []history.Tool) []string {
	var names []string
	for _, tool := range tools {
		if tool.Need == toolRequired || tool.Need == toolRecommended && verifies(x.Plan, "warn_if_recommended_missing") {
			names = append(names, fmt.Sprintf("%s (%s)", tool.Name, tool.Need))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{"nobody has looked whether the tools are there that the plan needs: " + strings.Join(names, ", ")}
}
