package cmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/ledger"
)

// verifyStore reads everything that a workspace keeps, and says what is damaged
// or missing and who needs it. It changes nothing.
func (p *cli) verifyStore(ctx context.Context, dir string) error {
	ws := p.workspace(dir)
	if there, err := hasStore(ws); err != nil || !there {
		if err == nil {
			fmt.Fprintln(p.out, "Nothing is kept here: no plan has been run yet.")
		}
		return err
	}
	blobs, err := checkpoint.OpenFolderContext(ctx, storeOf(ws))
	if err != nil {
		return err
	}
	faults := 0
	lost := map[ledger.Digest]string{}
	checked, err := blobs.Check(ctx, func(f checkpoint.PackFault) {
		faults++
		if f.Digest != "" {
			lost[f.Digest] = "damaged"
		}
		if rel, err := filepath.Rel(dir, f.Pack); err == nil {
			f.Pack = rel
		}
		fmt.Fprintf(p.out, "damaged: %s\n", escaped(f.String()))
	})
	if err == nil {
		var missing int
		missing, err = p.tellMissing(ctx, dir, blobs, &checked, lost)
		faults += missing
	}
	if err = errors.Join(err, blobs.Close()); err != nil {
		return err
	}
	if faults > 0 {
		fmt.Fprintf(p.out, "The store does not hold: %s.\n", plural(faults, "fault"))
		return &quietError{statusRefused}
	}
	fmt.Fprintf(p.out, "The store holds: %s of %s in %s.\n", plural(checked.Contents, "content"), plural(checked.Bytes, "byte"), plural(checked.Packs, "pack"))
	return nil
}

// tellMissing names what journals need and the store does not hold intact; what
// is in lost was told of, and only who needs it is added. It returns how many
// faults there are besides.
func (p *cli) tellMissing(ctx context.Context, dir string, blobs *checkpoint.Folder, checked *checkpoint.Checked, lost map[ledger.Digest]string) (int, error) {
	ws := p.workspace(dir)
	ids, err := journalsIn(ws)
	if err != nil {
		return 0, err
	}
	faults := 0
	store := checkpoint.NewStore(blobs)
	for _, id := range ids {
		err := eachReference(ctx, ws, store, id, func(ref checkpoint.Reference, err error) error {
			if ref.Digest == "" {
				return err // of the journal itself
			}
			whole := checked.Holds(ref.Digest)
			if err == nil && (whole || !isNeeded(ref) && lost[ref.Digest] == "") {
				return ctx.Err()
			}
			what := lost[ref.Digest]
			switch {
			case whole:
				what = "unreadable" // it is no manifest, or of a later version
				faults++
			case what == "":
				what = "missing"
				lost[ref.Digest] = what
				faults++
			}
			fmt.Fprintf(p.out, "%s: %s, needed by %s\n", what, ref.Digest, escaped(ref.String()))
			return ctx.Err()
		})
		if err != nil {
			faults++
			fmt.Fprintf(p.out, "journal of run %s: %s\n", id, escaped(err.Error()))
		}
		if ctx.Err() != nil {
			return faults, context.Cause(ctx)
		}
	}
	return faults, nil
}

// isNeeded reports whether a digest in a journal is that of a content which must
// be kept: others name trees and plans. Manifests come with an error if they are gone.
func isNeeded(ref checkpoint.Reference) bool {
	return ref.Path != "" || ref.Key == "plan_blob" || ref.Key == "whole"
}
