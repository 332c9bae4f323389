package cmd

import (
	"flag"
	"fmt"
	"io"
	"strings"
)

// help prints what planlock can do, or what one command does.
func (p *cli) help(args []string) error {
	if len(args) == 0 {
		p.usage(p.out)
		return nil
	}
	for _, c := range commands() {
		if c.name == args[0] {
			p.describe(p.out, c)
			return nil
		}
	}
	return &usageError{fmt.Sprintf("there is no command %q%s", args[0], nearest(args[0]))}
}

func (p *cli) usage(w io.Writer) {
	fmt.Fprint(w, "planlock executes plans as contracts.\n\nusage: planlock COMMAND [flags] [arguments]\n\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-11s %s\n", c.name, c.doc)
	}
	fmt.Fprint(w, "\nplanlock help COMMAND says more. Exit status: 0 done, 1 not achieved, 2 usage, 3 partial,\n"+
		"4 refused, 5 waiting, 6 could not, 130 and 143 interrupted.\n")
}

// describe says how a command is called.
func (p *cli) describe(w io.Writer, c command) {
	fmt.Fprintf(w, "planlock %s\n\n%s\n", strings.TrimSpace(c.name+" "+c.args), c.doc)
	for i, f := range flagsOf(c) {
		if i == 0 {
			fmt.Fprint(w, "\nflags:\n")
		}
		call, usage := flagCall(f), flagUsage(f)
		fmt.Fprintf(w, "  %s\n      %s\n", call, usage)
	}
}

// flagsOf are the flags of a command, in the order of their names.
func flagsOf(c command) []*flag.Flag {
	set := flag.NewFlagSet(c.name, flag.ContinueOnError)
	c.prepare(&cli{}, set)
	var all []*flag.Flag
	set.VisitAll(func(f *flag.Flag) { all = append(all, f) })
	return all
}

// dashed is a flag as it is typed.
func dashed(f *flag.Flag) string {
	if len(f.Name) == 1 {
		return "-" + f.Name
	}
	return "--" + f.Name
}

// flagCall is a flag with what it is set to, as in "--dir FOLDER".
func flagCall(f *flag.Flag) string {
	name, _ := flag.UnquoteUsage(f)
	switch name {
	case "":
		return dashed(f)
	case "string", "value":
		name = "text"
	case "int":
		name = "number"
	}
	return dashed(f) + " " + strings.ToUpper(name)
}

// flagUsage is what a flag does, and what it is by itself.
func flagUsage(f *flag.Flag) string {
	_, usage := flag.UnquoteUsage(f)
	switch f.DefValue {
	case "", "false", "0", "0s":
		return usage
	}
	return fmt.Sprintf("%s (default %s)", usage, f.DefValue)
}
