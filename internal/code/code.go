// Package code has the codes of what the built-in gates find, for the gates and
// for whoever decides by them what follows. Hosts know them as texts, listed by
// gate.Codes and in docs/gates.md.
package code

import (
	"slices"
)

// Codes of findings. They are stable: hosts and reports may branch on them.
const (
	ArtifactMissing = "artifact-missing" // a declared path did not change as declared
	ArtifactKind    = "artifact-kind"    // a declared path ended as something that no declaration stands for
	ArtifactExtra   = "artifact-extra"   // a path changed that nobody declared
	SymbolMissing   = "symbol-missing"   // a declared symbol was not added or removed
	SymbolExtra     = "symbol-extra"     // a symbol was added or removed that nobody declared
	LimitFiles      = "limit-files"      // more files changed than max_files allows
	LimitLines      = "limit-lines"      // more lines changed than max_lines allows
	LimitModules    = "limit-modules"    // a change outside the folders that modules allows
	NonGoal         = "non-goal"         // something that must not be touched was touched, or is declared to be
	Syntax          = "syntax"           // a changed file does not parse
	Types           = "types"            // a changed package does not compile
	Invariant       = "invariant-broken" // an invariant does not hold
	TestNotRed      = "test-not-red"     // the test of an intent does not fail before the fix, in what the step wrote
	TestNotGreen    = "test-not-green"   // the test of an intent fails after the fix, or at the end
	TestChanged     = "test-changed"     // a test was changed after it had failed and before it passed
	Surface         = "surface-broken"   // a public symbol is not what the plan says that it promises
	SemanticClass   = "semantic-class"   // the change is of a higher class than declared, or has no class
	Precondition    = "precondition"     // a precondition of the step, or an assumption of the plan, does not hold
	Postcondition   = "postcondition"    // a postcondition does not hold
	ExpectedOutput  = "expected-output"  // the executor's output is not what the step expects
	EvidenceMissing = "evidence-missing" // a file that the step owes as evidence is not there or empty
	Completion      = "completion"       // a completion criterion does not hold at the end
	Incomplete      = "plan-incomplete"  // the plan's own check refuses it
	More            = "more"             // more findings than are kept of a gate; the message says how many
	Unread          = "unread"           // nobody can say whether a promise about a source file is kept
	Undecided       = "undecided"        // beside other findings: a check could not be decided
)

// all are the codes, in any order.
var all = []string{
	ArtifactMissing, ArtifactKind, ArtifactExtra, SymbolMissing, SymbolExtra, LimitFiles, LimitLines, LimitModules,
	NonGoal, Syntax, Types, Invariant, TestNotRed, TestNotGreen, TestChanged, Surface, SemanticClass, Precondition,
	Postcondition, ExpectedOutput, EvidenceMissing, Completion, Incomplete, More, Unread, Undecided,
}

// All lists the codes, sorted. The slice is the caller's own.
func All() []string { return slices.Sorted(slices.Values(all)) }

// Undeclared reports whether a finding of this code says that a step did
// something else than it declared: to files, symbols, sizes or what they mean.
func Undeclared(code string) bool { return slices.Contains(undeclared, code) }

var undeclared = []string{ArtifactMissing, ArtifactExtra, ArtifactKind, SymbolMissing, SymbolExtra, LimitFiles,
	LimitLines, LimitModules, NonGoal, Surface, SemanticClass}
