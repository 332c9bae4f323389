package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/plan/internal/hidden"
)

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

// takes reports whether a value is of the kind.
func (k ArgumentKind) takes(v Value) bool {
	switch k {
	case ArgText:
		return v.Kind == kindString
	case ArgInteger:
		return v.Kind == kindInteger
	case ArgFlag:
		return v.Kind == kindBoolean
	case ArgTexts:
		return v.Kind == kindArray && !slices.ContainsFunc(v.List, func(item Value) bool { return item.Kind != kindString })
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
			c.report("gate-unknown", key+".name", fmt.Sprintf("there is no gate %q", g.Name), c.near(g.Name, func(yield func(string) bool) {
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
		case at >= 0 && args[at].Kind.takes(s.Value):
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
			c.report("gate-argument-unknown", key+"."+s.Key, fmt.Sprintf("the gate %q has no argument %s", g.Name, hidden.Escape(s.Key)), hint)
		}
	}
}
