package standard

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// completeness states the plan's own check again, for the approval.
func completeness() gate.Gate {
	return gate.New(info("completeness",
		"The plan's own check must find no errors; its warnings are evidence.",
		gate.BlocksApproval, gate.Planning), func(_ context.Context, pass *gate.Pass) error {
		if pass.Draft == nil {
			return errors.New("standard: completeness: the pass has no draft")
		}
		for _, d := range pass.Draft.Check(pass.Options) {
			if d.Severity != plan.Error {
				pass.Evidencef("%s:%d:%d: %s: %s: %s", d.Pos.File, d.Pos.Line, d.Pos.Column, d.Severity, d.Code, d.Message)
				continue
			}
			message := d.Code + ": " + d.Message
			if d.Hint != "" {
				message += "; " + d.Hint
			}
			pass.Report(gate.Finding{Code: gate.CodeIncomplete, Path: d.Pos.File, Line: d.Pos.Line, Message: message})
		}
		return nil
	})
}

// declaredNonGoals holds what steps declare against what must not be touched, before anything runs.
func declaredNonGoals() gate.Gate {
	return gate.New(info("declared-non-goals",
		"No step may declare an artifact that a non-goal protects; a glob counts if everything that it can match is protected.",
		gate.BlocksApproval, gate.Planning), func(_ context.Context, pass *gate.Pass) error {
		if pass.Plan == nil {
			return errors.New("standard: declared-non-goals: the pass has no plan")
		}
		eachStep(pass.Plan, func(s *plan.Step) {
			if s.Artifacts != nil {
				declares(pass, s)
			}
		})
		return nil
	})
}

func declares(pass *gate.Pass, s *plan.Step) {
	d := s.Artifacts.Declared()
	for _, n := range pass.Plan.NonGoals {
		for _, paths := range [][]string{d.Create, d.Modify, d.Delete} {
			for _, p := range paths {
				base := path.Clean(p)
				if isGlob(p) {
					base, _ = doublestar.SplitPattern(base)
				}
				if pattern, ok := protects(n, base); ok && base != "." {
					pass.Report(gate.Finding{Code: gate.CodeNonGoal, Path: p,
						Message: fmt.Sprintf("step %s declares %q, and non-goal %q (%s) protects %q", s.Address, p, n.ID, n.Text, pattern)})
				}
			}
		}
		for _, symbols := range [][]string{d.SymbolsAdd, d.SymbolsRemove} {
			for _, sym := range symbols {
				if name, ok := protectsSymbol(n, sym); ok {
					pass.Report(gate.Finding{Code: gate.CodeNonGoal,
						Message: fmt.Sprintf("step %s declares symbol %q, and non-goal %q (%s) protects %q", s.Address, sym, n.ID, n.Text, name)})
				}
			}
		}
	}
}

// classification asks for a class of every step that changes something.
func classification() gate.Gate {
	return gate.New(info("classification",
		"Every step that changes something must state its semantic_change; under the profile observe a step without one is recorded.",
		gate.BlocksStep, gate.Planning), func(_ context.Context, pass *gate.Pass) error {
		if pass.Plan == nil {
			return errors.New("standard: classification: the pass has no plan")
		}
		eachStep(pass.Plan, func(s *plan.Step) {
			switch {
			case s.SemanticChange != "" || !changes(s):
			case pass.Plan.Profile == plan.Observe:
				pass.Evidencef("step %s has no semantic_change (recorded, as the profile is observe)", s.Address)
			default:
				pass.Report(gate.Finding{Code: gate.CodeSemanticClass,
					Message:  fmt.Sprintf("step %s changes something and has no semantic_change", s.Address),
					Expected: "preserving, extending, modifying or breaking"})
			}
		})
		return nil
	})
}

// changes reports whether a step may change something.
func changes(s *plan.Step) bool {
	if s.Artifacts == nil {
		return true
	}
	d := s.Artifacts.Declared()
	return len(d.Create)+len(d.Modify)+len(d.Delete)+len(d.SymbolsAdd)+len(d.SymbolsRemove) > 0
}

func eachStep(p *plan.Plan, do func(*plan.Step)) {
	for t := range p.Tasks {
		for s := range p.Tasks[t].Steps {
			do(&p.Tasks[t].Steps[s])
		}
	}
}

// isGlob reports whether a declared path has wildcards.
func isGlob(p string) bool {
	for _, b := range p {
		switch b {
		case '*', '?', '[', '{', '\\':
			return true
		}
	}
	return false
}
