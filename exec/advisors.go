package exec

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/planlock/planlock/envelope/probe"
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/gate/review"
)

// An Advisor proposes: research before a task, a reflection after a failure,
// another approach. It never acts, and what it proposes goes through the
// ladder.
type Advisor = advice.Advisor

// Advisors are who is asked for each kind of advice. A kind that is not among
// them is given by the built-in advisors of package advice, which need no
// model; one that is nil is not asked for.
type Advisors map[advice.Kind]Advisor

// of finds who gives a kind of advice; nil if nobody does.
func (a Advisors) of(kind advice.Kind) Advisor {
	if x, ok := a[kind]; ok {
		return x
	}
	return advice.Builtin()
}

// agents are the advisors that a host brought, by kind, with their versions.
func (a Advisors) agents(ctx context.Context) ([]probe.Agent, error) {
	var agents []probe.Agent
	for _, kind := range slices.Sorted(maps.Keys(a)) {
		agent := probe.Agent{Name: "advisor " + string(kind)}
		if a[kind] == nil {
			agent.Version = "nobody"
		}
		if v, ok := a[kind].(Versioned); ok {
			var err error
			if agent.Version, err = v.Version(ctx); err != nil {
				return nil, fmt.Errorf("exec: version of the advisor for %s: %w", kind, err)
			}
		}
		agents = append(agents, agent)
	}
	return agents, nil
}

// A Reviewer looks at a task before its first step; see package gate/review.
type Reviewer = review.Reviewer
