package plan

import "fmt"

// The hints that depend on the plan. What they say to add is TOML, and is right as it is written or after its names were replaced.

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
