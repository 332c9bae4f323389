// Package paint sets parts of a text off by colours, where a person sees them.
//
// A part has a [Role], and the role has an appearance: so what is alike looks
// alike in all commands. Texts are painted when they are finished, line by line,
// by the [Rule] of what they are: what is escaped and padded before is neither
// measured nor cut with codes in it. Where a [Brush] paints nothing, a text is
// left byte for byte as it is.
package paint

import (
	"bytes"
	"io"
	"strings"
)

// A Role is what a part of a text is.
type Role string

// All roles, each with the code of its appearance. The colours are those that a
// terminal has by these names, in its own scheme.
const (
	OK      Role = "32"   // went well, holds, was added
	Failed  Role = "31"   // did not, does not, was taken away
	Waiting Role = "33"   // wants somebody's attention
	Dim     Role = "2"    // is there to be found, not to be read
	Heading Role = "1"    // says what follows
	Wrong   Role = "1;31" // begins an error
)

// A Brush paints or does not. The zero value does not.
type Brush struct{ on bool }

// When says when texts are painted.
type When string

// All of them.
const (
	Auto   When = "auto" // as the environment wants it, else on a terminal
	Always When = "always"
	Never  When = "never"
)

// For is the brush for a stream that a person sees, or not. NO_COLOR goes before
// CLICOLOR_FORCE, and both before what the terminal is.
func For(when When, terminal bool, getenv func(string) string) Brush {
	forced := getenv("CLICOLOR_FORCE")
	switch {
	case when == Always:
		return Brush{true}
	case when == Never, getenv("NO_COLOR") != "":
		return Brush{}
	case forced != "" && forced != "0":
		return Brush{true}
	}
	return Brush{terminal && getenv("TERM") != "dumb" && getenv("CLICOLOR") != "0"}
}

// On reports whether the brush paints.
func (b Brush) On() bool { return b.on }

// As is a text as one of its role.
func (b Brush) As(r Role, text string) string {
	if !b.on || text == "" {
		return text
	}
	return "\x1b[" + string(r) + "m" + text + "\x1b[0m"
}

// Text is a text of many lines, each painted by a rule.
func (b Brush) Text(text string, rule Rule) string {
	if !b.on {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = rule(b, line, i)
	}
	return strings.Join(lines, "\n")
}

// Draw writes what draw draws, painted by a rule.
func (b Brush) Draw(out io.Writer, rule Rule, draw func(io.Writer) error) error {
	if !b.on {
		return draw(out)
	}
	var text bytes.Buffer
	err := draw(&text)
	if _, werr := io.WriteString(out, b.Text(text.String(), rule)); err == nil {
		err = werr
	}
	return err
}
