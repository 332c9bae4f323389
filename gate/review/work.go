package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// Codes of findings.
const (
	codeNotMet = "criterion-not-met" // the reviewer says that a criterion is not met
	// a pass, or a criterion that is said to be met, cites nothing that is
	// there
	codeNoEvidence = "pass-no-evidence"
	// a citation points at no line of the tree, or quotes what does not stand
	// there
	codeCitation = "citation-not-there"
	codeRejected = "rejected-by-reviewer" // what the reviewer objects to
)

// Timeout is how long a reviewer of work may take that has no time of its own.
const Timeout = 120 * time.Second

// ErrCrashed says that a reviewer gave no answer, for a reason that need not be
// there another time.
var ErrCrashed = errors.New("review: the reviewer crashed")

// ErrAbstains says that a reviewer does not say anything about work. Nothing is
// reviewed then, and nothing objected to.
var ErrAbstains = errors.New("review: the reviewer does not say")

// Work makes the gate of a reviewer who did not do the work: that every
// acceptance criterion of a task is met, and at the end those of the plan. It
// blocks the step that ends a task, and looks at no other. Several reviewers are several gates, named after them.
// What they say of each criterion is in the verdict (see gate.Pass.Reviewed).
//
// A reviewer is asked once more if its error has [ErrCrashed] in its chain, and
// says nothing if it has [ErrAbstains]. It has
// two minutes in all; one with a method Limit, which says how long it may take
// for an answer, has five.
func Work(r Reviewer) gate.Gate {
	name := "work-review"
	if label, err := nameOf(r); err == nil && label != "" {
		name += "-" + label
	}
	limit := Timeout
	if _, own := r.(interface{ Limit() time.Duration }); own {
		limit = 0 // that of the level: it may be asked twice
	}
	return &work{reviewer: r, Gate: gate.New(gate.Info{
		Name: name,
		Doc: "A reviewer who did not do the work finds every acceptance criterion of the task met, and at the end " +
			"those of the plan, and cites where.",
		Version: "3", Level: gate.BlocksStep, Phases: []gate.Phase{gate.Reviewing, gate.Final}, Timeout: limit,
	}, func(ctx context.Context, pass *gate.Pass) error { return judge(ctx, r, pass) })}
}

// work is the gate of a reviewer. Runs are bound to who that is.
type work struct {
	gate.Gate
	reviewer Reviewer
}

// ReviewerOf is who judges by a gate that [Work] made; nil of any other gate.
func ReviewerOf(g gate.Gate) Reviewer {
	if w, ok := g.(*work); ok {
		return w.reviewer
	}
	return nil
}

// Identity is that of the reviewer.
func (w *work) Identity(ctx context.Context) (string, error) { return identityOf(ctx, w.reviewer) }

// Version is that of the gate, and of the reviewer where it has one.
func (w *work) Version(ctx context.Context) (string, error) {
	version := w.Info().Version
	v, ok := w.reviewer.(interface {
		Version(context.Context) (string, error)
	})
	if !ok {
		return version, nil
	}
	own, err := v.Version(ctx)
	return strings.TrimSpace(version + " " + own), err
}

// judge has a reviewer look at the work of a task once its last step is over.
// Before that there is nothing to say.
func judge(ctx context.Context, r Reviewer, pass *gate.Pass) error {
	if pass.Phase == gate.Final && pass.Plan != nil {
		if len(pass.Plan.Completion.AcceptanceCriteria) == 0 {
			pass.Nothingf("the plan has no completion criteria in words")
			return nil
		}
		pass.Task, pass.Step = whole(pass.Plan)
	}
	if pass.Task == nil || pass.Step == nil {
		return fmt.Errorf("review: the pass has no step")
	}
	if n := len(pass.Task.Steps); n > 0 && pass.Task.Steps[n-1].Address != pass.Step.Address {
		pass.Nothingf("task %s is not over", pass.Task.ID)
		return nil
	}
	s, err := subjectOf(ctx, pass)
	if err != nil {
		return err
	}
	review, err := s.ask(ctx, r)
	switch {
	case errors.Is(err, ErrAbstains):
		pass.Evidencef("%v", err)
		return nil
	case err != nil:
		return err
	}
	said := gate.Review{Reviewer: review.Reviewer}
	if said.Identity, err = identityOf(ctx, r); err != nil {
		return err
	}
	w := &witness{pass: pass, subject: s, said: map[string]bool{}}
	if said.Criteria, err = w.criteria(ctx, review); err != nil {
		return err
	}
	pass.Reviewed(said)
	return w.verdict(review)
}

// whole is a plan as one task, which is reviewed by the criteria in words that
// it has to meet at the end.
func whole(p *plan.Plan) (*plan.Task, *plan.Step) {
	return &plan.Task{ID: "completion", Title: p.Goal, AcceptanceCriteria: p.Completion.AcceptanceCriteria},
		&plan.Step{Address: "completion"}
}

