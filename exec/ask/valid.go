package ask

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Validate returns nil if q says all that a question must: its run and id, what
// is blocked and why, and choices with different keys, each with a label and a
// consequence. Otherwise the error names everything that is missing.
func (q Question) Validate() error {
	errs := []error{q.Answerable()}
	missing := func(what string) {
		errs = append(errs, fmt.Errorf("ask: question %q does not say %s", q.ID, what))
	}
	if q.What == "" {
		missing("what is blocked")
	}
	if q.Why == "" {
		missing("why")
	}
	for _, c := range q.Choices {
		if c.Label == "" {
			missing(fmt.Sprintf("what choice %q does", c.Key))
		}
		if c.Consequence == "" {
			missing(fmt.Sprintf("what follows from choice %q", c.Key))
		}
	}
	return errors.Join(errs...)
}

// Answerable returns nil if an answer can name q and one of its choices.
func (q Question) Answerable() error {
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("ask: question %q "+format, append([]any{q.ID}, args...)...))
	}
	if q.ID == "" {
		bad("has no id")
	}
	if q.Run == "" {
		bad("has no run")
	}
	if len(q.Choices) == 0 {
		bad("has no choices")
	}
	seen := map[string]bool{}
	for _, c := range q.Choices {
		switch {
		case c.Key == "" || strings.ContainsFunc(c.Key,
			func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) }):
			bad("has a choice %q that cannot be typed", c.Key)
		case seen[c.Key]:
			bad("has two choices %q", c.Key)
		}
		seen[c.Key] = true
	}
	if _, ok := q.Choice(q.Default); q.Default != "" && !ok {
		bad("has no choice %q, which is its default", q.Default)
	}
	return errors.Join(errs...)
}

// Late says whether an answer at t is too late.
func (q Question) Late(t time.Time) bool { return !q.Deadline.IsZero() && t.After(q.Deadline) }
