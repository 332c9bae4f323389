// Package agent has the coding agents that people have: claude, codex, gemini,
// opencode, and any other that is described ([Custom]).
//
//	claude, err := agent.New("claude", agent.Options{Model: "opus"})
//	c := exec.Controller{Dir: ".", Gates: builtin.Gates(), Executors: exec.Default(claude)}
//
// # What it does
//
// An [Executor] carries out steps by starting the agent's program in the sandbox
// of the step, in its layer, with the step as its prompt. It drives the agent by
// the Agent Client Protocol where its adapter is installed (package acp), else by
// its way to work without a terminal, whose stream of JSON lines is read. Either
// way it tells what the agent is at, what it has spent, whether it met a limit
// ([exec.LimitError]), filled its context ([exec.ErrContextExhausted]), or is not
// logged in ([LoginError]). What an agent says of its work proves nothing.
//
// The program has a home of its own for the run, seeded with copies of those
// files of the user that it needs to be logged in. A login that was refreshed
// meanwhile is written back, and nothing else is ([Agent.Files]).
//
// An agent is also asked for its word: [Executor.Validator], [Executor.Reviewer],
// [Executor.Advisor], [Executor.Researcher]. It is then started in an empty
// folder, with a home of its own, without tools where it can do without.
//
// # What is not promised
//
// An agent reaches whom it likes by the network: the hosts that are listed are
// those that it needs, and nothing keeps it to them. See docs/agents.md.
package agent
