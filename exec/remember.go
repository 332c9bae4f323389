package exec

import (
	"context"
	"fmt"
	"slices"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
)

// Choices are the remembered choices of a workspace.
func (w Workspace) Choices() *ask.Precedents { return &ask.Precedents{Dir: w.path("choices")} }

func (e *execution) choices() *ask.Precedents {
	ws := e.workspace()
	return ws.Choices()
}

// precedents are the remembered choices that may answer questions of a plan. A
// run is bound to those that are there when it begins: what appears in the
// folder later, by whosever hand, answers nothing in it.
func (e *execution) precedents(ctx context.Context, digest ledger.Digest) []ask.Precedent {
	list, err := e.choices().List(ctx)
	if err != nil {
		e.Warn(err.Error())
	}
	return slices.DeleteFunc(list, func(p ask.Precedent) bool { return p.Revoked != nil || p.Plan != digest })
}

// answeredBefore answers a question by a remembered choice, if there is one:
// the narrower goes before the wider, the later before the earlier. Each
// answers so often for a step, and then somebody is asked again.
func (e *execution) answeredBefore(ctx context.Context, q ask.Question) (ask.Answer, bool) {
	known := slices.Clone(e.Rec.Run.Started.Remembered)
	for _, r := range e.Rec.Run.Remembered {
		if r.ID != "" {
			known = append(known, e.precedent(r))
		}
	}
	for _, narrow := range []bool{true, false} {
		for _, p := range slices.Backward(known) {
			by := fmt.Sprintf("remembered choice %s of %s", p.ID, p.By)
			if p.Plan != e.Rec.Run.Started.Plan { // the run was amended since: nobody has said it of this plan
				continue
			}
			if (p.Step != "") != narrow || !p.Applies(q) || e.answersBy(q, by) >= ask.MaxRemembered ||
				e.choices().Revoked(ctx, p.ID) {
				continue
			}
			return ask.Answer{Question: q.ID, Run: q.Run, Attempt: q.Attempt, Choice: p.Choice, Reason: p.Reason,
				By: by, At: e.c.now().UTC()}, true
		}
	}
	return ask.Answer{}, false
}

// answersBy is how many questions about the step somebody has answered.
func (e *execution) answersBy(q ask.Question, by string) int {
	s := e.Rec.Run.Step(q.Step)
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
func (e *execution) precedent(r history.Remembered) ask.Precedent {
	return ask.Precedent{ID: r.ID, Plan: r.Plan, Kind: r.Kind, Step: r.Step, Choice: r.Choice, Reason: r.Reason,
		By: r.By, At: r.At, Run: e.Rec.Run.Started.Run, Question: r.Question}
}

// keepRemembered puts the choices that were remembered in this run where later
// runs find them. It can be repeated.
func (e *execution) keepRemembered(ctx context.Context) {
	for _, r := range e.Rec.Run.Remembered {
		if r.ID == "" {
			continue
		}
		if err := e.choices().Remember(ctx, e.precedent(r)); err != nil {
			e.Warn(err.Error())
		}
	}
}
