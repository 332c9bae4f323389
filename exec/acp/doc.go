// Package acp is the executor for agents that speak the Agent Client Protocol
// (agentclientprotocol.com), in which a program reads and writes one line of
// JSON for each message.
//
//	agent := &acp.Executor{Args: []string{"gemini", "--acp"}}
//	c := exec.Controller{Dir: ".", Gates: builtin.Gates(), Executors: exec.Default(agent)}
//
// The program is started once per attempt, in the layer and the sandbox of the
// step, and is given one prompt. It works on the files itself: it is offered
// neither files nor terminals by the protocol. What it asks to do is allowed as
// far as the plan lets the step do it, and else refused, before anything is
// written; what it did without asking is found when the attempt is accounted.
// What it says is shown, and proves nothing.
//
// The feedback of a failed attempt goes on with the agent's own conversation
// where the agent can do that and [exec.Work] has a Home, which keeps the id of
// the session. Else, and with another method of the step, there is a new one.
//
// Errors say what became of the attempt: [exec.LimitError], exec.ErrContextExhausted,
// [LoginError], [ProtocolError], [RefusalError], [SilenceError], [AskingError],
// [EndedError], [AnswerError], [ChoiceError].
package acp
