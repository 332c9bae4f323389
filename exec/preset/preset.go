package preset

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/plan"
)

// A Preset is a way to cope with failure.
type Preset struct {
	Name   string
	Doc    string          // for people, one sentence
	Ladder recovery.Ladder // what is tried after a failure, in order
	// Triggers are when dynamic mode begins to ask; zero fields are the
	// defaults of package modes.
	Triggers history.Triggers
	// Compliance looks at each task before its first step, and asks where an
	// article is broken.
	Compliance bool
	// Views are the documents that the preset is about, as patterns of their
	// names. All views are drawn of every run, whatever its preset.
	Views []string
}

// Default is the preset of runs for which nobody chose one.
const Default = "contract"

// All are the presets, in the order in which they are explained.
func All() []Preset {
	return []Preset{Contract(), Spec(), Phase(), Assistant(), Reflective()}
}

// Names are the names of all presets.
func Names() []string {
	var names []string
	for _, p := range All() {
		names = append(names, p.Name)
	}
	return names
}

// An UnknownError says that there is no preset of a name.
type UnknownError struct{ Name string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("preset: %q is none of %s", e.Name, strings.Join(Names(), ", "))
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
