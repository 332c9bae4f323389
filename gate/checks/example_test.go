package checks_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/checks"
	"github.com/planlock/planlock/gate/panel"
	"github.com/planlock/planlock/plan"
)

// Checks are decided through a pass that a panel hands out.
func ExampleKinds() {
	dir, err := os.MkdirTemp("", "checks")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/m\n\ngo 1.25\n"),
		0o644); err != nil {
		fmt.Println(err)
		return
	}
	p := &panel.Panel{Checks: checks.Kinds()}
	pass := p.Prepare(&gate.Pass{Dir: dir})
	for _, c := range []plan.Check{
		{Kind: "file_contains", Path: "go.mod", Matches: `(?m)^go 1\.\d+$`},
		{Kind: "file_absent", Path: "go.mod"},
	} {
		v, err := pass.Decide(context.Background(), c)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(c.Kind, v.Result)
	}
	// Output:
	// file_contains pass
	// file_absent fail
}
