package phase

import (
	"testing"
	"time"
)

func TestEstimates(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"45 s": 45 * time.Second, "1s": time.Second, "90 seconds": 90 * time.Second, "30m": 30 * time.Minute, "20": 20 * time.Minute,
		"~1.5 hours": 90 * time.Minute, "2d": 48 * time.Hour, "a while": 0, "5 sprints": 0,
		"0.05": 3 * time.Second, "1.25h": 75 * time.Minute, "1h 30m": 90 * time.Minute, "10080": 168 * time.Hour, "0": 0, "-5m": 0, "99999d": 0, "2000000h": 0, "9999d": 9999 * 24 * time.Hour,
	} {
		if got := estimateOf(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}
