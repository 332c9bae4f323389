package nokeys_test

import (
	"testing"

	"github.com/planlock/planlock/examples/nokeys"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/gatetest"
)

func TestGate(t *testing.T) {
	for name, tt := range map[string]struct {
		before, after gatetest.Files
		want          gate.Result
	}{
		"a key by its name":    {nil, gatetest.Files{"ca.pem": "x"}, gate.Fail},
		"a key by its content": {nil, gatetest.Files{"notes": "-----BEGIN PRIVATE KEY-----\n"}, gate.Fail},
		"an old key":           {gatetest.Files{"ca.pem": "x"}, gatetest.Files{"ca.pem": "y"}, gate.Passed},
		"no key":               {nil, gatetest.Files{"a.txt": "x"}, gate.Passed},
	} {
		if j := gatetest.Judge(t.Context(), nokeys.Gate, gatetest.Pass(t, tt.before, tt.after)); j.Verdict == nil ||
			j.Verdict.Result != tt.want {
			t.Errorf("%s: got %+v, want %s", name, j, tt.want)
		}
	}
}

func TestRules(t *testing.T) { gatetest.Run(t, nokeys.Gate) }
