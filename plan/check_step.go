package plan

import (
	"fmt"
	"slices"
	"strings"
)

func (c *checker) checkStep(at place, s *Step) {
	c.identity(at, s)
	c.references(s)
	c.method(s)
	c.backups(s)
	c.rollback(s)
	if s.Artifacts != nil {
		c.artifacts(s)
	}
	c.limits(s)
	c.intent(s)
	c.checks("preconditions", s.Preconditions)
	c.checks("postconditions", s.Postconditions)
	if s.Expect != nil {
		c.regexp("expect.stdout_matches", s.Expect.StdoutMatches)
	}
	if s.Access != nil {
		for k, p := range s.Access.Reads {
			c.pattern(fmt.Sprintf("access.reads[%d]", k), p)
		}
		for k, p := range s.Access.Writes {
			c.pattern(fmt.Sprintf("access.writes[%d]", k), p)
		}
	}
	if c.strict {
		c.complete(s)
	}
}

func (c *checker) identity(at place, s *Step) {
	c.id("step", "id", s.ID)
	a := addressOf(c.task, s.ID)
	if first := c.steps[a]; first != at && s.ID != "" {
		if first.task == at.task {
			c.report("step-duplicate-id", "id", fmt.Sprintf("task %q has two steps %q", c.task, s.ID), "give each an id of its own")
		} else if c.p.Tasks[first.task].ID != c.task {
			c.report("address-ambiguous", "id", fmt.Sprintf("the address %s is that of two steps", a), "choose ids without a point in them")
		}
	}
	c.prose("description", s.Description)
	c.prose("expected_output", s.ExpectedOutput)
	if s.Description == "" && s.ExpectedOutput == "" {
		c.report("step-no-purpose", "", fmt.Sprintf("step %s does not say what it is for", a), `add  description = "What the step does"`)
	}
	if c.strict && len(s.Requirements) == 0 && (s.Requirements != nil || c.silent("requirements")) {
		c.report("step-no-requirement", "", fmt.Sprintf("step %s serves no requirement", a), fmt.Sprintf("add  requirements = [%q]  or those that it serves", c.exampleRequirement()))
	}
}

func (c *checker) references(s *Step) {
	for k, id := range s.Requirements {
		if !c.required[id] {
			c.report("requirement-unknown", fmt.Sprintf("requirements[%d]", k),
				fmt.Sprintf("there is no requirement %q", id),
				c.near(id, func(yield func(string) bool) {
					for _, r := range c.p.Requirements {
						if !yield(r.ID) {
							return
						}
					}
				}))
		}
		c.served[id] = true
	}
	c.named("component", "components", s.Components)
	c.named("constraint", "constraints", s.Constraints)
}

// named judges references to the keys of a free table, where the plan has it.
func (c *checker) named(kind, table string, names []string) {
	if !c.keys[table] {
		return
	}
	for k, name := range names {
		if !c.keys[table+"."+name] && !c.keys[table+"."+QuoteKey(name)] {
			c.report(kind+"-unknown", fmt.Sprintf("%s[%d]", table, k), fmt.Sprintf("[%s] has no key %q", table, name), "name a key that is there, or add it")
		}
	}
}

func (c *checker) method(s *Step) {
	c.command("run", s.Run)
	c.prose("prompt", s.Prompt)
	switch {
	case s.Run != "" && s.Prompt != "":
		c.report("method-twice", "prompt", "a step has one method: run or prompt", "move the other to  [[tasks.steps.backups]]")
	case s.Run == "" && s.Prompt == "" && c.strict:
		c.report("method-missing", "", "the step does not say how it is done", `add  run = "go generate ./..."  for a command, or  prompt = "Write the limiter"  for an agent`)
	case s.Run == "" && s.Prompt == "":
		c.report("method-is-description", "", "the step has no method; the executor is given its description", `add  run = "go generate ./..."  for a command, or  prompt = "Write the limiter"  for an agent`)
	}
	c.executor("executor", s.Executor)
	if s.OnFailure == Retry && s.Retries() == 0 {
		c.retries(s)
	}
}

func (c *checker) executor(key, name string) {
	if name == "" || c.o.Executors == nil || slices.Contains(c.o.Executors, name) {
		return
	}
	hint := "none is here by a name"
	if len(c.o.Executors) > 0 {
		hint = "here by name: " + strings.Join(c.o.Executors, ", ")
	}
	hint += "; bring it (--executor " + name + "=PATH, Controller.Executors), or name another"
	c.report("executor-unknown", key, fmt.Sprintf("there is no executor %q", name), hint)
}

func (c *checker) backups(s *Step) {
	seen := map[string]bool{}
	for k := range s.Backups {
		b, key := &s.Backups[k], fmt.Sprintf("backups[%d]", k)
		if seen[b.ID] && b.ID != "" {
			c.report("backup-duplicate-id", key+".id", fmt.Sprintf("the step has two backups %q", b.ID), "give each an id of its own")
		}
		seen[b.ID] = true
		c.id("backup", key+".id", b.ID)
		c.command(key+".run", b.Run)
		c.command(key+".tool_path", b.ToolPath)
		c.prose(key+".prompt", b.Prompt)
		c.prose(key+".description", b.Description)
		c.executor(key+".executor", b.Executor)
		switch {
		case b.Run != "" && b.Prompt != "":
			c.report("method-twice", key+".prompt", "a backup has one method: run or prompt", "make two backups of it")
		case b.Run == "" && b.Prompt == "" && b.ToolPath == "" && b.Description == "":
			c.report("backup-no-method", key, "the backup does not say how it is done", `add  run = "go generate ./..."  for a command, or  prompt = "Write the limiter"  for an agent`)
		case (b.Run != "" && b.Run == s.Run || b.Prompt != "" && b.Prompt == s.Prompt) &&
			(b.Executor == "" || b.Executor == s.Executor):
			c.report("backup-is-retry", key, "the backup does the same as the step", "a backup is another way; to try again, use  max_retries")
		}
	}
}

