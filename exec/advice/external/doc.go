// Package external has advisors that are programs, in any language
// (docs/advisor-protocol.md), and patterns that stand in a file.
//
//	thinker := &external.Program{Label: "thinker", Args: []string{"/usr/local/bin/think"}}
//	c.Advisors = exec.Advisors{advice.Reflection: thinker, advice.Pivot: thinker}
//
// What they say binds nobody: it is bounded, recorded, and used only where the
// ladder wants it and the plan allows it (package advice).
package external
