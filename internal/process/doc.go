// Package process runs commands that never outlive the call, confined as a plan
// says.
//
// A [Runner] runs one command at a time or many, and returns when the command
// and everything that it started has ended: what it put into the background,
// what left its session, what ignores signals, what holds the output open.
//
//	r := &process.Runner{Dir: workspace, Env: environ.For(names), Sandbox: process.Sandbox{Level: process.Filesystem}}
//	result, err := r.Run(ctx, gate.Command{Run: "go test ./..."})
//
// A [Sandbox] says how far a command is confined; [Reach] says how far this
// machine can do that, and is what the envelope of a run records. A plan that
// demands more than there is gets a [*LevelError] and nothing runs.
// docs/sandbox.md describes each level, what it holds, and what it does not.
//
// Package environ says what a command gets from the environment, output reads
// what it writes, tracee and callfilter confine it on Linux.
//
// # How a tree of processes is held on Linux
//
// A command is run below a small shell that is the first process of a PID
// namespace; when that ends, the kernel ends everything in it. The namespace
// needs privileges, or a user namespace; where neither can be had, the process
// group is ended, and every process whose environment carries a random variable
// of this run. If the controller itself is killed, the kernel ends the first
// process, and with it the namespace.
//
// # How it is restricted on Linux
//
// The first process is started traced and held at its first instruction. It is
// made to do from inside its namespaces what would be refused later or would
// restrict this process: private mounts, Landlock, fewer capabilities, a filter
// of system calls. Its control groups are joined then too. Where a process may
// not be held, the thread that forks restricts itself with Landlock, starts the
// command, waits for it and ends. The host process stays as free as it was.
//
// # What is not promised
//
// A daemon that a command asks to start something (a container engine, a
// service manager, at) is not part of its tree. Without a PID namespace a
// process that both leaves its group and drops its environment is not found.
package process
