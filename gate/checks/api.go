package checks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/content"
	"github.com/planlock/planlock/gate/internal/workspace"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/ledger/source/golang"
	"github.com/planlock/planlock/plan"
)

// apiCompatible: what the package exported before the run, it exports still, in
// the same form. Additions are fine, save methods of interfaces that others may
// implement. Only the spelling is compared, no types are resolved.
func apiCompatible(ctx context.Context, pass *gate.Pass, c plan.Check) (gate.Verdict, error) {
	if pass.Base == nil {
		return gate.Verdict{}, errors.New("checks: go_api_compatible: the pass has no base tree")
	}
	w, err := workspace.Open(pass.Dir)
	if err != nil {
		return gate.Verdict{}, err
	}
	defer w.Close()
	v := gate.Holds()
	for _, folder := range foldersOf(packageOf(c), pass.Base) {
		diffs, err := apiOfFolder(ctx, pass, w, folder)
		if err != nil {
			return gate.Verdict{}, err
		}
		for _, d := range diffs {
			if d.Effect != source.Breaks {
				continue
			}
			v.Result = gate.Fail
			v.Findings = append(v.Findings, gate.Finding{Path: d.Path, Line: d.Line,
				Message: fmt.Sprintf("%s: %s", d.Name, d.What), Expected: d.Before,
				Happened: cmp.Or(d.After, "removed")})
		}
		v.Evidence = append(v.Evidence, fmt.Sprintf("%q: %d differences in its exported declarations",
			path.Join(".", folder), len(diffs)))
	}
	return v, nil
}

// foldersOf are the folders that a package pattern means in a tree.
func foldersOf(pattern string, t *ledger.Tree) []string {
	clean := path.Clean(pattern)
	stem, all := strings.CutSuffix(clean, "...")
	if !all {
		if clean == "." {
			clean = ""
		}
		return []string{clean}
	}
	stem = strings.TrimSuffix(stem, "/")
	return slices.DeleteFunc(goFolders(t), func(f string) bool {
		return stem != "" && stem != "." && f != stem && !strings.HasPrefix(f, stem+"/")
	})
}

// apiOfFolder compares what one folder exported before the run with what it
// exports now. Both sides are read by syntax alone, so that a folder that does
// not compile is compared as well.
func apiOfFolder(ctx context.Context, pass *gate.Pass, w workspace.Folder, folder string) ([]source.Difference, error) {
	var was, is source.Surface
	for e := range pass.Base.All() {
		if content.FolderOf(e.Path) != folder || !content.IsSurface(e.Path) || e.Kind != ledger.File {
			continue
		}
		text, err := content.Of(ctx, pass, e)
		if err != nil {
			return nil, err
		}
		if err := join(&was, e.Path, text); err != nil {
			return nil, fmt.Errorf("checks: go_api_compatible: before the run: %w", err)
		}
	}
	files, err := w.GoFiles(folder, content.Max)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if !content.IsSurface(f.Path) {
			continue
		}
		if err := join(&is, f.Path, f.Content); err != nil {
			return nil, fmt.Errorf("checks: go_api_compatible: %w", err)
		}
	}
	return source.Differences(&was, &is), nil
}

// join adds the surface of a file; the error is where it does not parse.
func join(s *source.Surface, path string, text []byte) error {
	f := golang.Read(path, text)
	if len(f.Faults) > 0 {
		return fmt.Errorf("%s:%d: %s", path, f.Faults[0].Line, f.Faults[0].Why)
	}
	s.Join(&f.Surface)
	return nil
}

// goFolders lists the folders of a tree that hold Go files, sorted.
func goFolders(t *ledger.Tree) []string {
	var out []string
	for e := range t.All() {
		if e.Kind == ledger.File && content.IsGo(e.Path) {
			out = append(out, content.FolderOf(e.Path))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
