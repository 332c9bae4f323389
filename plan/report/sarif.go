package report

import (
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/planlock/planlock/plan"
)

// A SARIFLog is one of SARIF 2.1.0 with one run, as far as editors and code
// hosts read it. It is written as JSON.
type SARIFLog struct {
	Schema  string   `json:"$schema"`
	Version string   `json:"version"`
	Runs    []logRun `json:"runs"`
}

// A logRun is one run of the tool.
type logRun struct {
	Tool struct {
		Driver driver `json:"driver"`
	} `json:"tool"`
	ColumnKind string   `json:"columnKind"`
	Results    []result `json:"results"`
}

// A driver is the tool, with the rules that results name.
type driver struct {
	Name    string `json:"name"`
	Version string `json:"semanticVersion,omitempty"`
	Rules   []rule `json:"rules"`
}

// A rule is a code of which something was found.
type rule struct {
	ID  string `json:"id"`
	Why *text  `json:"shortDescription,omitempty"` // of rules of native plans
}

// A text is a message in plain words.
type text struct {
	Text string `json:"text"`
}

// A result is one diagnostic.
type result struct {
	RuleID    string     `json:"ruleId"`
	RuleIndex int        `json:"ruleIndex"`
	Level     string     `json:"level"`
	Message   text       `json:"message"`
	Locations []location `json:"locations"`
}

// A location is where it stands: in a file, and in the plan by task and step.
type location struct {
	Physical physical  `json:"physicalLocation"`
	Logical  []logical `json:"logicalLocations,omitempty"`
}

// A physical location counts lines and columns from 1, columns in code points.
type physical struct {
	Artifact struct {
		URI string `json:"uri"`
	} `json:"artifactLocation"`
	Region struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
	} `json:"region"`
}

// A logical location is an address of the plan.
type logical struct {
	FullyQualifiedName string `json:"fullyQualifiedName"`
}

// SARIF makes a log of what was found in a draft, for editors and code hosts;
// version is that of planlock, and stands there where it is a semantic one.
func SARIF(d *plan.Draft, found []plan.Diagnostic, version string) SARIFLog {
	run := logRun{ColumnKind: "unicodeCodePoints", Results: []result{}}
	run.Tool.Driver = driver{Name: "planlock", Version: semantic(version), Rules: []rule{}}
	index := map[string]int{}
	for _, code := range codesOf(found) {
		index[code] = len(index)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule{ID: code, Why: why(code)})
	}
	for _, f := range found {
		at := location{}
		at.Physical.Artifact.URI = uriOf(f.Pos.File)
		at.Physical.Region.StartLine = max(f.Pos.Line, 1)
		at.Physical.Region.StartColumn = codePoints(d.Line(f.Pos), f.Pos.Column)
		if name := strings.Trim(f.Task+"."+f.Step, "."); name != "" {
			at.Logical = []logical{{name}}
		}
		r := result{RuleID: f.Code, RuleIndex: index[f.Code], Level: string(f.Severity), Message: text{f.Message},
			Locations: []location{at}}
		if f.Hint != "" {
			r.Message.Text += "\nhint: " + f.Hint
		}
		run.Results = append(run.Results, r)
	}
	return SARIFLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []logRun{run}}
}

// why is what a rule of native plans is for; nil of rules of other formats.
func why(code string) *text {
	for _, c := range plan.Codes() {
		if c.Code == code {
			return &text{c.Why}
		}
	}
	return nil
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
