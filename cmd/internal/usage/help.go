package usage

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/planlock/planlock/cmd/internal/paint"
)

// width is the number of columns of a help.
const width = 80

// Rule paints a help: the lines that say what follows.
func Rule(b paint.Brush, line string, _ int) string {
	if strings.HasSuffix(line, ":") && !strings.HasPrefix(line, " ") {
		return b.As(paint.Heading, line)
	}
	return line
}

// List writes the commands, group by group.
func List(w io.Writer, commands []Command) error {
	out := bufio.NewWriter(w)
	fmt.Fprint(out, "planlock executes plans as contracts: a plan is checked and locked,\n"+
		"its steps do what they declare or are undone, and what happened can be proved.\n\n"+
		"usage: planlock COMMAND [flags] [arguments]\n\nbegin with:\n"+
		"  planlock check PLAN.md               what is read of a plan, and what it lacks\n"+
		"  planlock run PLAN.md --agent claude  have an agent carry it out\n"+
		"  planlock status                      where it stands, and what it waits for\n")
	group := ""
	for _, c := range commands {
		if c.Group != group {
			group = c.Group
			fmt.Fprintf(out, "\n%s:\n", group)
		}
		fill(out, fmt.Sprintf("  %-11s ", c.Name), strings.Repeat(" ", 14), c.Does)
	}
	fmt.Fprint(out, "\n")
	fill(out, "", "", "planlock help COMMAND says more, with examples; planlock man writes a manual page. All commands have "+
		"-h, --help and --color auto|always|never.")
	fmt.Fprint(out, "\nExit status: 0 done, 1 not achieved, 2 usage, 3 partial, 4 refused, 5 waiting,\n"+
		"6 could not, 130 and 143 interrupted.\n")
	return out.Flush()
}

// Help writes what a command does, how it is called, and its flags.
func Help(w io.Writer, c Command) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, c.Call())
	fmt.Fprintln(out)
	fill(out, "", "", c.Does)
	for i, word := range c.Explained() {
		if i == 0 {
			fmt.Fprint(out, "\narguments:\n")
		}
		fill(out, fmt.Sprintf("  %-11s ", word[0]), strings.Repeat(" ", 14), word[1])
	}
	if len(c.Examples) > 0 {
		fmt.Fprint(out, "\nexamples:\n")
		for _, line := range c.Examples {
			fmt.Fprintf(out, "  %s\n", line)
		}
	}
	for _, g := range c.Groups() {
		fmt.Fprintf(out, "\n%s:\n", g.Title)
		for _, f := range g.Flags {
			fmt.Fprintf(out, "  %s\n", f.Call())
			fill(out, "      ", "      ", f.Says())
		}
	}
	return out.Flush()
}

// fill writes a text in as many lines as it needs, the first behind first and
// the others behind rest.
func fill(w io.Writer, first, rest, text string) {
	line, empty := first, true
	for _, word := range strings.Fields(text) {
		if !empty && len(line)+1+len(word) > width {
			fmt.Fprintln(w, line)
			line, empty = rest, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	fmt.Fprintln(w, line)
}
