package remote_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/evidence/remote"
	"github.com/planlock/planlock/gate/evidence/search"
	"github.com/planlock/planlock/gate/panel"
	"github.com/planlock/planlock/plan"
)

// TestChecks: a check that cannot be verified is not decided.
func TestChecks(t *testing.T) {
	const ofFull = "sha256:434728a410a78f56fc1b5899c3593436e61ab0c731e9072d95e96db290205e53"
	dir := t.TempDir()
	for name, text := range map[string]string{"full": "content\n", "empty": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := panel.Panel{Checks: (&search.Policy{Tracker: &remote.MLflow{URL: recorded(t, "").URL}}).Checks()}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		check plan.Check
		want  gate.Result
	}{
		"file":              {plan.Check{Kind: "file_not_empty", Path: "full"}, gate.Passed},
		"empty file":        {plan.Check{Kind: "file_not_empty", Path: "empty"}, gate.Fail},
		"checksum":          {plan.Check{Kind: "file_sha256", Path: "full", Text: ofFull}, gate.Passed},
		"run":               {plan.Check{Kind: "mlflow_run", Name: finished}, gate.Passed},
		"run and artifact":  {plan.Check{Kind: "mlflow_run", Name: finished, Path: "baseline.json"}, gate.Passed},
		"run, no artifact":  {plan.Check{Kind: "mlflow_run", Name: finished, Path: "none"}, gate.Fail},
		"run, not finished": {plan.Check{Kind: "mlflow_run", Name: running}, gate.Fail},
		"address":           {plan.Check{Kind: "url", Text: "http://example.org"}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, c := range p.Checks {
				if c.Kind().Name != test.check.Kind {
					continue
				}
				v, err := c.Decide(t.Context(), &gate.Pass{Dir: dir}, test.check)
				if (err != nil) != (test.want == "") || err == nil && v.Result != test.want {
					t.Errorf("%v, %v; want %q", v, err, test.want)
				}
			}
		})
	}
}
