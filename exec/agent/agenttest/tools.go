package agenttest

import (
	"fmt"
	"path/filepath"
	"strings"
)

// A use is a call of a tool as an agent knows it.
type use struct {
	name string
	args map[string]any
	free string // of a tool that takes text
}

// A form is how an agent's tool is called.
type form struct {
	name string
	use  func(Call) use
}

// forms are the tools of agents for each kind of a call; the first that the
// agent has is used.
var forms = map[string][]form{
	"write": {
		{"Write", func(c Call) use { return with("Write", "file_path", c.path, "content", c.new) }},
		{"write_file", func(c Call) use { return with("write_file", "file_path", c.path, "content", c.new) }},
		{"write", func(c Call) use { return with("write", "filePath", c.path, "content", c.new) }},
		{"apply_patch", func(c Call) use {
			return use{name: "apply_patch", free: "*** Begin Patch\n*** Add File: " + c.path + "\n" +
				lines("+", c.new) + "*** End Patch\n"}
		}},
	},
	"edit": {
		{"Edit", func(c Call) use {
			return with("Edit", "file_path", c.path, "old_string", c.old, "new_string", c.new)
		}},
		{"replace", func(c Call) use {
			return with("replace", "file_path", c.path, "old_string", c.old, "new_string", c.new,
				"instruction", "edit")
		}},
		{"edit", func(c Call) use {
			return with("edit", "filePath", c.path, "oldString", c.old, "newString", c.new)
		}},
		{"apply_patch", func(c Call) use {
			return use{name: "apply_patch", free: "*** Begin Patch\n*** Update File: " + c.path + "\n@@\n" +
				lines("-", c.old) + lines("+", c.new) + "*** End Patch\n"}
		}},
	},
	"read": {
		{"Read", func(c Call) use { return with("Read", "file_path", c.path) }},
		{"read_file", func(c Call) use { return with("read_file", "file_path", c.path) }},
		{"read", func(c Call) use { return with("read", "filePath", c.path) }},
	},
	"shell": {
		{"Bash", func(c Call) use { return with("Bash", "command", c.command, "description", "run it") }},
		{"run_shell_command", func(c Call) use {
			return with("run_shell_command", "command", c.command, "description", "run it")
		}},
		{"bash", func(c Call) use { return with("bash", "command", c.command, "description", "run it") }},
		{"exec_command", func(c Call) use { return with("exec_command", "cmd", c.command) }},
		{"shell_command", func(c Call) use { return with("shell_command", "command", c.command) }},
		{"shell", func(c Call) use { return with("shell", "command", []string{"sh", "-c", c.command}) }},
	},
}

func with(name string, pairs ...any) use {
	u := use{name: name, args: map[string]any{}}
	for i := 0; i < len(pairs); i += 2 {
		u.args[pairs[i].(string)] = pairs[i+1]
	}
	return u
}

func lines(mark, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(mark + strings.TrimSuffix(line, "\n") + "\n")
	}
	return b.String()
}

// useOf is a call as the agent that made the request knows it. Where it has no
// tool of the kind a command of its shell does the same.
func useOf(c Call, r Request) use {
	if c.path != "" && !filepath.IsAbs(c.path) {
		c.path = filepath.Join(r.Dir, c.path)
	}
	for _, f := range forms[c.kind] {
		if _, ok := r.tools[f.name]; ok {
			return f.use(c)
		}
	}
	if _, ok := r.tools["exec"]; ok {
		return script(c)
	}
	if c.kind == "shell" {
		return use{name: "no_tool_runs_commands", args: map[string]any{}}
	}
	return useOf(Shell(asCommand(c)), r)
}

// script is a call as a program of the agent that has no other tool than one
// that runs programs in JavaScript.
func script(c Call) use {
	inner := "tools.exec_command({cmd: " + text(asCommand(c)) + "})"
	for _, f := range forms[c.kind] {
		if f.name == "apply_patch" {
			inner = "tools.apply_patch(" + text(f.use(c).free) + ")"
		}
	}
	return use{name: "exec", free: "text(await " + inner + ")"}
}

// asCommand is a call as a line of the shell.
func asCommand(c Call) string {
	switch c.kind {
	case "write":
		return fmt.Sprintf("mkdir -p %s && printf %%s %s > %s", quote(filepath.Dir(c.path)), quote(c.new), quote(c.path))
	case "edit":
		return fmt.Sprintf(`python3 - %s %s %s <<'END'
import sys
p, a, b = sys.argv[1:]
t = open(p).read()
open(p, "w").write(t.replace(a, b, 1))
END`, quote(c.path), quote(c.old), quote(c.new))
	}
	if c.kind == "shell" {
		return c.command
	}
	return "cat " + quote(c.path)
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
