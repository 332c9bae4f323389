package main

import (
	"context"
	"io"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// words rejects a step that leaves a word in a file which it creates or changes.
// Without one that the plan names, it rejects nothing.
var words = gate.New(
	gate.Info{
		Name: "words", Doc: "rejects words in what a step writes", Version: "1",
		Level: gate.BlocksStep, Phases: []gate.Phase{gate.During}, Stateless: true,
		Args: []plan.Argument{{Name: "reject", Kind: "array", Doc: "the words"}},
	},
	func(ctx context.Context, pass *gate.Pass) error {
		reject := pass.Args.Texts("reject")
		for _, change := range pass.Changes {
			if change.After == nil || change.After.Kind != ledger.File {
				continue
			}
			text, err := read(ctx, pass, *change.After)
			if err != nil {
				return err // it could not be decided, which is no "no"
			}
			for _, word := range reject {
				if strings.Contains(text, word) {
					pass.Reportf(change.Path, "%q must not stay in it", word)
				}
			}
		}
		pass.Evidencef("%d changes looked at for %d words", len(pass.Changes), len(reject))
		return nil
	})

// read is the text of a file, as far as anybody writes one by hand.
func read(ctx context.Context, pass *gate.Pass, e ledger.Entry) (string, error) {
	const enough = 1 << 20
	r, err := pass.Content(ctx, e)
	if err != nil {
		return "", err
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, enough))
	return string(text), err
}
