package types

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/command"
	"github.com/planlock/planlock/gate/internal/say"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/ledger"
)

// vet compiles packages with their tests, build without.
var (
	vet   = []string{"go", "vet", "-buildtag"}
	build = []string{"go", "build", "-o", os.DevNull}
)

// judge compiles the packages of one module that changed, and if they do, those
// that use them. Packages whose tests may be open are built without them.
func (m *module) judge(ctx context.Context, pass *gate.Pass, changes []ledger.Change) error {
	full, err := m.compile(ctx, pass, vet, m.full)
	if err != nil {
		return err
	}
	plain, err := m.compile(ctx, pass, build, m.plain)
	if err != nil {
		return err
	}
	broken := append(full, plain...)
	for _, f := range broken {
		pass.Report(f)
		if f.Path != "" {
			pass.Cite(gate.Citation{Path: f.Path, Line: f.Line, Text: f.Happened})
		}
	}
	if len(broken) > 0 {
		return nil // what uses them does not compile for that reason
	}
	return m.judgeUsers(ctx, pass, changes)
}

// dir is where commands run that look at the module.
func (m *module) dir(pass *gate.Pass) (string, error) {
	dir, err := filepath.Abs(filepath.Join(pass.Dir, filepath.FromSlash(m.folder)))
	if err != nil {
		return "", fmt.Errorf("types: %w", err)
	}
	return dir, nil
}

// compile runs a command of the go tool over packages, all at once, and says
// what does not compile. If some have no files for this system, one after the
// other.
func (m *module) compile(ctx context.Context, pass *gate.Pass, tool, packages []string) ([]gate.Finding, error) {
	if len(packages) == 0 {
		return nil, nil
	}
	dir, err := m.dir(pass)
	if err != nil {
		return nil, err
	}
	cmd := gate.Command{Args: slices.Concat(tool, packages), Dir: dir, Compiles: true}
	r, err := command.Run(ctx, pass, cmd)
	switch {
	case err != nil:
		return nil, err
	case r.Exit == 0:
		pass.Evidencef("%q ended with status 0", cmd.String())
		return nil, nil
	case !excluded(r.Output):
		return m.findings(cmd, r), nil
	case len(packages) == 1:
		pass.Nothingf("%s has no Go files for this system", packages[0])
		return nil, nil
	}
	var all []gate.Finding
	for _, p := range packages {
		found, err := m.compile(ctx, pass, tool, []string{p})
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// excluded reports whether the go tool says no more than that nothing is built
// here: files of other systems are no fault.
func excluded(output string) bool {
	return strings.Contains(output, "build constraints exclude all Go files") || strings.Contains(output, "no non-test Go files in")
}

var goLine = lazyre.New(`(?m)^(?:vet: )?(\S[^:\n]*\.go):(\d+)(?::\d+)?: (.+)$`)

// findings are the places that the go tool names, relative to the workspace; one
// of the whole command where it names none.
func (m *module) findings(cmd gate.Command, r gate.CommandResult) []gate.Finding {
	var all []gate.Finding
	for _, l := range goLine.FindAllStringSubmatch(r.Output, -1) {
		n, err := strconv.Atoi(l[2])
		if err != nil {
			n = 0
		}
		all = append(all, gate.Finding{Code: code.Types, Path: path.Join(m.folder, filepath.ToSlash(l[1])), Line: n,
			Message:  fmt.Sprintf("does not compile: %s", l[3]),
			Expected: fmt.Sprintf("%q ends with status 0", cmd.String()), Happened: l[3]})
	}
	if len(all) == 0 {
		all = append(all, gate.Finding{Code: code.Types,
			Message:  fmt.Sprintf("%q ended with status %d", cmd.String(), r.Exit),
			Expected: "status 0", Happened: say.Ended(r)})
	}
	// The go tool compiles side by side.
	slices.SortStableFunc(all, func(a, b gate.Finding) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	return all
}
