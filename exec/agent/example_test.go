package agent_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec/agent"
)

// Example lists the agents that are known, with the first variable that logs each
// of them in.
func Example() {
	for _, a := range agent.Known() {
		fmt.Println(a.Name, a.Keys[0])
	}
	// Output:
	// claude ANTHROPIC_API_KEY
	// codex CODEX_API_KEY
	// gemini GEMINI_API_KEY
	// opencode ANTHROPIC_API_KEY
}

// ExampleNew makes an executor for an agent that is not known.
func ExampleNew() {
	mine, err := agent.New("mine", agent.Options{Model: "large", Custom: &agent.Custom{
		Args: []string{"/opt/mine/agent", "--model", "{model}"}, Variables: []string{"MINE_API_KEY"},
		Hosts: []string{"api.example.org"}, Reads: []string{".config/mine"},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	needs, err := mine.Needs(context.Background())
	fmt.Println(mine.Name(), strings.Join(needs.Variables, " "), strings.Join(needs.Hosts, " "), err)
	// Output: mine MINE_API_KEY api.example.org <nil>
}
