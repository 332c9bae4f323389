package agent_test

import (
	"os"
	"testing"

	"github.com/planlock/planlock/exec/acp/acptest"
	"github.com/planlock/planlock/exec/agent/agenttest/fake"
)

func TestMain(m *testing.M) {
	fake.Main()
	acptest.Main()
	os.Exit(m.Run())
}
