// Package spelling spells names as they stand in a plan file, and finds the name
// that somebody meant who spelled it otherwise.
package spelling

import (
	"strconv"
	"strings"

	"github.com/planlock/planlock/internal/spelling"
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

// Nearest returns the name that takes the fewest edits from word, or "" if all
// are far.
func Nearest(word string, names []string) string { return spelling.Nearest(word, names) }
