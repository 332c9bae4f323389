// Package types compiles the Go packages that changed, with the go tool.
// Its gate blocks the step (level 1) and is asked during and at the end.
//
// While a test intent covers a package its tests need not compile: the test is
// written before what it tests. A test file that does not parse is a fault all
// the same, since only types may be missing then. A test command that names no
// folder is taken to cover every package.
//
// Packages that use a changed one are judged at the end if they changed too: a
// step may change an API that the next one adapts its users to.
package types

import (
	"context"
	"fmt"
	"os"
	osexec "os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/command"
	"github.com/planlock/planlock/gate/internal/content"
	"github.com/planlock/planlock/gate/internal/say"
	"github.com/planlock/planlock/gate/internal/trusted"
	"github.com/planlock/planlock/gate/internal/workspace"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/ledger"
)

// Gate is the gate that compiles the Go packages that changed.
func Gate() gate.Gate {
	return trusted.New(gate.Info{
		Name:    "types",
		Doc:     "The changed Go packages of modules within the workspace must compile with their tests (go vet, of whose analyzers only buildtag runs); while a test intent covers a package, its tests need not compile (go build). Packages that use a changed one are judged at the end if they changed too, or by checks of the plan.",
		Version: "1", Level: gate.BlocksStep, Phases: []gate.Phase{gate.During, gate.Final}, Stateless: true,
	}, nothingToCompile, judgeTypes)
}

// judgeTypes compiles module by module, since the go tool works in one at a
// time. At the end all that changed since before the run is compiled once more.
// Without a go tool nothing is compiled, and the evidence says so.
func judgeTypes(ctx context.Context, pass *gate.Pass) error {
	changes := pass.Changes
	if pass.Phase == gate.Final && pass.Base != nil && pass.After != nil {
		changes = ledger.Diff(pass.Base, pass.After)
	}
	groups, err := modulesOf(pass, changes)
	if err != nil || len(groups) == 0 {
		return err
	}
	if _, err := osexec.LookPath("go"); err != nil {
		pass.Evidencef("the go tool is not installed, so nothing was compiled: %v", err)
		return nil
	}
	for _, m := range groups {
		if err := m.judge(ctx, pass); err != nil {
			return err
		}
	}
	return nil
}

// A module is a Go module of the workspace with the folders of it that are to
// be compiled.
type module struct {
	folder string   // of its go.mod, "" for the root
	full   []string // packages that must compile with their tests
	plain  []string // packages whose tests need not compile
}

// modulesOf groups the folders of changed Go files by module, sorted. A module
// whose go.mod or go.sum changed is compiled whole.
func modulesOf(pass *gate.Pass, changes []ledger.Change) ([]*module, error) {
	var folders []string
	whole := map[string]bool{}
	for _, c := range changes {
		base := path.Base(c.Path)
		if content.Unseen(c.Path) || content.IsFolder(c) {
			continue
		}
		if base == "go.mod" || base == "go.sum" {
			whole[content.FolderOf(c.Path)] = true
			folders = append(folders, content.FolderOf(c.Path))
		}
		if content.IsGo(c.Path) {
			folders = append(folders, content.FolderOf(c.Path))
		}
	}
	if len(folders) == 0 {
		return nil, nil
	}
	slices.Sort(folders)
	w, err := workspace.Open(pass.Dir)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	var out []*module
	for _, f := range slices.Compact(folders) {
		if !whole[f] && !hasGo(w, f) {
			continue // the package was removed
		}
		root, ok := moduleRoot(w, f)
		if !ok {
			pass.Evidencef("%q lies in no module of the workspace and was not compiled", path.Join(".", f))
			continue
		}
		out = include(out, root, relative(root, f), whole[f], covered(pass, f))
	}
	return out, nil
}

// include adds a package to the module that it lies in; whole stands for all
// packages of the module; open for one whose tests need not compile.
func include(ms []*module, root, pkg string, whole, open bool) []*module {
	i := slices.IndexFunc(ms, func(m *module) bool { return m.folder == root })
	if i < 0 {
		ms, i = append(ms, &module{folder: root}), len(ms)
	}
	switch m := ms[i]; {
	case whole:
		m.plain = append(m.plain, "./...")
	case open:
		m.plain = append(m.plain, pkg)
	default:
		m.full = append(m.full, pkg)
	}
	return ms
}

