// Package briefing is what whoever carries out a step is told besides the step
// itself: what binds it, what became of the steps before it, what people
// decided, and what was found out.
//
// All of it is a function of the plan and of the run's history, and bounded.
package briefing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/internal/bound"
)

// A Briefing is what whoever carries out a step is told besides the step
// itself, a line each. It proves nothing, and obliges nobody: what a step is
// held to stands in the plan.
type Briefing struct {
	// Constraints and Components are those that the step names, with what the
	// plan says of them, as in "latency: below 50 ms".
	Constraints []string `json:"constraints,omitempty"`
	Components  []string `json:"components,omitempty"`
	// Surfaces are what the public symbols promise that the step brings about or
	// may change, as in "server.New: inputs: none · outputs: *Limiter".
	Surfaces []string `json:"surfaces,omitempty"`
	// Earlier is what became of steps that are over, in the order of the plan:
	// address, status, title, and what changed or why nothing did.
	Earlier []string `json:"earlier,omitempty"`
	// Decisions are answers of people in this run, in the order of the plan:
	// what was asked, what was chosen, why, and who said so.
	Decisions []string `json:"decisions,omitempty"`
	// Research is what was found before the task.
	Research []string `json:"research,omitempty"`
	// Sources are the files of the workspace that research named, as they are when
	// the attempt begins.
	Sources []Source `json:"sources,omitempty"`
	// Hints are what the plan says may help with the task, and what earlier runs
	// taught, as the host has them.
	Hints []string `json:"hints,omitempty"`
}

// A Source is a file that was found to be about the task.
type Source struct {
	Path string `json:"path"`
	Text string `json:"text"` // at most MostText bytes; "…" ends one that was cut
}

// MostSources is how many files a briefing has the text of, and MostText how many
// bytes of each.
const (
	MostSources = 5
	MostText    = 16 << 10
)

// Most is how many lines each part has, besides one that counts the rest.
const Most = 50

// Of is the briefing for the step of a case, with the hints of the host.
func Of(c *guard.Case, hints []string) Briefing {
	task, step := c.Place()
	return Briefing{
		Hints:       bound.First(slices.Concat(task.Hints, hints), Most),
		Constraints: bound.First(c.Plan.Named("constraints", step.Constraints), Most),
		Components:  bound.First(c.Plan.Named("components", step.Components), Most),
		Surfaces:    bound.First(c.Plan.Promises(step), Most),
		Earlier:     earlier(c), Decisions: decisions(c), Research: research(c),
	}
}

// research is what was found before the task.
func research(c *guard.Case) []string {
	a := c.Advised(c.Step.Task, advice.Research)
	if a == nil || a.Error != "" {
		return nil
	}
	return bound.First(a.Findings, Most)
}

// Named are the sources that research named: before the task, and after a
// failure of the step, the latest of each.
func Named(c *guard.Case) []string {
	var all []string
	if a := c.Advised(c.Step.Task, advice.Research); a != nil && a.Error == "" {
		all = slices.Clone(a.Sources)
	}
	for _, a := range slices.Backward(c.Step.Advised) {
		if a.Kind == string(advice.Research) && a.Point != string(advice.Task) && a.Error == "" {
			return append(slices.Clone(a.Sources), all...)
		}
	}
	return all
}

// latest are the last lines. The first says how many are left out.
func latest(lines []string) []string {
	more := max(0, len(lines)-Most)
	return after(more, lines[more:])
}

// after are lines, each of them one line and short, after one that says how many
// are left out before them.
func after(more int, lines []string) []string {
	var short []string
	if more > 0 {
		short = append(short, fmt.Sprintf("and %d before these", more))
	}
	for _, line := range lines {
		short = append(short, bound.Text(strings.Join(strings.Fields(line), " "), bound.Short))
	}
	return short
}
