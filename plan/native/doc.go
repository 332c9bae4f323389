// Package native reads and writes the TOML format of planlock.
//
//	draft, err := native.ReadFile("plan.toml")
//	if err != nil {
//		return err // not there, no permission, no regular file, too large
//	}
//	text := native.Write(&draft.Plan, map[string][]string{"": {"Written by a program."}})
//
// What the keys are is said once, in package plan, by the functions that visit
// the model: [Read] sets the plan through them and [Write] spells it through
// them. The page of the format and the JSON schema for editors (docs) are drawn
// from the same keys by tests.
//
// What is wrong with a text is no error but stands in the draft, with its
// place: a text that is not TOML yields a draft that is broken, and one with
// faults in it a draft of all that could be read. A text is read in time in
// proportion to its length, whatever stands in it. Drafts share nothing with
// the text that they were read from.
package native
