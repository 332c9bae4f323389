package spelling

import (
	"strconv"
	"strings"
)

// QuoteKey spells a name as it stands in a dotted key.
func QuoteKey(name string) string {
	bare := name != "" && strings.IndexFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
	}) < 0
	if bare {
		return name
	}
	return strconv.Quote(name)
}

// SplitKey takes a dotted key apart. One that is not spelled as such is one
// name.
func SplitKey(key string) []string {
	var parts []string
	for rest := key; ; {
		if strings.HasPrefix(rest, `"`) {
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				return []string{key}
			}
			name, err := strconv.Unquote(quoted)
			if err != nil {
				return []string{key}
			}
			parts, rest = append(parts, name), rest[len(quoted):]
		} else {
			end := strings.IndexByte(rest, '.')
			if end < 0 {
				end = len(rest)
			}
			if rest[:end] == "" {
				return []string{key}
			}
			parts, rest = append(parts, rest[:end]), rest[end:]
		}
		if rest == "" {
			return parts
		}
		if rest[0] != '.' {
			return []string{key}
		}
		rest = rest[1:]
	}
}
