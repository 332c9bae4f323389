// Command owncommand is planlock with a gate of its own: the command of a host in
// ten lines. All else is as it is there, in every command of it, with its help.
//
//	go run . help
//	go run . run plan.toml --dir /tmp/work
//
// The gate rejects words in what a step writes. Which words, the plan says:
//
//	[[gates]]
//	name = "words"
//	reject = ["TODO", "FIXME"]
package main

import (
	"github.com/planlock/planlock/cmd"
	"github.com/planlock/planlock/gate"
)

func main() {
	cmd.Main(cmd.With{
		Gates: []gate.Gate{words},
	})
}
