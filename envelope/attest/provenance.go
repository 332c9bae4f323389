package attest

import (
	"time"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// What provenance says of how the files were made, and by whom: a run of
// planlock, on a machine that nobody vouches for.
const (
	BuildType = "https://github.com/planlock/planlock/attestation/plan/v1"
	Builder   = "https://github.com/planlock/planlock/attestation/local/v1"
)

// A provenance is the predicate of [Provenance], SLSA 1.
type provenance struct {
	BuildDefinition buildDefinition `json:"buildDefinition"`
	RunDetails      runDetails      `json:"runDetails"`
}

type buildDefinition struct {
	BuildType            string             `json:"buildType"`
	ExternalParameters   externalParameters `json:"externalParameters"`
	InternalParameters   internalParameters `json:"internalParameters"`
	ResolvedDependencies []Resource         `json:"resolvedDependencies"`
}

// externalParameters are what whoever begins a run decides.
type externalParameters struct {
	Plan         ledger.Digest `json:"plan"`
	Format       plan.Format   `json:"format"`
	Profile      plan.Profile  `json:"profile"`
	Goal         string        `json:"goal"`
	Acknowledged []string      `json:"acknowledged,omitempty"`
	Arguments    []string      `json:"arguments,omitempty"` // of the command, as far as a run keeps them
	Amendments   []string      `json:"amendments,omitempty"`
}

// internalParameters are what the controller decided with.
type internalParameters struct {
	Mode     plan.Mode        `json:"mode"`
	Preset   string           `json:"preset,omitempty"`
	Ladder   []string         `json:"ladder,omitempty"`
	Strategy history.Strategy `json:"strategy,omitempty"`
	Jobs     int              `json:"jobs,omitempty"`
	Layer    plan.Layer       `json:"layer,omitempty"`
	Isolated bool             `json:"isolated,omitempty"`
	Shadow   bool             `json:"shadow,omitempty"`
	Sandbox  bool             `json:"sandbox"`
}

type runDetails struct {
	Builder    builder       `json:"builder"`
	Metadata   buildMetadata `json:"metadata"`
	Byproducts []Resource    `json:"byproducts"`
}

type builder struct {
	ID      string            `json:"id"`
	Version map[string]string `json:"version,omitempty"`
}

type buildMetadata struct {
	InvocationID string    `json:"invocationId"`
	StartedOn    time.Time `json:"startedOn"`
	FinishedOn   time.Time `json:"finishedOn"`
}

// provenanceOf is where the files of a run came from: the plan is what was asked
// for from outside; the tree that it began with and the envelope are what it was
// made of.
func provenanceOf(r *history.Run) *provenance {
	s := &r.Started
	p := &provenance{
		BuildDefinition: buildDefinition{
			BuildType: BuildType,
			ExternalParameters: externalParameters{Plan: s.Plan, Format: s.Format, Profile: s.Profile, Goal: s.Goal,
				Acknowledged: s.Acknowledged, Arguments: r.Policy.Given},
			InternalParameters: internalParameters{Mode: r.Policy.Mode, Preset: r.Policy.Preset, Ladder: r.Policy.Ladder,
				Strategy: r.Policy.Strategy, Jobs: r.Policy.Jobs, Layer: s.Layer, Isolated: s.Isolated, Shadow: s.Shadow,
				Sandbox: !s.NoSandbox},
			ResolvedDependencies: dependencies(s),
		},
		RunDetails: runDetails{
			Builder:    builder{ID: Builder},
			Metadata:   buildMetadata{s.Run, r.Begun.UTC(), r.Over.UTC()},
			Byproducts: []Resource{journalOf(r)},
		},
	}
	if s.Version != "" {
		p.RunDetails.Builder.Version = map[string]string{"planlock": s.Version}
	}
	for _, a := range r.Amendments {
		added := &p.BuildDefinition.ExternalParameters.Amendments
		*added = append(*added, string(a.Digest))
	}
	return p
}

// dependencies are all that a run was made of.
func dependencies(s *history.Started) []Resource {
	list := planFiles(s)
	list = append(list, Resource{Name: "tree", Digest: digest(ofTree, s.Base.Tree)})
	if s.Commit != "" {
		list = append(list, Resource{Name: "commit", Digest: map[string]string{ofCommit: s.Commit}})
	}
	if s.Envelope == nil {
		return list
	}
	for _, c := range s.Envelope.Components {
		r := Resource{Name: "envelope:" + c.Name, Digest: digest(ofEnvelope, c.Digest)}
		if c.Text != "" {
			r.Annotations = map[string]string{"text": c.Text}
		}
		list = append(list, r)
	}
	return list
}

// planFiles are the plan, and the files that it was read from.
func planFiles(s *history.Started) []Resource {
	list := []Resource{{Name: "plan", Digest: digest(ofPlan, s.Plan)}}
	for _, f := range s.Files {
		list = append(list, Resource{Name: "plan:" + ledger.Quote(f.Path), Digest: digest(ofFile, f.Digest)})
	}
	return list
}
