// Package semantics holds the class of change that a step declares against what
// it did to what its source files offer to others. [Declared] asks every step
// for a class, in planning; [Gate] compares, after an attempt. Both block (level
// 1).
//
// The class is read from the surfaces of the source files that changed, by
// syntax, in each language that somebody reads. Function bodies are not looked
// at, so preserving is the least that can be said: nothing that others use
// moved. A file that is built in fewer cases than before takes its declarations
// away from somebody, unless other changed files declare the same for these
// cases. What others may not use any more as they did (it is gone, or has another
// type) is breaking; another value is modifying, and so is all that no
// declaration shows. A declared class above the actual one is recorded and no
// fault, and a gate never changes a class: a step that turns out to do more is
// refused until it is classified anew and approved.
//
// What nobody can say is not so: a file in a language that nobody reads, or
// whose surface cannot be told, keeps a step from being preserving or extending.
// Only a file that is new can take nothing away. A step that is modifying is held
// to what can be said.
package semantics

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/content"
	"github.com/planlock/planlock/gate/internal/trusted"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/plan"
)

// Gate is the gate that holds the class that a step declares against what it
// did to what its source files offer.
func Gate() gate.Gate {
	return trusted.New(gate.Info{
		Name:    "semantic-class",
		Doc:     "A step that is preserving leaves what the source files that it changes offer to others as it is, one that is extending only adds to it, and one that is modifying takes nothing away from those who use it; a change of a higher class than declared fails, and so does one that is preserving or extending of which nobody can say it: a language that nobody reads, a file that does not parse, a surface that only shows at run time (docs/languages.md). A Go declaration that its file's name or build constraint takes out of some builds is gone there. Tests and package main offer nothing; function bodies, and what docs/languages.md names as not looked at, are not looked at.",
		Version: "2", Level: gate.BlocksStep, Phases: []gate.Phase{gate.After}, Stateless: true,
	}, content.Unchanged, judgeClass)
}

// classes in the order of their risk.
var classes = []plan.SemanticChange{plan.Preserving, plan.Extending, plan.Modifying, plan.Breaking}

func judgeClass(ctx context.Context, pass *gate.Pass) error {
	declared := pass.Step.SemanticChange
	if declared == plan.Breaking {
		pass.Nothingf("the step is declared breaking, which allows every change")
		return nil
	}
	pairs, err := content.ChangedSources(ctx, pass)
	if err != nil {
		return err
	}
	if len(pairs) == 0 {
		pass.Nothingf("no source file changed")
		return nil
	}
	actual := plan.Preserving
	for _, d := range differences(pairs) {
		class := classOf(d)
		actual = classes[max(rank(actual), rank(class))]
		if declared == "" || rank(class) <= rank(declared) {
			continue
		}
		pass.Report(gate.Finding{Code: code.SemanticClass, Path: d.Path, Line: d.Line,
			Message:  fmt.Sprintf("%s: %s: the step is declared %s, and this is at least %s; undo it, or reclassify the step and have it approved again", d.Name, d.What, declared, class),
			Expected: cmp.Or(d.Before, "not there"), Happened: cmp.Or(d.After, "removed")})
	}
	conclude(pass, declared, actual, unknown(pass, declared, pairs))
	return nil
}

// unknown objects to the files of which nobody can say whether the step is
// preserving or extending as it is declared to be, and lists all of which nobody
// can say what they offer. A file that is new takes nothing away.
func unknown(pass *gate.Pass, declared plan.SemanticChange, pairs []source.Pair) (paths []string) {
	for i := range pairs {
		p := &pairs[i]
		why := p.Undecided()
		if len(why) == 0 || source.InTestdata(p.Path) || p.Before == nil && declared == plan.Extending {
			continue
		}
		paths = append(paths, p.Path)
		if declared == plan.Preserving || declared == plan.Extending {
			content.Undecided(pass, p.Path, fmt.Sprintf("the step is %s", declared), why)
		}
	}
	return paths
}

// conclude says what the step came to, and objects where it declares no class,
// has to, and turns out to need one.
func conclude(pass *gate.Pass, declared, actual plan.SemanticChange, undecided []string) {
	if len(undecided) > 0 {
		pass.Evidencef("nobody can say what became of what these offer: %s", strings.Join(undecided, ", "))
	}
	became := "; what its source files offer changed as in " + string(actual)
	switch {
	case len(undecided) > 0 && actual == plan.Preserving: // so far as anybody can say
		became = ""
	case len(undecided) > 0:
		became = "; what the others offer changed as in " + string(actual)
	}
	switch {
	case declared != "":
		pass.Evidencef("the step is declared %s%s", declared, became)
	case actual == plan.Preserving || pass.Plan != nil && pass.Plan.Profile.Records():
		pass.Evidencef("the step declares no class%s", became)
	default:
		pass.Report(gate.Finding{Code: code.SemanticClass, Message: fmt.Sprintf("the step declares no class, and its change is at least %s", actual),
			Expected: "a semantic_change", Happened: string(actual)})
	}
}

func rank(c plan.SemanticChange) int { return slices.Index(classes, c) }

// classOf is the least class that allows a difference.
func classOf(d source.Difference) plan.SemanticChange {
	switch d.Effect {
	case source.Adds:
		return plan.Extending
	case source.Alters:
		return plan.Modifying
	}
	return plan.Breaking
}

// differences compares, language by language, what the changed files offered
// before and offer now.
func differences(pairs []source.Pair) []source.Difference {
	var languages []string
	was, is := map[string]*source.Surface{}, map[string]*source.Surface{}
	for i := range pairs {
		p := &pairs[i]
		l := p.Language()
		if was[l] == nil {
			languages = append(languages, l)
			was[l], is[l] = &source.Surface{}, &source.Surface{}
		}
		if p.Before != nil {
			was[l].Join(&p.Before.Surface)
		}
		if p.After != nil {
			is[l].Join(&p.After.Surface)
		}
	}
	slices.Sort(languages)
	var out []source.Difference
	for _, l := range languages {
		out = append(out, source.Differences(was[l], is[l])...)
	}
	return out
}
