package document

import (
	"strings"
	"testing"

	"github.com/planlock/planlock/internal/safetext"
)

// TestBreakLineEndless: a word without end is broken in one go. (Were its rest
// measured anew for each line, this test would take an hour.) With -short it
// has a sixteenth of the length: that nothing is lost shows there too, and how
// long it takes is not for the race detector to say.
func TestBreakLineEndless(t *testing.T) {
	size := 16 << 20
	if testing.Short() {
		size = 1 << 20
	}
	for _, word := range []string{strings.Repeat("x", size), strings.Repeat("界", size/4)} {
		lines := breakLine("so "+word, 80)
		if strings.Join(lines, "") != "so"+word {
			t.Fatal("something is lost")
		}
		for i, line := range lines {
			if w := safetext.Width(line); w > 80 || w < 80 && i > 0 && i < len(lines)-1 {
				t.Fatalf("line %d has %d columns", i, w)
			}
		}
	}
}
