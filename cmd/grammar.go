package cmd

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	near "github.com/planlock/planlock/internal/spelling"
)

// dispatch finds the command that args name and runs it.
func (p *cli) dispatch(ctx context.Context, args []string) error {
	if len(args) == 0 {
		p.list(p.err)
		return &quietError{statusUsage}
	}
	name, rest := args[0], args[1:]
	switch name {
	case "help", "-h", "-help", "--help":
		return p.help(rest)
	case "-version", "--version":
		name = "version"
	}
	c := commandNamed(name)
	if c == nil {
		return &usageError{fmt.Sprintf("there is no command %q%s; planlock help lists them", name, nearest(name))}
	}
	k := c.parser()
	words, err := flagsFirst(k.Model.Node, rest)
	if err == nil {
		words = p.seek(ctx, c, words)
		if words, err = p.settle(c, k.Model.Node, words); err != nil {
			return err
		}
		_, err = k.Parse(words)
	}
	if err != nil {
		text := strings.Replace(err.Error(), `must be one of "",`, "must be one of ", 1) // a flag that may be left out
		return &usageError{fmt.Sprintf("%s: %s; planlock help %s says more", name, text, name)}
	}
	if c.given().Help {
		return p.help([]string{name})
	}
	if n := len(c.given().Args); !c.takes(n) {
		return &usageError{fmt.Sprintf("%s: expected  planlock %s  and got %s%s", name, c.call(), plural(n, "argument"),
			c.instead(n))}
	}
	brought := slices.Collect(maps.Keys(p.with.Executors))
	p.color = c.given().Color
	if in, ok := c.runner.(interface{ seats() *roles }); ok {
		brought = append(brought, in.seats().settled.agentNames()...)
	}
	c.given().typed = typed(k.Model.Node, words[:slices.Index(words, "--")], brought...)
	p.args = args
	if err = p.keep(ctx, c); err == nil {
		err = c.Run(ctx, p)
	}
	if failed := p.shut(); failed != nil {
		err = errors.Join(err, failed)
	}
	if in, ok := c.runner.(interface{ workspaceDir() string }); ok {
		return inWorkspace(in.workspaceDir(), err)
	}
	return err
}

// flagsFirst has the flags of a command before its arguments, wherever they
// were typed, each with two dashes, as in --dir=FOLDER, however it was typed.
// What stands behind "--" is no flag.
func flagsFirst(node *kong.Node, args []string) ([]string, error) {
	var flags, rest []string
	for i := 0; i < len(args); i++ {
		word := args[i]
		if word == "--" {
			rest = append(rest, args[i+1:]...)
			break
		}
		if len(word) < 2 || word[0] != '-' {
			rest = append(rest, word)
			continue
		}
		name, value, set := strings.Cut(strings.TrimLeft(word, "-"), "=")
		f := flagNamed(node, name)
		switch {
		case f == nil:
		case set:
			word = "--" + f.Name + "=" + value
		case f.IsBool():
			word = "--" + f.Name
		case i+1 == len(args):
			return nil, fmt.Errorf("flag needs an argument: %s", word)
		default:
			i++
			word = "--" + f.Name + "=" + args[i]
		}
		flags = append(flags, word)
	}
	return slices.Concat(flags, []string{"--"}, rest), nil
}

// flagNamed is the flag of a command with a long or a short name.
func flagNamed(node *kong.Node, name string) *kong.Flag {
	for _, f := range node.Flags {
		if f.Name == name || f.Short != 0 && string(f.Short) == name {
			return f
		}
	}
	return nil
}

// A command is one of planlock's.
type command struct {
	group string // of the help
	name  string
	args  string // how its arguments are called; those in brackets may be left out
	does  string
	runner
}

// A runner carries a command out, once its flags and arguments are set.
type runner interface {
	given() *arguments
	Run(ctx context.Context, p *cli) error
}

