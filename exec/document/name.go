package document

import (
	"errors"
	"strings"

	"github.com/planlock/planlock/plan"
)

// ErrNothing says that there is nothing to draw: no plan, or a run whose
// journal is empty.
var ErrNothing = errors.New("document: nothing to draw: there is no plan, or no run has started")

// name is the plan's name as part of a file's name.
func name(p *plan.Plan) string {
	if p == nil {
		return fileName("")
	}
	return fileName(p.Meta.Name)
}

func fileName(name string) string {
	const longest = 100
	clean := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '_'
	}, name)
	clean = strings.Trim(clean[:min(len(clean), longest)], "._")
	if clean == "" {
		return "plan"
	}
	return clean
}
