// Package sarif writes what is wrong with a plan in the format that editors and
// code hosts read.
package sarif

import (
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/planlock/planlock/plan"
)

// A Log is one of SARIF 2.1.0 with one run, as far as editors and code hosts
// read it. It is written as JSON.
type Log struct {
	Schema  string   `json:"$schema"`
	Version string   `json:"version"`
	Runs    []logRun `json:"runs"`
}

type logRun struct {
	Tool       tool     `json:"tool"`
	ColumnKind string   `json:"columnKind"`
	Results    []result `json:"results"`
}

type tool struct {
	Driver driver `json:"driver"`
}

type driver struct {
	Name    string `json:"name"`
	Version string `json:"semanticVersion,omitempty"`
	Rules   []rule `json:"rules"`
}

type rule struct {
	ID string `json:"id"`
}

type text struct {
	Text string `json:"text"`
}

type result struct {
	RuleID    string     `json:"ruleId"`
	RuleIndex int        `json:"ruleIndex"`
	Level     string     `json:"level"`
	Message   text       `json:"message"`
	Locations []location `json:"locations"`
}

type location struct {
	Physical physical  `json:"physicalLocation"`
	Logical  []logical `json:"logicalLocations,omitempty"`
}

type physical struct {
	Artifact artifact `json:"artifactLocation"`
	Region   region   `json:"region"`
}

type artifact struct {
	URI string `json:"uri"`
}

type region struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
}

type logical struct {
	FullyQualifiedName string `json:"fullyQualifiedName"`
}

// Of makes a log of what was found in a draft; version is that of planlock, and
// stands there where it is a semantic one.
func Of(d *plan.Draft, found []plan.Diagnostic, version string) Log {
	run := logRun{Tool: tool{driver{Name: "planlock", Version: semantic(version), Rules: []rule{}}},
		ColumnKind: "unicodeCodePoints", Results: []result{}}
	rules := map[string]int{}
	for _, code := range codesOf(found) {
		rules[code] = len(rules)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule{ID: code})
	}
	for _, f := range found {
		r := result{RuleID: f.Code, RuleIndex: rules[f.Code], Level: string(f.Severity), Message: text{f.Message},
			Locations: []location{{Physical: physical{Artifact: artifact{uriOf(f.Pos.File)},
				Region: region{max(f.Pos.Line, 1), codePoints(d.Line(f.Pos), f.Pos.Column)}}}}}
		if f.Hint != "" {
			r.Message.Text += "\nhint: " + f.Hint
		}
		if name := strings.Trim(f.Task+"."+f.Step, "."); name != "" {
			r.Locations[0].Logical = []logical{{name}}
		}
		run.Results = append(run.Results, r)
	}
	return Log{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []logRun{run}}
}

// codesOf lists the codes of what was found, each once, sorted.
func codesOf(found []plan.Diagnostic) []string {
	var codes []string
	for _, f := range found {
		codes = append(codes, f.Code)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// semantic is a version as SARIF wants it, or "".
func semantic(version string) string {
	version = strings.TrimPrefix(version, "v")
	if len(version) == 0 || version[0] < '0' || version[0] > '9' || strings.Count(version, ".") < 2 {
		return ""
	}
	return version
}

// codePoints turns a column in bytes into one in code points.
func codePoints(line string, column int) int {
	if column < 1 {
		return 1
	}
	return utf8.RuneCountInString(line[:min(column-1, len(line))]) + 1
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
