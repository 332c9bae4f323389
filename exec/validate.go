package exec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/commit"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/escalator"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/flow"
	"github.com/planlock/planlock/exec/internal/home"
	"github.com/planlock/planlock/exec/internal/method"
	"github.com/planlock/planlock/exec/internal/probe"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/preset"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/checks"
	"github.com/planlock/planlock/gate/evidence/search"
	"github.com/planlock/planlock/gate/panel"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/lockfile"
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
			add(s.By())
			for k := range s.Backups {
				add(s.Backups[k].By(s))
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
	o := c.Options()
	errs := []error{judges.Validate(), lacksGates(p, o), lacksChecks(p, o), review.Reviewers(c.Reviewers).Validate()}
	if c.Gates == nil {
		errs = append([]error{ErrNoGates}, errs...)
	}
	if c.Evidence != nil {
		errs = append(errs, c.Evidence.Validate())
	}
	errs = append(errs, lacksReviewers(p, c.Reviewers))
	errs = append(errs, session.GuardsApart(c.Guards), document.Validate(c.Documents))
	signer, earlier := c.signers()
	for _, s := range append(earlier, signer) {
		if s == nil {
			continue
		}
		if _, err := record.KeyOf(s.Public()); err != nil {
			errs = append(errs, fmt.Errorf("exec: a signer of journals: %w", err))
		}
	}
	if i := slices.Index(c.Ladder, nil); i >= 0 {
		errs = append(errs, fmt.Errorf("exec: rung %d of the ladder is nil", i+1))
	}
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
	switch c.Strategy {
	case "", history.Direct, history.Orchestrated:
	default:
		errs = append(errs, fmt.Errorf("exec: strategy %q is none of direct, orchestrated", c.Strategy))
	}
	for _, kind := range slices.Sorted(maps.Keys(c.Advisors)) {
		if !slices.Contains(advice.Kinds(), kind) {
			errs = append(errs, fmt.Errorf("exec: nobody asks for advice of the kind %q: %v are asked for", kind,
				advice.Kinds()))
		}
	}
	if _, err := preset.Named(c.Preset); err != nil {
		errs = append(errs, err)
	}
	if _, err := commit.ParseUnit(string(c.Commits)); err != nil {
		errs = append(errs, fmt.Errorf("exec: %w", err))
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

// lacksChecks refuses a plan with checks that nobody can decide, or with
// arguments that their kinds do not take.
func lacksChecks(p *plan.Plan, o plan.CheckOptions) error {
	var errs []error
	for _, d := range (&plan.Draft{Plan: *p}).Check(o) {
		if d.Severity == plan.Error && strings.HasPrefix(d.Code, "check-") {
			errs = append(errs, fmt.Errorf("exec: %s", strings.TrimPrefix(fmt.Sprintf("step %s.%s: %s", d.Task, d.Step,
				d.Message), "step .: ")))
		}
	}
	return errors.Join(errs...)
}

// lacksGates refuses a plan that asks for gates which are not there, or gives
// them what they do not take. A plan that was locked elsewhere was not checked
// against the gates of this controller.
func lacksGates(p *plan.Plan, o plan.CheckOptions) error {
	var errs []error
	for _, use := range p.Gates {
		args, there := o.Gates[use.Name]
		if !there {
			errs = append(errs, &AbsentError{Role: "gate", Name: use.Name})
			continue
		}
		for _, s := range use.Args {
			if !slices.ContainsFunc(args,
				func(a plan.Argument) bool { return a.Name == s.Key && a.Takes(s.Value) }) {
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

// agents are all who act, advise and judge, with their versions.
func (c *Controller) agents(ctx context.Context, named []string) ([]probe.Agent, error) {
	var agents []probe.Agent
	var errs []error
	add := func(kind, name string, x any) {
		agent := probe.Agent{Name: kind + " " + name}
		defer home.InPort(agent.Name)
		var err error
		if x == nil {
			agent.Version = "nobody"
		}
		if g, ok := x.(gate.Gate); ok {
			agent.Version = g.Info().Version
		}
		if v, ok := x.(Versioned); ok {
			agent.Version, err = v.Version(ctx)
		}
		if err == nil {
			agent.Identity, err = identityOf(ctx, x)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("exec: version of %s: %w", agent.Name, err))
		}
		agents = append(agents, agent)
	}
	for _, n := range named {
		x, err := c.Executors.find(n)
		if err != nil {
			return nil, err
		}
		add("executor", cmp.Or(n, name(x), "default"), x)
	}
	for _, r := range c.Reviewers {
		add("reviewer", r.Name(), r)
	}
	for _, kind := range slices.Sorted(maps.Keys(c.Advisors)) {
		add("advisor", string(kind), c.Advisors[kind])
	}
	if c.Evidence != nil {
		agents = append(agents, probe.Agent{Name: "evidence", Version: c.Evidence.Version()})
	}
	if m := c.memory(); m != nil {
		agents = append(agents, *m)
	}
	for _, g := range c.Gates {
		add("gate", g.Info().Name, g)
	}
	return agents, errors.Join(errs...)
}

// memory is what a run is bound to of what earlier runs taught; nil where it is
// told nothing of that. A ready job that is withheld can not run, so it binds nobody.
func (c *Controller) memory() *probe.Agent {
	known, version := strings.Join(c.Hints, "\n"), fmt.Sprintf("hints: %d", len(c.Hints))
	n := 0
	for _, r := range c.Ready {
		if r.Withheld == "" {
			n++
			known += "\x00" + string(r.Digest) + " " + r.Does
		}
	}
	if n > 0 {
		version += fmt.Sprintf(", ready jobs: %d", n)
	}
	if n+len(c.Hints) == 0 {
		return nil
	}
	return &probe.Agent{Name: "memory", Version: version, Identity: string(ledger.Sum([]byte(known)))}
}

// planSetting finds what a plan says of the pipeline: a key of [execution].
func planSetting(p *plan.Plan, key string) plan.Value {
	for _, s := range p.Execution.Extra {
		if s.Key == key {
			return s.Value
		}
	}
	return plan.Value{}
}

// lacksReviewers refuses to go on without the reviewers that a plan names in
// reviewers = ["ops", …]. It may have others besides.
func lacksReviewers(p *plan.Plan, have []review.Reviewer) error {
	value := planSetting(p, "reviewers")
	names := value.List
	if value.Kind == "string" {
		names = []plan.Value{value}
	}
	var errs []error
	for _, n := range names {
		if !slices.ContainsFunc(have, func(r review.Reviewer) bool { return r != nil && r.Name() == n.Text }) {
			errs = append(errs, &AbsentError{Role: "reviewer", Name: n.Text})
		}
	}
	return errors.Join(errs...)
}

// evidenceFor is the policy that the host has chosen, or, where it has none and
// the plan says evidence = true, one that looks at the workspace alone: a plan
// never says who may be asked over the network.
func evidenceFor(p *plan.Plan, chosen *search.Policy) *search.Policy {
	if v := planSetting(p, "evidence"); chosen == nil && v.Kind == "boolean" && v.Text == "true" {
		return &search.Policy{}
	}
	return chosen
}

// policyFor is how a run is carried out by what the host and the plan say now.
func (c *Controller) policyFor(of *plan.Plan) history.Policy {
	said := flow.SettingsOf(of)
	mode, by := c.modeFor(of)
	chosen := c.chosenPreset()
	p := history.Policy{
		Mode: mode, ModeBy: by, Preset: c.Preset,
		Triggers: cmp.Or(c.Triggers, chosen.Triggers), Compliance: chosen.Compliance, Lenient: chosen.Lenient,
		Strategy: c.Strategy, TestFirst: c.TestFirst || said.TestFirst,
		Deterministic: c.Deterministic || said.Deterministic,
		TokenBudget:   cmp.Or(max(c.TokenBudget, 0), said.TokenBudget), Patience: c.Patience,
		Budget: max(c.Budget, 0), Commits: c.Commits,
		Jobs: c.jobs(of, said), OnConflict: said.OnConflict, External: said.External,
		Controls: said.Controls, Given: slices.Clone(c.Given),
	}
	for _, rung := range c.ladder() {
		p.Ladder = append(p.Ladder, rung.Name())
	}
	if c.Evidence != nil {
		p.EvidenceWait = c.Evidence.Wait()
	}
	return p
}

// defaultJobs is how many steps run at once where agents carry out any of them.
const defaultJobs = 4

// jobs is how many steps may run at once; 0 where the plan lets none.
func (c *Controller) jobs(of *plan.Plan, said flow.Settings) int {
	if !of.Parallel() {
		return 0
	}
	if n := min(cmp.Or(max(c.Jobs, 0), said.Jobs), plan.MaxJobs); n > 0 {
		return n
	}
	lanes := of.Lanes()
	for _, s := range of.Steps() {
		if x, err := c.Executors.find(s.By()); (err != nil || name(x) != "shell") && lanes.Alone(s.Address) == "" {
			return defaultJobs
		}
	}
	return min(runtime.NumCPU(), plan.MaxJobs)
}

// roles are those who are there now.
func (c *Controller) roles(needed []string) history.Roles {
	_, refuses := c.Escalator.(escalator.Refuse)
	r := history.Roles{Executors: needed, Evidence: c.Evidence != nil, Escalator: c.Escalator != nil,
		Refuses: refuses, Tracker: c.Evidence != nil && c.Evidence.Tracker != nil}
	for _, reviewer := range c.Reviewers {
		r.Reviewers = append(r.Reviewers, reviewer.Name())
	}
	for _, kind := range advice.Kinds() {
		if c.Advisors.of(kind) != nil {
			r.Advisors = append(r.Advisors, string(kind))
		}
	}
	for _, g := range c.Gates {
		r.Gates = append(r.Gates, g.Info().Name)
	}
	for _, g := range c.Guards {
		r.Guards = append(r.Guards, g.Name())
	}
	asked := append([]string{""}, needed...)
	if len(c.Reviewers) > 0 {
		asked = append(asked, method.Shell) // carries out the jobs that they approve
	}
	for _, named := range asked {
		if slices.Contains(r.Deaf, named) {
			continue // the default one is needed by name, too
		}
		if x, err := c.Executors.find(named); err == nil && name(x) == "shell" {
			r.Deaf = append(r.Deaf, named)
		}
	}
	return r
}

// Options are what the controller adds to a plan's own rules: the check kinds,
// the gates and the executors that it knows.
func (c *Controller) Options() plan.CheckOptions {
	o := plan.CheckOptions{Unread: c.sources().Unread}
	for _, check := range c.Checks {
		if check == nil {
			continue // whoever judges with it is refused
		}
		o.CheckKinds = append(o.CheckKinds, check.Kind())
	}
	o.Gates = map[string][]plan.Argument{}
	for _, info := range (&panel.Panel{Gates: c.Gates}).Describe() {
		o.Gates[info.Name] = info.Args
	}
	for n, x := range c.Executors {
		if n == plan.ToolCaller {
			continue
		}
		if n == "" && x != nil {
			n = name(x)
		}
		if n == "" {
			o.Executors = nil
			return o // the default one answers to no name, so names cannot be checked
		}
		o.Executors = append(o.Executors, n)
	}
	slices.Sort(o.Executors)
	o.Executors = slices.Compact(o.Executors) // the default one may be there by its name, too
	return o
}

// bind makes a lock with a name of its own, so that a run can tell whether it
// has served one before.
func (c *Controller) bind(draft *plan.Draft, o plan.LockOptions) (*plan.Locked, error) {
	o.At = c.now()
	var err error
	if o.ID, err = lockfile.NewID(o.At, c.Random); err != nil {
		return nil, err
	}
	return plan.Lock(draft, o)
}
