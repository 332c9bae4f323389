// Package hidden finds characters that people do not see in a text, or that
// turn the others: control characters, characters that change the direction of
// writing or have no width, and bytes that are no text.
package hidden

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Index returns the offset of the first hidden character, or -1.
func Index(s string) int {
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			if r, size = utf8.DecodeRuneInString(s[i:]); r == utf8.RuneError && size == 1 {
				return i
			}
		}
		if Is(r) {
			return i
		}
		i += size
	}
	return -1
}

// InLines is Index of a text that may have ends of lines and tabs; a carriage
// return counts as hidden unless a line ends with it, as it moves the cursor
// back over what was shown.
func InLines(text string) int {
	for at := 0; ; {
		i := Index(text[at:])
		if i < 0 {
			return -1
		}
		at += i
		if c := text[at]; c != '\n' && c != '\t' && !strings.HasPrefix(text[at:], "\r\n") {
			return at
		}
		at++
	}
}

// Is reports whether a character is hidden: controls, formats (among them
// those that turn the direction of writing), separators of lines, and what is
// private or half of a pair.
func Is(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs)
}

// Escape spells out what a terminal would act on or not show: control
// characters, characters that turn the direction of writing or have no width,
// and bytes that are no text.
func Escape(s string) string {
	if Index(s) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case !Is(r):
			b.WriteString(s[i : i+size])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += size
	}
	return b.String()
}