// ask asks a reviewer about the work, once more if it crashes.
func (s *subject) ask(ctx context.Context, r Reviewer) (Review, error) {
	asked, err := s.request(ctx)
	if err != nil {
		return Review{}, err
	}
	review, err := ask(ctx, r, asked)
	if errors.Is(err, ErrCrashed) {
		s.pass.Evidencef("it was asked again: %v", err)
		review, err = ask(ctx, r, asked)
	}
	if err == nil {
		err = review.answers(asked)
	}
	return review, err
}

// identityOf is what tells a reviewer from others; "" if nobody can tell.
func identityOf(ctx context.Context, r Reviewer) (string, error) {
	if i, ok := r.(gate.Identified); ok {
		return i.Identity(ctx)
	}
	return "", nil
}

// criteriaOf are what the work of a pass is reviewed by: the acceptance criteria
// of its task or, where it has none, that it is done, and comes to what its steps
// are expected to.
func criteriaOf(pass *gate.Pass) []string {
	t := pass.Task
	if len(t.AcceptanceCriteria) > 0 {
		return t.AcceptanceCriteria
	}
	text := "done as described: " + cmp.Or(t.Title, t.Description, pass.Step.Description)
	for i := range t.Steps {
		if expected := strings.TrimSpace(t.Steps[i].ExpectedOutput); expected != "" {
			text += "; expected: " + expected
		}
	}
	return []string{clip(text)}
}

// criteria looks at each criterion of the task. Of a task that has none the
// verdict is what is said of it.
func (w *witness) criteria(ctx context.Context, review Review) ([]gate.Criterion, error) {
	texts := criteriaOf(w.pass)
	if len(w.pass.Task.AcceptanceCriteria) == 0 && len(review.Criteria) == 0 {
		review.Criteria = []Criterion{{Number: 1, Met: review.Verdict == string(gate.Passed),
			Citations: review.Citations}}
		review.Citations = nil
	}
	if err := numbered(review.Criteria, len(texts)); err != nil {
		return nil, err
	}
	if _, err := w.all(ctx, "", review.Citations); err != nil {
		return nil, err
	}
	var said []gate.Criterion
	for i, text := range texts {
		c := gate.Criterion{Text: text}
		if at := slices.IndexFunc(review.Criteria, func(c Criterion) bool { return c.Number == i+1 }); at >= 0 {
			of := review.Criteria[at]
			c.Met, c.Note = &of.Met, of.Note
			var err error
			if c.Citations, err = w.all(ctx, text, of.Citations); err != nil {
				return nil, err
			}
		}
		w.criterion(i+1, c, gate.Result(review.Verdict))
		said = append(said, c)
	}
	return said, nil
}

// numbered refuses criteria that nobody asked about, and two answers about one.
func numbered(said []Criterion, asked int) error {
	seen := map[int]bool{}
	for _, c := range said {
		switch {
		case c.Number < 1 || c.Number > asked:
			return fmt.Errorf("%w: it judges criterion %d, and criteria are 1 to %d", ErrAnswer, c.Number, asked)
		case seen[c.Number]:
			return fmt.Errorf("%w: it judges criterion %d twice", ErrAnswer, c.Number)
		}
		seen[c.Number] = true
	}
	return nil
}

// criterion reports what is said of one criterion.
func (w *witness) criterion(number int, c gate.Criterion, verdict gate.Result) {
	switch {
	case c.Met == nil && verdict == gate.Passed:
		w.object(codeNoEvidence, fmt.Sprintf("nothing is said of criterion %d: %s", number, c.Text))
	case c.Met == nil:
	case !*c.Met && verdict == gate.Partial:
		w.pass.Partialf("", "%s", w.unmet(number, c))
	case !*c.Met:
		w.object(codeNotMet, w.unmet(number, c))
	case len(c.Citations) == 0:
		w.object(codeNoEvidence, fmt.Sprintf("criterion %d is said to be met, and nothing that is there is cited for it: %s",
			number, c.Text))
	default:
		w.pass.Evidencef("criterion %d is met: %s", number, c.Text)
	}
}

// unmet says that a criterion is not met, and what the reviewer notes of it.
func (w *witness) unmet(number int, c gate.Criterion) string {
	text := fmt.Sprintf("criterion %d is not met: %s", number, strings.TrimSpace(c.Text))
	if note := strings.TrimSpace(c.Note); note != "" {
		text += " (" + note + ")"
	}
	w.said[text] = true
	return text
}

// verdict adds what the reviewer says as a whole.
func (w *witness) verdict(review Review) error {
	verdict := gate.Result(review.Verdict)
	for _, text := range review.Findings {
		if w.said[strings.TrimSpace(text)] {
			continue // in the words that tell of a criterion
		}
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
