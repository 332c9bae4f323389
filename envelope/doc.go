// Package envelope names and digests all that a run's outcome depends on beside
// its plan and its tree: the model, prompt templates, context files, the
// toolchain, tools, configuration, the rules that decide, the agents that take
// part, and how far commands are confined.
//
// An [Envelope] is a list of [Component] values, sorted by name. It is computed
// when a plan is locked, and again before every step; [Compare] says in plain
// words what moved in between:
//
//	locked, err := envelope.Compute(ctx, spec)
//	…
//	now, err := envelope.Compute(ctx, spec)
//	for _, move := range envelope.Compare(locked, now) {
//		fmt.Println(move) // tool git moved from "git version 2.39.5" (sha256 0f3c…) to …
//	}
//
// A [Prober] does the same, and reads a file again only when its stamps have
// moved.
//
// What is not there is a component too, with the zero digest and a text that
// says so: that a file appears is a move.
//
// # Names
//
//	model            the model's name
//	prompt:PATH      a prompt template
//	context:PATH     a context file; context:GLOB if nothing matches
//	config:PATH      a configuration file
//	tool:NAME        a program: its content and the first line of its version text
//	toolchain:NAME   the same
//	rules            names and versions of gates, kinds of checks, thresholds
//	agent:NAME       an executor, gate or advisor: its version and its program's content
//	isolation        how far commands are confined
//
// # What is not promised
//
// A program is digested as the file that its name leads to; libraries and
// interpreters behind it are not. Where a file's stamps (size, times, inode)
// can be restored by whoever changes its content, a Prober that has seen it
// does not see the change; a new one does.
package envelope
