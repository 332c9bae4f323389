package life

import (
	"context"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/binding"
	"github.com/planlock/planlock/exec/internal/people"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/plan"
)

// A Life is the run in hand from its first record to where it is let go, but
// for what happens between.
type Life struct {
	*session.Session
	// Bound and Tools say whether the world is as the lock and the plan want
	// it.
	Bound *binding.Binding
	Tools *binding.Tools
	// Memory has the choices that may answer questions of the run.
	Memory *people.Memory
	Home   Home
	// Accepted is what moved since the run was let go, and may have.
	Accepted Accepted
	Host
}

// Accepted is what a person lets move that a run is bound to, by name.
type Accepted struct {
	By    string
	Moved []string
}

// A Home is where runs are kept.
type Home interface {
	// NextRun is the id of the run that is to begin: one that no run has, behind
	// those of all others.
	NextRun() (string, error)
	// Create makes the journal of a new run, and takes it in hand. It reports
	// whether the run is kept where only its host finds it.
	Create(ctx context.Context, run string) (own bool, err error)
	// Open takes the run in hand that prefix names.
	Open(ctx context.Context, prefix string) error
	// Plan reads back the plan of a run.
	Plan(ctx context.Context, run *history.Run) (*plan.Plan, error)
}

// A Host is what whoever embeds the controller has chosen for this run.
type Host struct {
	Executor string // what the default one calls itself
	// Isolate has a new run work in a clone, and Shadow too, which is never
	// delivered.
	Isolate, Shadow bool
	Mode            plan.Mode // "" if it leaves that to the plan
	Preset          string    // "" if it leaves that to the plan
	Version         string    // of planlock
	Warnings        []string  // about what was chosen
	// Policy is how the run is carried out, by what host and plan say now, and
	// Roles are those who are there now.
	Policy func() history.Policy
	Roles  func() history.Roles
	// Under has the run go on under a preset, and returns its ladder.
	Under func(preset string) recovery.Ladder
	// Options are what the host adds to a plan's own rules, and Bind makes a
	// lock with a name of its own.
	Options func() plan.CheckOptions
	Bind    func(*plan.Draft, plan.LockOptions) (*plan.Locked, error)
}

// Isolates reports whether a new run works in a clone.
func (h *Host) Isolates() bool { return h.Isolate || h.Shadow }
