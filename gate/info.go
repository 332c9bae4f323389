package gate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/plan"
)

// Level says what a gate's "no" stops.
type Level int

const (
	Informs        Level = 0 // logged, never blocks
	BlocksStep     Level = 1 // blocks execution from advancing
	BlocksApproval Level = 2 // blocks the plan from being approved, and execution as well
)

// Phase says when a gate looks.
type Phase string

const (
	Planning Phase = "planning" // before the lock
	Before   Phase = "before"   // before a step
	During   Phase = "during"   // right after the executor came back: syntax, types, invariants, non-goals, tests
	After    Phase = "after"    // after those: artifacts, postconditions, expected output, semantic class
	// when nothing objects any more: reviewers, who are slow and cost money
	Reviewing Phase = "review"
	Final     Phase = "final" // when all steps are done
)

// phases in the order of a run.
var phases = [...]Phase{Planning, Before, During, After, Reviewing, Final}

// Info describes a gate. It must be the same on every call.
type Info struct {
	Name      string        // unique among the gates of a run
	Doc       string        // one sentence
	Version   string        // part of the envelope
	Level     Level         // what its "no" stops
	Phases    []Phase       // at least one; nobody changes the slice
	Timeout   time.Duration // 0: none at level 0, 5 min at level 1, 1 min at level 2; else within the level's bounds
	Stateless bool          // may be asked again after a time-out that is provably not semantic

	Args []plan.Argument // what a plan may give it by [[gates]]; see Pass.Args. Nobody changes the slice
}

// argumentKinds are those of plan.Argument.
var argumentKinds = [...]string{"string", "integer", "boolean", "array"}

// bounds of explicit time-outs; the upper one is also the default.
var bounds = map[Level][2]time.Duration{
	BlocksStep:     {30 * time.Second, 5 * time.Minute},
	BlocksApproval: {10 * time.Second, time.Minute},
}

// Limit is how long a gate may take: its own Timeout, else its level's default.
// 0 is "no limit".
func (i Info) Limit() time.Duration {
	if i.Timeout != 0 {
		return i.Timeout
	}
	return bounds[i.Level][1]
}

// Faults says what is wrong with a description, each in words that follow its
// name; none if nothing is.
func (i Info) Faults() []string {
	var out []string
	if i.Name == "" {
		out = append(out, "has no name")
	}
	if i.Doc == "" {
		out = append(out, "says nothing about itself; write one sentence into Info.Doc")
	}
	if i.Level < Informs || i.Level > BlocksApproval {
		out = append(out, fmt.Sprintf("level %d does not exist; levels are 0, 1 and 2", i.Level))
	}
	if len(i.Phases) == 0 {
		out = append(out, "has no phase; name at least one in Info.Phases")
	}
	for n, ph := range i.Phases {
		if !slices.Contains(phases[:], ph) {
			out = append(out, fmt.Sprintf("phase %q does not exist", ph))
		}
		if slices.Contains(i.Phases[:n], ph) {
			out = append(out, fmt.Sprintf("phase %q is named twice", ph))
		}
	}
	for n, a := range i.Args {
		if a.Name == "" || a.Doc == "" {
			out = append(out, fmt.Sprintf("argument %d (%q) has no name, or says nothing about itself", n, a.Name))
		}
		if !slices.Contains(argumentKinds[:], a.Kind) {
			out = append(out, fmt.Sprintf("argument %q has the kind %q; kinds are %s", a.Name, a.Kind,
				strings.Join(argumentKinds[:], ", ")))
		}
		if slices.ContainsFunc(i.Args[:n], func(b plan.Argument) bool { return b.Name == a.Name }) {
			out = append(out, fmt.Sprintf("argument %q is named twice", a.Name))
		}
	}
	b, bounded := bounds[i.Level]
	switch {
	case i.Timeout < 0:
		out = append(out, fmt.Sprintf("time-out %v is negative", i.Timeout))
	case bounded && i.Timeout != 0 && (i.Timeout < b[0] || i.Timeout > b[1]):
		out = append(out, fmt.Sprintf("time-out %v is outside the bounds of level %d, which are %v to %v",
			i.Timeout, i.Level, b[0], b[1]))
	}
	return out
}
