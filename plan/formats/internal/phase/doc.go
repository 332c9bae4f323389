// Package phase reads NAME-PLAN.md files: phase plans, whose tasks are tags,
// headings or a list, below a front matter that says which plan of which phase
// it is, in which wave it runs and what it depends on.
//
// [Read] reads one file, [ReadSet] a folder of them as one plan in which each
// file is a speclet. Both yield a [plan.Draft] whose diagnostics carry lines
// and columns:
//
//	draft, err := phase.Read("04-01-PLAN.md", text)
//	if err != nil {
//		return err // too large
//	}
//	for _, d := range draft.Check(plan.CheckOptions{}) {
//		fmt.Println(d)
//	}
//
// Tasks are recognised in this order; the first form that is found is the
// file's:
//
//   - tags: a line that holds nothing but <task …> opens, one that holds nothing
//     but </task> closes, and only the outermost pair is a task. Code fences do
//     not matter for these lines: plans quote plans, and their fences are often
//     nested wrongly
//   - headings: "## Task 1: Title", "### Task T1-001: Title", "### WP1-T1: Title",
//     "### T4-01 Title"; not inside code fences
//   - a list: "- id: T3-01" with keys below it
//
// A task becomes one step whose prompt is the task's text. What it says under
// <done> is the expected output, and a command that stands under <verify> in an
// unmistakable form is a postcondition. A checkpoint keeps its kind, and its
// step asks: it is collaborative, and a failure goes to a person.
//
// Scalars of the front matter are text as written, since 01, 08 and yes mean
// different things to different versions of YAML. A front matter that is no
// YAML is reported and read line by line.
//
// A set of files becomes one plan: each file is a speclet that waits for those
// it depends on. A task keeps its id where that is a code that no other file
// uses, and has the plan's before it where it is not. A wave that is not after
// the wave of what a plan waits for is a warning: it waits all the same. A
// dependency on a plan of another phase is kept and not judged, since that phase
// lies elsewhere.
//
// People and agents write these files in many ways, and each pattern in this
// package was found in a real one. What a pattern reads is not reported; what is
// almost one is, where leaving it out would change what a run does.
//
// Not promised: prose about tasks is not understood. A plan that has none in
// these forms has no tasks.
package phase
