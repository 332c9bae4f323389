package plan_test

import (
	"testing"

	"github.com/planlock/planlock/plan"
)

func TestOnlyRepeats(t *testing.T) {
	for text, want := range map[string]bool{
		"Try again":                            true,
		"Do the same thing once more":          true,
		"Re-run the primary method":            true,
		"Same as primary":                      true,
		"Retry with a delay":                   true,
		"The step as before, unchanged":        true,
		"Do the same by hand":                  false,
		"Use another approach":                 false,
		"Use the primary method":               false,
		"Re-read the schema":                   false,
		"The same with half of the rows":       false,
		"Generate it from the comments, again": false,
		"":                                     false,
	} {
		if got := (&plan.Backup{Description: text}).OnlyRepeats(); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
