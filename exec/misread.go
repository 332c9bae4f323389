package exec

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// A wish is a key of [execution] that the controller acts on.
type wish struct {
	key, want string
	can       func(plan.Value) bool
}

// wishes are what a plan can say about how it is carried out, besides its preset. The names that reviewers must have, and
// whether evidence is looked for, can also stand beside a list of pending actions.
func wishes() []wish {
	return []wish{
		{"strategy", `"direct" or "orchestrated"`, func(v plan.Value) bool {
			return v.Kind == "string" && (v.Text == string(history.Direct) || v.Text == string(history.Orchestrated))
		}},
		{"complexity", "a number from 1 to 5", whole(1, 5)},
		{"test_first", "true or false", truth},
		{"deterministic", "true or false", truth},
		{"token_budget", "a number of tokens; 0 for no limit", whole(0, 1<<62)},
		{"escalation_threshold", "a number of failed steps, from 1", whole(1, 1<<31-1)},
		{"reviewers", "a list of names", func(v plan.Value) bool {
			return v.Kind == "string" || v.Kind == "array" && !slices.ContainsFunc(v.List, func(n plan.Value) bool { return n.Kind != "string" })
		}},
		{"evidence", "true or false", truth},
	}
}

func truth(v plan.Value) bool { return v.Kind == "boolean" }

func whole(least, most int64) func(plan.Value) bool {
	return func(v plan.Value) bool {
		n, err := strconv.ParseInt(v.Text, 10, 64)
		return v.Kind == "integer" && err == nil && least <= n && n <= most
	}
}

// misread refuses a plan that wants something in a way that cannot be understood. A budget, a reviewer or a rule that
// silently is none would be found out too late.
func misread(p *plan.Plan) error {
	var errs []error
	for _, w := range wishes() {
		if v := planSetting(p, w.key); v.Kind != "" && !w.can(v) {
			errs = append(errs, fmt.Errorf("exec: %s in [execution] is %s; it must be %s", w.key, spelled(v), w.want))
		}
		if slices.ContainsFunc(p.Execution.Extra, func(s plan.Setting) bool { return strings.HasPrefix(s.Key, w.key+".") }) {
			errs = append(errs, fmt.Errorf("exec: %s in [execution] is a table; it must be %s", w.key, w.want))
		}
	}
	return errors.Join(errs...)
}

// spelled is a value as a person would name it.
func spelled(v plan.Value) string {
	switch v.Kind {
	case "string":
		return strconv.Quote(clip(v.Text, 100))
	case "array", "table":
		return "of the kind " + v.Kind
	}
	return v.Text
}
