// Package suite is what the suites of rules have in common that hosts try their
// ports with.
package suite

import (
	"errors"
	"testing"
)

// ErrSkip is wrapped by the error of a rule that cannot be tried.
var ErrSkip = errors.New("it cannot be tried")

// Try tries one rule of a port: as a subtest where t has such, else as a part
// of t. What breaks the rule is an error of t that begins with its name.
func Try(t testing.TB, name, rule string, try func(t testing.TB) error) {
	t.Helper()
	if whole, ok := t.(*testing.T); ok {
		whole.Run(name, func(t *testing.T) {
			t.Helper()
			err := try(t)
			if errors.Is(err, ErrSkip) {
				t.Skip(err)
			}
			tell(t, name, rule, err)
		})
		return
	}
	if err := try(t); !errors.Is(err, ErrSkip) {
		tell(t, name, rule, err)
	}
}

func tell(t testing.TB, name, rule string, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("rule %q is broken: %s: %v", name, rule, err)
	}
}
