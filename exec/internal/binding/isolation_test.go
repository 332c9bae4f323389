package binding

import (
	"testing"

	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/ledger"
)

// A machine that confines commands in another way, but no less, is no move; all
// else is.
func TestMoves(t *testing.T) {
	of := func(isolation, model string) *envelope.Envelope {
		env := &envelope.Envelope{}
		for name, text := range map[string]string{"isolation": isolation, "model": model} {
			env.Add(envelope.Component{Name: name, Digest: ledger.Sum([]byte(text)), Text: text})
		}
		return env
	}
	const less, more = "filesystem (pid namespace, landlock 5)", "filesystem (pid and user namespace, landlock 7)"
	const inClone, elsewhere = "; steps work in a clone", "; steps work in a clone elsewhere"
	tests := []struct {
		name     string
		was, now string
		model    string
		moves    int
	}{
		{"more", less, more, "m", 0},
		{"less", more, less, "m", 1},
		{"more, and another model", less, more, "n", 1},
		{"in a clone under the same path", less + elsewhere, less + inClone, "m", 0},
		{"in a clone elsewhere", less + inClone, less + elsewhere, "m", 1},
		{"in the workspace no more", less, less + inClone, "m", 1},
		{"in the workspace", less + inClone, less, "m", 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if moves := Moves(of(test.was, "m"), of(test.now, test.model)); len(moves) != test.moves {
				t.Errorf("%v, want %d", moves, test.moves)
			}
		})
	}
}
