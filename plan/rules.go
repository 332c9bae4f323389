package plan

import (
	"cmp"
	"slices"
	"sync"
)

// rules are all of them, by subject. A part of a plan is asked for them in this
// order. They are put together when the first plan is checked, so that programs
// that check none start without them.
var rules = sync.OnceValue(func() []rule {
	return slices.Concat(readingRules(), namingRules(), wholeRules(), settingRules(), orderRules(), stepRules(),
		artifactRules(), surfaceRules(), languageRules(), laneRules(), checkRules(),
		[]rule{bearsRule, tooComplex, idleRule})
})

// A Code is one kind of diagnostic: its stable name, how grave it is, and why
// it exists.
type Code struct {
	Code     string
	Severity Severity
	Why      string
}

// Codes lists all diagnostics that reading and checking a native plan can
// yield, sorted by code.
func Codes() []Code {
	list := make([]Code, len(rules()))
	for i, r := range rules() {
		list[i] = Code{r.code, r.severity, r.why}
	}
	slices.SortFunc(list, func(a, b Code) int { return cmp.Compare(a.Code, b.Code) })
	return list
}

var severities = sync.OnceValue(func() map[string]Severity {
	m := map[string]Severity{}
	for _, c := range Codes() {
		m[c.Code] = c.Severity
	}
	return m
})

// severityOf never lets a code that is not in the catalogue pass for less than
// an error.
func severityOf(code string) Severity {
	if s, ok := severities()[code]; ok {
		return s
	}
	return Error
}

// readingRules are those of a file that cannot be read as a plan, or not
// wholly.
func readingRules() []rule {
	return []rule{
		{code: "defaults-too-large", severity: Error,
			why: "Every step inherits [defaults]; a large one would be multiplied by the number of steps."},
		{code: "key-case", severity: Error,
			why: "Keys are spelled exactly as documented. Another case would be read by some programs and skipped by others."},
		{code: "key-duplicate", severity: Error,
			why: "A key, and a table that is no list, stands once; keys that differ in case only are one key for many readers."},
		{code: "key-unknown", severity: Error, why: "A key that nobody knows would be a promise that nobody keeps."},
		{code: "not-a-plan", severity: Error, why: "The file is something else. The hint says what is read."},
		{code: "placeholder-value", severity: Warning,
			why: "The value stands for one that somebody meant to fill in. It would be taken as it is."},
		{code: "schema-missing", severity: Error,
			why: "The first line says which version of the format the plan is written in."},
		{code: "toml-parse-error", severity: Error,
			why: "The file is not TOML. What stands behind the place was not read."},
		{code: "toml-too-deep", severity: Error,
			why: "Values are nested deeper, or one value has more parts, than any plan needs."},
		{code: "too-many", severity: Error, why: "More than 1,000 errors were found, and the rest is left out. Warnings and " +
			"notes never come to this: from the fifty-first of a code on they are told as one, which says how many there are."},
		{code: "utf8-invalid", severity: Error,
			why: "The file is not UTF-8, so its text could be read in more than one way."},
		{code: "value-blank", severity: Error, why: "Text of blanks alone is no text: the key says nothing."},
		{code: "value-range", severity: Error, why: "The value is none that the key can have: a number out of its range " +
			"or beyond 2^53, not a number, a time that is negative, zero, or longer than a year."},
		{code: "value-type", severity: Error, why: "The value is of another kind than the key asks for."},
		{code: "value-unknown", severity: Error, why: "The key takes one of a few words."},
	}
}
