package gatetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/suite"
	"github.com/planlock/planlock/plan"
)

// A checkRule is one promise of gate.Check and how it is tried with a check of
// a plan.
type checkRule struct {
	name string
	rule string
	try  func(t testing.TB, k gate.Check, c plan.Check) error
}

var checkRules = []checkRule{
	{"kind", "Kind has a name, names no argument twice, and is the same on every call", validKind},
	{"silent", "Decide reports nothing on the pass: whoever asked does that", silentCheck},
	{"changes", "Decide does not panic where paths and symbols were created, modified and deleted", asGate(changes)},
	{"bare", "Decide does not panic where a pass has little in it", asGate(bare)},
	{"cancelled", "Decide returns soon when its context has ended", asGate(cancelled)},
	{"stopped", "Decide returns soon when its context ends while a command runs", asGate(stopped)},
	{"concurrent", "Decide may be called at once for several passes, and says the same as alone", asGate(concurrent)},
	{"untouched", "Decide changes neither what the pass refers to nor the workspace", asGate(untouched)},
	{"forgets", "Decide keeps nothing of the pass after it returned", asGate(forgets)},
	{"ends", "what Decide started has ended when it returns", asGate(endsAll)},
}

// RunCheck checks a kind of check against the rules of gate.Check, as Run does
// a gate. use is a check of that kind as a plan may have it.
func RunCheck(t testing.TB, k gate.Check, use plan.Check) {
	t.Helper()
	for _, r := range checkRules {
		suite.Try(t, r.name, r.rule, func(t testing.TB) error { return r.try(t, k, use) })
	}
}

// validKind wants a kind that says the same each time.
func validKind(_ testing.TB, k gate.Check, use plan.Check) error {
	kind := k.Kind()
	if kind.Name == "" {
		return errors.New("it has no name")
	}
	if kind.Name != use.Kind {
		return fmt.Errorf("it is %q, and is tried with a check of the kind %q", kind.Name, use.Kind)
	}
	if again := k.Kind(); !reflect.DeepEqual(kind, again) {
		return fmt.Errorf("first %+v, then %+v", kind, again)
	}
	seen := map[string]bool{}
	for _, names := range [][]string{kind.Needed, kind.One, kind.Free} {
		for _, name := range names {
			if seen[name] {
				return fmt.Errorf("the argument %q is named twice", name)
			}
			seen[name] = true
		}
	}
	return nil
}

// silentCheck wants nothing reported: the panel reports what a check decides.
func silentCheck(t testing.TB, k gate.Check, use plan.Check) error {
	pass := sample(t).Fresh()
	func() {
		defer func() { _ = recover() }() // another rule tells of panics
		_, _ = k.Decide(t.Context(), pass, use)
	}()
	if v := pass.Verdict(); len(v.Findings)+len(v.Evidence)+len(v.Citations) > 0 {
		return fmt.Errorf("it reported %+v", v)
	}
	return nil
}

// asGate tries a rule of gates with a gate that does nothing but have the check
// decided.
func asGate(try func(testing.TB, gate.Gate) error) func(testing.TB, gate.Check, plan.Check) error {
	return func(t testing.TB, k gate.Check, use plan.Check) error {
		info := gate.Info{Name: "decides", Doc: "Decides one check.",
			Phases: []gate.Phase{gate.After, gate.Before, gate.Final}}
		return try(t, gate.New(info, func(ctx context.Context, pass *gate.Pass) error {
			v, err := k.Decide(ctx, pass, use)
			if err != nil {
				return err
			}
			said, err := json.Marshal(v)
			pass.Evidencef("%s", said)
			return err
		}))
	}
}
