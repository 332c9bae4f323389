package plan

import (
	"slices"
	"sync"
)

// A Code is one kind of diagnostic: its stable name, how grave it is, why it exists, and a piece of a
// plan that draws it beside one that does not.
type Code struct {
	Code      string
	Severity  Severity
	Why       string
	Bad, Good string
	Whole     bool // Bad is a whole file
}

// Codes lists all diagnostics that reading and checking a native plan can yield, sorted by code.
func Codes() []Code { return slices.Clone(allCodes()) }

var allCodes = sync.OnceValue(func() []Code {
	list := slices.Concat(readingCodes(), namingCodes(), orderCodes(), contractCodes(), checkCodes())
	slices.SortFunc(list, func(a, b Code) int {
		if a.Code < b.Code {
			return -1
		}
		return 1
	})
	return list
})

var severities = sync.OnceValue(func() map[string]Severity {
	m := map[string]Severity{}
	for _, c := range allCodes() {
		m[c.Code] = c.Severity
	}
	return m
})

// severityOf never lets a code that is not in the catalogue pass for less than an error.
func severityOf(code string) Severity {
	if s, ok := severities()[code]; ok {
		return s
	}
	return Error
}