// relative is a folder as seen from the root of its module.
func relative(root, folder string) string {
	if root != "" {
		folder = strings.TrimPrefix(strings.TrimPrefix(folder, root), "/")
	}
	return "./" + folder
}

// hasGo reports whether a folder still holds Go files: one whose files were
// deleted cannot be compiled.
func hasGo(w workspace.Folder, folder string) bool {
	files, err := w.GoFiles(folder, content.Max)
	return err != nil || len(files) > 0
}

// moduleRoot finds the folder with the go.mod that a folder belongs to, not
// above the workspace.
func moduleRoot(w workspace.Folder, folder string) (string, bool) {
	for {
		if info, err := w.Lstat(path.Join(folder, "go.mod")); err == nil && info.Mode().IsRegular() {
			return folder, true
		}
		if folder == "" {
			return "", false
		}
		folder = content.FolderOf(folder)
	}
}

// judge compiles the packages of one module. Those whose tests may be open are
// built without them.
func (m *module) judge(ctx context.Context, pass *gate.Pass) error {
	if err := m.compile(ctx, pass, []string{"go", "vet", "-buildtag"}, m.full); err != nil {
		return err
	}
	return m.compile(ctx, pass, []string{"go", "build", "-o", os.DevNull}, m.plain)
}

// compile runs a command of the go tool over packages, all at once. If some
// have no files for this system, one after the other.
func (m *module) compile(ctx context.Context, pass *gate.Pass, tool, packages []string) error {
	if len(packages) == 0 {
		return nil
	}
	dir, err := filepath.Abs(filepath.Join(pass.Dir, filepath.FromSlash(m.folder)))
	if err != nil {
		return fmt.Errorf("types: %w", err)
	}
	cmd := gate.Command{Args: slices.Concat(tool, packages), Dir: dir, Compiles: true}
	r, err := command.Run(ctx, pass, cmd)
	switch {
	case err != nil:
		return err
	case r.Exit == 0:
		pass.Evidencef("%q ended with status 0", cmd.String())
	case excluded(r.Output) && len(packages) == 1:
		pass.Evidencef("%s has no Go files for this system", packages[0])
	case excluded(r.Output):
		for _, p := range packages {
			if err := m.compile(ctx, pass, tool, []string{p}); err != nil {
				return err
			}
		}
	default:
		m.report(pass, cmd, r)
	}
	return nil
}

// excluded reports whether the go tool says no more than that nothing is built
// here: files of other systems are no fault.
func excluded(output string) bool {
	return strings.Contains(output, "build constraints exclude all Go files") || strings.Contains(output, "no non-test Go files in")
}

var goLine = lazyre.New(`(?m)^(?:vet: )?(\S[^:\n]*\.go):(\d+)(?::\d+)?: (.+)$`)

// report makes a finding of each place that the go tool names, relative to the
// workspace; one of the whole command where it names none.
func (m *module) report(pass *gate.Pass, cmd gate.Command, r gate.CommandResult) {
	lines := goLine.FindAllStringSubmatch(r.Output, -1)
	for _, l := range lines {
		p := path.Join(m.folder, filepath.ToSlash(l[1]))
		n, err := strconv.Atoi(l[2])
		if err != nil {
			n = 0
		}
		pass.Report(gate.Finding{Code: code.Types, Path: p, Line: n,
			Message:  fmt.Sprintf("does not compile: %s", l[3]),
			Expected: fmt.Sprintf("%q ends with status 0", cmd.String()), Happened: l[3]})
		pass.Cite(gate.Citation{Path: p, Line: n, Text: l[3]})
	}
	if len(lines) == 0 {
		pass.Report(gate.Finding{Code: code.Types,
			Message:  fmt.Sprintf("%q ended with status %d", cmd.String(), r.Exit),
			Expected: "status 0", Happened: say.Ended(r)})
	}
}

// nothingToCompile is content.Unchanged where the changes of the pass are what
// is looked at.
func nothingToCompile(pass *gate.Pass) bool {
	return pass.Phase != gate.Final && content.Unchanged(pass)
}
