package gate

// Codes of findings of the built-in gates. They are stable: hosts and reports
// may branch on them.
const (
	CodeArtifactMissing = "artifact-missing" // a declared path did not change as declared
	CodeArtifactKind    = "artifact-kind"    // a declared path ended as something that no declaration stands for
	CodeArtifactExtra   = "artifact-extra"   // a path changed that nobody declared
	CodeSymbolMissing   = "symbol-missing"   // a declared symbol was not added or removed
	CodeSymbolExtra     = "symbol-extra"     // a symbol was added or removed that nobody declared
	CodeLimitFiles      = "limit-files"      // more files changed than max_files allows
	CodeLimitLines      = "limit-lines"      // more lines changed than max_lines allows
	CodeLimitModules    = "limit-modules"    // a change outside the folders that modules allows
	CodeNonGoal         = "non-goal"         // something that must not be touched was touched, or is declared to be
	CodeSyntax          = "syntax"           // a changed file does not parse
	CodeTypes           = "types"            // a changed package does not compile
	CodeInvariant       = "invariant-broken" // an invariant does not hold
	CodeTestNotRed      = "test-not-red"     // the test of an intent passes before the fix
	CodeTestNotGreen    = "test-not-green"   // the test of an intent fails after the fix
	CodeSemanticClass   = "semantic-class"   // the change is of a higher class than declared, or has no class
	CodePrecondition    = "precondition"     // a precondition of the step, or an assumption of the plan, does not hold
	CodePostcondition   = "postcondition"    // a postcondition does not hold
	CodeExpectedOutput  = "expected-output"  // the executor's output is not what the step expects
	CodeEvidenceMissing = "evidence-missing" // a file that the step owes as evidence is not there or empty
	CodeCompletion      = "completion"       // a completion criterion does not hold at the end
	CodeIncomplete      = "plan-incomplete"  // the plan's own check refuses it
	CodeMore            = "more"             // more findings than are kept of a gate; the message says how many
	CodeUndecided       = "undecided"        // beside other findings: a check could not be decided
)

// Codes lists the codes of the built-in gates, sorted.
func Codes() []string {
	return []string{
		CodeArtifactExtra, CodeArtifactKind, CodeArtifactMissing, CodeCompletion, CodeEvidenceMissing,
		CodeExpectedOutput, CodeInvariant,
		CodeLimitFiles, CodeLimitLines, CodeLimitModules, CodeMore, CodeNonGoal, CodeIncomplete, CodePostcondition,
		CodePrecondition,
		CodeSemanticClass, CodeSymbolExtra, CodeSymbolMissing, CodeSyntax, CodeTestNotGreen, CodeTestNotRed, CodeTypes,
		CodeUndecided,
	}
}
