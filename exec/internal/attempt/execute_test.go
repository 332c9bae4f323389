package attempt

import "testing"

// TestPhasesSpeakOnLinesOfTheirOwn: what was said in one phase does not run
// into what was said in the next.
func TestPhasesSpeakOnLinesOfTheirOwn(t *testing.T) {
	said := Outcome{}
	for _, text := range []string{"ok red", "ok green\n", "", "ok refactor"} {
		said = said.and(Outcome{Output: text})
	}
	if want := "ok red\nok green\nok refactor"; said.Output != want {
		t.Errorf("%q, want %q", said.Output, want)
	}
}
