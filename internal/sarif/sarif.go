// Package sarif makes logs of SARIF 2.1.0, as far as editors and code hosts read
// them: what is wrong with a plan, and what was found in a run.
package sarif

import (
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A Finding is one result, before it is laid out.
type Finding struct {
	Rule, Why    string // what the rule is for; "" where nobody says
	Level        string // "error", "warning" or "note"
	Text         string
	File         string // relative to the root of the repository, or absolute
	Line, Column int    // from 1; 0 where they are not known
	Address      string // of the plan: a task, or a step; "" of none
}

// A Log has one run. It is written as JSON.
type Log struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []Run  `json:"runs"`
}

// A Run is one run of the tool.
type Run struct {
	Tool struct {
		Driver Driver `json:"driver"`
	} `json:"tool"`
	ColumnKind string         `json:"columnKind"`
	Results    []Result       `json:"results"`
	Properties map[string]any `json:"properties,omitempty"`
}

// A Driver is the tool, with the rules that results name.
type Driver struct {
	Name    string `json:"name"`
	Version string `json:"semanticVersion,omitempty"`
	Rules   []Rule `json:"rules"`
}

// A Rule is a code of which something was found.
type Rule struct {
	ID  string   `json:"id"`
	Why *Message `json:"shortDescription,omitempty"`
}

// A Message is in plain words.
type Message struct {
	Text string `json:"text"`
}

// A Result is one finding.
type Result struct {
	RuleID    string     `json:"ruleId"`
	RuleIndex int        `json:"ruleIndex"`
	Level     string     `json:"level"`
	Message   Message    `json:"message"`
	Locations []Location `json:"locations"`
}

// A Location is where it stands: in a file, and in the plan by task and step.
type Location struct {
	Physical *Physical `json:"physicalLocation,omitempty"`
	Logical  []Logical `json:"logicalLocations,omitempty"`
}

// A Physical location is a file and, where it is known, a place in it.
type Physical struct {
	Artifact struct {
		URI string `json:"uri"`
	} `json:"artifactLocation"`
	Region *Region `json:"region,omitempty"`
}

// A Region counts lines and columns from 1, columns in code points.
type Region struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
}

// A Logical location is an address of the plan.
type Logical struct {
	FullyQualifiedName string `json:"fullyQualifiedName"`
}

// New makes a log of findings; version is that of planlock, and stands there
// where it is a semantic one.
func New(version string, found []Finding) Log {
	run := Run{ColumnKind: "unicodeCodePoints", Results: []Result{}}
	run.Tool.Driver = Driver{Name: "planlock", Version: semantic(version), Rules: []Rule{}}
	byRule := slices.SortedStableFunc(slices.Values(found), func(a, b Finding) int { return strings.Compare(a.Rule, b.Rule) })
	index := map[string]int{}
	for _, f := range byRule {
		if _, known := index[f.Rule]; known {
			continue
		}
		rule := Rule{ID: f.Rule}
		if f.Why != "" {
			rule.Why = &Message{f.Why}
		}
		index[f.Rule] = len(index)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
	}
	for _, f := range found {
		run.Results = append(run.Results, Result{RuleID: f.Rule, RuleIndex: index[f.Rule], Level: f.Level,
			Message: Message{f.Text}, Locations: f.locations()})
	}
	return Log{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []Run{run}}
}

// locations are one, or none of a finding that is about no file and no step.
func (f Finding) locations() []Location {
	at := Location{}
	if f.File != "" {
		at.Physical = &Physical{}
		at.Physical.Artifact.URI = uriOf(f.File)
		if f.Line > 0 {
			at.Physical.Region = &Region{f.Line, f.Column}
		}
	}
	if f.Address != "" {
		at.Logical = []Logical{{f.Address}}
	}
	if at.Physical == nil && at.Logical == nil {
		return []Location{}
	}
	return []Location{at}
}

// semantic is a version as SARIF wants it, or "".
func semantic(version string) string {
	version = strings.TrimPrefix(version, "v")
	if len(version) == 0 || version[0] < '0' || version[0] > '9' || strings.Count(version, ".") < 2 {
		return ""
	}
	return version
}

// uriOf is a path as a relative reference, or a file URI where it is absolute.
func uriOf(file string) string {
	name := path.Clean(filepath.ToSlash(file))
	u := url.URL{Path: name}
	if filepath.IsAbs(file) {
		u.Scheme = "file"
		u.Path = "/" + strings.TrimPrefix(name, "/")
	}
	return u.String()
}
