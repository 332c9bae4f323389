package plan

import (
	"fmt"
	"slices"
	"strings"
)

// inheritable are the codes whose cause is one key. Where a step took the key
// over from [defaults], the cause is there, once, and not in each step. The
// value names another key that mends it; a step that has that one itself has a
// fault of its own.
var inheritable = map[string]string{
	"requirement-unknown": "", "component-unknown": "", "constraint-unknown": "", "executor-unknown": "", "regexp-invalid": "",
	"check-kind-missing": "", "check-kind-unknown": "", "check-argument-missing": "", "check-argument-unknown": "",
	"command-hidden": "", "path-invalid": "", "symbol-invalid": "",
	"retries-missing": "max_retries", "compensate-missing": "compensate",
}

// inherits reports whether a fault at a key of the step is one of [defaults].
func (c *checker) inherits(code, key string) bool {
	mends, ok := inheritable[code]
	if !ok {
		return false
	}
	name, _, _ := strings.Cut(key, ".")
	name, _, _ = strings.Cut(name, "[")
	own, _ := c.written("")
	inherited, _ := c.d.keys("defaults")
	return slices.Contains(inherited, name) && !slices.Contains(own, name) &&
		(mends == "" || !slices.Contains(own, mends))
}

// keys are the names in a table as it was written; written reports whether the
// part is known to be there.
func (d *Draft) keys(path string) (names []string, written bool) {
	if d.outline == nil {
		return nil, false
	}
	return d.outline.Keys(path)
}

// written does the same for a part of the step; "" is the step itself.
func (c *checker) written(key string) (names []string, written bool) {
	return c.d.keys(strings.TrimSuffix(c.prefix+"."+key, "."))
}

// inherited reports a fault of [defaults], once.
func (c *checker) inherited(code, key, message, hint string) {
	d := Diagnostic{Code: code, Message: message, Hint: hint, Pos: c.d.Position("defaults." + key)}
	if c.told[d] {
		return
	}
	if c.told == nil {
		c.told = map[Diagnostic]bool{}
	}
	c.told[d] = true
	c.found.Add(d)
}

// silent reports whether a step says nothing of a key, where nothing came of
// it: what it says, or what [defaults] says, and could not be read was told
// there, and so was a key with a letter too many or too few.
func (c *checker) silent(key string) bool {
	for _, table := range []string{c.prefix, "defaults"} {
		if names, _ := c.d.keys(table); slices.Contains(names, key) {
			return false
		}
	}
	return !c.misspelled(key)
}

// misspelled reports whether the step, or [defaults], has a key that is not
// known and is almost this one.
func (c *checker) misspelled(key string) bool {
	known, _ := Names(new(Step).visit)
	for _, table := range []string{c.prefix, "defaults"} {
		names, _ := c.d.keys(table)
		for _, name := range names {
			if !slices.Contains(known, name) && Nearest(name, []string{key}) != "" {
				return true
			}
		}
	}
	return false
}

// The hints that depend on the plan. What they say to add is TOML, and is right
// as it is written or after its names were replaced.

func (c *checker) retries(s *Step) {
	if s.MaxRetries != nil {
		c.report("retries-missing", "on_failure", `on_failure is "retry" and max_retries is 0: it is not tried again`, "write  max_retries = 2")
		return
	}
	c.report("retries-missing", "on_failure", `on_failure is "retry" without max_retries: it is tried again once under preset contract, else as often as the preset says`, "add  max_retries = 2")
}

// exampleRequirement is the id of a requirement of the plan, if there is one.
func (c *checker) exampleRequirement() string {
	for _, r := range c.p.Requirements {
		if r.ID != "" {
			return r.ID
		}
	}
	return "R1"
}

// fixedByHint names the step that comes next.
func (c *checker) fixedByHint(own int) string {
	if own+1 < len(c.sequence) {
		return fmt.Sprintf("add  fixed_by = %q  or the later step that makes it pass", c.sequence[own+1])
	}
	return "add a later step that makes it pass, and name its address with  fixed_by"
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
