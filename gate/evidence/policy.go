package evidence

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// DefaultDelay is how long one waits before asking a server again that does not know a run yet.
const DefaultDelay = 5 * time.Second

// A Policy says which evidence tasks owe, and where it is looked for. The zero
// value looks at the workspace alone: of runs it says that nobody could verify
// them. It must not be changed once it is in use, and may be used concurrently.
type Policy struct {
	// Tracker knows the runs of experiments; nil: nobody does.
	Tracker *MLflow
	// Web may be asked for addresses; nil: none may.
	Web *Web
	// TypeOf tells the type of a task; nil: [TypeOf] of its title, or of its description where it has none.
	TypeOf func(t *plan.Task) TaskType
	// Further are needs besides those that follow from the type; nil: none.
	Further func(t *plan.Task) []Need
	// Delay is how long to wait before looking again; 0: [DefaultDelay].
	Delay time.Duration
}

// A Claim is what is said about a task: by its plan, its reviewers and its jobs.
type Claim struct {
	Runs      []string // ids of runs that its jobs named
	Artifacts []string // paths that were declared, expected or named
}

// A Place is where evidence lies.
type Place struct {
	Dir    string             // the workspace
	Runner gate.CommandRunner // for commands; nil: they cannot be verified
}

// Type is the type of a task.
func (p *Policy) Type(t *plan.Task) TaskType {
	if p.TypeOf != nil {
		return p.TypeOf(t)
	}
	return TypeOf(cmp.Or(t.Title, t.Description))
}

// Needs is the evidence that a task owes: experiments every run that was claimed, and at least one, and all
// their files; documents their files. A claimed path is owed once.
func (p *Policy) Needs(t *plan.Task, c Claim) []Need {
	var needs []Need
	add := func(n Need) {
		if !slices.Contains(needs, n) {
			needs = append(needs, n)
		}
	}
	if p.Type(t) == Experimental {
		for _, id := range c.Runs {
			add(Need{Kind: Run, Name: id})
		}
		if len(c.Runs) == 0 {
			add(Need{Kind: Run})
		}
	}
	for _, path := range c.Artifacts {
		add(Need{Kind: File, Name: path})
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
	return DefaultDelay
}

// Version says in words what the policy asks, for the envelope; no secret is in it.
func (p *Policy) Version() string {
	parts := []string{"files"}
	if p.Tracker != nil {
		parts = append(parts, "mlflow "+p.Tracker.URL)
	}
	if p.Web != nil {
		parts = append(parts, "hosts "+strings.Join(p.Web.Hosts, " "))
	}
	return strings.Join(parts, "; ")
}

// Validate refuses a server or a host that cannot be asked.
func (p *Policy) Validate() error {
	if p.Tracker != nil {
		if _, err := p.Tracker.endpoint("", nil); err != nil {
			return err
		}
	}
	return nil
}

// Look finds out about each need, in order. It never fails: what went wrong is in
// the items.
func (p *Policy) Look(ctx context.Context, at Place, needs []Need) []Item {
	items := make([]Item, 0, len(needs))
	for _, n := range needs {
		items = append(items, p.look(ctx, at, n))
	}
	return items
}

func (p *Policy) look(ctx context.Context, at Place, n Need) Item {
	switch n.Kind {
	case File, Checksum:
		return lookForFile(ctx, at.Dir, n)
	case Command:
		return lookForCommand(ctx, at, n)
	case URL:
		return p.Web.look(ctx, n)
	case Run:
		return p.Tracker.look(ctx, n)
	case Artifact:
		return p.Tracker.lookForArtifact(ctx, n)
	}
	return unverifiable(n, "there is no evidence of the kind %q", n.Kind)
}

func missing(n Need, format string, args ...any) Item {
	return Item{Need: n, State: Missing, Why: fmt.Sprintf(format, args...)}
}

func unverifiable(n Need, format string, args ...any) Item {
	return Item{Need: n, State: Unverifiable, Why: fmt.Sprintf(format, args...)}
}
