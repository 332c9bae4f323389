package acp_test

import (
	"fmt"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/acp"
	"github.com/planlock/planlock/gate/builtin"
)

// An agent that speaks the protocol carries out the steps of a plan.
func Example() {
	agent := &acp.Executor{
		Args:    []string{"gemini", "--acp"},
		Label:   "gemini",
		Login:   "gemini", // what a person types to log in
		Silence: 5 * time.Minute,
		Prompt: func(w exec.Work) string {
			return acp.Prompt(w) + "\nWrite tests first.\n"
		},
	}
	c := exec.Controller{Dir: ".", Gates: builtin.Gates(), Executors: exec.Default(agent)}
	fmt.Println(len(c.Executors), agent.Name())
	// Output: 1 gemini
}
