package acp

import (
	"time"

	"github.com/planlock/planlock/exec"
)

// Limit is the rate or usage limit that a text of an agent tells of, with the
// time until which nobody is served where the text has it; nil if it tells of
// none. It serves readers of other streams of agents, too.
func Limit(text string, now time.Time) *exec.LimitError {
	return nil
}

// LoggedOut reports whether a text of an agent says that nobody is logged in.
func LoggedOut(text string) bool {
	return false
}
