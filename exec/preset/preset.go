package preset

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/plan"
)

// Default is the preset of runs for which nobody chose one.
const Default = "contract"

// names are those of all presets, in the order in which people are shown them.
func names() []string {
	var names []string
	for _, p := range All() {
		names = append(names, p.Name)
	}
	return names
}

// An UnknownError says that there is no preset of a name.
type UnknownError struct{ Name string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("preset: %q is none of %s", e.Name, strings.Join(names(), ", "))
}

// Named finds a preset; "" is the default one. *[UnknownError] if there is
// none.
func Named(name string) (Preset, error) {
	if name == "" || name == Default {
		return Contract(), nil // the one that is asked for between any two steps
	}
	for _, p := range All() {
		if p.Name == name {
			return p, nil
		}
	}
	return Preset{}, &UnknownError{Name: name}
}

// Of is the preset that a plan asks for with preset = "…" in [execution]; "" if
// it asks for none.
func Of(p *plan.Plan) string {
	for _, s := range p.Execution.Extra {
		if s.Key == "preset" {
			return s.Value.Text
		}
	}
	return ""
}
