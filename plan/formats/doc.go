// Package formats reads a plan in any format that planlock knows, from a file
// or a folder, in one line:
//
//	draft, err := formats.ReadFile(path)
//
// The format is found in the content; names only break ties. What [ReadFile]
// accepts:
//
//   - a file: a native plan, a NAME-PLAN.md, pending actions, a contract, or the task list of another tool;
//   - either file of a SPEC pair, which is read with its other half, or one half alone;
//   - a folder that holds one of these, or several files NAME-PLAN.md, which are one plan.
//
// A folder with more than one plan is refused, and its plans are named. A file
// that is no plan yields a draft of the format "unknown", whose only diagnostic
// says what the file looks like and what would be read.
//
// Besides "native", "unknown" and "pending-actions", a draft's Format is
// "spec-pair", "spec-markdown" or "spec-toml", "phase-plan", "contract", or the
// name of a tool: "spec-kit", "kiro", "openspec", "task-master", "beads",
// "execplan", "superpowers", or "markdown" for a page that is none of these and has
// a list of what is to be done.
//
// Plans of other formats are carried out under the profile observe. [Native]
// writes a draft as a native plan.
//
// Not promised: that a tool reads its own file the same way. Each front end
// follows what people write, and reports what it could not place.
package formats
