package search

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/evidence"
	"github.com/planlock/planlock/plan"
)

// defaultDelay is how long one waits before asking a server again that does not
// know a run yet.
const defaultDelay = 5 * time.Second

// A Finder finds evidence outside of the workspace. It must not be changed once
// it is in use, and may be used concurrently.
//
// Look finds out about one need. It never fails: where nobody can tell, the
// item says so and why. It honours ctx. Name says in words what is asked, for
// the envelope; no secret is in it. Validate refuses what cannot be asked.
type Finder interface {
	Name() string
	Validate() error
	Look(ctx context.Context, n evidence.Need) evidence.Item
}

// A Policy says which evidence tasks owe, and where it is looked for. The zero
// value looks at the workspace alone: of runs it says that nobody could verify
// them. It must not be changed once it is in use, and may be used concurrently.
type Policy struct {
	// Tracker knows the runs of experiments and the files that are kept for
	// them; nil: nobody does. See remote.MLflow.
	Tracker Finder
	// Web may be asked for addresses; nil: none may. See remote.Web.
	Web Finder
	// TypeOf tells the type of a task; nil: the first word that stands in its
	// title, or in its description where it has none, whatever the case of its
	// letters, and wherever it stands: execute, run, diagnostic, experiment, gpu
	// and model make an experiment; else write, design, draft, doc and paper a
	// document. Without any it is an experiment, because too much evidence does
	// less harm than too little.
	TypeOf func(t *plan.Task) evidence.TaskType
	// Further are needs besides those that follow from the type; nil: none.
	Further func(t *plan.Task) []evidence.Need
	// Delay is how long to wait before looking again; 0: five seconds.
	Delay time.Duration
}

// Type is the type of a task.
func (p *Policy) Type(t *plan.Task) evidence.TaskType {
	if p.TypeOf != nil {
		return p.TypeOf(t)
	}
	return typeOf(cmp.Or(t.Title, t.Description))
}

// Needs is the evidence that a task owes, by what is claimed for it: the ids of
// the runs that its jobs named, and the paths of artifacts that were declared,
// expected or named. Experiments owe every run, and at least one, and all their
// files; documents their files. What is claimed twice is owed once.
func (p *Policy) Needs(t *plan.Task, runs, artifacts []string) []evidence.Need {
	var needs []evidence.Need
	add := func(n evidence.Need) {
		if !slices.Contains(needs, n) {
			needs = append(needs, n)
		}
	}
	if p.Type(t) == evidence.Experimental {
		for _, id := range runs {
			add(evidence.Need{Kind: evidence.Run, Name: id})
		}
		if len(runs) == 0 {
			add(evidence.Need{Kind: evidence.Run})
		}
	}
	for _, path := range artifacts {
		add(evidence.Need{Kind: evidence.File, Name: path})
	}
	if p.Further != nil {
		for _, n := range p.Further(t) {
			add(n)
		}
	}
	return needs
}

// Wait is how long to wait before looking again.
func (p *Policy) Wait() time.Duration {
	if p.Delay > 0 {
		return p.Delay
	}
	return defaultDelay
}

// Version says in words what the policy asks, for the envelope; no secret is in
// it.
func (p *Policy) Version() string {
	parts := []string{"files"}
	for _, f := range p.finders() {
		parts = append(parts, f.Name())
	}
	return strings.Join(parts, "; ")
}

// Validate refuses a server or a host that cannot be asked.
func (p *Policy) Validate() error {
	var errs []error
	for _, f := range p.finders() {
		errs = append(errs, f.Validate())
	}
	return errors.Join(errs...)
}

// finders are those of the policy that are set.
func (p *Policy) finders() []Finder {
	return slices.DeleteFunc([]Finder{p.Tracker, p.Web}, func(f Finder) bool { return f == nil })
}

// Look finds out about each need, in order, in the workspace dir and outside of
// it. run runs commands; nil: those cannot be verified. It never fails: what
// went wrong is in the items.
func (p *Policy) Look(ctx context.Context, dir string, run gate.CommandRunner, needs []evidence.Need) []evidence.Item {
	items := make([]evidence.Item, 0, len(needs))
	for _, n := range needs {
		items = append(items, p.look(ctx, dir, run, n))
	}
	return items
}

// look finds out about one need, by whoever knows of its kind.
func (p *Policy) look(ctx context.Context, dir string, run gate.CommandRunner, n evidence.Need) evidence.Item {
	switch n.Kind {
	case evidence.File, evidence.Checksum:
		return lookForFile(ctx, dir, n)
	case evidence.Command:
		return lookForCommand(ctx, dir, run, n)
	case evidence.URL:
		return outside(ctx, p.Web, n, "addresses are not asked for: list the host in Web.Hosts")
	case evidence.Run, evidence.Artifact:
		if n.Kind == evidence.Run && n.Name == "" {
			return n.Missing("no run was named: a job of an experiment prints MLFLOW_RUN_ID=…")
		}
		return outside(ctx, in(p.Tracker, dir), n, "no tracking server is set up, so nobody can say whether it exists")
	}
	return n.Unverifiable("there is no evidence of the kind %q", n.Kind)
}

// A Local finder may look in the workspace: In is the finder for a run that works
// in dir.
type Local interface {
	Finder
	In(dir string) Finder
}

// in is a finder for a run that works in dir.
func in(f Finder, dir string) Finder {
	if l, ok := f.(Local); ok {
		return l.In(dir)
	}
	return f
}

// Asks reports whether somebody outside of the workspace is asked about needs of
// a kind.
func (p *Policy) Asks(kind evidence.Kind) bool {
	switch kind {
	case evidence.Run, evidence.Artifact:
		return p.Tracker != nil
	case evidence.URL:
		return p.Web != nil
	}
	return false
}

// outside asks a finder that a host brought: one that panics could not tell.
func outside(ctx context.Context, f Finder, n evidence.Need, without string) (item evidence.Item) {
	if f == nil {
		return n.Unverifiable("%s %q: %s", n.Kind, n.Name, without)
	}
	defer func() {
		if v := recover(); v != nil {
			item = n.Unverifiable("%s panicked: %v", f.Name(), v)
		}
	}()
	return f.Look(ctx, n)
}
