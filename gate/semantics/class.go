// Package semantics holds the class of change that a step declares against what
// it did to exported Go declarations. [Declared] asks every step for a class,
// in planning; [Gate] compares, after an attempt. Both block (level 1).
//
// The class is read from the Go files that changed, by syntax. Function bodies
// are not looked at, so preserving is the least that can be said: nothing that
// others compile against moved. A file that is built in fewer cases than before
// takes its declarations away from somebody, unless other changed files declare
// the same for these cases. What others may not compile with any more (it is
// gone, or has another type) is breaking; another value is modifying, and so is
// all that no declaration shows. A declared class above the actual one is recorded
// and no fault, and a gate never changes a class: a step that turns out to do
// more is refused until it is classified anew and approved.
package semantics

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/content"
	"github.com/planlock/planlock/gate/internal/goapi"
	"github.com/planlock/planlock/gate/internal/trusted"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Gate is the gate that holds the class that a step declares against what it
// did to the exported Go declarations.
func Gate() gate.Gate {
	return trusted.New(gate.Info{
		Name:    "semantic-class",
		Doc:     "A step that is preserving leaves the exported Go declarations of the files it changes as they are, one that is extending only adds to them, and one that is modifying takes nothing away that others compile against; a change of a higher class than declared fails. A declaration that its file's name or build constraint takes out of some builds is gone there. Test files and package main export nothing; function bodies are not looked at.",
		Version: "2", Level: gate.BlocksStep, Phases: []gate.Phase{gate.After}, Stateless: true,
	}, content.Unchanged, judgeClass)
}

// classes in the order of their risk.
var classes = []plan.SemanticChange{plan.Preserving, plan.Extending, plan.Modifying, plan.Breaking}

func judgeClass(ctx context.Context, pass *gate.Pass) error {
	declared := pass.Step.SemanticChange
	if declared == plan.Breaking {
		pass.Evidencef("the step is declared breaking, which allows every change")
		return nil
	}
	diffs, err := changedAPI(ctx, pass)
	if err != nil {
		return err
	}
	actual := plan.Preserving
	for _, d := range diffs {
		class := classOf(d)
		actual = classes[max(rank(actual), rank(class))]
		if declared == "" || rank(class) <= rank(declared) {
			continue
		}
		pass.Report(gate.Finding{Code: code.SemanticClass, Path: d.Path, Line: d.Line,
			Message:  fmt.Sprintf("%s: %s: the step is declared %s, and this is at least %s; undo it, or reclassify the step and have it approved again", d.Name, d.What, declared, class),
			Expected: cmp.Or(d.Before, "not there"), Happened: cmp.Or(d.After, "removed")})
	}
	conclude(pass, declared, actual)
	return nil
}

func conclude(pass *gate.Pass, declared, actual plan.SemanticChange) {
	switch {
	case declared != "":
		pass.Evidencef("the step is declared %s; what its Go files export changed as in %s", declared, actual)
	case actual == plan.Preserving || pass.Plan != nil && pass.Plan.Profile.Records():
		pass.Evidencef("the step declares no class; what its Go files export changed as in %s", actual)
	default:
		pass.Report(gate.Finding{Code: code.SemanticClass, Message: fmt.Sprintf("the step declares no class, and its change is at least %s", actual),
			Expected: "a semantic_change", Happened: string(actual)})
	}
}

func rank(c plan.SemanticChange) int { return slices.Index(classes, c) }

// classOf is the least class that allows a difference.
func classOf(d goapi.Difference) plan.SemanticChange {
	switch d.Effect {
	case goapi.Added:
		return plan.Extending
	case goapi.Altered:
		return plan.Modifying
	}
	return plan.Breaking
}

// changedAPI compares, folder by folder, what the changed Go files exported
// before and export now. Names carry their folder.
func changedAPI(ctx context.Context, pass *gate.Pass) ([]goapi.Difference, error) {
	var folders []string
	byFolder := map[string][]ledger.Change{}
	for _, c := range pass.Changes {
		if !content.IsGo(c.Path) || !content.IsSurface(c.Path) {
			continue
		}
		f := content.FolderOf(c.Path)
		if byFolder[f] == nil {
			folders = append(folders, f)
		}
		byFolder[f] = append(byFolder[f], c)
	}
	slices.Sort(folders)
	var out []goapi.Difference
	for _, f := range folders {
		was, err := surface(ctx, pass, byFolder[f], content.Before)
		if err != nil {
			return nil, err
		}
		is, err := surface(ctx, pass, byFolder[f], content.After)
		if err != nil {
			return nil, err
		}
		for _, d := range goapi.Compare(was, is) {
			d.Name = f + "." + d.Name
			out = append(out, d)
		}
	}
	return out, nil
}

// surface is what one side of some changes exports. Of a broken file, what can
// be read counts: that it is broken is the syntax gate's to say.
func surface(ctx context.Context, pass *gate.Pass, changes []ledger.Change, of content.Side) (*goapi.Surface, error) {
	s := &goapi.Surface{}
	for _, c := range changes {
		e := of(c)
		if e == nil || e.Kind != ledger.File {
			continue
		}
		if !content.Readable(e) {
			pass.Evidencef("%q is larger than %d bytes and was not read", c.Path, content.Max)
			continue
		}
		text, err := content.Of(ctx, pass, *e)
		if err != nil {
			return nil, err
		}
		if err := s.Add(e.Path, text); err != nil {
			pass.Evidencef("%q does not parse: %v", c.Path, err)
		}
	}
	return s, nil
}
