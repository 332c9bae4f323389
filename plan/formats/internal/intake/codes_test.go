package intake_test

import (
	"strings"
	"testing"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/codestest"
	"github.com/planlock/planlock/plan/formats/internal/intake"
)

// TestCodes holds that every code is drawn by its bad example, with a place and
// a hint, and not by its good one.
func TestCodes(t *testing.T) {
	codestest.Run(t, codestest.Reader{
		Read: func(t *testing.T, text string) *plan.Draft {
			d, err := intake.Read("pending_actions.json", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			return d
		},
		Lenient: true, // lists with something beside them are wrapped, which is noted
		TooMany: "[" + codestest.Many(strings.Replace(one, ": 1,", ": %d,", 1)+",\n") + one + "]",
	})
}
