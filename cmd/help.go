package cmd

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/planlock/planlock/cmd/internal/complete"
	"github.com/planlock/planlock/cmd/internal/manual"
	"github.com/planlock/planlock/cmd/internal/usage"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/agent"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/preset"
)

// help prints what planlock can do, or what one command does.
func (p *cli) help(args []string) error {
	if len(args) == 0 || args[0] == "-h" || args[0] == "--help" {
		return p.list(p.out)
	}
	c := commandNamed(args[0])
	if c == nil {
		return &usageError{fmt.Sprintf("there is no command %q%s", args[0], nearest(args[0]))}
	}
	return p.draw(p.out, usage.Rule, func(w io.Writer) error { return usage.Help(w, c.described()) })
}

// list prints the commands.
func (p *cli) list(to io.Writer) error {
	var all []usage.Command
	for _, c := range commands() { // their flags are not needed
		all = append(all, usage.Command{Group: c.group, Name: c.name, Does: c.does})
	}
	return p.draw(to, usage.Rule, func(w io.Writer) error { return usage.List(w, all) })
}

// described are all commands, with all that is said of them.
func described() (all []usage.Command) {
	for _, c := range commands() {
		all = append(all, c.described())
	}
	return all
}

// described is the command with all that is said of it.
func (c *command) described() usage.Command {
	d := usage.Command{Group: c.group, Name: c.name, Args: c.args, Does: c.does, Examples: examples(c.name)}
	switch {
	case strings.HasPrefix(c.args, "[RUN]"):
		d.First = "run"
	case strings.HasPrefix(c.args, "PATH"), strings.HasPrefix(c.args, "DIR"):
		d.First = "path"
	case c.name == "completion":
		d.First, d.Words = "word", complete.Shells()
	case c.name == "new":
		d.First, d.Words = "word", templateNames()
	}
	flags := c.flags()
	for _, g := range flagGroups() {
		for _, name := range strings.Fields(g.flags) {
			if i := slices.IndexFunc(flags, func(f *kong.Flag) bool { return f.Name == name }); i >= 0 {
				d.Flags = append(d.Flags, describedFlag(g.title, flags[i]))
				flags = slices.Delete(flags, i, i+1)
			}
		}
	}
	for _, f := range flags {
		d.Flags = append(d.Flags, describedFlag("", f))
	}
	return d
}

// describedFlag is a flag with all that is said of it.
func describedFlag(group string, f *kong.Flag) usage.Flag {
	d := usage.Flag{Group: group, Name: f.Name, Help: f.Help, Placeholder: f.PlaceHolder, Default: f.Default,
		Values: valuesOf(f)}
	if f.Short != 0 {
		d.Short = string(f.Short)
	}
	return d
}

// valuesOf are the words that a flag can be set to, as far as they can be listed.
func valuesOf(f *kong.Flag) (words []string) {
	switch f.Name {
	case "preset":
		for _, p := range preset.All() {
			words = append(words, p.Name)
		}
	case "agent", "validator", "advisor", "researcher":
		for _, a := range agent.Known() {
			words = append(words, a.Name)
		}
	case "answers":
		words = []string{"refuse", "wait"}
	case "type":
		if words = f.EnumSlice(); f.Enum == "" {
			words = history.Types()
		}
	default:
		words = slices.DeleteFunc(f.EnumSlice(), func(word string) bool { return word == "" })
	}
	return words
}

// flagGroups are the groups in which flags are explained, and the flags of each,
// in the order in which a reader wants them.
func flagGroups() []struct{ title, flags string } {
	return []struct{ title, flags string }{
		{"what is run", "dir own stand-by grace plan lock from profile ack accept isolate shadow strategy preset test-first deterministic"},
		{"who does it", "agent executor reviewer validator advisor researcher patterns mcp learned"},
		{"who is asked", "mode answers patience reason by confirm remember"},
		{"limits", "budget token-budget jobs validator-timeout advisor-timeout"},
		{"git", "worktree worktree-dir commit commit-message commit-author co-author hook-limit"},
		{"sandbox", "writable env no-sandbox"},
		{"evidence", "evidence tracker tracker-token tracker-user tracker-password"},
		{"where it is kept", "store blobs engine detach cache"},
		{"what is shown", "step attempt since follow all checkpoint declarations type"},
		{"what is proved", "contents attestation key keys signer"},
		{"output", "output format summary"},
	}
}

// completionCommand is "planlock completion": it prints a script that has a
// shell complete commands, flags, their values and runs.
type completionCommand struct {
	arguments
}

// Run carries the command out.
func (f *completionCommand) Run(_ context.Context, p *cli) error {
	shell := f.first()
	if !slices.Contains(complete.Shells(), shell) {
		return &usageError{fmt.Sprintf("completion: %q is none of %s", shell, strings.Join(complete.Shells(), ", "))}
	}
	all := described()
	for i := range all {
		all[i].Flags = append(all[i].Flags, commonFlags()...)
	}
	return complete.Draw(p.out, shell, all)
}

// commonFlags are the flags that every command has.
func commonFlags() (all []usage.Flag) {
	for _, f := range commandNamed("completion").parser().Model.Flags {
		all = append(all, describedFlag("", f))
	}
	return all
}

// manCommand is "planlock man": it writes a manual page, made of what reads the
// command line.
type manCommand struct {
	arguments
}

// Run carries the command out.
func (f *manCommand) Run(_ context.Context, p *cli) error {
	return manual.Page{Version: exec.Version(), Common: commonFlags(), Commands: described()}.Draw(p.out)
}
