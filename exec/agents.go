package exec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/planlock/planlock/envelope/probe"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/preset"
	"github.com/planlock/planlock/gate/checks"
	"github.com/planlock/planlock/gate/panel"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/plan"
)

// needed lists the executors that a plan names, sorted; "" among them if a
// method names none.
func needed(p *plan.Plan) []string {
	var names []string
	add := func(n string) {
		if i, found := slices.BinarySearch(names, n); !found {
			names = slices.Insert(names, i, n)
		}
	}
	for i := range p.Tasks {
		for j := range p.Tasks[i].Steps {
			s := &p.Tasks[i].Steps[j]
			add(s.Executor)
			for _, b := range s.Backups {
				if b.Executor != "" {
					add(b.Executor)
				}
			}
		}
	}
	return names
}

// panel is the gates of the controller, and all kinds of checks.
func (c *Controller) panel() panel.Panel {
	return panel.Panel{
		Gates:   c.Gates,
		Checks:  slices.Concat(checks.Kinds(), c.Checks),
		Options: c.Options(),
	}
}

// validate refuses a controller that cannot carry the plan out.
func (c *Controller) validate(p *plan.Plan) error {
	judges := c.panel()
	errs := []error{c.chosen(), judges.Validate(), c.lacksGates(p), review.Validate(c.Reviewers)}
	if c.Evidence != nil {
		errs = append(errs, c.Evidence.Validate())
	}
	errs = append(errs, c.lacksReviewers(p))
	for _, n := range needed(p) {
		if _, err := c.Executors.find(n); err != nil {
			errs = append(errs, err)
		}
	}
	switch c.Mode {
	case "", plan.Silent, plan.Dynamic, plan.Collaborative, plan.Education:
	default:
		errs = append(errs, fmt.Errorf("exec: mode %q is none of silent, dynamic, collaborative, education", c.Mode))
	}
	if _, err := preset.Named(c.Preset); err != nil {
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return &session.Refusal{Reasons: strings.Split(err.Error(), "\n"), Err: err}
	}
	return nil
}

// ErrNoGates says that nobody chose what a controller judges with. Silence must
// not mean that nothing is judged.
var ErrNoGates = errors.New("exec: no gates are chosen: set Controller.Gates to builtin.Gates(), " +
	"and append those of your own; an empty list that is not nil is none")

func (c *Controller) chosen() error {
	if c.Gates == nil {
		return ErrNoGates
	}
	return nil
}

// lacksGates refuses a plan that asks for gates which are not there, or gives
// them what they do not take. A plan that was locked elsewhere was not checked
// against the gates of this controller.
func (c *Controller) lacksGates(p *plan.Plan) error {
	var errs []error
	known := c.Options().Gates
	for _, use := range p.Gates {
		at := slices.IndexFunc(known, func(k plan.GateKind) bool { return k.Name == use.Name })
		if at < 0 {
			errs = append(errs, fmt.Errorf("exec: the plan asks for the gate %q, which is not there: add it to Controller.Gates", use.Name))
			continue
		}
		for _, s := range use.Args {
			if !slices.ContainsFunc(known[at].Args,
				func(a plan.Argument) bool { return a.Name == s.Key && a.Kind.Takes(s.Value) }) {
				errs = append(errs,
					fmt.Errorf("exec: the gate %q does not take the argument %q that the plan gives it", use.Name,
						s.Key))
			}
		}
	}
	return errors.Join(errs...)
}

// rules are the gates, with what decides about them, and the ladder. What the
// host brings is asked each time.
func (c *Controller) rules() []string {
	kinds := checks.Kinds()
	rules := make([]string, 1, len(c.Gates)+len(kinds)+len(c.Checks)+10)
	rules[0] = "planlock " + Version()
	for _, g := range c.Gates {
		info := g.Info()
		rules = append(rules, "gate "+info.Name+" "+info.Version+" level "+strconv.Itoa(int(info.Level))+" time-out "+
			info.Timeout.String())
	}
	for _, check := range append(kinds, c.Checks...) {
		rules = append(rules, "check "+check.Kind().Name)
	}
	if c.Preset != preset.Default {
		rules = append(rules, "preset "+c.Preset)
	}
	for _, r := range c.ladder() {
		rules = append(rules, "rung "+r.Name())
	}
	return rules
}

// agents are the named executors and the gates, with their versions.
func (c *Controller) agents(ctx context.Context, named []string) ([]probe.Agent, error) {
	var agents []probe.Agent
	for _, n := range named {
		x, err := c.Executors.find(n)
		if err != nil {
			return nil, err
		}
		agent := probe.Agent{Name: "executor " + cmp.Or(n, name(x), "default")}
		if v, ok := x.(Versioned); ok {
			if agent.Version, err = v.Version(ctx); err != nil {
				return nil, fmt.Errorf("exec: version of %s: %w", agent.Name, err)
			}
		}
		agents = append(agents, agent)
	}
	for _, r := range c.Reviewers {
		agent := probe.Agent{Name: "reviewer " + r.Name()}
		if v, ok := r.(Versioned); ok {
			var err error
			if agent.Version, err = v.Version(ctx); err != nil {
				return nil, fmt.Errorf("exec: version of %s: %w", agent.Name, err)
			}
		}
		agents = append(agents, agent)
	}
	advisors, err := c.Advisors.agents(ctx)
	if err != nil {
		return nil, err
	}
	agents = append(agents, advisors...)
	if c.Evidence != nil {
		agents = append(agents, probe.Agent{Name: "evidence", Version: c.Evidence.Version()})
	}
	for _, g := range c.Gates {
		info := g.Info()
		agents = append(agents, probe.Agent{Name: "gate " + info.Name, Version: info.Version})
	}
	return agents, nil
}
