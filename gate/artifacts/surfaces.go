package artifacts

import (
	"context"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/content"
	"github.com/planlock/planlock/gate/internal/surfaces"
	"github.com/planlock/planlock/ledger"
)

// surfacesOf holds what the plan says of public symbols against the changed
// files that declare them.
func surfacesOf(ctx context.Context, pass *gate.Pass) error {
	if len(pass.Plan.Surfaces) == 0 {
		return nil
	}
	pairs, err := content.ChangedSources(ctx, pass)
	if err != nil {
		return err
	}
	now := map[string]ledger.Entry{}
	for _, c := range pass.Changes {
		if c.After != nil {
			now[c.Path] = *c.After
		}
	}
	for i := range pass.Plan.Surfaces {
		f := &pass.Plan.Surfaces[i]
		for _, p := range pairs {
			if p.After == nil || p.After.Declares(f.Symbol) == nil {
				continue
			}
			if err := surfaces.Judge(ctx, pass, f, p.After, now[p.Path]); err != nil {
				return err
			}
		}
	}
	return nil
}
