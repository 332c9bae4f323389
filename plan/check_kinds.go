package plan

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/planlock/planlock/plan/internal/hidden"
)

// kinds are the checks that are built in, with their arguments: all of the first list are needed, and
// one of the second, where it has any; the others may stand.
var kinds = []struct {
	name              string
	needed, one, free []string
}{
	{name: "file_exists", needed: []string{"path"}},
	{name: "file_absent", needed: []string{"path"}},
	{name: "file_contains", needed: []string{"path"}, one: []string{"text", "matches"}},
	{name: "command", needed: []string{"run"}, free: []string{"exit", "stdout_contains"}},
	{name: "symbol_exists", needed: []string{"symbol"}},
	{name: "symbol_absent", needed: []string{"symbol"}},
	{name: "go_build", needed: []string{"package"}},
	{name: "go_vet", needed: []string{"package"}},
	{name: "go_test", needed: []string{"package"}, free: []string{"run"}},
	{name: "go_api_compatible", needed: []string{"package"}},
	{name: "env_set", needed: []string{"name"}},
	{name: "tool_available", needed: []string{"name"}, free: []string{"version"}},
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
	for _, known := range kinds {
		if known.name == k.Kind {
			c.arguments(key, k, known.needed, known.one, known.free)
			return
		}
	}
	if slices.Contains(c.o.CheckKinds, k.Kind) {
		return
	}
	c.report("check-kind-unknown", key+".kind", fmt.Sprintf("there is no check of the kind %q", k.Kind), c.near(k.Kind, func(yield func(string) bool) {
		for _, known := range kinds {
			if !yield(known.name) {
				return
			}
		}
	}))
}

func (c *checker) arguments(key string, k *Check, needed, one, free []string) {
	given := k.given()
	for _, name := range needed {
		if !slices.Contains(given, name) {
			c.report("check-argument-missing", key, fmt.Sprintf("a check %s needs %s", k.Kind, name), fmt.Sprintf("add  %s = %q", name, exampleArgument(name)))
		}
	}
	if len(one) > 0 && !slices.ContainsFunc(one, func(name string) bool { return slices.Contains(given, name) }) {
		c.report("check-argument-missing", key, fmt.Sprintf("a check %s needs %s", k.Kind, strings.Join(one, " or ")), fmt.Sprintf("add  %s = %q", one[0], exampleArgument(one[0])))
	}
	known := slices.Concat(needed, one, free)
	for _, name := range given {
		if !slices.Contains(known, name) {
			c.report("check-argument-unknown", key+"."+name, fmt.Sprintf("a check %s has no argument %s", k.Kind, hidden.Escape(name)), "it has "+strings.Join(known, ", "))
		}
	}
}

// given names the arguments that a check has.
func (k *Check) given() []string {
	var names []string
	for _, a := range []struct {
		name string
		has  bool
	}{
		{"path", k.Path != ""}, {"text", k.Text != ""}, {"matches", k.Matches != ""}, {"run", k.Run != ""}, {"exit", k.Exit != nil},
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
