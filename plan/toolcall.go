package plan

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/planlock/planlock/internal/spelling"
)

// ToolCaller is the name of who carries out steps and backups that are calls of
// tools; no plan asks for it by that name.
const ToolCaller = "mcp"

// ToolOf splits the name of a tool, as in "files.write_file", into that of its
// server and its own. It is false where it is no such name.
func ToolOf(name string) (server, tool string, ok bool) {
	server, tool, ok = strings.Cut(name, ".")
	return server, tool, ok && server != "" && tool != "" && !strings.ContainsAny(name, " \t\r\n")
}

// Arguments are those of a call of a tool: a table that holds any keys.
type Arguments struct{ Settings []Setting }

// visit tells the keys of [Step.ToolArgs].
func (a *Arguments) visit(v Visitor) { v.Settings(Key{Name: "settings"}, &a.Settings) }

// JSON is the arguments as a JSON object; of nil it is one without keys. It fails
// for what JSON has no word for: numbers that are none, and infinite ones.
func (a *Arguments) JSON() (json.RawMessage, error) {
	object := map[string]any{}
	if a != nil {
		for _, s := range a.Settings {
			value, err := s.Value.json()
			if err != nil {
				return nil, fmt.Errorf("plan: argument %s: %w", s.Key, err)
			}
			at, path := object, spelling.SplitKey(s.Key)
			for _, name := range path[:len(path)-1] {
				below, ok := at[name].(map[string]any)
				if !ok {
					below = map[string]any{}
					at[name] = below
				}
				at = below
			}
			at[path[len(path)-1]] = value
		}
	}
	return json.Marshal(object)
}

// json is a value as package json has it.
func (v Value) json() (any, error) {
	switch v.Kind {
	case kindBoolean:
		return v.Text == "true", nil
	case kindInteger, kindFloat:
		if !json.Valid([]byte(v.Text)) {
			return nil, fmt.Errorf("JSON has no number %s", v.Text)
		}
		return json.Number(v.Text), nil
	case kindArray:
		list := make([]any, len(v.List))
		for i := range v.List {
			var err error
			if list[i], err = v.List[i].json(); err != nil {
				return nil, err
			}
		}
		return list, nil
	case kindTable:
		table := map[string]any{}
		for i := 0; i+1 < len(v.List); i += 2 {
			value, err := v.List[i+1].json()
			if err != nil {
				return nil, err
			}
			table[v.List[i].Text] = value
		}
		return table, nil
	}
	return v.Text, nil
}

// HasMethod reports whether the step says how it is done.
func (s *Step) HasMethod() bool { return s.Run != "" || s.Prompt != "" || s.Tool != "" }

// ToolCall is the tool that the step calls with its arguments, as in
// `files.read_file {"path":"a.txt"}`; "" where it calls none.
func (s *Step) ToolCall() string {
	args, err := s.ToolArgs.JSON()
	if s.Tool == "" || err != nil || s.ToolArgs == nil {
		return s.Tool
	}
	return s.Tool + " " + string(args)
}

// By is the name of who carries the step out; "" is the host's default.
func (s *Step) By() string {
	if s.Tool != "" {
		return ToolCaller
	}
	return s.Executor
}

// By is the name of who carries the backup out, which is the executor of its step
// where it names none; "" is the host's default.
func (b *Backup) By(s *Step) string {
	if b.Tool != "" {
		return ToolCaller
	}
	return cmp.Or(b.Executor, s.Executor)
}

// toolFaults are what is wrong with the calls of tools of a step.
func toolFaults(_ *inspection, s *stepPart, tell tell) {
	name := func(key, tool string) {
		if _, _, ok := ToolOf(tool); tool != "" && !ok {
			tell(key, fmt.Sprintf("%q is no tool of a server", tool), `write the server in front of it:  tool = "files.write_file"`)
		}
	}
	name("tool", s.Tool)
	if _, err := s.ToolArgs.JSON(); err != nil {
		tell("tool_args", strings.TrimPrefix(err.Error(), "plan: "), "write a number that JSON has, or a text")
	}
	if s.Tool == "" && s.ToolArgs != nil {
		tell("tool_args", "there is no tool that the arguments are for", `add  tool = "SERVER.TOOL", or take them out`)
	}
	for k, b := range s.Backups {
		key := fmt.Sprintf("backups[%d].", k)
		name(key+"tool", b.Tool)
		for _, word := range b.ToolArgs {
			if name, _, ok := strings.Cut(word, "="); b.Tool != "" && (!ok || name == "") {
				tell(key+"tool_args", "argument "+strconv.Quote(word)+" of a tool of a server has no name",
					`write  tool_args = ["path=notes.md"]`)
			}
		}
	}
}

// unknownServers are the servers that a step calls and that nobody configured.
func unknownServers(x *inspection, s *stepPart, tell tell) {
	look := func(key, tool string) {
		if server, _, ok := ToolOf(tool); ok && x.options.Servers != nil && !slices.Contains(x.options.Servers, server) {
			tell(key, fmt.Sprintf("no tool server %q is configured", server),
				"configure it in .mcp.json of the workspace, or name a file that does with --mcp; a run is refused without it")
		}
	}
	look("tool", s.Tool)
	for k, b := range s.Backups {
		look(fmt.Sprintf("backups[%d].tool", k), b.Tool)
	}
}

// toolKey is the key of a backup that names its tool.
func toolKey(b Backup) string {
	if b.ToolPath != "" {
		return "tool_path"
	}
	return "tool"
}
