package panel

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/trusted"
	"github.com/planlock/planlock/plan"
)

// A Panel asks gates. The zero value asks none. It is safe for concurrent use
// once its fields are set.
type Panel struct {
	Gates []gate.Gate
	// Checks are the kinds of checks that gates can have decided:
	// checks.Kinds() for the built-in kinds, and a host's own after them.
	Checks []gate.Check
	// Options are what the host adds to the plan's own rules.
	Options plan.CheckOptions
	// Timeouts replaces the limits of the levels, for tests; nil: Limit. A
	// result of 0 is "none".
	Timeouts func(gate.Info) time.Duration
}

// Validate refuses nil, nameless, undocumented or doubled gates and checks, and
// time-outs outside their level's bounds. All that is wrong is joined, in the
// order of the gates.
func (p *Panel) Validate() error {
	var errs []error
	seen := map[string]bool{}
	for n, g := range p.Gates {
		info, err := describe(g)
		if err != nil {
			errs = append(errs, fmt.Errorf("gate: gate %d: %w", n, err))
			continue
		}
		for _, what := range info.Faults() {
			errs = append(errs, fmt.Errorf("gate: gate %d (%q): %s", n, info.Name, what))
		}
		if info.Name != "" && seen[info.Name] {
			errs = append(errs, fmt.Errorf("gate: gate %d (%q): another gate has this name; names must be unique", n,
				info.Name))
		}
		seen[info.Name] = true
	}
	return errors.Join(append(errs, p.checkFaults()...)...)
}

// Describe returns what the gates say of themselves, in order. Those that
// Validate refuses because they say nothing are left out.
func (p *Panel) Describe() []gate.Info {
	var infos []gate.Info
	for _, g := range p.Gates {
		if info, err := describe(g); err == nil {
			infos = append(infos, info)
		}
	}
	return infos
}

// OnlyLooks reports whether nothing of the panel can change the workspace but
// by the commands that it runs: all gates are built-in ones.
func (p *Panel) OnlyLooks() bool {
	return !slices.ContainsFunc(p.Gates, func(g gate.Gate) bool { return !trusted.Is(g) })
}

// checkFaults says which checks cannot be asked, and which decide a kind that
// another one decides already.
func (p *Panel) checkFaults() []error {
	var errs []error
	seen := map[string]bool{}
	for n, c := range p.Checks {
		kind, err := kindOf(c)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("gate: check %d %w", n, err))
			continue
		case kind == "":
			errs = append(errs, fmt.Errorf("gate: check %d names no kind", n))
		case seen[kind]:
			errs = append(errs, fmt.Errorf("gate: check %d: another check decides the kind %q", n, kind))
		}
		seen[kind] = true
	}
	return errs
}

// kindOf asks a check for its kind without trusting it.
func kindOf(c gate.Check) (kind string, err error) {
	if c == nil {
		return "", errors.New("is nil")
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("does not name its kind: %v", r)
		}
	}()
	return c.Kind().Name, nil
}

// describe asks a gate for its Info without trusting it.
func describe(g gate.Gate) (info gate.Info, err error) {
	if g == nil {
		return gate.Info{}, errors.New("is nil")
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("does not describe itself: %v", r)
		}
	}()
	return g.Info(), nil
}

// Prepare copies pass for one gate: with no findings, with the panel's checks
// and options, with a log that discards what it gets where pass has none, and
// with a runner that knows what the gate waits for.
func (p *Panel) Prepare(pass *gate.Pass) *gate.Pass {
	own := pass.Fresh()
	own.Checks, own.Options = p.Checks, p.Options
	if own.Log == nil {
		own.Log = slog.New(slog.DiscardHandler)
	}
	return own
}
