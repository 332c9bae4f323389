package checks

import (
	"context"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// A kind is a Check made of a function.
type kind struct {
	name   string
	decide func(ctx context.Context, pass *gate.Pass, c plan.Check) (gate.Verdict, error)
	args   string // for the manual
	doc    string
}

// Doc says which arguments the kind takes and when it holds, for the manual.
func (k kind) Doc() (args, doc string) { return k.args, k.doc }

// Kind names the kind. What arguments it takes is in the language of plans.
func (k kind) Kind() plan.CheckKind { return plan.CheckKind{Name: k.name} }

// Decide calls the function of the kind.
func (k kind) Decide(ctx context.Context, pass *gate.Pass, c plan.Check) (gate.Verdict, error) {
	return k.decide(ctx, pass, c)
}
