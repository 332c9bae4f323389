package expected

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/trusted"
	"github.com/planlock/planlock/gate/internal/workspace"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/ledger"
)

// Evidence is the gate that asks for the files that a step owes as evidence.
func Evidence() gate.Gate {
	return trusted.New(gate.Info{
		Name:    "evidence",
		Doc:     "Every path that the step lists as evidence must be there, must not be empty, and must be the work of the attempt: changed by it, or not older.",
		Version: "2", Level: gate.BlocksStep, Phases: []gate.Phase{gate.After}, Stateless: true,
	}, nothingOwed, judgeEvidence)
}

// judgeEvidence looks at the disk and not at the tree: evidence may lie where
// the plan has nothing accounted. A folder is evidence as long as something is
// in it.
func judgeEvidence(_ context.Context, pass *gate.Pass) error {
	if len(pass.Step.Evidence) == 0 {
		pass.Nothingf("the step owes no evidence")
		return nil
	}
	w, err := workspace.Open(pass.Dir)
	if err != nil {
		return err
	}
	defer w.Close()
	for _, p := range pass.Step.Evidence {
		info, err := w.Stat(p)
		empty := err == nil && !info.IsDir() && info.Size() == 0
		if err == nil && info.IsDir() {
			entries, err := fs.ReadDir(w.FS(), p)
			if err != nil {
				return fmt.Errorf("evidence: %w", err)
			}
			empty = len(entries) == 0
		}
		switch {
		case err != nil && !workspace.Gone(err) && !workspace.LeadsOutside(err):
			return fmt.Errorf("evidence: %w", err)
		case err != nil:
			lacking(pass, p, workspace.WhyNot(err))
		case empty:
			lacking(pass, p, "it is empty")
		case !written(pass, p, info):
			lacking(pass, p, "it was there before the step, and is as it was")
		default:
			pass.Evidencef("%q is there (%s, %d bytes)", p, workspace.KindOf(info.Mode()), info.Size())
			pass.Cite(gate.Citation{Path: p})
		}
	}
	return nil
}

// written reports whether a path is the work of the attempt: it, or something
// below it, changed or, where that cannot be seen in a tree, was written since.
// A pass that has no trees, as in a test of the host, is believed.
func written(pass *gate.Pass, p string, info fs.FileInfo) bool {
	if pass.Before == nil || pass.After == nil || slices.ContainsFunc(pass.Changes, func(c ledger.Change) bool {
		return c.After != nil && (c.Path == p || strings.HasPrefix(c.Path, p+"/"))
	}) {
		return true
	}
	return !pass.Began.IsZero() && !info.ModTime().Before(pass.Began)
}

// lacking reports evidence that is not there, or empty.
func lacking(pass *gate.Pass, p, happened string) {
	pass.Report(gate.Finding{Code: code.EvidenceMissing, Path: p, Message: fmt.Sprintf("the step owes %q as evidence: %s", p, happened),
		Expected: "something that is not empty", Happened: happened})
}

// nothingOwed reports whether there is nothing to look for.
func nothingOwed(pass *gate.Pass) bool { return pass.Step != nil && len(pass.Step.Evidence) == 0 }
