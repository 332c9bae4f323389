package formats

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/file"
	"github.com/planlock/planlock/plan/formats/internal/phase"
	"github.com/planlock/planlock/plan/formats/internal/spec"
	"github.com/planlock/planlock/plan/native"
)

// folder reads the one plan of a folder.
func (l loader) folder(dir string) (*plan.Draft, error) {
	d, err := native.ReadFile(dir)
	if err == nil || !errors.Is(err, file.ErrNoPlan) {
		return d, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	groups := grouped(candidates(dir, entries))
	switch len(groups) {
	case 0:
		return nil, fmt.Errorf("plan: %q: %w: %s: %w", dir, file.ErrNoPlan, wouldRead, fs.ErrNotExist)
	case 1:
		return l.group(groups[0])
	}
	var names []string
	for _, g := range groups {
		names = append(names, g.name())
	}
	return nil, fmt.Errorf("plan: %q: %w: %s: name one of them", dir, file.ErrManyPlans, strings.Join(names, ", "))
}

// A group is the files of one plan.
type group []candidate

// name is how an error calls the files of one plan.
func (g group) name() string {
	if g[0].format == phase.Format && len(g) > 1 {
		return fmt.Sprintf("%d files *-PLAN.md", len(g))
	}
	var names []string
	for _, c := range g {
		names = append(names, filepath.Base(c.path))
	}
	return fmt.Sprintf("%s (%s)", strings.Join(names, " with "), g[0].format)
}

// grouped puts together the files that make one plan: the halves of a SPEC
// pair, and all NAME-PLAN.md.
func grouped(list []candidate) []group {
	var groups []group
	phases, pairs := -1, map[string]int{}
	for _, c := range list {
		at := -1
		switch c.format {
		case phase.Format:
			if phases < 0 {
				phases = len(groups)
				groups = append(groups, nil)
			}
			at = phases
		case spec.Markdown, spec.TOML:
			key := stem(c.path)
			if i, ok := pairs[key]; ok && len(groups[i]) == 1 && groups[i][0].format != c.format {
				at = i
			} else {
				pairs[key] = len(groups)
			}
		}
		if at < 0 {
			at = len(groups)
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], c)
	}
	return joined(groups)
}

// joined makes a pair of the only two halves that a folder has, whatever they
// are called.
func joined(groups []group) []group {
	var halves []int
	for i, g := range groups {
		if g[0].format == spec.Markdown || g[0].format == spec.TOML {
			halves = append(halves, i)
		}
	}
	if len(halves) != 2 {
		return groups
	}
	a, b := halves[0], halves[1]
	if len(groups[a]) != 1 || len(groups[b]) != 1 || groups[a][0].format == groups[b][0].format {
		return groups
	}
	groups[a] = append(groups[a], groups[b][0])
	return slices.Delete(groups, b, b+1)
}

// group reads the files of one plan.
func (l loader) group(g group) (*plan.Draft, error) {
	var texts []plan.Text
	for _, c := range g {
		t, err := c.read()
		if err != nil {
			return nil, err
		}
		texts = append(texts, *t)
	}
	switch {
	case g[0].format == phase.Format:
		return l.phases(texts)
	case len(g) == 1:
		return l.file(g[0].path)
	case g[0].format == spec.TOML:
		return l.pair(texts[1], texts[0])
	}
	return l.pair(texts[0], texts[1])
}
