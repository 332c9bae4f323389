package agenttest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/planlock/planlock/internal/suite"
)

// acting is the variable that has a test's program act as an agent.
const acting = "PLANLOCK_TEST_ACTS_AS"

// Main acts as an agent where the test's program was started as one by
// [Install], and does not return then. A TestMain calls it first.
func Main() {
	if os.Getenv(acting) != "" {
		suite.EndAtOnce()
	}
	switch os.Getenv(acting) {
	case "claude":
		os.Exit(headless(os.Args[1:]))
	case "claude-agent-acp":
		os.Exit(serve())
	}
}

// Install writes small agents as programs into a folder, under the names of those
// that people have: "claude", which works without a terminal, and
// "claude-agent-acp", which speaks the Agent Client Protocol and, in the mode
// "default", asks before it writes or runs anything. They talk to a [Model] as the real ones do, and are
// there in a fraction of a second.
func Install(t testing.TB, dir string, names ...string) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text := fmt.Sprintf("#!/bin/sh\n[ \"$1\" = --version ] && { echo 1.0.0; exit; }\n%s=%s exec '%s' \"$@\"\n",
			acting, name, program)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}
