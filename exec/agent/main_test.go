package agent_test

import (
	"os"
	"testing"

	"github.com/planlock/planlock/exec/agent/agenttest/fake"
)

func TestMain(m *testing.M) {
	fake.Main()
	os.Exit(m.Run())
}
