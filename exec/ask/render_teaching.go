package ask

import (
	"strings"

	"github.com/planlock/planlock/exec/safetext"
)

// teach writes what education mode explains, in columns like the rest.
func teach(b *strings.Builder, t *Teaching) {
	column(b, "situation", shown(t.Situation))
	for _, a := range t.Approaches {
		head := a.Method + ": " + a.Description
		if a.Method == t.Recommended {
			head += " (recommended)"
		}
		b.WriteByte('\n')
		column(b, safetext.Clip(a.Key, 9), shown(head))
		column(b, "  for", shown(a.Pros...))
		column(b, "  against", shown(a.Cons...))
		column(b, "  details", shown(a.Details...))
	}
	if t.Rationale != "" || len(t.More) > 0 {
		b.WriteByte('\n')
	}
	column(b, "advice", shown(t.Rationale))
	column(b, "more", shown(t.More...))
}

// shown are texts as lines that a terminal may get; empty texts have none.
func shown(texts ...string) []string {
	var kept []string
	for _, text := range texts {
		if text != "" {
			kept = append(kept, text)
		}
	}
	return evidence(kept)
}
