package phase

import (
	"testing"
	"time"
)

func TestEstimates(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"45 s": 45 * time.Second, "1s": time.Second, "90 seconds": 90 * time.Second, "30m": 30 * time.Minute, "20": 20 * time.Minute,
		"~1.5 hours": 90 * time.Minute, "2d": 48 * time.Hour, "a while": 0, "5 sprints": 0,
	} {
		if got := estimateOf(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}
