package gatetest

import (
	"fmt"
	"testing"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
)

// reviewed: what a gate says of a reviewer can be told to people and held
// against the tree.
func reviewed(t testing.TB, g gate.Gate) error {
	pass := sample(t)
	for _, phase := range g.Info().Phases {
		own := pass.Fresh()
		own.Phase = phase
		v := Judge(t.Context(), g, own).Verdict
		if v == nil || v.Review == nil {
			continue
		}
		if v.Review.Reviewer == "" || len(v.Review.Criteria) == 0 {
			return fmt.Errorf("in phase %s: a review of reviewer %q with %d criteria", phase, v.Review.Reviewer,
				len(v.Review.Criteria))
		}
		for i, c := range v.Review.Criteria {
			if c.Text == "" {
				return fmt.Errorf("in phase %s: criterion %d has no text", phase, i+1)
			}
			for _, cited := range c.Citations {
				if !stands(pass, cited) {
					return fmt.Errorf("in phase %s: criterion %d cites %s, line %d: there is no such line", phase, i+1,
						cited.Path, cited.Line)
				}
			}
		}
	}
	return nil
}

// stands reports whether what is cited is in the tree, or a path that is gone.
func stands(pass *gate.Pass, c gate.Citation) bool {
	if e, ok := pass.After.Lookup(c.Path); ok {
		return c.Line == 0 || e.Kind == ledger.File
	}
	_, was := pass.Before.Lookup(c.Path)
	return was && c.Line == 0
}
