package cmd

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// help prints what planlock can do, or what one command does.
func (p *cli) help(args []string) error {
	if len(args) == 0 {
		usage(p.out)
		return nil
	}
	c := commandNamed(args[0])
	if c == nil {
		return &usageError{fmt.Sprintf("there is no command %q%s", args[0], nearest(args[0]))}
	}
	fmt.Fprintf(p.out, "planlock %s\n\n%s\n", c.call(), c.does)
	for i, f := range c.flags() {
		if i == 0 {
			fmt.Fprint(p.out, "\nflags:\n")
		}
		fmt.Fprintf(p.out, "  %s\n      %s\n", flagCall(f), flagHelp(f))
	}
	return nil
}

// usage lists the commands, group by group.
func usage(w io.Writer) {
	fmt.Fprint(w, "planlock executes plans as contracts.\n\nusage: planlock COMMAND [flags] [arguments]\n")
	group := ""
	for _, c := range commands() {
		if c.group != group {
			group = c.group
			fmt.Fprintf(w, "\n%s:\n", group)
		}
		fmt.Fprintf(w, "  %-11s %s\n", c.name, c.does)
	}
	fmt.Fprint(w, "\nplanlock help COMMAND says more. Exit status: 0 done, 1 not achieved, 2 usage, 3 partial,\n"+
		"4 refused, 5 waiting, 6 could not, 130 and 143 interrupted.\n")
}

// flags are the flags of the command, in the order of their names; help is left out, since every command has it.
func (c *command) flags() []*kong.Flag {
	all := c.parser().Model.Flags
	all = slices.DeleteFunc(all, func(f *kong.Flag) bool { return f.Name == "help" })
	slices.SortFunc(all, func(a, b *kong.Flag) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// dashed is a flag as it is typed.
func dashed(f *kong.Flag) string {
	if f.Short != 0 {
		return fmt.Sprintf("-%c, --%s", f.Short, f.Name)
	}
	return "--" + f.Name
}

// flagCall is a flag with what it is set to, as in "--dir FOLDER".
func flagCall(f *kong.Flag) string { return strings.TrimSpace(dashed(f) + " " + f.PlaceHolder) }

// flagHelp is what a flag does, and what it is by itself.
func flagHelp(f *kong.Flag) string {
	if f.Default == "" {
		return f.Help
	}
	return fmt.Sprintf("%s (default %s)", f.Help, f.Default)
}
