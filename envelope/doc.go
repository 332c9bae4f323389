// Package envelope names and digests all that a run's outcome depends on beside
// its plan and its tree: the model, prompt templates, context files, the
// toolchain, tools, configuration, the rules that decide, the agents that take
// part, and how far commands are confined.
//
// An [Envelope] is a list of [Component] values, sorted by name. It is computed
// when a plan is locked, and again before every step, by package probe;
// [Envelope.Moves] says in plain words what moved in between. The package itself
// computes only.
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
//	parser:LANGUAGE  what reads source files of a language: name and version of its parser
//	rules            names and versions of gates, kinds of checks, thresholds
//	agent:NAME       an executor, gate or advisor: its version and its program's content
//	needs of NAME    what an agent needs besides what every step has
//	isolation        how far commands are confined; a run compares what holds, and not the text
package envelope
