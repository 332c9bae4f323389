package safetext

import (
	"fmt"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON returns a JSON text that means the same, and in which all that does not
// show itself is written as JSON escapes it: \u202e. Bytes that are not UTF-8
// become U+FFFD, as package encoding/json has it. So JSON that is read on a
// terminal shows what it holds. A text without any of these is returned
// without a copy.
//
// Spaces other than the blank are escaped as well, as nobody tells them apart.
func JSON(text []byte) []byte {
	var out []byte
	var before rune
	copied := 0
	for i := 0; i < len(text); { // outside of strings JSON has nothing but ASCII
		if c := text[i]; c < utf8.RuneSelf && c != 0x7f {
			before = rune(c)
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 || !unicode.IsPrint(r) || !visible(r, before) {
			out = append(out, text[copied:i]...)
			out = appendEscaped(out, r)
			copied = i + size
		}
		before = r
		i += size
	}
	if copied == 0 {
		return text
	}
	return append(out, text[copied:]...)
}

// appendEscaped appends a character as JSON escapes it, beyond the first plane
// as a pair.
func appendEscaped(b []byte, r rune) []byte {
	if r < 0x10000 {
		return fmt.Appendf(b, `\u%04x`, r)
	}
	high, low := utf16.EncodeRune(r)
	return fmt.Appendf(b, `\u%04x\u%04x`, high, low)
}
