// Package types compiles the Go packages that changed, with the go tool.
// Its gate blocks the step (level 1) and is asked during and at the end.
//
// While a test intent covers a package its tests need not compile: the test is
// written before what it tests. A test file that does not parse is a fault all
// the same, since only types may be missing then. A test command that names no
// folder is taken to cover every package.
//
// Packages of the module that use a changed one are compiled too, at the end of
// the same step. One that a later step declares to change waits for it: a step
// may change an API that the next one adapts its users to. At the end nothing
// waits. One that did not compile before the step either is recorded.
package types

import (
	"context"
	"maps"
	osexec "os/exec"
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/content"
	"github.com/planlock/planlock/gate/internal/trusted"
	"github.com/planlock/planlock/gate/internal/workspace"
	"github.com/planlock/planlock/ledger"
)

// Gate is the gate that compiles the Go packages that changed.
func Gate() gate.Gate {
	return trusted.New(gate.Info{
		Name:    "types",
		Doc:     "The changed Go packages of modules within the workspace must compile with their tests (go vet, of whose analyzers only buildtag runs); and so must the packages of the module that use them, if they did before; one that a later step declares to change is compiled after that step. While a test intent covers a package, its tests need not compile (go build).",
		Version: "2", Level: gate.BlocksStep, Phases: []gate.Phase{gate.During, gate.Final}, Stateless: true,
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
	if err != nil {
		return err
	}
	if len(groups) == 0 {
		pass.Nothingf("no package of a Go module changed")
		return nil
	}
	if _, err := osexec.LookPath("go"); err != nil {
		pass.Nothingf("the go tool is not installed, so nothing was compiled: %v", err)
		return nil
	}
	for _, m := range groups {
		if err := m.judge(ctx, pass, changes); err != nil {
			return err
		}
	}
	return nil
}

// A module is a Go module of the workspace with the folders of it that are to
// be compiled.
type module struct {
	folder  string   // of its go.mod, "" for the root
	full    []string // packages that must compile with their tests
	plain   []string // packages whose tests need not compile
	changed []string // packages that others may not compile with any more
}

// A touched folder is one in which a Go file changed, or what its module needs.
type touched struct {
	whole   bool // go.mod or go.sum: all packages of the module
	surface bool // a file that others compile against
}

// touchedBy are the folders of the changed files that the go tool reads.
func touchedBy(changes []ledger.Change) map[string]touched {
	out := map[string]touched{}
	for _, c := range changes {
		base, folder := path.Base(c.Path), content.FolderOf(c.Path)
		if content.Unseen(c.Path) || content.IsFolder(c) {
			continue
		}
		t, requires := out[folder], base == "go.mod" || base == "go.sum"
		if requires || content.IsGo(c.Path) {
			out[folder] = touched{t.whole || requires, t.surface || content.IsGo(c.Path) && content.IsSurface(c.Path)}
		}
	}
	return out
}

// modulesOf groups the folders of changed Go files by module, sorted. A module
// whose go.mod or go.sum changed is compiled whole.
func modulesOf(pass *gate.Pass, changes []ledger.Change) ([]*module, error) {
	folders := touchedBy(changes)
	if len(folders) == 0 {
		return nil, nil
	}
	w, err := workspace.Open(pass.Dir)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	var out []*module
	for _, f := range slices.Sorted(maps.Keys(folders)) {
		t := folders[f]
		gone := !t.whole && !hasGo(w, f)
		root, ok := moduleRoot(w, f)
		switch {
		case !ok && !gone:
			pass.Nothingf("%q lies in no module of the workspace and was not compiled", path.Join(".", f))
		case ok:
			out = include(out, root, relative(root, f), t, gone, covered(pass, f))
		}
	}
	return out, nil
}

// include adds a package to the module that it lies in; open for one whose
// tests need not compile. One that is gone has nothing to compile but users.
func include(ms []*module, root, pkg string, t touched, gone, open bool) []*module {
	i := slices.IndexFunc(ms, func(m *module) bool { return m.folder == root })
	if i < 0 {
		ms, i = append(ms, &module{folder: root}), len(ms)
	}
	m := ms[i]
	switch {
	case gone:
	case t.whole:
		m.plain = append(m.plain, "./...")
	case open:
		m.plain = append(m.plain, pkg)
	default:
		m.full = append(m.full, pkg)
	}
	if t.surface {
		m.changed = append(m.changed, pkg)
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

// nothingToCompile is content.Unchanged where the changes of the pass are what
// is looked at.
func nothingToCompile(pass *gate.Pass) bool {
	return pass.Phase != gate.Final && content.Unchanged(pass)
}
