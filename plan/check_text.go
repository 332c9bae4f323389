package plan

import (
	"fmt"
	"strings"
)

// String is the check in one line, for people: its kind and the arguments that
// it has.
func (c Check) String() string {
	var b strings.Builder
	b.WriteString(c.Kind)
	arg := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, " %s=%q", name, value)
		}
	}
	arg("path", c.Path)
	arg("text", c.Text)
	arg("matches", c.Matches)
	arg("run", c.Run)
	if c.Exit != nil {
		fmt.Fprintf(&b, " exit=%d", *c.Exit)
	}
	arg("stdout_contains", c.StdoutContains)
	arg("symbol", c.Symbol)
	arg("package", c.Package)
	arg("name", c.Name)
	arg("version", c.Version)
	if c.Derived {
		b.WriteString(" (derived from the text)")
	}
	return b.String()
}
