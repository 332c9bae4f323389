package people

import (
	"context"
	"fmt"
	"slices"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/escalator"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/ledger"
)

// A Memory is what persons said before: in this run, and in earlier ones of the
// same plan.
type Memory struct {
	*session.Session
	// Choices are the remembered choices of the workspace.
	Choices *escalator.Precedents
}

// Precedents are the remembered choices that may answer questions of a plan. A
// run is bound to those that are there when it begins: what appears in the
// folder later, by whosever hand, answers nothing in it.
func (m *Memory) Precedents(ctx context.Context, digest ledger.Digest) []ask.Precedent {
	list, err := m.Choices.List(ctx)
	if err != nil {
		m.Warn(err.Error())
	}
	return slices.DeleteFunc(list, func(p ask.Precedent) bool { return p.Revoked != nil || p.Plan != digest })
}

// answer answers a question by a remembered choice, if there is one: the
// narrower goes before the wider, the later before the earlier. Each answers so
// often for a step, and then somebody is asked again.
func (m *Memory) answer(ctx context.Context, q ask.Question) (ask.Answer, bool) {
	known := slices.Clone(m.Rec.Run.Started.Remembered)
	for _, r := range m.Rec.Run.Remembered {
		if r.ID != "" {
			known = append(known, m.precedent(r))
		}
	}
	for _, narrow := range []bool{true, false} {
		for _, old := range slices.Backward(known) {
			by := fmt.Sprintf("remembered choice %s of %s", old.ID, old.By)
			if old.Plan != m.Rec.Run.Started.Plan { // the run was amended since: nobody has said it of this plan
				continue
			}
			if (old.Step != "") != narrow || !old.Applies(q) || m.answersBy(q, by) >= ask.MaxRemembered ||
				m.Choices.Revoked(ctx, old.ID) {
				continue
			}
			return ask.Answer{Question: q.ID, Run: q.Run, Attempt: q.Attempt, Choice: old.Choice, Reason: old.Reason,
				By: by, At: m.Now().UTC()}, true
		}
	}
	return ask.Answer{}, false
}

// answersBy is how many questions about the step somebody has answered.
func (m *Memory) answersBy(q ask.Question, by string) int {
	s := m.Rec.Run.Step(q.Step)
	if s == nil {
		return 0
	}
	n := 0
	for _, x := range s.Questions {
		if x.Answer != nil && x.Answer.By == by {
			n++
		}
	}
	return n
}

// precedent is what a fact about a remembered choice stands for.
func (m *Memory) precedent(r history.Remembered) ask.Precedent {
	return ask.Precedent{ID: r.ID, Plan: r.Plan, Kind: r.Kind, Step: r.Step, Choice: r.Choice, Reason: r.Reason,
		By: r.By, At: r.At, Run: m.Rec.Run.Started.Run, Question: r.Question}
}

// Keep puts the choices that were remembered in this run where later runs find
// them. It can be repeated.
func (m *Memory) Keep(ctx context.Context) {
	for _, r := range m.Rec.Run.Remembered {
		if r.ID == "" {
			continue
		}
		if err := m.Choices.Remember(ctx, m.precedent(r)); err != nil {
			m.Warn(err.Error())
		}
	}
}
