package review

import (
	"context"
	"fmt"
	"slices"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
)

// Codes of findings.
const (
	codeNotMet = "criterion-not-met" // the reviewer says that a criterion is not met
	// a pass, or a criterion that is said to be met, cites nothing that is
	// there
	codeNoEvidence = "pass-no-evidence"
	codeCitation   = "citation-not-there"   // a citation points at no line of the tree
	codeRejected   = "rejected-by-reviewer" // what the reviewer objects to
)

// Work makes the gate of a reviewer who did not do the work: that every
// acceptance criterion of a task is met. It blocks the step that ends a task,
// and looks at no other. Several reviewers are several gates, named after them.
func Work(r Reviewer) gate.Gate {
	name := "work-review"
	if label, err := nameOf(r); err == nil && label != "" {
		name += "-" + label
	}
	return gate.New(gate.Info{
		Name: name,
		Doc: "A reviewer who did not do the work finds every acceptance criterion of the task met, " +
			"and cites where.",
		Version: "1", Level: gate.BlocksStep, Phases: []gate.Phase{gate.After}, Timeout: timeout,
	}, func(ctx context.Context, pass *gate.Pass) error { return judge(ctx, r, pass) })
}

// judge has a reviewer look at the work of a task once its last step is over.
// Before that there is nothing to say.
func judge(ctx context.Context, r Reviewer, pass *gate.Pass) error {
	if pass.Task == nil || pass.Step == nil {
		return fmt.Errorf("review: the pass has no step")
	}
	if n := len(pass.Task.Steps); n > 0 && pass.Task.Steps[n-1].Address != pass.Step.Address {
		pass.Evidencef("task %s is not over", pass.Task.ID)
		return nil
	}
	review, err := ask(ctx, r, ofWork(pass))
	if err != nil {
		return err
	}
	w := &witness{pass: pass}
	w.cited, err = w.all(ctx, review.Citations)
	if err != nil {
		return err
	}
	if err := w.criteria(ctx, review); err != nil {
		return err
	}
	return w.verdict(review)
}

// ofWork is what a reviewer is asked when a task is done. What changed is told
// since the run began, as the task may have needed several steps.
func ofWork(pass *gate.Pass) Request {
	t := pass.Task
	r := Request{About: AboutWork, Task: t.ID, Title: t.Title, Text: t.Description, Priority: t.Priority,
		Step: string(pass.Step.Address), Attempt: fmt.Sprintf("%s#%d", pass.Step.Address, pass.Attempt),
		Retry: max(pass.Attempt-1, 0), Acceptance: t.AcceptanceCriteria, Dir: pass.Dir, Runner: pass.Runner}
	if pass.Plan != nil {
		r.Goal = pass.Plan.Goal
	}
	changes := pass.Changes
	if pass.Base != nil && pass.After != nil {
		changes = ledger.Diff(pass.Base, pass.After)
	}
	for _, c := range changes {
		r.Changed = append(r.Changed, c.Path)
	}
	return r
}

// A witness looks whether what is cited is there.
type witness struct {
	pass  *gate.Pass
	lines map[string]int // of files that were looked at; -1: not there
	cited int            // citations that are there
}

// criteria looks at each criterion of the task.
func (w *witness) criteria(ctx context.Context, review Review) error {
	verdict := gate.Result(review.Verdict)
	for i, text := range w.pass.Task.AcceptanceCriteria {
		at := slices.IndexFunc(review.Criteria, func(c Criterion) bool { return c.Number == i+1 })
		if at < 0 {
			if verdict == gate.Passed {
				w.object(codeNoEvidence, fmt.Sprintf("nothing is said of criterion %d: %s", i+1, text))
			}
			continue
		}
		c := review.Criteria[at]
		n, err := w.all(ctx, c.Citations)
		if err != nil {
			return err
		}
		w.cited += n
		switch {
		case !c.Met && verdict == gate.Partial:
			w.pass.Partialf("", "criterion %d is not met: %s %s", i+1, text, c.Note)
		case !c.Met:
			w.object(codeNotMet, fmt.Sprintf("criterion %d is not met: %s %s", i+1, text, c.Note))
		case n == 0:
			w.object(codeNoEvidence, fmt.Sprintf("criterion %d is said to be met, and nothing that is there is cited for it: %s", i+1, text))
		default:
			w.pass.Evidencef("criterion %d is met: %s", i+1, text)
		}
	}
	return nil
}

// verdict adds what the reviewer says as a whole.
func (w *witness) verdict(review Review) error {
	verdict := gate.Result(review.Verdict)
	for _, text := range review.Findings {
		switch verdict {
		case gate.Partial:
			w.pass.Partialf("", "%s", text)
		case gate.Fail:
			w.object(codeRejected, text)
		default:
			w.pass.Evidencef("remark: %s", text)
		}
	}
	switch verdict {
	case gate.Passed:
		if w.cited == 0 {
			w.object(codeNoEvidence, "the reviewer passes the task and cites nothing that is there")
		}
	case gate.Partial:
		w.pass.Partialf("", "the reviewer says that the task is done in part")
	case gate.Fail:
		if len(review.Findings) == 0 {
			w.object(codeRejected, "the reviewer rejects the task")
		}
	default:
		return fmt.Errorf("%w: the verdict is %q", ErrAnswer, review.Verdict)
	}
	return nil
}

func (w *witness) object(code, message string) {
	w.pass.Report(gate.Finding{Code: code, Message: message})
}
