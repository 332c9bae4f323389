package cmd

import (
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/plan"
)

// sarifJSON is a log of SARIF 2.1.0 with one run, as far as editors and code hosts read it.
type sarifJSON struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool       sarifTool     `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"semanticVersion,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID string `json:"id"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	RuleIndex int             `json:"ruleIndex"`
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations"`
}

type sarifLocation struct {
	Physical sarifPhysical  `json:"physicalLocation"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   sarifRegion   `json:"region"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
}

type sarifLogical struct {
	FullyQualifiedName string `json:"fullyQualifiedName"`
}

// sarifDocument is what check found, for editors and code hosts.
func sarifDocument(d *plan.Draft, found []plan.Diagnostic) sarifJSON {
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "planlock", Version: semantic(exec.Version()), Rules: []sarifRule{}}},
		ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	rules := map[string]int{}
	for _, code := range codesOf(found) {
		rules[code] = len(rules)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{ID: code})
	}
	for _, f := range found {
		r := sarifResult{RuleID: f.Code, RuleIndex: rules[f.Code], Level: string(f.Severity), Message: sarifText{f.Message},
			Locations: []sarifLocation{{Physical: sarifPhysical{Artifact: sarifArtifact{uriOf(f.Pos.File)},
				Region: sarifRegion{max(f.Pos.Line, 1), codePoints(d.Line(f.Pos), f.Pos.Column)}}}}}
		if f.Hint != "" {
			r.Message.Text += "\nhint: " + f.Hint
		}
		if name := strings.Trim(f.Task+"."+f.Step, "."); name != "" {
			r.Locations[0].Logical = []sarifLogical{{name}}
		}
		run.Results = append(run.Results, r)
	}
	return sarifJSON{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
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
