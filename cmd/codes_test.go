package cmd

import (
	"slices"
	"testing"
)

// Codes are given one by one, or in lists.
func TestCodes(t *testing.T) {
	got := codes([]string{"breaking:1.1,modifying:1.2, irreversible:2.1", "done:a,b", "done:c"})
	want := []string{"breaking:1.1", "modifying:1.2", "irreversible:2.1", "done:a,b", "done:c"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
