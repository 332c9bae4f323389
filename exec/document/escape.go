package document

import (
	"io"
	"strconv"
	"strings"

	"github.com/planlock/planlock/internal/safetext"
)

// special are the characters that mean something in Markdown, in its tables, or
// to sites that render it.
const special = "\\`*_[]<>|~&$@#"

// md makes text safe for Markdown: one line that says exactly what it said,
// wherever it stands.
func md(text string) string {
	text = safetext.Escape(strings.TrimSpace(text))
	var b strings.Builder
	b.Grow(len(text) + 8)
	start := true // of the line: a mark here would open a list, a heading or a rule
	for i := range len(text) {
		c := text[i]
		switch {
		case strings.IndexByte(special, c) >= 0,
			start && strings.IndexByte("-+=!", c) >= 0,
			(c == '.' || c == ')') && i > 0 && digits(text[:i]) && (i+1 == len(text) || text[i+1] == ' '),
			c == ':' && strings.HasPrefix(text[i:], "://"),
			c == '.' && i >= 3 && strings.EqualFold(text[i-3:i], "www"):
			b.WriteByte('\\')
		}
		start = start && c == ' '
		b.WriteByte(c)
	}
	return b.String()
}

// digits reports whether a text consists of ASCII digits alone.
func digits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// code writes a name in code type where nothing in it can end that, else as
// plain escaped text.
func code(name string) string {
	for i := range len(name) {
		c := name[i]
		plain := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
			strings.IndexByte("./_-+=,:@%()#^~ *{}!?$&;", c) >= 0
		if !plain {
			return md(name)
		}
	}
	if name == "" || strings.TrimSpace(name) != name {
		return md(name)
	}
	return "`" + name + "`"
}

// fence writes an output as a code block that nothing in it can end.
func fence(b io.StringWriter, indent, info, text string) {
	lines := safetext.Lines(text)
	if len(lines) == 0 {
		return
	}
	ticks := 3
	for _, line := range lines {
		ticks = max(ticks, longestRun(line)+1)
	}
	mark := strings.Repeat("`", ticks)
	_, _ = b.WriteString(indent + mark + info + "\n")
	for _, line := range lines {
		_, _ = b.WriteString(indent + line + "\n")
	}
	_, _ = b.WriteString(indent + mark + "\n")
}

// longestRun is the length of the longest run of backticks.
func longestRun(s string) int {
	longest, now := 0, 0
	for i := range len(s) {
		if s[i] != '`' {
			now = 0
			continue
		}
		now++
		longest = max(longest, now)
	}
	return longest
}

// yaml quotes text as a YAML string. Everything invisible is written out, so a
// Go string of it is one of YAML too.
func yaml(text string) string { return strconv.Quote(safetext.Escape(text)) }
