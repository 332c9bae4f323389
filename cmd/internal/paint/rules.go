package paint

import (
	"strings"
)

// A Rule paints one line of a text, without its end; n counts lines from 0.
type Rule func(b Brush, line string, n int) string

// marks are what stands before a step, a question or a remark.
var marks = []struct {
	sign string
	role Role
}{{"✓", OK}, {"✗", Failed}, {"⊘", Waiting}, {"?", Waiting}, {"!", Waiting}, {"↶", Waiting}, {"–", Dim},
	{"▸", Heading}}

// Mark paints the sign that a line begins with, in its second column.
func Mark(b Brush, line string, _ int) string {
	for _, m := range marks {
		if rest, ok := strings.CutPrefix(line, " "+m.sign+" "); ok {
			return " " + b.As(m.role, m.sign) + " " + rest
		}
	}
	return line
}

// ends are the words for how a run stands.
var ends = []struct {
	word string
	role Role
}{{"ACHIEVED", OK}, {"NOT_ACHIEVED", Failed}, {"NOT ACHIEVED", Failed}, {"PARTIAL", Waiting}, {"WAITING", Waiting},
	{"RUNNING", Heading}}

// end paints the word with which a line says how a run stands.
func end(b Brush, line string) (string, bool) {
	for _, e := range ends {
		rest, ok := strings.CutPrefix(line, e.word)
		if ok && (rest == "" || rest[0] == ' ' || rest[0] == ',') {
			return b.As(e.role, e.word) + rest, true
		}
	}
	return line, false
}

// label paints the word before a column that begins at width.
func label(b Brush, line string, width int, role Role) (string, bool) {
	if len(line) <= width || line[width-1] != ' ' || line[0] == ' ' {
		return line, false
	}
	word := strings.TrimRight(line[:width], " ")
	if strings.Trim(word, "abcdefghijklmnopqrstuvwxyz ") != "" {
		return line, false
	}
	return b.As(role, word) + line[len(word):], true
}

// Report is the rule of the report of a run.
func Report(b Brush, line string, n int) string {
	if n == 0 {
		return b.As(Heading, line)
	}
	if painted, ok := end(b, line); ok {
		return painted
	}
	if strings.HasPrefix(line, "next  ") {
		return b.As(Heading, "next") + line[len("next"):]
	}
	return Mark(b, undeclared(b, line), n)
}

// undeclared paints the remark on what nobody declared.
func undeclared(b Brush, line string) string {
	const remark = "← "
	before, after, ok := strings.Cut(line, remark)
	if ok && strings.HasSuffix(before, " ") && strings.TrimSpace(before) != "" {
		return before + b.As(Failed, remark+after)
	}
	return line
}

// Status is the rule of where a run stands.
func Status(b Brush, line string, n int) string {
	const column = 9
	if n == 0 {
		return Title(b, line)
	}
	if strings.HasPrefix(line, "status ") && len(line) > column {
		painted, _ := end(b, line[column:])
		return b.As(Heading, "status") + line[len("status"):column] + painted
	}
	if painted, ok := label(b, line, column, Heading); ok {
		return painted
	}
	return Mark(b, line, n)
}

// Title paints the line that says which run it is: its goal, and the rest.
func Title(b Brush, line string) string {
	if at := strings.LastIndex(line, "        run "); at > 0 {
		return b.As(Heading, line[:at]) + b.As(Dim, line[at:])
	}
	return b.As(Heading, line)
}

// severities are the words of diagnostics.
var severities = []struct {
	word string
	role Role
}{{"error", Wrong}, {"warning", Waiting}, {"note", Heading}}

// Check is the rule of diagnostics, of the self-check and of the verdict.
func Check(b Brush, line string, _ int) string {
	for _, s := range severities {
		place, said, ok := strings.Cut(line, ": "+s.word+": ")
		if code := strings.LastIndex(said, " ["); ok && code >= 0 && strings.HasSuffix(said, "]") {
			return place + ": " + b.As(s.role, s.word+":") + " " + said[:code] + " " + b.As(Dim, said[code+1:])
		}
	}
	switch {
	case strings.HasPrefix(line, "  yes  "):
		return "  " + b.As(OK, "yes") + line[len("  yes"):]
	case strings.HasPrefix(line, "  NO   "):
		return "  " + b.As(Failed, "NO") + line[len("  NO"):]
	case strings.HasSuffix(line, "the plan is refused. Nothing was written."),
		strings.HasSuffix(line, "there is no plan to judge. Nothing was written."):
		return b.As(Failed, line)
	case strings.Contains(line, ": the plan holds ("):
		return b.As(OK, line)
	case strings.Contains(line, ": the plan keeps the rules of its format, but it cannot run."):
		return b.As(Waiting, line)
	}
	if at := strings.Index(line, " | "); at > 0 && strings.Trim(line[:at], " 0123456789") == "" {
		if mark := strings.TrimLeft(line[at+3:], " "); mark != "" && strings.Trim(mark, "^") == "" {
			return b.As(Dim, line[:at+2]) + " " + line[at+3:len(line)-len(mark)] + b.As(Failed, mark)
		}
		return b.As(Dim, line[:at+2]) + line[at+2:]
	}
	return hint(b, line)
}

// hint paints the word before what to do next.
func hint(b Brush, line string) string {
	if rest, ok := strings.CutPrefix(line, "  hint: "); ok {
		return "  " + b.As(Heading, "hint:") + " " + rest
	}
	return line
}

// Diff is the rule of what a step did, with the text of the changes.
func Diff(b Brush, line string, n int) string {
	switch {
	case n == 0, strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "):
		return b.As(Heading, line)
	case strings.HasPrefix(line, "@@ "):
		return b.As(Dim, line)
	case strings.HasPrefix(line, "+"):
		return b.As(OK, line)
	case strings.HasPrefix(line, "-"):
		return b.As(Failed, line)
	}
	return undeclared(b, line)
}

// Error is the rule of what is said when a command could not do what it should.
func Error(b Brush, line string, n int) string {
	const name = "planlock:"
	if rest, ok := strings.CutPrefix(line, name+" warning:"); ok {
		return b.As(Waiting, name+" warning:") + rest
	}
	if rest, ok := strings.CutPrefix(line, name); ok && n == 0 {
		return b.As(Wrong, name) + rest
	}
	return hint(b, line)
}
