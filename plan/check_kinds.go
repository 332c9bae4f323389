package plan

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/planlock/planlock/plan/internal/hidden"
)

// A CheckKind is a kind of check, with the names of the arguments that it
// takes.
type CheckKind struct {
	Name   string
	Needed []string // all of them must be given
	One    []string // at least one of them must be given, where there are any
	Free   []string // may be given
}

// kinds are the checks that are built in.
var kinds = []CheckKind{
	{Name: "file_exists", Needed: []string{"path"}},
	{Name: "file_absent", Needed: []string{"path"}},
	{Name: "file_contains", Needed: []string{"path"}, One: []string{"text", "matches"}},
	{Name: "command", Needed: []string{"run"}, Free: []string{"exit", "stdout_contains"}},
	{Name: "symbol_exists", Needed: []string{"symbol"}},
	{Name: "symbol_absent", Needed: []string{"symbol"}},
	{Name: "go_build", Needed: []string{"package"}},
	{Name: "go_vet", Needed: []string{"package"}},
	{Name: "go_test", Needed: []string{"package"}, Free: []string{"run"}},
	{Name: "go_api_compatible", Needed: []string{"package"}},
	{Name: "env_set", Needed: []string{"name"}},
	{Name: "tool_available", Needed: []string{"name"}, Free: []string{"version"}},
}

func (c *checker) checks(key string, list []Check) {
	for i := range list {
		c.check(fmt.Sprintf("%s[%d]", key, i), &list[i])
	}
}

func (c *checker) check(key string, k *Check) {
	c.command(key+".run", k.Run)
	c.regexp(key+".matches", k.Matches)
	if k.Path != "" {
		c.pattern(key+".path", k.Path)
	}
	if k.Symbol != "" {
		c.symbols(key+".symbol", []string{k.Symbol})
	}
	if k.Kind == "" {
		c.report("check-kind-missing", key, "the check does not say its kind", `add  kind = "file_exists"  or another kind`)
		return
	}
	for _, all := range [][]CheckKind{kinds, c.o.CheckKinds} {
		if i := slices.IndexFunc(all, func(known CheckKind) bool { return known.Name == k.Kind }); i >= 0 {
			c.arguments(key, k, all[i])
			return
		}
	}
	c.report("check-kind-unknown", key+".kind", fmt.Sprintf("there is no check of the kind %q", k.Kind),
		c.near(k.Kind, func(yield func(string) bool) {
			for _, known := range kinds {
				if !yield(known.Name) {
					return
				}
			}
		}))
}

func (c *checker) arguments(key string, k *Check, kind CheckKind) {
	given := k.given()
	for _, name := range kind.Needed {
		if !slices.Contains(given, name) {
			c.report("check-argument-missing", key, fmt.Sprintf("a check %s needs %s", k.Kind, name), fmt.Sprintf("add  %s = %q", name, exampleArgument(name)))
		}
	}
	one := kind.One
	if len(one) > 0 && !slices.ContainsFunc(one, func(name string) bool { return slices.Contains(given, name) }) {
		c.report("check-argument-missing", key, fmt.Sprintf("a check %s needs %s", k.Kind, strings.Join(one, " or ")),
			fmt.Sprintf("add  %s = %q", one[0], exampleArgument(one[0])))
	}
	known := slices.Concat(kind.Needed, one, kind.Free)
	for _, name := range given {
		table, _, _ := strings.Cut(name, ".") // an argument may be a table, whose keys are its own
		if slices.Contains(known, name) || slices.Contains(known, table) {
			continue
		}
		hint := "it has none"
		if len(known) > 0 {
			hint = "it has " + strings.Join(known, ", ")
		}
		c.report("check-argument-unknown", key+"."+name,
			fmt.Sprintf("a check %s has no argument %s", k.Kind, hidden.Escape(name)), hint)
	}
}