func (c *checker) rollback(s *Step) {
	c.command("compensate", s.Compensate)
	if s.Rollback == Compensatable && s.Compensate == "" {
		c.report("compensate-missing", "rollback", "nothing says how the step is undone", `add  compensate = "make undo"  with the command that undoes it`)
	}
	if s.Rollback != Compensatable && s.Rollback != "" && s.Compensate != "" {
		c.report("compensate-unused", "compensate", fmt.Sprintf("a step that is %s is not compensated", s.Rollback), `write  rollback = "compensatable", or take compensate out`)
	}
	a := addressOf(c.task, s.ID)
	if s.Rollback == Irreversible {
		c.report("acknowledgement-needed", "rollback", fmt.Sprintf("step %s cannot be undone", a), fmt.Sprintf("lock with  --ack irreversible:%s", a))
	}
	if s.SemanticChange == Modifying || s.SemanticChange == Breaking {
		c.report("acknowledgement-needed", "semantic_change", fmt.Sprintf("step %s is %s", a, s.SemanticChange),
			fmt.Sprintf("lock with  --ack %s:%s", s.SemanticChange, a))
	}
}

func (c *checker) intent(s *Step) {
	t := s.TestIntent
	if t == nil {
		return
	}
	c.command("test_intent.test", t.Test)
	if t.Test == "" {
		c.report("test-intent-no-test", "test_intent", "the test intent names no test", `add  test = "go test ./..."  or the command that runs the test`)
	}
	if t.Behavior == "" {
		c.report("test-intent-no-behavior", "test_intent", "nothing says what the test is to show", "add  behavior  with what is so when the test passes")
	}
	own, fixed := c.order[addressOf(c.task, s.ID)], 0
	if t.FixedBy == "" {
		c.report("fixed-by-missing", "test_intent", "nothing says which step makes the test pass", c.fixedByHint(own))
		return
	}
	if _, ok := c.steps[t.FixedBy]; !ok {
		c.report("fixed-by-unknown", "test_intent.fixed_by", fmt.Sprintf("there is no step %q", t.FixedBy), "an address is TASK.STEP")
		return
	}
	var ordered bool
	if fixed, ordered = c.order[t.FixedBy]; ordered && fixed <= own {
		c.report("fixed-by-not-later", "test_intent.fixed_by",
			fmt.Sprintf("step %s does not come after this one", t.FixedBy), "name the later step that makes the test pass")
	}
}

// complete judges what strict asks of every step.
func (c *checker) complete(s *Step) {
	a := addressOf(c.task, s.ID)
	if s.Artifacts == nil && c.silent("artifacts") {
		c.report("artifacts-missing", "", fmt.Sprintf("step %s does not say what it changes", a), `add  artifacts = { create = ["docs/limits.md"] }  with its own paths, or  artifacts = {}  for nothing`)
	}
	changes := s.Artifacts != nil && changesFiles(s.Artifacts)
	if s.Artifacts != nil && !changes && len(s.Postconditions) == 0 {
		c.report("outcome-missing", "", fmt.Sprintf("step %s has neither an artifact nor a postcondition", a), `add  postconditions = [{ kind = "go_build", package = "./..." }]  or another check`)
	}
	if s.Rollback == "" && c.silent("rollback") {
		c.report("rollback-missing", "", fmt.Sprintf("step %s does not say whether it can be undone", a), `add  rollback = "reversible"  or put it once under [defaults]`)
	}
	if s.OnFailure == "" && c.silent("on_failure") {
		c.report("on-failure-missing", "", fmt.Sprintf("step %s does not say what follows a failure", a), `add  on_failure = "block"  or put it once under [defaults]`)
	}
	if changes && s.SemanticChange == "" && c.silent("semantic_change") {
		c.report("semantic-change-missing", "", fmt.Sprintf("step %s changes files and does not say what that does to behaviour", a), `add  semantic_change = "preserving"  or one of "extending", "modifying" and "breaking"`)
	}
	if s.Artifacts != nil && len(publicSymbols(s.Artifacts)) > 0 && !c.checkable(s) {
		c.report("public-surface-unspecified", "artifacts", fmt.Sprintf("step %s changes public symbols, and nothing says how they behave", a), "add expected_output, expect, a postcondition or a test_intent")
	} else if !c.checkable(s) {
		c.report("check-missing", "", fmt.Sprintf("there is nothing to check the outcome of step %s against", a), "add expect, a postcondition, a test_intent, or expected_output for a reviewer")
	}
}

func (c *checker) checkable(s *Step) bool {
	return s.Expect != nil || len(s.Postconditions) > 0 || s.TestIntent != nil && s.TestIntent.Test != "" ||
		s.ExpectedOutput != ""
}

func changesFiles(a *Artifacts) bool { return len(a.Create)+len(a.Modify)+len(a.Delete) > 0 }
