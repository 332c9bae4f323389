package types

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/content"
	"github.com/planlock/planlock/ledger"
)

// blame compiles packages that the step did not change, and reports what does
// not compile. What was broken before in the same way, with the old content of
// what changed, is evidence: whoever changes a package need not mend all that
// was broken.
func (m *module) blame(ctx context.Context, pass *gate.Pass, changes []ledger.Change, tool, packages []string) error {
	broken, err := m.compile(ctx, pass, tool, packages)
	if err != nil || len(broken) == 0 {
		return err
	}
	was, err := m.compileBefore(ctx, pass, changes, tool, broken)
	if err != nil {
		return err
	}
	for _, f := range broken {
		same := func(o gate.Finding) bool { return f.Path == o.Path && f.Line == o.Line && f.Happened == o.Happened }
		if f.Path != "" && slices.ContainsFunc(was, same) {
			pass.Evidencef("%s:%d %s, as it was before", f.Path, f.Line, f.Message)
			continue
		}
		f.Message += " (the package uses one that changed)"
		pass.Report(f)
		pass.Cite(gate.Citation{Path: f.Path, Line: f.Line, Text: f.Happened})
	}
	return nil
}

// compileBefore compiles the packages of findings with the old content of the
// changed files. The go tool is shown these by an overlay, so that nothing in
// the workspace moves.
func (m *module) compileBefore(ctx context.Context, pass *gate.Pass, changes []ledger.Change, tool []string,
	broken []gate.Finding) ([]gate.Finding, error) {
	dir, err := os.MkdirTemp("", "planlock-types-")
	if err != nil {
		return nil, fmt.Errorf("types: %w", err)
	}
	defer os.RemoveAll(dir)
	overlay, err := m.overlay(ctx, pass, changes, dir)
	if err != nil {
		return nil, err
	}
	var packages []string
	for _, f := range broken {
		if f.Path != "" {
			packages = append(packages, relative(m.folder, content.FolderOf(f.Path)))
		}
	}
	slices.Sort(packages)
	return m.compile(ctx, pass, slices.Concat(tool, []string{"-overlay", overlay}), slices.Compact(packages))
}

// overlay writes the old content of what changed in the module into a folder,
// and a description for the go tool, whose path it returns.
func (m *module) overlay(ctx context.Context, pass *gate.Pass, changes []ledger.Change, dir string) (string, error) {
	replace := map[string]string{} // by path relative to the module; "" for a file that was not there
	for n, c := range changes {
		below := strings.TrimPrefix(relative(m.folder, c.Path), "./")
		base := path.Base(c.Path)
		if !m.holds(c.Path) || !content.IsGo(c.Path) && base != "go.mod" && base != "go.sum" {
			continue
		}
		replace[below] = ""
		if !content.Readable(c.Before) {
			continue
		}
		text, err := content.Of(ctx, pass, *c.Before)
		if err != nil {
			return "", err
		}
		old := filepath.Join(dir, strconv.Itoa(n)+path.Ext(c.Path))
		if err := os.WriteFile(old, text, 0o644); err != nil {
			return "", fmt.Errorf("types: %w", err)
		}
		replace[below] = old
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", fmt.Errorf("types: %w", err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return "", fmt.Errorf("types: %w", err)
	}
	return file, nil
}

// holds reports whether a path lies in the folder of the module.
func (m *module) holds(p string) bool { return m.folder == "" || strings.HasPrefix(p, m.folder+"/") }
