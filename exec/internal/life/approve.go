package life

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/flow"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Approve asks the planning gates: those of level 2 first. It returns what they
// said also where it refuses.
func (l *Life) Approve(ctx context.Context, draft *plan.Draft) ([]gate.Judgement, error) {
	pass := &gate.Pass{Phase: gate.Planning, Plan: l.Plan, Draft: draft, Dir: l.Work.Root, Base: l.Work.Base,
		Before: l.Work.Base, After: l.Work.Base,
		Content: l.Work.Content(l.Work.Root), Runner: l.Runner(nil), Log: l.Rec.Log, Sources: l.Sources}
	judged := l.Panel.Ask(ctx, pass)
	var reasons []string
	for _, j := range judged {
		if j.Blocks() {
			reasons = append(reasons, j.Reasons()...)
		}
	}
	if len(reasons) > 0 {
		return judged, &session.Refusal{Reasons: reasons, Hint: "the plan is not approved: change it and lock it again"}
	}
	return judged, nil
}

// outline is the order of the run. It stands in the journal, so that views need
// no plan to say what comes next.
func (l *Life) outline(format plan.Format) []history.Outline {
	order := flow.Order(l.Plan, format)
	steps := make([]history.Outline, 0, len(order))
	for _, address := range order {
		task, step := l.Contract.At(address)
		first, _, _ := strings.Cut(step.Description, "\n")
		steps = append(steps, history.Outline{Address: address, Task: task.ID, Title: first,
			Critical: step.IsCritical(), Rollback: step.Rollback})
	}
	return steps
}

// Verdicts are judgements as the lock keeps them. A gate that had nothing to judge
// approves nothing.
func Verdicts(judged []gate.Judgement) []plan.Approval {
	var list []plan.Approval
	for _, j := range judged {
		if !j.Judged() {
			continue
		}
		a := plan.Approval{Gate: j.Gate, Level: int(j.Level), Verdict: "undecided"}
		if j.Verdict != nil {
			a.Verdict = string(j.Verdict.Result)
		}
		list = append(list, a)
	}
	return list
}

// keepPlan keeps the plan's meaning beside the trees, so that views can be
// drawn when its file is gone, and the files that it and its lock were read
// from, so that the workspace can be made anew elsewhere.
func keepPlan(ctx context.Context, s *session.Session) (ledger.Digest, error) {
	text, err := json.Marshal(s.Plan)
	if err != nil {
		return "", fmt.Errorf("exec: plan: %w", err)
	}
	contents, files := [][]byte{text}, []string{s.LockFile}
	for _, f := range s.Files {
		files = append(files, f.Path)
	}
	for _, path := range files {
		// One that was read from memory is in no file, and what else is wrong with
		// one is told where it is looked at.
		if source, err := os.ReadFile(path); err == nil {
			contents = append(contents, source)
		}
	}
	digests, err := s.Rec.Store.PutAll(ctx, contents...)
	if err != nil {
		return "", err
	}
	return digests[0], nil
}
