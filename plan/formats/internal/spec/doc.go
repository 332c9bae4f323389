// Package spec reads SPEC plans: a pair of files, spec_NAME.md for people and
// parameters_NAME.toml for machines.
//
//	draft, err := spec.ReadPair(
//		plan.Text{Path: "spec_limiter.md", Text: markdown},
//		plan.Text{Path: "parameters_limiter.toml", Text: toml})
//
// [ReadPair] reads all spellings that people and their agents use, joins the
// halves by id, and finds what is wrong with each and between them. [Read]
// reads one half alone. Both yield a [plan.Draft] with positions: words come
// from the Markdown, flags, modes and numbers from the parameters where both
// speak. What a plan has no field for is kept among its settings, below
// "metadata".
//
// Each file becomes a half: goals, tasks with steps and backups, and SPECLets,
// in one shape whatever the file was, with the offset of everything. What a
// half does not say stays unsaid, so that rules can tell it from what is said
// to be nothing. Then three things happen to the halves, none of which changes
// them:
//
//   - they are joined into a plan, matched by id;
//   - each becomes a plan of its own, for whoever compares them;
//   - a table of rules judges them. An entry has a code, how grave it is, and
//     where it looks: at each half, task or step, or at both halves at once.
//     docs/spec-rules.md is drawn from the table and from the comments of its
//     functions.
//
// Structure in Markdown is headings, lists and labelled lines outside code
// fences and comments. TOML is read on behind keys that stand twice; behind a
// fault of syntax nothing is read, and nothing is concluded from what is not
// there.
//
// The time to read follows the length of the text. Not promised: what a file
// means that is neither half; ask [Detect].
package spec
