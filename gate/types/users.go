package types

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/command"
	"github.com/planlock/planlock/gate/internal/content"
	"github.com/planlock/planlock/gate/internal/say"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// A listed package of a module, by what the go tool says of it.
type listed struct {
	path    string   // its import path
	folder  string   // as relative has it
	module  string   // its module's path
	imports []string // import paths
	tests   []string // what its tests import besides
}

// listFormat is a line for each package. What a package imports is followed
// here, and not by the go tool, whose lists for whole modules are long.
const listFormat = `{{.ImportPath}}|{{with .Module}}{{.Path}}{{end}}|{{join .Imports " "}}|{{join .TestImports " "}} {{join .XTestImports " "}}`

// list are the packages of the module, the broken ones too.
func (m *module) list(ctx context.Context, pass *gate.Pass) ([]listed, error) {
	dir, err := m.dir(pass)
	if err != nil {
		return nil, err
	}
	var lines bytes.Buffer
	r, err := command.Run(ctx, pass, gate.Command{Args: []string{"go", "list", "-e", "-f", listFormat, "./..."},
		Dir: dir, Compiles: true, Stdout: &lines})
	if err != nil {
		return nil, err
	}
	if r.Exit != 0 {
		return nil, fmt.Errorf("types: which packages use what changed is not known: go list ended with %s",
			say.Ended(r))
	}
	var all []listed
	for line := range strings.Lines(lines.String()) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) != 4 || f[1] == "" {
			continue
		}
		below, ok := strings.CutPrefix(f[0], f[1])
		if ok {
			all = append(all, listed{path: f[0], folder: "./" + strings.TrimPrefix(below, "/"), module: f[1],
				imports: strings.Fields(f[2]), tests: strings.Fields(f[3])})
		}
	}
	return all, nil
}

// users are the packages that use one that changed and were not compiled yet:
// by what they import, however far away, or by their tests alone.
func (m *module) users(all []listed) (code, tests []string) {
	uses := map[string]bool{} // by import path: changed, or imports one that uses
	for _, p := range all {
		for _, f := range m.changed {
			uses[path.Join(p.module, f)] = true
		}
	}
	some := func(imports []string) bool {
		return slices.ContainsFunc(imports, func(i string) bool { return uses[i] })
	}
	for more := true; more; {
		more = false
		for _, p := range all {
			if !uses[p.path] && some(p.imports) {
				uses[p.path], more = true, true
			}
		}
	}
	for _, p := range all {
		switch {
		case slices.Contains(m.full, p.folder) || slices.Contains(m.plain, p.folder):
		case uses[p.path]:
			code = append(code, p.folder)
		case some(p.tests):
			tests = append(tests, p.folder)
		}
	}
	return code, tests
}

// judgeUsers compiles the packages of the module that use what changed. One
// that a later step is to change waits for that step; one that did not compile
// before either is recorded, and no fault of the step.
func (m *module) judgeUsers(ctx context.Context, pass *gate.Pass, changes []ledger.Change) error {
	if len(m.changed) == 0 {
		return nil
	}
	all, err := m.list(ctx, pass)
	if err != nil {
		return err
	}
	code, tests := m.users(all)
	var full, plain []string
	for _, f := range slices.Concat(code, tests) {
		folder := path.Join(m.folder, f)
		switch later := adaptedBy(pass, folder); {
		case later != "":
			pass.Evidencef("%q uses what changed, and is compiled once step %s has changed it", folder, later)
		case !covered(pass, folder):
			full = append(full, f)
		case slices.Contains(code, f):
			plain = append(plain, f)
		}
	}
	if err := m.blame(ctx, pass, changes, vet, full); err != nil {
		return err
	}
	return m.blame(ctx, pass, changes, build, plain)
}

// adaptedBy is the step after that of the pass which declares that it changes
// Go files of a folder; "" if none does.
func adaptedBy(pass *gate.Pass, folder string) plan.Address {
	if pass.Step == nil || pass.Plan == nil {
		return ""
	}
	order := pass.InOrder()
	for _, at := range order[slices.Index(order, pass.Step.Address)+1:] {
		if _, s, ok := pass.Plan.Step(at); ok && s.Artifacts != nil && declares(s.Artifacts, folder) {
			return at
		}
	}
	return ""
}

// declares reports whether artifacts name a Go file that lies in a folder
// itself, or may by a glob.
func declares(a *plan.Artifacts, folder string) bool {
	return slices.ContainsFunc(slices.Concat(a.Create, a.Modify, a.Delete), func(p string) bool {
		if ledger.IsGlob(p) {
			return ledger.Match(p, path.Join(folder, "x.go")) || ledger.Match(p, path.Join(folder, "x_test.go"))
		}
		return content.IsGo(p) && content.FolderOf(p) == folder
	})
}
