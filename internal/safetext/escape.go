package safetext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMarks is how many combining marks in a row are shown; more than that climb
// over other lines.
const maxMarks = 8

// Escape returns s as one line of visible text. Control characters (line ends
// and tabs too), formatting characters (bidirectional overrides, zero-width
// ones), other invisible characters, private and unassigned ones, and bytes
// that are not UTF-8 are written as Go writes them in a string: \n, \x1b,
// \u202e, \xff. All else stays as it is, and text without any of these is
// returned without a copy. Escaping twice changes nothing.
func Escape(s string) string {
	plain := 0
	for plain < len(s) && ' ' <= s[plain] && s[plain] < 0x7f {
		plain++
	}
	if plain == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:plain])
	var before rune
	marks := 0
	if plain > 0 {
		before = rune(s[plain-1])
	}
	for i := plain; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if unicode.Is(unicode.M, r) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
			r = 0 // not the symbol that stands for it
		case marks > maxMarks, !visible(r, before):
			writeEscaped(&b, r)
		default:
			b.WriteRune(r)
		}
		before = r
		i += size
	}
	return b.String()
}

// visible says whether r, which follows before, shows itself and nothing else.
func visible(r, before rune) bool {
	switch {
	case r == '\u2800': // a blank that counts as a symbol
		return false
	case r == '\ufe0e' || r == '\ufe0f': // text or picture: only behind what has both
		return unicode.Is(unicode.S, before)
	case !unicode.IsGraphic(r):
		return false
	}
	return !unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// writeEscaped writes a character as Go spells it in a string.
func writeEscaped(b *strings.Builder, r rune) {
	switch {
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == '\t':
		b.WriteString(`\t`)
	case r < 0x80:
		fmt.Fprintf(b, `\x%02x`, r)
	case r < 0x10000:
		fmt.Fprintf(b, `\u%04x`, r)
	default:
		fmt.Fprintf(b, `\U%08x`, r)
	}
}
