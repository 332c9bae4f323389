package cmd

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
)

// A command is one of planlock's. Its flags and what it does are made anew for each call.
type command struct {
	name string
	args string // how its arguments are called in the help
	doc  string // one line
	min  int    // arguments
	max  int    // -1: any number
	// prepare registers flags and returns what runs once they are parsed.
	prepare func(p *cli, flags *flag.FlagSet) action
}

// An action carries a command out, once its flags are parsed.
type action = func(ctx context.Context, args []string) error

// commands are all commands, in the order of the help.
func commands() []command {
	return []command{
		{"new", "[TEMPLATE]", "starts a plan from a template", 0, 1, prepareNew},
		{"check", "PATH", "reads and validates a plan; changes nothing", 1, 1, prepareCheck},
		{"lock", "PATH", "checks and approves a plan and writes its lock file", 1, 1, prepareLock},
		{"run", "PATH", "runs a plan; locks it first if it has no lock", 1, 1, prepareRun},
		{"resume", "[RUN]", "goes on after an interruption, a crash or an answer", 0, 1, prepareResume},
		{"status", "[RUN]", "says where a run stands and what it waits for", 0, 1, prepareStatus},
		{"answer", "[RUN] ESCALATION CHOICE", "answers a question that waits", 2, 3, prepareAnswer},
		{"amend", "[RUN] PATH", "adds steps to a run that has not ended", 1, 2, prepareAmend},
		{"obsolete", "[RUN]", "says that the plan of a run no longer holds: it stops and asks", 0, 1, prepareObsolete},
		{"choices", "[revoke ID]", "lists the choices that are remembered, or revokes one", 0, 2, prepareChoices},
		{"log", "[RUN]", "queries the journal", 0, 1, prepareLog},
		{"diff", "[RUN] STEP", "declared against actual artifacts of a step", 1, 2, prepareDiff},
		{"rollback", "[RUN] STEP", "restores the tree to the checkpoint before a step", 1, 2, prepareRollback},
		{"report", "[RUN]", "draws the report of a run", 0, 1, prepareReport},
		{"verify", "[RUN]", "proves the journal, the trees and the views of a run", 0, 1, prepareVerify},
		{"gc", "", "frees what no journal of the workspace refers to", 0, 0, prepareGC},
		{"graph", "PATH", "draws the graph of a plan", 1, 1, prepareGraph},
		{"convert", "PATH", "writes a plan of any format as a native plan", 1, 1, prepareConvert},
		{"tree", "DIR | diff A B", "prints a tree's digest, or what changed from A to B", 1, 3, prepareTree},
		{"learn", "[promote ID | revoke ID | prune | audit]", "what finished runs teach, and what of it may be used", 0, 2, prepareLearn},
		{"completion", "bash|zsh|fish", "prints a completion script for a shell", 1, 1, prepareCompletion},
		{"version", "", "prints the version", 0, 0, prepareVersion},
	}
}

// dispatch finds the command that args name and runs it.
func (p *cli) dispatch(ctx context.Context, args []string) error {
	if len(args) == 0 {
		p.usage(p.err)
		return &quietError{statusUsage}
	}
	name := args[0]
	if name == "help" || name == "-h" || name == "-help" || name == "--help" {
		return p.help(args[1:])
	}
	if name == "--version" || name == "-version" {
		name = "version"
	}
	for _, c := range commands() {
		if c.name == name {
			return p.call(ctx, c, args[1:])
		}
	}
	return &usageError{fmt.Sprintf("there is no command %q%s; planlock help lists them", name, nearest(name))}
}

// call parses the flags of a command, wherever they stand among its arguments.
func (p *cli) call(ctx context.Context, c command, args []string) error {
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	do := c.prepare(p, flags)
	var rest []string
	for {
		if err := flags.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return p.help([]string{c.name})
			}
			return &usageError{fmt.Sprintf("%s: %s; planlock help %s says more", c.name, flagTrouble(err, flags), c.name)}
		}
		left := flags.Args()
		if len(left) == 0 {
			break
		}
		if consumed := len(args) - len(left); consumed > 0 && args[consumed-1] == "--" {
			rest = append(rest, left...)
			break
		}
		rest, args = append(rest, left[0]), left[1:]
	}
	if len(rest) < c.min || c.max >= 0 && len(rest) > c.max {
		return &usageError{fmt.Sprintf("%s: expected  planlock %s %s  and got %s", c.name, c.name, c.args, plural(len(rest), "argument"))}
	}
	return do(ctx, rest)
}

// flagName is a flag as package flag writes it in its errors.
var flagName = lazyre.New(`(flag |defined: |argument: )-([a-z]+[a-z-]*)`)

// flagTrouble is what is wrong with a flag, with its name as it is typed, and
// an example for what is not easily guessed.
func flagTrouble(err error, flags *flag.FlagSet) string {
	text, example := err.Error(), ""
	if i := flagName.FindStringSubmatchIndex(text); i != nil {
		name := text[i[4]:i[5]]
		text = text[:i[3]] + dashed(&flag.Flag{Name: name}) + text[i[5]:]
		if f := flags.Lookup(name); f != nil {
			if kind, _ := flag.UnquoteUsage(f); kind == "duration" {
				example = fmt.Sprintf("; a duration has a unit, as in %s 10m", dashed(f))
			}
		}
	}
	return strings.TrimSuffix(text, ": parse error") + example
}

// nearest suggests the command that a misspelt name is closest to.
func nearest(name string) string {
	for _, c := range commands() {
		if len(name) >= 2 && (strings.HasPrefix(c.name, name) || strings.HasPrefix(name, c.name)) {
			return fmt.Sprintf(" (did you mean %q?)", c.name)
		}
	}
	return ""
}
