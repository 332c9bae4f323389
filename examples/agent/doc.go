// Command agent runs a plan with executors in other languages: agent.sh, a
// shell script, and agent.py, the same in Python. They speak the protocol of
// docs/executor-protocol.md, which is lines of JSON on their standard streams.
//
//	go run ./examples/agent examples/agent/agent.sh
package main
