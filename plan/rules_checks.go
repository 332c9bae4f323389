package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/safetext"
)

// checkRules are those of checks, wherever they stand.
func checkRules() []rule {
	return []rule{
		everyCheck(rule{code: "check-kind-missing", severity: Error, said: true, cause: true, why: "A check says its kind."},
			func(_ CheckOptions, k *Check, tell tell) {
				if k.Kind == "" {
					tell("", "the check does not say its kind", `add  kind = "file_exists"  or another kind`)
				}
			}),
		everyCheck(rule{code: "check-kind-unknown", severity: Error, said: true, cause: true,
			why: "The kind of a check is built in, or added by the host."},
			func(o CheckOptions, k *Check, tell tell) {
				if k.Kind != "" && o.kindOf(k) == nil {
					tell(".kind", fmt.Sprintf("there is no check of the kind %q", k.Kind),
						near(k.Kind, kinds, func(known *CheckKind) string { return known.Name }))
				}
			}),
		everyCheck(rule{code: "check-argument-missing", severity: Error, said: true, cause: true,
			why: "A check has all arguments that its kind needs."},
			func(o CheckOptions, k *Check, tell tell) {
				kind, given := o.kindOf(k), k.given()
				if kind == nil {
					return
				}
				missing := func(what, name string) {
					tell("", fmt.Sprintf("a check %s needs %s", k.Kind, what),
						fmt.Sprintf("add  %s = %q", name, exampleArgument(name)))
				}
				for _, name := range kind.Needed {
					if !slices.Contains(given, name) {
						missing(name, name)
					}
				}
				if len(kind.One) > 0 &&
					!slices.ContainsFunc(kind.One, func(name string) bool { return slices.Contains(given, name) }) {
					missing(strings.Join(kind.One, " or "), kind.One[0])
				}
			}),
		everyCheck(rule{code: "check-argument-unknown", severity: Error, said: true, cause: true,
			why: "A check has no arguments but those of its kind."},
			func(o CheckOptions, k *Check, tell tell) {
				kind := o.kindOf(k)
				if kind == nil {
					return
				}
				known := slices.Concat(kind.Needed, kind.One, kind.Free)
				for _, name := range k.given() {
					table, _, _ := strings.Cut(name, ".") // an argument may be a table, whose keys are its own
					if slices.Contains(known, name) || slices.Contains(known, table) {
						continue
					}
					hint := "it has none"
					if len(known) > 0 {
						hint = "it has " + strings.Join(known, ", ")
					}
					tell("."+name, fmt.Sprintf("a check %s has no argument %s", k.Kind, safetext.Escape(name)), hint)
				}
			}),
	}
}

// everyCheck makes a rule for all checks of a plan. Keys are told as what
// follows that of the check.
func everyCheck(r rule, judge func(CheckOptions, *Check, tell)) rule {
	one := func(o CheckOptions, key string, k *Check, tell tell) {
		if k != nil {
			judge(o, k, func(below, message, hint string) { tell(key+below, message, hint) })
		}
	}
	each := func(o CheckOptions, key string, list []Check, tell tell) {
		for i := range list {
			one(o, fmt.Sprintf("%s[%d]", key, i), &list[i], tell)
		}
	}
	r.plan = func(x *inspection, tell tell) {
		for i, r := range x.plan.Requirements {
			one(x.options, fmt.Sprintf("requirements[%d].check", i), r.Check, tell)
		}
		for i, a := range x.plan.Assumptions {
			one(x.options, fmt.Sprintf("assumptions[%d].check", i), a.Check, tell)
		}
		for i, v := range x.plan.Invariants {
			one(x.options, fmt.Sprintf("invariants[%d].check", i), v.Check, tell)
		}
		each(x.options, "completion_criteria.checks", x.plan.Completion.Checks, tell)
	}
	r.step = func(x *inspection, s *stepPart, tell tell) {
		each(x.options, "preconditions", s.Preconditions, tell)
		each(x.options, "postconditions", s.Postconditions, tell)
	}
	return r
}

// given names the arguments that a check has.
func (k *Check) given() []string {
	g := &givenReader{}
	k.visit(g)
	return g.names
}

// A givenReader names the keys of a check that say something, without its kind.
type givenReader struct {
	ignorant
	names []string
}

// Text notes an argument that is a text.
func (g *givenReader) Text(k Key, at *string) {
	if *at != "" && k.Name != "kind" {
		g.names = append(g.names, k.Name)
	}
}

// Number notes an argument that is a number; 0 is said, too.
func (g *givenReader) Number(k Key, at **int) {
	if *at != nil {
		g.names = append(g.names, k.Name)
	}
}

// Settings notes the arguments of kinds that a host added.
func (g *givenReader) Settings(_ Key, at *[]Setting) {
	for _, s := range *at {
		g.names = append(g.names, s.Key)
	}
}

// exampleArgument is a value that an argument of a check can have.
func exampleArgument(name string) string {
	switch name {
	case "path":
		return "README.md"
	case "symbol":
		return "server.Limiter"
	case "package":
		return "./..."
	case "run":
		return "go test ./..."
	case "name":
		return "git"
	}
	return "some " + name
}
