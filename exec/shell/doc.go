// Package shell is the executor for steps that are shell commands.
//
// A step's method is run as it is written by `sh -c`, in the workspace, through
// the runner that the controller supplies: in the step's sandbox, with named
// environment variables only, and without anything that outlives the step. On
// Windows sh is that in PATH or of Git for Windows, else what Means.Shell of
// the controller names, else the command interpreter.
// Nothing is added: a script that is to stop at its first failing command says
// `set -e` itself. A backup with a tool_path runs that program with its
// tool_args, without a shell.
//
//	c := exec.Controller{Dir: ".", Gates: builtin.Gates(), Executors: exec.Default(&shell.Executor{})}
//
// A command that ends with another status than 0 has failed, and Execute
// returns an [*ExitError]. What a command prints proves nothing; it is
// recorded, and what the step is judged by is the tree.
//
// Outcomes are never stateful: everything a command is meant to do lies in the
// workspace, which is restored before the next attempt. A command that acts
// elsewhere (a deployment, a message) belongs in a step whose rollback class
// says so.
package shell
