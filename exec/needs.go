package exec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/attempt"
	"github.com/planlock/planlock/exec/internal/home"
	"github.com/planlock/planlock/exec/internal/needs"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/plan"
)

// A Needing executor, reviewer (also one of review.Work), gate or advisor says what
// it needs besides what every step has, such as a coding agent with a login of its
// own.
type Needing interface {
	Needs(ctx context.Context) (Needs, error)
}

// Needs are what an executor needs besides what every step has. They are shown
// when a plan is locked, must be acknowledged (code "agent:NAME", of [Named]),
// and are part of the envelope.
type Needs = needs.Needs

// A LimitError says that whoever serves an executor will not serve it for some
// time, as at the end of a quota. Such an attempt does not count: it is undone,
// the run waits, durably, and the attempt is made again.
type LimitError struct {
	Until  time.Time // zero: nobody said until when
	Reason string    // what was said
}

func (e *LimitError) Error() string {
	if e.Until.IsZero() {
		return fmt.Sprintf("exec: not served for now: %q", e.Reason)
	}
	return fmt.Sprintf("exec: not served until %s: %q", e.Until.UTC().Format(time.RFC3339), e.Reason)
}

// ErrBudget is the cause with which the context of an attempt ends when the
// run's budget (see [Policy]) is spent.
var ErrBudget = attempt.ErrBudget

// Money is an amount of US dollars.
type Money = history.Money

// A Need is what somebody who takes part in a run needs, made ready to be shown
// to whoever locks the plan.
type Need struct {
	Name string
	Needs
	// Code acknowledges it: "agent:NAME".
	Code string
	// Lines say what is needed, one thing each, and what the sandbox that the plan
	// asks for does not cover on this machine.
	Lines []string
}

// Needs are those of all who carry out steps of a draft, or judge or advise in a
// run of it, and need something besides what every step has (see [Needing]),
// sorted by name. It changes nothing. Whoever locks the plan must acknowledge
// each.
func (c *Controller) Needs(ctx context.Context, draft *plan.Draft) (list []Need, err error) {
	defer public(&err)
	if draft == nil {
		return nil, plan.ErrNoDraft
	}
	e := c.execution(&draft.Plan, draft.Files)
	if err := e.seat(); err != nil {
		return nil, err
	}
	e.equip()
	if err := e.ask(ctx); err != nil {
		return nil, err
	}
	box, _, err := e.Sandbox()
	for _, of := range e.Needs {
		n := Need{Name: of.Name, Needs: of.Needs, Code: of.Acknowledgement().Code, Lines: of.Lines()}
		if not := of.NotCovered(box); not != "" {
			n.Lines = append(n.Lines, not)
		}
		list = append(list, n)
	}
	return list, err
}

// ask finds out what those need who take part.
func (e *execution) ask(ctx context.Context) error {
	e.Needs = nil
	var errs []error
	add := func(label string, x any, apart bool) {
		asked, ok := x.(Needing)
		if !ok {
			return
		}
		if n, ok := x.(Named); ok && n.Name() != "" {
			label = n.Name()
		}
		defer home.InPort("the needs of " + label)
		what, err := asked.Needs(ctx)
		if err != nil {
			errs = append(errs, fmt.Errorf("exec: what %q needs: %w", label, err))
		}
		of := needs.Of{Name: label, Needs: what, Apart: apart}
		same := func(o needs.Of) bool { return o.Name == label && slices.Equal(o.Lines(), of.Lines()) }
		if err == nil && !what.Empty() && !slices.ContainsFunc(e.Needs, same) {
			e.Needs = append(e.Needs, of)
		}
	}
	for _, n := range e.needed {
		if x, err := e.c.Executors.find(n); err == nil { // else the plan is refused, or nothing of it is carried out
			add(labelOf(n, x), x, false)
		}
	}
	for _, r := range e.c.Reviewers {
		add(r.Name(), r, true)
	}
	for _, kind := range slices.Sorted(maps.Keys(e.c.Advisors)) {
		add(string(kind), e.c.Advisors[kind], true)
	}
	for _, g := range e.c.Gates {
		if r := review.ReviewerOf(g); r != nil {
			add(r.Name(), r, true)
			continue
		}
		add(g.Info().Name, g, true)
	}
	e.askServers()
	slices.SortStableFunc(e.Needs, func(a, b needs.Of) int { return strings.Compare(a.Name, b.Name) })
	return errors.Join(errs...)
}

// labelOf is what an executor is called that a plan names, or names nobody.
func labelOf(named string, x Executor) string { return cmp.Or(name(x), named, "default") }

// supplied refuses a run that cannot give what is needed.
func (e *execution) supplied(ctx context.Context) error {
	if err := e.ask(ctx); err != nil {
		return err
	}
	box, _, err := e.Sandbox()
	if err != nil {
		return err
	}
	var reasons []string
	for _, of := range e.Needs {
		reasons = append(reasons, of.Against(e.Work.Root, box)...)
	}
	if len(reasons) > 0 {
		return &session.Refusal{Reasons: reasons, Hint: "change what is named above, and lock the plan again"}
	}
	return nil
}

// furnish makes the homes of all who need one, before any command runs that is
// not to see them.
func (e *execution) furnish(ctx context.Context) error {
	for _, of := range e.Needs {
		if !of.Home || of.Apart {
			continue
		}
		if _, err := e.Scratch.Home(ctx, of.Name); err != nil {
			return err
		}
	}
	return nil
}

// homeOf is the home of an executor; "" if it needs none.
func (e *execution) homeOf(ctx context.Context, named string, x Executor) (string, error) {
	if _, ok := x.(Needing); !ok {
		return "", nil
	}
	label := labelOf(named, x)
	if !slices.ContainsFunc(e.Needs, func(of needs.Of) bool { return of.Name == label && of.Home && !of.Apart }) {
		return "", nil
	}
	return e.Scratch.Home(ctx, label)
}
