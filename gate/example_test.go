package gate_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/gatetest"
	"github.com/planlock/planlock/gate/panel"
	"github.com/planlock/planlock/ledger"
)

// noKeys refuses steps that touch key files.
var noKeys = gate.New(
	gate.Info{Name: "nokeys", Doc: "No step may touch a key file.", Level: gate.BlocksStep,
		Phases: []gate.Phase{gate.During}},
	func(_ context.Context, pass *gate.Pass) error {
		for _, c := range pass.Changes {
			if strings.HasSuffix(c.Path, ".pem") {
				pass.Reportf(c.Path, "a key file was %s", c.Op)
			}
		}
		return nil
	})

func TestNoKeys(t *testing.T) {
	gatetest.Run(t, noKeys)
	for file, want := range map[string]gate.Result{"ca.pem": gate.Fail, "ca.txt": gate.Passed} {
		pass := gatetest.Pass(t, gatetest.Files{}, gatetest.Files{file: "x"})
		if j := gatetest.Judge(t.Context(), noKeys, pass); j.Verdict.Result != want {
			t.Errorf("%s: got %s, want %s", file, j.Verdict.Result, want)
		}
	}
}

func ExampleNew() {
	p := &panel.Panel{Gates: []gate.Gate{noKeys}}
	if err := p.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	pass := &gate.Pass{}
	pass.Changes = []ledger.Change{{Path: "certs/ca.pem", Op: ledger.Created}, {Path: "main.go", Op: ledger.Modified}}
	for _, j := range p.Ask(context.Background(), pass, gate.During) {
		fmt.Println(j.Gate, j.Verdict.Result, j.Blocks())
		for _, f := range j.Verdict.Findings {
			fmt.Println(f.Path+":", f.Message)
		}
	}
	// Output:
	// nokeys fail true
	// certs/ca.pem: a key file was created
}

// A gate that calls a model says so, so that a time-out is put down to the
// model.
func ExamplePass_Waiting() {
	ask := func(context.Context) (string, error) { return "looks right", nil }
	review := gate.New(
		gate.Info{Name: "review", Doc: "A reviewer must agree.", Level: gate.BlocksStep,
			Phases: []gate.Phase{gate.After}},
		func(ctx context.Context, pass *gate.Pass) error {
			done := pass.Waiting(gate.ModelStall, "the reviewer")
			defer done()
			answer, err := ask(ctx)
			if err != nil {
				return fmt.Errorf("review: %w", err)
			}
			pass.Evidencef("the reviewer says: %s", answer)
			return nil
		})
	for _, j := range (&panel.Panel{Gates: []gate.Gate{review}}).Ask(context.Background(), &gate.Pass{}, gate.After) {
		fmt.Println(j.Gate, j.Verdict.Result, j.Verdict.Evidence)
	}
	// Output:
	// review pass [the reviewer says: looks right]
}

// What docs/gates.md shows is what is compiled and run here.
func TestDocsShowThisFile(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "gates.md"))
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for rest := string(page); ; shown++ {
		_, block, ok := strings.Cut(rest, "```go\n")
		if !ok {
			break
		}
		block, rest, _ = strings.Cut(block, "```")
		if !strings.Contains(string(here), block) {
			t.Errorf("docs/gates.md shows code that is not in example_test.go:\n%s", block)
		}
	}
	if shown != 2 {
		t.Errorf("docs/gates.md shows %d pieces of code, want 2", shown)
	}
}
