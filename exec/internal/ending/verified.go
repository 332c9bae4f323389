package ending

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/control"
	"github.com/planlock/planlock/exec/internal/flow"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// controlled holds the completion checks against trees that lack what the run
// did, and those that proved steps against the final tree without what later steps
// made of what steers them. pass is the one that the final gates were asked with.
func (e *Ending) controlled(ctx context.Context, pass *gate.Pass) (*history.Controlled, error) {
	if e.Rec.Run.Policy.Controls == flow.ControlsOff {
		return nil, nil
	}
	own := e.Panel.Prepare(pass)
	own.Before = e.Work.Base
	final := e.Plan.FinalChecks()
	c := &control.Case{Work: e.Work, Contract: e.Contract, Pass: own, Changes: pass.Changes, Keeps: true,
		Touched: e.Touchy}
	speaks := map[string]bool{}
	for _, f := range final {
		c.Checks = append(c.Checks, f.Check)
		speaks[f.Check.String()] = speaks[f.Check.String()] || f.Requirement != "" && len(e.Plan.Serving(f.Requirement)) > 0
	}
	proofs, lost, err := e.proofs(ctx, own)
	if err != nil {
		return nil, err
	}
	// What is new steers a check that speaks for no step as the plan wants it, as does
	// what a step declares, and all that a step was proved by.
	c.Asked = func(check plan.Check, change ledger.Change) bool {
		declares := func(s *plan.Step) bool { return s.DeclaresAnew("", change.Path) }
		return !speaks[check.String()] && (change.Before == nil || proofs[check.String()] || e.anyStep(declares))
	}
	found, _, err := c.Run(ctx)
	if err != nil || len(found)+len(lost) == 0 {
		return nil, err
	}
	for i := range found {
		for _, f := range final {
			if f.Requirement != "" && f.Check.String() == found[i].Check {
				found[i].Steps = append(found[i].Steps, e.Plan.Serving(f.Requirement)...)
			}
		}
	}
	return &history.Controlled{Controls: append(found, lost...)}, nil
}

// anyStep reports whether something is true of a step that was carried out.
func (e *Ending) anyStep(of func(*plan.Step) bool) bool {
	return slices.ContainsFunc(e.accepted(), func(s *history.Step) bool {
		_, step := e.Judging.At(s.Address)
		return step != nil && of(step)
	})
}

// unverified says what of the run nothing and nobody has shown, a line each:
// steps that decide whether the goal is achieved, and completion criteria.
func (e *Ending) unverified(judged gate.Judgements, controlled *history.Controlled) []string {
	lines := e.unlooked(controlled)
	for _, check := range e.Plan.ProvingChecks() {
		if check.Derived || len(judged.Blocking()) > 0 {
			continue // the words that it was read from are to be judged; or it was told already what does not hold
		}
		if why := controlled.Unproved(check.Check); why != "" {
			lines = append(lines, fmt.Sprintf("%s proves nothing: %s", check.Label, why))
		}
	}
	for _, i := range e.ungranted(judged) {
		text := e.Plan.Completion.AcceptanceCriteria[i]
		for _, c := range e.Plan.Completion.Checks {
			if c.Derived && merelyThere(text, c.Path) {
				c.Derived = false // said in other words
				text += fmt.Sprintf(" (%s was read from it and holds, and shows no more than that)", c)
			}
		}
		lines = append(lines, fmt.Sprintf("completion criterion %d was judged by nobody: %s", i+1, text))
	}
	return bound.First(lines, bound.Lines)
}

// merelyThere reports whether a criterion says of a file that it is there, and
// nothing else: what a check that it is there was read from.
func merelyThere(text, path string) bool {
	named := false
	for word := range strings.FieldsSeq(text) {
		switch word = strings.Trim(word, "`\"'*:,;"); {
		case path != "" && (word == path || strings.TrimRight(word, "/.`") == path):
			named = true
		case !slices.Contains(existing, strings.ToLower(strings.Trim(word, ".-"))):
			return false
		}
	}
	return named
}

// existing are the words of which, beside its path, such a criterion is made.
var existing = []string{"", "a", "as", "at", "directory", "exist", "exists", "file", "folder", "in", "is", "must", "present", "project",
	"repo", "repository", "root", "should", "the", "there"}

// ungranted are the completion criteria in words that nobody found met, by their
// place in the plan.
func (e *Ending) ungranted(judged gate.Judgements) (list []int) {
	for i, text := range e.Plan.Completion.AcceptanceCriteria {
		if !slices.ContainsFunc(judged, func(j gate.Judgement) bool { return e.Rec.Run.Grants(j, text) }) {
			list = append(list, i)
		}
	}
	return list
}

// unlooked are the essential steps that nothing and nobody looked at, those for
// the same reason in one line.
func (e *Ending) unlooked(controlled *history.Controlled) []string {
	var whys []string
	steps := map[string][]plan.Address{}
	standings, essential := e.Rec.Run.Standings(), e.Plan.Essential()
	standings.Add(controlled)
	for _, s := range e.Rec.Run.Steps {
		_, step := e.Contract.At(s.Address)
		basis, why := standings.Of(s)
		if step == nil || basis == "" || basis.Counts() || !essential(step) {
			continue
		}
		why = fmt.Sprintf("%s: %s", basis, why)
		if steps[why] == nil {
			whys = append(whys, why)
		}
		steps[why] = append(steps[why], s.Address)
	}
	for i, why := range whys {
		whys[i] = named(steps[why]) + why
	}
	return whys
}

// named are the first of some steps, as the subject of a sentence.
func named(steps []plan.Address) string {
	const most = 12
	if len(steps) == 1 {
		return fmt.Sprintf("step %s is ", steps[0])
	}
	text := "steps " + plan.Addresses(steps[:min(most, len(steps))])
	if more := len(steps) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text + " are "
}
