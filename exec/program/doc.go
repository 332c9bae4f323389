// Package program is the executor for steps that another program carries out,
// in any language.
//
// The program is started once per attempt, in the workspace and in the step's
// sandbox. It reads one line of JSON, the request, from its standard input,
// does the work, and writes events to its standard output, one line of JSON
// each. The last event is the result. Everything else that it prints is kept as
// log text, and is never taken for a result. The page docs/executor-protocol.md
// describes every line, with complete programs in Python and shell.
//
//	agent := &program.Executor{Args: []string{"/usr/local/bin/my-agent", "--fast"}}
//	c := exec.Controller{Dir: ".", Gates: builtin.Gates(), Executors: exec.Default(agent)}
//
// An attempt succeeded if there is exactly one well-formed result, it says
// "ok", no event follows it, and the program ended with status 0. That says
// only what the program believes: the controller judges the tree. The call
// returns when the program and everything it started have ended, so that
// nothing can change the tree after a result.
package program
