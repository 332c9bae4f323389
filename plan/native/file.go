package native

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/file"
)

// ReadFile reads a native plan from a file or from a folder that holds one:
// plan.toml, or else the only file *.toml that says which schema it has. A
// symbolic link to a file is followed.
//
// The draft is non-nil whenever something could be read; what is wrong with the
// content is in Found. The error is for what could not be read at all: those of
// [file.Read], [file.ErrNoPlan] and [file.ErrManyPlans].
func ReadFile(path string) (*plan.Draft, error) {
	name := path
	if info, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	} else if info.IsDir() {
		if name, err = planIn(path); err != nil {
			return nil, err
		}
	}
	full := name
	if abs, err := filepath.Abs(name); err == nil {
		full = abs
	}
	origin := file.Watch([]string{full}, func() (*plan.Draft, error) { return ReadFile(full) })
	text, err := file.Read(name)
	if err != nil {
		return nil, err
	}
	d, err := Read(name, text)
	if err != nil {
		return nil, err
	}
	d.From(origin)
	return d, nil
}

// planIn finds the one native plan of a folder.
func planIn(dir string) (string, error) {
	if info, err := os.Stat(filepath.Join(dir, "plan.toml")); err == nil && !info.IsDir() {
		return filepath.Join(dir, "plan.toml"), nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("plan: %w", err)
	}
	var plans []string
	for _, e := range entries {
		if !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), ".toml") {
			continue
		}
		text, err := file.Read(filepath.Join(dir, e.Name()))
		if err == nil && SaysSchema(text) {
			plans = append(plans, e.Name())
		}
	}
	slices.Sort(plans)
	switch len(plans) {
	case 0:
		return "", fmt.Errorf("plan: %q: %w: a plan is called plan.toml, or is a file *.toml that begins with schema = 1: %w",
			dir, file.ErrNoPlan, fs.ErrNotExist)
	case 1:
		return filepath.Join(dir, plans[0]), nil
	}
	return "", fmt.Errorf("plan: %q: %w: %s: name one of them", dir, file.ErrManyPlans, strings.Join(plans, ", "))
}

// SaysSchema reports whether a text has the key schema before its first table,
// as native plans do.
func SaysSchema(text []byte) bool {
	for line := range strings.Lines(strings.TrimPrefix(string(text), "\ufeff")) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			return false
		}
		if name, _, ok := strings.Cut(line, "="); ok && strings.Trim(strings.TrimSpace(name), `"'`) == "schema" {
			return true
		}
	}
	return false
}