// commands are all commands, in the order of the help. Their values are made
// anew for each call.
func commands() []command {
	const before, during, after, itself = "Before a run", "A run", "What happened", "The command itself"
	return []command{
		{before, "init", "", "looks at the project and the agents, and writes a configuration and a first plan", &initCommand{}},
		{before, "new", "[TEMPLATE]", "starts a plan from a template", &newCommand{}},
		{before, "check", "PATH", "reads and validates a plan, - for one on standard input; changes nothing",
			&checkCommand{}},
		{before, "lock", "PATH", "checks and approves a plan and writes its lock file", &lockCommand{}},
		{before, "graph", "PATH", "draws the graph of a plan", &graphCommand{}},
		{before, "convert", "PATH", "writes a plan of any format as a native plan", &convertCommand{}},
		{before, "agents", "", "lists coding agents: what is installed, logged in, and what is missing", &agentsCommand{}},
		{during, "run", "PATH", "runs a plan; locks it first if it has no lock", &runCommand{}},
		{during, "resume", "[RUN]", "goes on after an interruption, a crash or an answer", &resumeCommand{}},
		{during, "status", "[RUN]", "says where a run stands and what it waits for", &statusCommand{}},
		{during, "answer", "[RUN] QUESTION CHOICE", "answers a question that waits; planlock status shows it, with its choices", &answerCommand{}},
		{during, "choices", "[revoke ID]", "lists the choices that are remembered, or revokes one", &choicesCommand{}},
		{during, "amend", "[RUN] PATH", "adds steps to a run that has not ended", &amendCommand{}},
		{during, "obsolete", "[RUN]", "says that the plan of a run no longer holds: it stops and asks",
			&obsoleteCommand{}},
		{during, "abandon", "[RUN]", "ends a run that nobody wants any more", &abandonCommand{}},
		{during, "rollback", "[RUN] STEP", "restores the tree to the checkpoint before a step", &rollbackCommand{}},
		{during, "mcp", "", "serves plans and runs of a workspace to an agent, over the Model Context Protocol", &mcpCommand{}},
		{during, "worker", "", "carries out steps of runs that others own, and whole runs that it is given or whose owner is gone", &workerCommand{}},
		{during, "serve", "", "shows the runs of a workspace in a browser, and takes answers there", &serveCommand{}},
		{after, "report", "[RUN]", "draws the report of a run", &reportCommand{}},
		{after, "log", "[RUN]", "prints records of the journal, all or some", &logCommand{}},
		{after, "diff", "[RUN] STEP", "sets what a step declared against what it did, and shows the changes", &diffCommand{}},
		{after, "verify", "[RUN]", "proves the journal, the trees and the views of a run", &verifyCommand{}},
		{after, "attest", "[RUN]", "says what a run did in a signed statement that others verify", &attestCommand{}},
		{after, "tree", "DIR | diff A B | export DIGEST [PATH ...] DIR",
			"prints a tree's digest, or what changed from A to B; or writes a tree that was kept to a folder",
			&treeCommand{}},
		{after, "learn", "[promote ID | revoke ID | prune | audit]", "what finished runs teach, and what of it may be used", &learnCommand{}},
		{after, "gc", "", "frees what no journal refers to", &gcCommand{}},
		{itself, "config", "", "says what is settled for runs, and where each setting comes from", &configCommand{}},
		{itself, "key", "[new NAME | list | export [KEY] | rotate]",
			"says which key signs your runs; makes, lists and exports keys", &keyCommand{}},
		{itself, "man", "", "writes the manual page of this command, in the language of man", &manCommand{}},
		{itself, "completion", "bash|zsh|fish|powershell", "prints a completion script for a shell", &completionCommand{}},
		{itself, "version", "", "prints the version", &versionCommand{}},
	}
}

// parser reads the flags and arguments of the command into it. The others are
// left alone: a model of them all takes longer to make than most calls.
func (c *command) parser() *kong.Kong {
	return kong.Must(c.runner, kong.Name("planlock "+c.name), kong.NoDefaultHelp())
}

// call is how the command is called, without its flags.
func (c *command) call() string { return strings.TrimSpace(c.name + " " + c.args) }

// instead is what is typed with the plan of the current folder, where a command that
// takes one was given n arguments; "" if there is none.
func (c *command) instead(n int) string {
	for _, name := range planNames {
		if _, err := os.Lstat(name); err == nil && n == 0 && strings.HasPrefix(c.args, "PATH") {
			return fmt.Sprintf("; with the plan that is here:  planlock %s %s", c.name, name)
		}
	}
	return ""
}

// takes reports whether the command can have n arguments: its longest
// alternative is the most ("..." are any number), what stands outside of
// brackets the least.
func (c *command) takes(n int) bool {
	least, most, optional := 0, 0, false
	for i, way := range strings.Split(c.args, " | ") {
		needed, all := 0, strings.Fields(way)
		for _, word := range all {
			optional = optional || strings.HasPrefix(word, "[")
			if !optional {
				needed++
			}
			optional = optional && !strings.HasSuffix(word, "]")
		}
		if most = max(most, len(all)); slices.Contains(all, "...]") {
			most = math.MaxInt
		}
		if least = min(least, needed); i == 0 {
			least = needed
		}
	}
	return least <= n && n <= most
}

// common are the flags that every command has.
func common(f *kong.Flag) bool { return f.Name == "help" || f.Name == "color" }

// flags are the flags of the command, in the order of their names; those that
// every command has, and those that are hidden, are left out.
func (c *command) flags() []*kong.Flag {
	all := c.parser().Model.Flags
	all = slices.DeleteFunc(all, common)
	slices.SortFunc(all, func(a, b *kong.Flag) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// commandNamed is the command of a name, or nil. Its flags are those of nobody
// else: a call sets them.
func commandNamed(name string) *command {
	all := commands()
	if i := slices.IndexFunc(all, func(c command) bool { return c.name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

// nearest suggests the command that a misspelt name is closest to.
func nearest(name string) string {
	var known []string
	for _, c := range commands() {
		if len(name) >= 2 && (strings.HasPrefix(c.name, name) || strings.HasPrefix(name, c.name)) {
			return fmt.Sprintf(" (did you mean %q?)", c.name)
		}
		known = append(known, c.name)
	}
	if like := near.Nearest(name, known); len(name) > 2 && like != "" {
		return fmt.Sprintf(" (did you mean %q?)", like)
	}
	return ""
}
