package gate

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/planlock/planlock/plan"
)

// A Panel asks gates. The zero value asks none. It is safe for concurrent use once its fields are set.
type Panel struct {
	Gates []Gate
	// Checks are the kinds of checks that gates can have decided: standard.Checks() for the built-in
	// kinds, and a host's own after them.
	Checks []Check
	// Options are what the host adds to the plan's own rules.
	Options plan.CheckOptions
	// Timeouts replaces the limits of the levels, for tests; nil: Limit. A result of 0 is "none".
	Timeouts func(Info) time.Duration
}

// bounds of explicit time-outs; the upper one is also the default.
var bounds = map[Level][2]time.Duration{
	BlocksStep:     {30 * time.Second, 5 * time.Minute},
	BlocksApproval: {10 * time.Second, time.Minute},
}

// Limit is how long a gate may take: its own Timeout, else its level's default. 0 is "no limit".
func (i Info) Limit() time.Duration {
	if i.Timeout != 0 {
		return i.Timeout
	}
	return bounds[i.Level][1]
}

// Validate refuses nil, nameless, undocumented or doubled gates and checks, and time-outs outside their level's
// bounds. All that is wrong is joined, in the order of the gates.
func (p *Panel) Validate() error {
	var errs []error
	seen := map[string]bool{}
	for n, g := range p.Gates {
		info, err := describe(g)
		if err != nil {
			errs = append(errs, fmt.Errorf("gate: gate %d: %w", n, err))
			continue
		}
		for _, what := range info.faults() {
			errs = append(errs, fmt.Errorf("gate: gate %d (%q): %s", n, info.Name, what))
		}
		if info.Name != "" && seen[info.Name] {
			errs = append(errs, fmt.Errorf("gate: gate %d (%q): another gate has this name; names must be unique", n, info.Name))
		}
		seen[info.Name] = true
	}
	return errors.Join(append(errs, p.checkFaults()...)...)
}

func (p *Panel) checkFaults() []error {
	var errs []error
	seen := map[string]bool{}
	for n, c := range p.Checks {
		switch {
		case c == nil:
			errs = append(errs, fmt.Errorf("gate: check %d is nil", n))
			continue
		case c.Kind() == "":
			errs = append(errs, fmt.Errorf("gate: check %d names no kind", n))
		case seen[c.Kind()]:
			errs = append(errs, fmt.Errorf("gate: check %d: another check decides the kind %q", n, c.Kind()))
		}
		seen[c.Kind()] = true
	}
	return errs
}

// describe asks a gate for its Info without trusting it.
func describe(g Gate) (info Info, err error) {
	if g == nil {
		return Info{}, errors.New("is nil")
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("does not describe itself: %v", r)
		}
	}()
	if f, ok := g.(*function); ok {
		return f.info, nil // nobody else gets it, so that it need not be copied
	}
	return g.Info(), nil
}

// faults says what is wrong with a description.
func (i Info) faults() []string {
	var out []string
	if i.Name == "" {
		out = append(out, "has no name")
	}
	if i.Doc == "" {
		out = append(out, "says nothing about itself; write one sentence into Info.Doc")
	}
	if i.Level < Informs || i.Level > BlocksApproval {
		out = append(out, fmt.Sprintf("level %d does not exist; levels are 0, 1 and 2", i.Level))
	}
	if len(i.Phases) == 0 {
		out = append(out, "has no phase; name at least one in Info.Phases")
	}
	for n, ph := range i.Phases {
		if !slices.Contains(Phases(), ph) {
			out = append(out, fmt.Sprintf("phase %q does not exist", ph))
		}
		if slices.Contains(i.Phases[:n], ph) {
			out = append(out, fmt.Sprintf("phase %q is named twice", ph))
		}
	}
	b, bounded := bounds[i.Level]
	switch {
	case i.Timeout < 0:
		out = append(out, fmt.Sprintf("time-out %v is negative", i.Timeout))
	case bounded && i.Timeout != 0 && (i.Timeout < b[0] || i.Timeout > b[1]):
		out = append(out, fmt.Sprintf("time-out %v is outside the bounds of level %d, which are %v to %v", i.Timeout, i.Level, b[0], b[1]))
	}
	return out
}
