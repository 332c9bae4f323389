package session

import (
	"slices"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/plan"
)

// invariants says since when each invariant holds, and which step broke those
// that do not hold and are tolerated: as the gates saw it that judged the
// accepted steps, and the beginning of the step of. Of a run that finishes another
// one nothing is known before the first step that it carries out.
func (s *Session) invariants(of *history.Step) (introduced map[string]string, broken map[string]plan.Address) {
	introduced, broken = map[string]string{}, map[string]plan.Address{}
	tolerated := slices.ContainsFunc(s.Plan.Invariants, func(inv plan.Invariant) bool { return !inv.Critical })
	known := s.Rec.Run.Started.From == nil
	if known {
		for _, inv := range s.Plan.Invariants {
			introduced[inv.ID] = "base"
		}
		if !tolerated {
			return introduced, broken // no step goes on after one is broken, and there is nothing to look through
		}
	}
	held := map[string]bool{} // after some step
	look := func(js []gate.Judgement, by plan.Address) {
		fell, first := fallen(js), !known && slices.ContainsFunc(js, looked)
		known = known || first
		for _, inv := range s.Plan.Invariants {
			_, was := broken[inv.ID]
			switch {
			case first && !fell[inv.ID]:
				introduced[inv.ID] = "base"
			case fell[inv.ID] && !was:
				broken[inv.ID] = by
				if by != "" || !held[inv.ID] {
					delete(introduced, inv.ID)
				}
			case !fell[inv.ID] && was && by != "":
				introduced[inv.ID] = string(by)
				delete(broken, inv.ID)
			}
			if by != "" && !fell[inv.ID] {
				held[inv.ID] = true
			}
		}
	}
	for _, step := range s.Rec.Run.Concluded() {
		look(step.Gates, "")
		if last := step.Last(); last != nil && step.Completed != nil {
			look(last.Gates, step.Address)
		}
	}
	if of != nil {
		look(of.Gates, "")
	}
	return introduced, broken
}

// looked reports whether the gate of the invariants decided them.
func looked(j gate.Judgement) bool { return j.Gate == "invariants" && j.Verdict != nil }

// fallen are the ids of the invariants of which a gate said that they do not
// hold.
func fallen(js []gate.Judgement) map[string]bool {
	ids := map[string]bool{}
	for _, j := range js {
		if j.Verdict == nil {
			continue
		}
		for _, f := range j.Verdict.Findings {
			if f.Code == code.Invariant && f.About != "" {
				ids[f.About] = true
			}
		}
	}
	return ids
}
