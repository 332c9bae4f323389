package document

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec/history"
)

// repeats are how many steps that are to do the same each time were executed a second
// time, by their last attempts, and what that showed.
type repeats struct {
	Same        int `json:"same"`
	Unlike      int `json:"unlike"`
	NotCompared int `json:"not_compared"`
}

// repeatsOf counts them; nil where no step was to be executed twice.
func repeatsOf(r *history.Run) *repeats {
	var n repeats
	for _, s := range r.Steps {
		last := s.Last()
		switch {
		case last == nil || last.Repeated == nil:
			continue
		case last.Repeated.Not != "":
			n.NotCompared++
		case last.Repeated.Same():
			n.Same++
		default:
			n.Unlike++
		}
	}
	if n == (repeats{}) {
		return nil
	}
	return &n
}

// String is as in "executed twice: 3 steps did the same, 1 step was not compared".
func (n *repeats) String() string {
	if n == nil {
		return ""
	}
	var parts []string
	if n.Same > 0 {
		parts = append(parts, count(n.Same, "step", "steps")+" did the same")
	}
	if n.Unlike > 0 {
		parts = append(parts, count(n.Unlike, "step", "steps")+" did not")
	}
	text := ""
	if len(parts) > 0 {
		text = "executed twice: " + strings.Join(parts, ", ")
	}
	if n.NotCompared > 0 {
		if text != "" {
			text += "; "
		}
		text += count(n.NotCompared, "step was", "steps were") + " not compared"
	}
	return text
}

// Twice says what a second execution of the attempt came to; "" where there was
// to be none.
func (a *attempt) Twice() string {
	switch f := a.Repeated; {
	case f == nil:
		return ""
	case f.Not != "":
		return "not compared with a second execution: " + f.Not
	case f.Same() && f.Printed != "":
		return fmt.Sprintf("executed twice, and the same but for what it printed (%s); the second time took %s",
			f.Printed, span(f.Took))
	case f.Same():
		return fmt.Sprintf("executed twice, and the same; the second time took %s", span(f.Took))
	default:
		return "executed twice, and not the same: " + strings.Join(f.Lines(), "; ")
	}
}

// uncompared says why nothing shows that the step does the same twice; "" where
// that was compared, or nobody asked.
func (s *step) uncompared() string {
	if a := s.judged(); a != nil && a.Repeated != nil && a.Repeated.Not != "" {
		return "not compared: " + a.Repeated.Not
	}
	return ""
}
