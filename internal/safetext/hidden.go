package safetext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hidden returns the offset of the first character that people do not see, or
// that turns the others, or -1; see [IsHidden]. Bytes that are no text are
// hidden.
func Hidden(s string) int {
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			if r, size = utf8.DecodeRuneInString(s[i:]); r == utf8.RuneError && size == 1 {
				return i
			}
		}
		if IsHidden(r) {
			return i
		}
		i += size
	}
	return -1
}

// HiddenInLines is [Hidden] of a text that may have ends of lines and tabs; a
// carriage return counts as hidden unless a line ends with it, as it moves the
// cursor back over what was shown.
func HiddenInLines(text string) int {
	for at := 0; ; {
		i := Hidden(text[at:])
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

// IsHidden reports whether a character is hidden: controls, formats (among them
// those that turn the direction of writing), separators of lines, and what is
// private or half of a pair.
func IsHidden(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs)
}
