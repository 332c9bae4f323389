package say

import (
	"fmt"

	"github.com/planlock/planlock/gate"
)

// Ended is how a command ended, in words.
func Ended(r gate.CommandResult) string {
	if r.Output == "" {
		return fmt.Sprintf("status %d, no output", r.Exit)
	}
	return fmt.Sprintf("status %d: %s", r.Exit, Tail(r.Output))
}

// Tail is the end of an output, short enough for a finding.
func Tail(text string) string {
	const most = 2000
	if len(text) <= most {
		return text
	}
	return "…" + text[len(text)-most:]
}
