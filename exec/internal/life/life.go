package life

import (
	"context"
	"crypto"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/binding"
	"github.com/planlock/planlock/exec/internal/commits"
	"github.com/planlock/planlock/exec/internal/deliveries"
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
	// Deliveries know the workspace of a run that works in a layer.
	Deliveries *deliveries.Deliveries
	// Commits are those of the run.
	Commits *commits.Commits
	// Memory has the choices that may answer questions of the run.
	Memory *people.Memory
	// Accepted is what moved since the run was let go, and may have.
	Accepted Accepted
	Host
}

// Accepted is what a person lets move that a run is bound to, by name.
type Accepted struct {
	By    string
	Moved []string
}

// A Host is what whoever embeds the controller has chosen for this run.
type Host struct {
	From     string    // the run that a new one finishes, by a prefix of its id; "": none
	Executor string    // what the default one calls itself
	Shadow   bool      // a new run is a trial, which is never delivered
	Mode     plan.Mode // "" if it leaves that to the plan
	Preset   string    // "" if it leaves that to the plan
	Warnings []string  // about what was chosen
	// Signer signs the journals of runs, and goes on where one of EarlierSigners
	// did before; nil: nobody signs.
	Signer         crypto.Signer
	EarlierSigners []crypto.Signer
	// Policy is how the run is carried out, by what host and plan say now, and
	// Roles are those who are there now.
	Policy func() history.Policy
	Roles  func() history.Roles
	// NextRun is the id of the run that is to begin: one that no run has,
	// behind those of all others. Find is the id of the run that a prefix
	// names.
	NextRun func(context.Context) (string, error)
	Find    func(ctx context.Context, prefix string) (string, error)
	// Under has the run go on under a preset, and returns its ladder.
	Under func(preset string) recovery.Ladder
	// Options are what the host adds to a plan's own rules, and Bind makes a
	// lock with a name of its own.
	Options func() plan.CheckOptions
	Bind    func(*plan.Draft, plan.LockOptions) (*plan.Locked, error)
}
