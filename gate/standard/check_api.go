package standard

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/goapi"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// apiCompatible: what the package exported before the run, it exports still, in the same form. Additions are
// fine, save methods of interfaces that others may implement. Only the spelling is compared, no types are resolved.
func apiCompatible(ctx context.Context, pass *gate.Pass, c plan.Check) (gate.Verdict, error) {
	if pass.Base == nil {
		return gate.Verdict{}, errors.New("standard: go_api_compatible: the pass has no base tree")
	}
	w, err := openWorkspace(pass.Dir)
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
			if d.Effect != goapi.Broken {
				continue
			}
			v.Result = gate.Fail
			v.Findings = append(v.Findings, gate.Finding{Path: d.Path, Line: d.Line,
				Message: fmt.Sprintf("%s.%s: %s", folder, d.Name, d.What), Expected: d.Before, Happened: orGone(d.After)})
		}
		v.Evidence = append(v.Evidence, fmt.Sprintf("%q: %d differences in its exported declarations", path.Join(".", folder), len(diffs)))
	}
	return v, nil
}

func orGone(text string) string {
	if text == "" {
		return "removed"
	}
	return text
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

func apiOfFolder(ctx context.Context, pass *gate.Pass, w workspace, folder string) ([]goapi.Difference, error) {
	var was, is goapi.Surface
	for e := range pass.Base.All() {
		if folderOf(e.Path) != folder || !isSurface(e.Path) || e.Kind != ledger.File {
			continue
		}
		content, err := readEntry(ctx, pass, e)
		if err != nil {
			return nil, err
		}
		if err := was.Add(e.Path, content); err != nil {
			return nil, fmt.Errorf("standard: go_api_compatible: before the run: %w", err)
		}
	}
	files, err := w.goFiles(folder)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if !isSurface(f.path) {
			continue
		}
		if err := is.Add(f.path, f.content); err != nil {
			return nil, fmt.Errorf("standard: go_api_compatible: %w", err)
		}
	}
	return goapi.Compare(&was, &is), nil
}

// isSurface reports whether a file belongs to what a package exports.
func isSurface(p string) bool {
	return path.Ext(p) == ".go" && !strings.HasSuffix(p, "_test.go")
}
