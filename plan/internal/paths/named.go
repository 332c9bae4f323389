package paths

import "strings"

// Named reports whether a text names a file, or something else by a word of
// its own, and not one whose name only ends or begins like it.
func Named(text, name string) bool {
	part := func(c byte) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' ||
			c == '/' || c >= 0x80
	}
	for from := 0; name != ""; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(name)
		if (i == 0 || !part(text[i-1]) && text[i-1] != '.') && (end == len(text) || !part(text[end])) {
			return true
		}
		from = end
	}
	return false
}
