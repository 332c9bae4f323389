package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A wish is a key of [execution] that the controller acts on.
type wish struct {
	key, want string
	can       func(Value) bool
}

// wishes are what a plan can say about how it is carried out. The names that reviewers must have, and whether evidence is
// looked for, can also stand beside a list of pending actions.
func wishes() []wish {
	return []wish{
		{"preset", `one of "contract", "spec", "phase", "assistant" and "reflective"`, word("contract", "spec", "phase", "assistant", "reflective")},
		{"strategy", `"direct" or "orchestrated"`, word("direct", "orchestrated")},
		{"complexity", "a number from 1 to 5", whole(1, 5)},
		{"test_first", "true or false", truth},
		{"deterministic", "true or false", truth},
		{"token_budget", "a number of tokens; 0 for no limit", whole(0, 1<<62)},
		{"escalation_threshold", "a number of failed steps, from 1", whole(1, 1<<31-1)},
		{"reviewers", "a list of names", func(v Value) bool {
			return v.Kind == kindString || v.Kind == kindArray && !slices.ContainsFunc(v.List, func(n Value) bool { return n.Kind != kindString })
		}},
		{"evidence", "true or false", truth},
	}
}

func word(words ...string) func(Value) bool {
	return func(v Value) bool { return v.Kind == kindString && slices.Contains(words, v.Text) }
}

func truth(v Value) bool { return v.Kind == kindBoolean }

func whole(least, most int64) func(Value) bool {
	return func(v Value) bool {
		n, err := strconv.ParseInt(v.Text, 10, 64)
		return v.Kind == kindInteger && err == nil && least <= n && n <= most
	}
}

// unclearWishes reports what a plan wants in a way that cannot be understood. A budget, a reviewer or a rule that silently is
// none would be found out too late.
func unclearWishes(p *Plan, report func(key, message, hint string)) {
	tell := func(at, key, is, want string) {
		report(at, fmt.Sprintf("%s is %s, and must be %s", key, is, want), "write "+want+", or take the key out")
	}
	for _, w := range wishes() {
		for _, s := range p.Execution.Extra {
			switch {
			case s.Key == w.key && !w.can(s.Value):
				tell("execution."+w.key, w.key, spelled(s.Value), w.want)
			case strings.HasPrefix(s.Key, w.key+"."):
				tell("execution."+s.Key, w.key, "a table", w.want)
			}
		}
		for _, s := range p.Settings {
			if s.Key == "intake."+w.key && !w.can(s.Value) {
				tell(w.key, w.key, spelled(s.Value), w.want)
			}
		}
	}
}

// spelled is a value as a person would name it.
func spelled(v Value) string {
	switch v.Kind {
	case kindString:
		if len(v.Text) > 100 {
			return "a long text"
		}
		return strconv.Quote(v.Text)
	case kindArray, kindTable:
		return "of the kind " + v.Kind
	}
	return v.Text
}
