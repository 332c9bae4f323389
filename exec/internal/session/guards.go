package session

import (
	"errors"
	"fmt"
	"slices"

	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/internal/guards"
	"github.com/planlock/planlock/exec/internal/home"
)

// GuardsApart refuses guards of the host that cannot be told from others:
// errors and the journal name them.
func GuardsApart(host []guard.Guard) error {
	names := map[string]string{}
	for _, g := range slices.Concat(guards.Always(), guards.Table()) {
		names[g.Name()] = "one that every run has"
	}
	var errs []error
	for i, g := range host {
		if g == nil {
			errs = append(errs, fmt.Errorf("exec: guard %d is nil", i+1))
			continue
		}
		name := nameOf(g, i)
		switch of := names[name]; {
		case name == "":
			errs = append(errs, fmt.Errorf("exec: guard %d has no name", i+1))
		case of != "":
			errs = append(errs, fmt.Errorf("exec: guard %d is called %q, as is %s", i+1, name, of))
		}
		names[name] = fmt.Sprintf("guard %d", i+1)
	}
	return errors.Join(errs...)
}

// nameOf is what guard i, from 0, calls itself.
func nameOf(g guard.Guard, i int) string {
	defer home.InPort(fmt.Sprintf("guard %d", i+1))
	return g.Name()
}
