package cmd

import (
	"context"
	"fmt"

	"github.com/planlock/planlock/exec"
)

// verifyCommand is "planlock verify".
type verifyCommand struct {
	arguments
	workspaceFlag
	Store bool `help:"reads all that is kept for any run instead, and names what is damaged or missing and who needs it"`
}

// Run carries the command out.
func (f *verifyCommand) Run(ctx context.Context, p *cli) error {
	if f.Store && len(f.Args) > 0 {
		return &usageError{"verify: --store is about all runs, so it takes none"}
	}
	if f.Store {
		return placed(p.verifyStore(ctx, f.Dir), f.Dir, "", nil)
	}
	ws := p.workspace(f.Dir)
	id, err := find(ws, f.first())
	if err != nil {
		return placed(err, f.Dir, "", nil)
	}
	proof, err := ws.Verify(ctx, id)
	if err != nil {
		return placed(err, f.Dir, "", nil)
	}
	fmt.Fprintf(p.out, "run %s holds: %s, %s with %s, %s\n", id, plural(proof.Records, "record"),
		plural(proof.Trees, "tree"), plural(proof.Contents, "content"), plural(proof.Views, "view"))
	if proof.Run.Sealed == nil {
		fmt.Fprintf(p.out, "It is not sealed (%s): views are proved once it has ended.\n", proof.Run.Status)
	}
	return nil
}

// verifyStore reads everything that a workspace keeps, and says what is damaged
// or missing and who needs it. It changes nothing.
func (p *cli) verifyStore(ctx context.Context, dir string) error {
	faults, known := 0, map[exec.Fault]bool{}
	checked, err := p.workspace(dir).CheckContents(ctx, func(f exec.Fault) {
		fmt.Fprintln(p.out, escaped(f.String()))
		if f.Digest != "" { // one fault, whoever needs the content
			f.NeededBy, f.Text = "", ""
		}
		if !known[f] {
			faults++
		}
		known[f] = true
	})
	switch {
	case err != nil:
		return p.nothingKept(err)
	case faults > 0:
		fmt.Fprintf(p.out, "The store does not hold: %s.\n", plural(faults, "fault"))
		return &quietError{statusRefused}
	}
	fmt.Fprintf(p.out, "The store holds: %s of %s in %s.\n", plural(checked.Contents, "content"), plural(checked.Bytes, "byte"), plural(checked.Packs, "pack"))
	return nil
}
