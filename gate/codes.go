package gate

import "github.com/planlock/planlock/internal/code"

// Codes lists the codes of what the built-in gates find, sorted. They are
// stable: hosts and reports may branch on them. docs/gates.md says what each
// means.
func Codes() []string { return code.All() }
