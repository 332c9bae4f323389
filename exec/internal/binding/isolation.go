package binding

import (
	"slices"
	"strings"

	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/internal/process"
)

// Moves is what differs between two envelopes. How far commands are confined is
// compared by what holds and not as the word of one machine: a run goes on
// where at least as much of the same level holds.
func Moves(was, now *envelope.Envelope) []envelope.Move {
	return slices.DeleteFunc(was.Moves(now), func(m envelope.Move) bool {
		return m.Name == "isolation" && m.From != nil && m.To != nil && holds(m.From.Text, m.To.Text)
	})
}

// holds reports whether all holds now that held: of commands, and of where
// steps work.
func holds(was, now string) bool {
	was, worked, _ := strings.Cut(was, "; ")
	now, work, _ := strings.Cut(now, "; ")
	return process.Holds(was, now) && (worked == work || work != "" && strings.HasPrefix(worked, work+" "))
}
