// Package nokeys is a gate of one's own, with its test: it rejects key files
// that a step adds to the workspace.
//
// A host adds it to [exec.Controller.Gates]; the built-in gates stay.
package nokeys

import (
	"context"
	"io"
	"path"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
)

// Gate rejects a step that creates a file which holds a private key, or is
// named like one.
var Gate = gate.New(
	gate.Info{
		Name: "nokeys", Doc: "rejects private keys in what a step creates", Version: "1",
		Level: gate.BlocksStep, Phases: []gate.Phase{gate.During}, Stateless: true,
	},
	func(ctx context.Context, pass *gate.Pass) error {
		for _, change := range pass.Changes {
			if change.Op != ledger.Created || change.After.Kind != ledger.File {
				continue
			}
			key, err := holdsKey(ctx, pass, *change.After)
			if err != nil {
				return err // it could not be decided, which is no "no"
			}
			if key {
				pass.Reportf(change.Path, "a private key must not lie in the workspace")
			}
		}
		pass.Evidencef("%d changes looked at", len(pass.Changes))
		return nil
	})

// start is enough to recognise a key in PEM form.
const start = 4 << 10

func holdsKey(ctx context.Context, pass *gate.Pass, e ledger.Entry) (bool, error) {
	if ext := path.Ext(e.Path); ext == ".pem" || ext == ".key" {
		return true, nil
	}
	r, err := pass.Content(ctx, e)
	if err != nil {
		return false, err
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, start))
	return strings.Contains(string(text), "PRIVATE KEY-----"), err
}
