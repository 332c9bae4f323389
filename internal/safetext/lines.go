package safetext

import (
	"strings"
	"unicode"
)

// Lines splits s where a line ends (\n or \r\n) and returns each line escaped,
// a tab as four spaces. A line end at the end of s starts no further line; ""
// has no lines.
func Lines(s string) []string {
	if s == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	for i, line := range lines {
		line = strings.TrimSuffix(line, "\r")
		lines[i] = Escape(strings.ReplaceAll(line, "\t", "    "))
	}
	return lines
}

// Indent returns the [Lines] of s, each behind prefix and ended with \n. The
// prefix is the caller's own and is not escaped.
func Indent(prefix, s string) string {
	var b strings.Builder
	for _, line := range Lines(s) {
		b.WriteString(prefix)
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.String()
}

// Clip escapes s and cuts it to at most columns columns; where something is
// cut, the last of them is "…". With columns < 1 the result is empty.
func Clip(s string, columns int) string {
	s = Escape(s)
	if Width(s) <= columns {
		return s
	}
	if columns < 1 {
		return ""
	}
	used := 0
	for i, r := range s {
		w := width(r)
		if used+w > columns-1 {
			return s[:i] + "…"
		}
		used += w
	}
	return s
}

// Width returns how many columns s takes on most terminals: none for combining
// marks, two for wide East Asian characters and pictures, one for all else. s
// is taken to be escaped.
func Width(s string) int {
	n := 0
	for _, r := range s {
		n += width(r)
	}
	return n
}

// width is how many columns a terminal gives a character: none to a mark that
// joins the one before it, and two to those of East Asian scripts and to
// pictures.
func width(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r >= 0x1100 && r <= 0x115f, // Hangul Jamo
		r >= 0x2e80 && r <= 0xa4cf && r != 0x303f, // CJK, kana, Yi
		r >= 0xac00 && r <= 0xd7a3,                // Hangul
		r >= 0xf900 && r <= 0xfaff,                // CJK compatibility
		r >= 0xfe30 && r <= 0xfe6f,                // CJK forms
		r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6,
		r >= 0x1f300 && r <= 0x1f64f, r >= 0x1f680 && r <= 0x1f6ff, r >= 0x1f900 && r <= 0x1faff,
		r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}
