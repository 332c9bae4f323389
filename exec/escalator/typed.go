package escalator

import (
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/ask"
)

// typed finds the choice that a person means: by its key, by one of its other
// spellings in whatever case, or the default where nothing was typed. Keys go
// before spellings.
func typed(q ask.Question, text string) (ask.Choice, bool) {
	if c, ok := q.Choice(text); ok {
		return c, true
	}
	if text == "" {
		return q.Choice(q.Default)
	}
	for _, c := range q.Choices {
		if slices.ContainsFunc(c.Also, func(other string) bool { return strings.EqualFold(other, text) }) {
			return c, true
		}
	}
	return ask.Choice{}, false
}