// given names the arguments that a check has.
func (k *Check) given() []string {
	var names []string
	for _, a := range []struct {
		name string
		has  bool
	}{
		{"path", k.Path != ""}, {"text", k.Text != ""}, {"matches", k.Matches != ""}, {"run", k.Run != ""},
		{"exit", k.Exit != nil},
		{"stdout_contains", k.StdoutContains != ""}, {"symbol", k.Symbol != ""}, {"package", k.Package != ""},
		{"name", k.Name != ""}, {"version", k.Version != ""},
	} {
		if a.has {
			names = append(names, a.name)
		}
	}
	for _, s := range k.Extra {
		names = append(names, s.Key)
	}
	return names
}

func (c *checker) regexp(key, text string) {
	if text == "" {
		return
	}
	if _, err := regexp.Compile(text); err != nil {
		c.report("regexp-invalid", key, fmt.Sprintf("%q is no regular expression: %v", text, err), "the syntax is that of RE2")
	}
}

// A GateKind is a gate that a plan may ask for, as the gate declares it.
type GateKind struct {
	Name string
	Args []Argument
}

// An Argument is one that a gate takes.
type Argument struct {
	Name, Doc string
	Kind      ArgumentKind
}

// ArgumentKind says which values an argument may have.
type ArgumentKind string

// The kinds of arguments.
const (
	ArgText    ArgumentKind = "text"
	ArgInteger ArgumentKind = "an integer"
	ArgFlag    ArgumentKind = "true or false"
	ArgTexts   ArgumentKind = "a list of texts"
)

// Takes reports whether a value is of the kind.
func (k ArgumentKind) Takes(v Value) bool {
	switch k {
	case ArgText:
		return v.Kind == kindString
	case ArgInteger:
		return v.Kind == kindInteger
	case ArgFlag:
		return v.Kind == kindBoolean
	case ArgTexts:
		return v.Kind == kindArray && !slices.ContainsFunc(v.List,
			func(item Value) bool { return item.Kind != kindString })
	}
	return false
}

// gates judges what the plan asks for by [[gates]].
func (c *checker) gates() {
	seen := map[string]bool{}
	for i := range c.p.Gates {
		g, key := &c.p.Gates[i], fmt.Sprintf("gates[%d]", i)
		c.prose(key+".name", g.Name)
		switch {
		case g.Name == "":
			c.report("gate-name-missing", key, "the gate has no name", `add  name = "nongoals"  or the name of another gate`)
			continue
		case seen[g.Name]:
			c.report("gate-twice", key+".name", fmt.Sprintf("the gate %q is asked for twice", g.Name), "ask for it once, with all arguments")
		}
		seen[g.Name] = true
		if c.o.Gates == nil {
			continue
		}
		at := slices.IndexFunc(c.o.Gates, func(k GateKind) bool { return k.Name == g.Name })
		if at < 0 {
			c.report("gate-unknown", key+".name", fmt.Sprintf("there is no gate %q", g.Name),
				c.near(g.Name, func(yield func(string) bool) {
					for _, k := range c.o.Gates {
						if !yield(k.Name) {
							return
						}
					}
				}))
			continue
		}
		c.gateArguments(key, g, c.o.Gates[at].Args)
	}
}

func (c *checker) gateArguments(key string, g *GateUse, args []Argument) {
	names := make([]string, len(args))
	for i, a := range args {
		names[i] = a.Name
	}
	for _, s := range g.Args {
		at := slices.Index(names, s.Key)
		switch {
		case at >= 0 && args[at].Kind.Takes(s.Value):
		case at >= 0:
			c.report("gate-argument-invalid", key+"."+s.Key, fmt.Sprintf("the argument %s of gate %q is %s, and must be %s", s.Key, g.Name, spelled(s.Value), args[at].Kind),
				"write "+string(args[at].Kind))
		default:
			hint := "it has none"
			if near := Nearest(s.Key, names); near != "" {
				hint = fmt.Sprintf("did you mean %q?", near)
			} else if len(names) > 0 {
				hint = "it has " + strings.Join(names, ", ")
			}
			c.report("gate-argument-unknown", key+"."+s.Key,
				fmt.Sprintf("the gate %q has no argument %s", g.Name, hidden.Escape(s.Key)), hint)
		}
	}
}
