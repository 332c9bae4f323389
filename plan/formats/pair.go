package formats

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/spec"
)

// stem is what the names of both halves of a SPEC pair have in common:
// parameters_NAME.toml goes with spec_NAME.md, NAME_SPEC.md and, for speclets,
// with NAME.md. Case does not matter.
func stem(path string) string {
	name := strings.ToLower(filepath.Base(path))
	ext := filepath.Ext(name)
	name = strings.TrimSuffix(name, ext)
	prefixes, suffixes := []string{"spec_", "spec-"}, []string{"_spec", "-spec"}
	if ext == ".toml" {
		prefixes = append(prefixes, "parameters_", "parameters-", "params_")
		suffixes = append(suffixes, "_parameters", "-parameters", "_params")
	}
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(name, p); ok && rest != "" {
			return rest
		}
	}
	for _, s := range suffixes {
		if rest, ok := strings.CutSuffix(name, s); ok && rest != "" {
			return rest
		}
	}
	if name == "spec" || name == "parameters" || name == "params" {
		return ""
	}
	return name
}

// isParameters reports whether a file is called like the half of a SPEC for
// machines.
func isParameters(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return strings.HasPrefix(name, "param") || strings.HasSuffix(name, "_params.toml") || strings.HasSuffix(name, "parameters.toml")
}

// partner finds the other half of a SPEC file in its folder: the one whose name
// goes with it, or the only one where both halves are the only ones of their
// kind. nil: there is none.
func partner(path string, want plan.Format) (*plan.Text, error) {
	dir := filepath.Dir(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil // a file may be readable where its folder is not
	}
	var others, own []candidate
	for _, c := range candidates(dir, entries) {
		switch c.format {
		case want:
			others = append(others, c)
		case spec.Markdown, spec.TOML:
			own = append(own, c)
		}
	}
	for _, c := range others {
		if stem(c.path) == stem(path) {
			return c.read()
		}
	}
	if len(others) == 1 && len(own) == 1 {
		return others[0].read()
	}
	return nil, nil
}
