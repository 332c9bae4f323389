package cmd_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	agents "github.com/planlock/planlock/exec/agent"
	"github.com/planlock/planlock/exec/agent/agenttest"
)

// greeted is what a model does that carries out the plan of the scripts.
func greeted() []agenttest.Turn {
	return []agenttest.Turn{
		{Say: "I write the greeting.", Calls: []agenttest.Call{agenttest.Write("hello.txt", "hello\n")}},
		agenttest.Say("The greeting is in hello.txt."),
	}
}

// agentScripts runs the scripts about agents from a home that is empty, with one
// key in the environment, against a stub of the model's server. agent is what is
// said to --agent, and path the folder in which its programs are.
func agentScripts(t *testing.T, agent, path string) {
	name, _, _ := strings.Cut(agent, "=")
	m := agenttest.Serve(t, greeted()...)
	began := time.Now()
	t.Cleanup(func() { // once the scripts, which run beside others, are over
		t.Logf("%s: from an empty home to the report in %v", agent, time.Since(began).Round(100*time.Millisecond))
		if n := len(m.Conversation()); n < 2 {
			t.Errorf("the agent made %d requests of the conversation", n)
		}
	})
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/agents",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			for _, a := range agents.Known() {
				for _, names := range [][]string{a.Keys, a.Variables} {
					for _, name := range names {
						env.Setenv(name, "")
					}
				}
			}
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("PLANLOCK_STATE", filepath.Join(env.WorkDir, "state"))
			env.Setenv("AGENT", agent)
			env.Setenv("NAME", name)
			for variable, value := range m.Login(name) {
				env.Setenv(variable, value)
				if value == m.Key {
					env.Setenv("KEY", variable)
				}
			}
			env.Setenv("PATH", path+string(os.PathListSeparator)+env.Getenv("PATH"))
			return os.Mkdir(filepath.Join(env.WorkDir, "home"), 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// TestFirstRunWithAnAgent types what a person types first, with a small agent in
// place of the real one, by each of its ways.
func TestFirstRunWithAnAgent(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the agents are started by sh")
	}
	for _, name := range []string{"claude", "claude-agent-acp"} {
		t.Run(name, func(t *testing.T) {
			path := t.TempDir()
			agenttest.Install(t, path, name)
			agentScripts(t, "claude", path)
		})
	}
}
