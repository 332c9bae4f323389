package report

import (
	"strings"
	"unicode/utf8"

	"github.com/planlock/planlock/internal/sarif"
	"github.com/planlock/planlock/plan"
)

// A SARIFLog is one of SARIF 2.1.0 with one run, as far as editors and code
// hosts read it. It is written as JSON.
type SARIFLog = sarif.Log

// SARIF makes a log of what was found in a draft, for editors and code hosts;
// version is that of planlock, and stands there where it is a semantic one.
func SARIF(d *plan.Draft, found []plan.Diagnostic, version string) SARIFLog {
	var all []sarif.Finding
	for _, f := range found {
		text := f.Message
		if f.Hint != "" {
			text += "\nhint: " + f.Hint
		}
		all = append(all, sarif.Finding{Rule: f.Code, Why: why(f.Code), Level: string(f.Severity), Text: text,
			File: f.Pos.File, Line: max(f.Pos.Line, 1), Column: codePoints(d.Line(f.Pos), f.Pos.Column),
			Address: strings.Trim(f.Task+"."+f.Step, ".")})
	}
	return sarif.New(version, all)
}

// why is what a rule of native plans is for; "" of rules of other formats.
func why(code string) string {
	for _, c := range plan.Codes() {
		if c.Code == code {
			return c.Why
		}
	}
	return ""
}

// codePoints turns a column in bytes into one in code points.
func codePoints(line string, column int) int {
	if column < 1 {
		return 1
	}
	return utf8.RuneCountInString(line[:min(column-1, len(line))]) + 1
}
