package envelope

import (
	"context"

	"github.com/planlock/planlock/ledger"
)

// A Component is one thing that the outcome depends on.
type Component struct {
	Name   string        `json:"name"` // "model", "prompt:agent.md", "context:docs/x.md", "toolchain:go", "tool:git", "rules", "config:x", "agent:NAME", "isolation", "planlock"
	Digest ledger.Digest `json:"digest"`
	Text   string        `json:"text,omitempty"` // for people: a version, a level
}

// An Envelope is a set of components, sorted by name.
type Envelope struct {
	Components []Component `json:"components"`
}

// An Agent is an executor, gate or advisor that takes part, with the version it reports.
type Agent struct {
	Name    string
	Version string
	Program string // path of its program, hashed; "" for code in this process
}

// Spec says what to look at.
type Spec struct {
	Dir             string // the workspace; relative names below are relative to it
	Model           string
	PromptTemplates []string // files
	Context         []string // globs
	Tools           []string // programs: digest of the program and its version text
	Toolchain       []string // as Tools, named "toolchain:"
	Config          []string // files
	Rules           []string // texts that decide: names and versions of gates, check kinds, thresholds
	Agents          []Agent
	Isolation       string // the level that was reached
}

// Compute looks at everything in spec. Something that is not there has the zero digest and says so in Text.
func Compute(ctx context.Context, spec Spec) (*Envelope, error) { return nil, nil }

// Digest is the digest of all components.
func (e *Envelope) Digest() ledger.Digest { return "" }

// A Move is a component that is not what it was.
type Move struct {
	Name     string
	From, To *Component // nil: was not there, is not there
}

// String says it in plain words.
func (m Move) String() string { return "" }

// Compare lists what moved, sorted by name.
func Compare(from, to *Envelope) []Move { return nil }
