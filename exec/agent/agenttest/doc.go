// Package agenttest has what tests of coding agents need: a stub of the servers
// with the models that they talk to, on the loopback address. It speaks the
// Messages API of Anthropic, the Responses API and chat completions of OpenAI,
// and generateContent of Gemini; what the model says comes from a script.
package agenttest
