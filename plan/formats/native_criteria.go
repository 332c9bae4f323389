package formats

import (
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

var (
	// A criterion that says no more than: this command succeeds.
	succeeds = lazyre.New("^(?:(?i:run|running):?\\s+)?`([^`]+)`\\s+" +
		`(?i:must |should |to )?(?i:pass(?:es)?|succeeds?|exits (?:with )?(?:status |code )?(?:0|zero)|is green|runs without errors?|completes? (?:successfully|without errors?))\.?$`)
	// … or: this file is there.
	exists = lazyre.New("^(?i:file |the file )?(?:`([^`\\s]+)`|([\\w./-]*[\\w-][./][\\w./-]+)) (?i:must exist|should exist|exists|is there)(?i: on disk)?\\.?$")
	// The beginning of a command.
	program = lazyre.New(`^(?:[A-Z_]+=\S+\s+)*(?:\./[\w./-]+|[a-z][a-z0-9_+-]*)\s`)
)

// criteria makes completion checks of what a machine can decide, and leaves the
// rest to who reviews the outcome.
func (c *conversion) criteria() {
	checks := slices.Clone(c.p.Completion.Checks)
	decided := func(text string) bool {
		check, ok := checkOf(text)
		if ok && !slices.ContainsFunc(checks, func(k plan.Check) bool { return reflect.DeepEqual(k, check) }) &&
			len(checks) < maxChecks {
			checks = append(checks, check)
		}
		return ok
	}
	for _, text := range c.p.Completion.AcceptanceCriteria {
		decided(text)
	}
	for i := range c.p.Tasks {
		t := &c.p.Tasks[i]
		var rest []string
		for _, text := range t.AcceptanceCriteria {
			if !decided(text) && strings.TrimSpace(text) != "" {
				rest = append(rest, text)
			}
		}
		if n := len(t.Steps); n > 0 && t.Steps[n-1].ExpectedOutput == "" {
			t.Steps[n-1].ExpectedOutput = questions(rest)
		}
	}
	if len(checks) > len(c.p.Completion.Checks) {
		c.p.Completion.Checks = checks
		c.remark("completion_criteria",
			"Some of the checks were made of acceptance criteria; they are decided when all steps are done.")
	}
}

// maxChecks bounds the checks that are made of criteria, and with it the work
// of comparing them.
const maxChecks = 200

// questions is what a reviewer is asked about.
func questions(criteria []string) string {
	if len(criteria) < 2 {
		return strings.Join(criteria, "")
	}
	return "- " + strings.Join(criteria, "\n- ")
}

// checkOf finds the check that a criterion states, if it states nothing else.
func checkOf(criterion string) (plan.Check, bool) {
	text := strings.TrimSpace(criterion)
	if len(text) > 500 || strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
		return plan.Check{}, false
	}
	if m := succeeds.FindStringSubmatch(text); m != nil && program.MatchString(m[1]) {
		return plan.Check{Kind: "command", Run: m[1]}, true
	}
	if m := exists.FindStringSubmatch(text); m != nil {
		file := strings.TrimPrefix(m[1]+m[2], "./")
		if ledger.CheckPattern(file) == nil && !ledger.IsGlob(file) && !ledger.Reserved(file) &&
			strings.ContainsAny(file, "./") {
			return plan.Check{Kind: "file_exists", Path: file}, true
		}
	}
	return plan.Check{}, false
}
