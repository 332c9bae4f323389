package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// amendCommand is "planlock amend": it adds steps to a run that has not ended.
// The plan that it is given is the whole plan, and may differ from the run's
// only by more. It adds them only when it is called with the code of this very
// amendment, which the refusal of the first call names; the run stands as it
// stood until then.
type amendCommand struct {
	arguments
	workspaceFlag
	roles
	Reason string   `again:"never" placeholder:"WORDS" help:"why"`
	Ack    []string `again:"never" sep:"none" placeholder:"CODE" help:"accept the amendment, or what its steps need accepted, by its code; codes may stand in a list with commas, and the flag may be repeated"`
	Format string   `again:"never" enum:"text,json" default:"text" placeholder:"FORMAT" help:"the output's format: text or json"`
}

// Run carries the command out.
func (f *amendCommand) Run(ctx context.Context, p *cli) error {
	prefix, rest := f.split(1)
	path := rest[0]
	run, err := findRun(ctx, p.workspace(f.Dir), prefix)
	if err == nil {
		err = p.ofHere(p.workspace(f.Dir), run)
	}
	if err != nil {
		return ofPlan(path, err)
	}
	p.terms = termsOf(run.Policy.Given)
	c := p.controller(f.Dir)
	c.NoSandbox = run.Started.NoSandbox
	f.recall(run.Policy.Given, f.typed)
	if err := f.seat(ctx, p, c, run.Started.Executor); err != nil {
		return err
	}
	draft, err := p.read(path, c.Options())
	if err != nil {
		return err
	}
	acks, err := f.accept(ctx, p, nil, f.Dir, codes(f.Ack))
	if err != nil {
		return ofPlan(path, err)
	}
	accepted := slices.Concat(run.Started.Acknowledged, codes(f.Ack))
	if err := seatsPrompts(c, &draft.Plan, accepted, draft.Format, ""); err != nil {
		return err
	}
	p.sign(c)
	done, err := c.Amend(ctx, run.Started.Run, exec.Amendment{Draft: draft, Acknowledged: acks,
		By: defaultName(), Reason: f.Reason})
	if err != nil {
		if failed := p.foretell(ctx, f, run, draft, err); failed != nil {
			return failed
		}
		if is[*plan.AmendError](err) {
			return &placedError{err: err, path: path, run: run, given: merged(run.Policy.Given, f.typed)}
		}
		return err // its own hint says what to do; the run is as it was
	}
	if run, err = findRun(ctx, p.workspace(f.Dir), done.Run); err != nil { // its new steps may need more to go on
		return err
	}
	next := resumeWith(run, f.Dir, merged(run.Policy.Given, f.typed))
	if f.Format == "json" {
		return writeJSON(p.out, amendJSON{Schema: amendSchema, Run: done.Run, Plan: done.Locked.Digest(), Amended: true,
			Added: done.Added, Next: next})
	}
	fmt.Fprintf(p.out, "amended: plan %s with %s\n", done.Locked.Digest().Short(), plural(len(done.Added), "further step"))
	fmt.Fprintf(p.out, "go on with  %s\n", escaped(next))
	return nil
}

// amendSchema names the document of "amend --format json".
const amendSchema = "planlock.amend/1"

// amendJSON is the document of "amend --format json".
type amendJSON struct {
	Schema   string         `json:"schema"`
	Run      string         `json:"run"`
	Plan     ledger.Digest  `json:"plan"` // of the amended plan
	Amended  bool           `json:"amended"`
	Added    []plan.Address `json:"added"`
	Needs    []needJSON     `json:"needs,omitempty"`   // what somebody must accept first
	Already  []alreadyJSON  `json:"already,omitempty"` // steps to add whose work is in the workspace
	*lessons                // where finished runs taught something
	Next     string         `json:"next,omitempty"` // what is typed to go on
}

// needJSON is a code that accepts something.
type needJSON struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// foretell says of the steps that are to be added which are done already, and
// what was learned about such, while whoever adds them has not confirmed it: err
// is what they are told then.
func (p *cli) foretell(ctx context.Context, f *amendCommand, run *history.Run, draft *plan.Draft, err error) error {
	var open *plan.AckError
	if !errors.As(err, &open) {
		return nil
	}
	was, err := p.workspace(f.Dir).Plan(ctx, run)
	if err != nil {
		return err
	}
	added, err := was.Amend(&draft.Plan)
	if err != nil {
		return err
	}
	done, err := alreadyIn(ctx, draft, orElse(f.Dir, "."))
	if err != nil {
		return err
	}
	done = slices.DeleteFunc(done, func(a exec.Already) bool {
		return !slices.Contains(added.Steps, a.Step) || slices.Contains(f.Ack, a.Code)
	})
	learned := p.lessonsFor(ctx, f.Dir, &draft.Plan, added.Steps...)
	if f.Format != "json" {
		if len(done) > 0 {
			printAlready(p.out, draft, done, orElse(f.Dir, "."))
		}
		printLessons(p.out, learned)
		return nil
	}
	doc := amendJSON{Schema: amendSchema, Run: run.Started.Run, Plan: draft.Plan.Digest(), Added: added.Steps,
		Already: alreadyJSONs(done), lessons: learned}
	for _, a := range open.Missing {
		doc.Needs = append(doc.Needs, needJSON{a.Code, a.Text})
	}
	return writeJSON(p.out, doc)
}
