package validator

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
)

// Timeout is how long a reviewer may take.
const Timeout = 120 * time.Second

// Codes of findings.
const (
	CodeNotMet = "criterion-not-met" // the reviewer says that a criterion is not met
	// a pass, or a criterion that is said to be met, cites nothing that is
	// there
	CodeNoEvidence = "pass-no-evidence"
	CodeCitation   = "citation-not-there"   // a citation points at no line of the tree
	CodeRejected   = "rejected-by-reviewer" // what the reviewer objects to
)

// New makes the gate of a reviewer. It blocks the step that ends a task, and
// looks at no other.
func New(r Reviewer) gate.Gate {
	return gate.New(gate.Info{
		Name:    "validator",
		Doc:     "A reviewer who did not do the work finds every acceptance criterion of the task met, and cites where.",
		Version: "1", Level: gate.BlocksStep, Phases: []gate.Phase{gate.After}, Timeout: Timeout,
	}, func(ctx context.Context, pass *gate.Pass) error { return judge(ctx, r, pass) })
}

func judge(ctx context.Context, r Reviewer, pass *gate.Pass) error {
	if pass.Task == nil || pass.Step == nil {
		return fmt.Errorf("validator: the pass has no step")
	}
	if n := len(pass.Task.Steps); n > 0 && pass.Task.Steps[n-1].Address != pass.Step.Address {
		pass.Evidencef("task %s is not over", pass.Task.ID)
		return nil
	}
	review, err := r.Review(ctx, request(pass), pass.Runner)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
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

func request(pass *gate.Pass) Request {
	t := pass.Task
	r := Request{Schema: Schema, Task: t.ID, Title: t.Title, Description: t.Description,
		Step: string(pass.Step.Address), Attempt: pass.Attempt,
		Criteria: t.AcceptanceCriteria, Dir: pass.Dir}
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
	for i, text := range w.pass.Task.AcceptanceCriteria {
		at := slices.IndexFunc(review.Criteria, func(c Criterion) bool { return c.Number == i+1 })
		if at < 0 {
			if review.Verdict == gate.Passed {
				w.object(CodeNoEvidence, fmt.Sprintf("nothing is said of criterion %d: %s", i+1, text))
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
		case !c.Met && review.Verdict == gate.Partial:
			w.pass.Partialf("", "criterion %d is not met: %s %s", i+1, text, c.Note)
		case !c.Met:
			w.object(CodeNotMet, fmt.Sprintf("criterion %d is not met: %s %s", i+1, text, c.Note))
		case n == 0:
			w.object(CodeNoEvidence, fmt.Sprintf("criterion %d is said to be met, and nothing that is there is cited for it: %s", i+1, text))
		default:
			w.pass.Evidencef("criterion %d is met: %s", i+1, text)
		}
	}
	return nil
}

// verdict adds what the reviewer says as a whole.
func (w *witness) verdict(review Review) error {
	for _, text := range review.Findings {
		switch review.Verdict {
		case gate.Partial:
			w.pass.Partialf("", "%s", text)
		case gate.Fail:
			w.object(CodeRejected, text)
		default:
			w.pass.Evidencef("remark: %s", text)
		}
	}
	switch review.Verdict {
	case gate.Passed:
		if w.cited == 0 {
			w.object(CodeNoEvidence, "the reviewer passes the task and cites nothing that is there")
		}
	case gate.Partial:
		w.pass.Partialf("", "the reviewer says that the task is done in part")
	case gate.Fail:
		if len(review.Findings) == 0 {
			w.object(CodeRejected, "the reviewer rejects the task")
		}
	default:
		return fmt.Errorf("%w: the verdict is %q", ErrAnswer, review.Verdict)
	}
	return nil
}

func (w *witness) object(code, message string) {
	w.pass.Report(gate.Finding{Code: code, Message: message})
}
