package exec_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/recovery"
)

// TestAPresetWithoutSayIsWarnedOf runs plans whose steps leave a preset
// something to decide, and nothing.
func TestAPresetWithoutSayIsWarnedOf(t *testing.T) {
	tests := []struct {
		name, preset, first, second string
		ladder                      recovery.Ladder
		warns                       bool
	}{
		{"all block", "assistant", "block", "block", nil, true},
		{"block and ask", "reflective", "block", "ask", nil, true},
		{"one retries", "assistant", "block", "retry", nil, false},
		{"contract", "contract", "block", "ask", nil, false},
		{"nobody chose", "", "block", "ask", nil, false},
		{"a ladder of the host", "phase", "block", "block", recovery.Ladder{recovery.Ask{}}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(twoSteps(), `on_failure = "retry"`, `on_failure = "`+tt.second+`"`, 1)
			text = strings.Replace(text, "description = \"Write the first line\"\n", "description = \"Write the first line\"\non_failure = \""+tt.first+"\"\n", 1)
			b := exectest.New(t, text, workspace, goodScript)
			b.Controller.Preset, b.Controller.Ladder = tt.preset, tt.ladder
			warnings := b.Run(t).Report.Run.Started.Warnings
			want := "preset \"" + tt.preset + "\" has no say after a failure of 1.1, 1.2: "
			if got := slices.ContainsFunc(warnings,
				func(w string) bool { return strings.HasPrefix(w, want) }); got != tt.warns {
				t.Errorf("warned is %v, want %v: %q", got, tt.warns, warnings)
			}
		})
	}
}
