package spec

import (
	"sync"

	"github.com/planlock/planlock/plan"
)

// A Rule is one thing that a pair is checked for.
type Rule struct {
	Code        string
	Severity    plan.Severity
	Explanation string

	// Edits turn a pair without faults into one that breaks the rule and no other. Read the other way round,
	// they mend it.
	Edits []Edit
	// At is where the diagnostic of the example points.
	At Mark
	// Also are further places of it, where one fault shows in both halves.
	Also []Mark

	speclets bool // the example has speclets
}

// An Edit replaces a piece of one half of the example.
type Edit struct {
	Side      string // "markdown" or "toml"
	Good, Bad string
}

// A Mark is a place in the example: where the text begins, in one half.
type Mark struct{ Side, Text string }

// wholeFile stands for all of a half.
const wholeFile = "\x00"

// A rule has, besides its description, the judgement itself.
type rule struct {
	Rule
	judge func(*judged, reporter)
}

// rules are all rules, in the order in which the catalogue lists them.
var rules = sync.OnceValue(func() []rule {
	var list []rule
	for _, part := range [...][]rule{fileRules(), goalRules(), stackRules(), taskRules(), flagRules(), stepRules(), balanceRules(),
		taskBridgeRules(), stepBridgeRules(), specletRules(), specletOrderRules(), referenceRules()} {
		list = append(list, part...)
	}
	return list
})

// Rules is the catalogue: what a pair, or one half of it, is checked for.
func Rules() []Rule {
	var list []Rule
	for _, r := range rules() {
		list = append(list, r.Rule)
	}
	return list
}
