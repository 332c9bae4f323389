package project

import (
	"cmp"
	"fmt"
)

// First is a first plan for a project of a kind that is known, or of none (nil):
// a page about how it is tested. It passes a check as it is, and whoever carries
// it out can achieve it: its step has a check that fails without the work, and the
// tests must pass after it. With
// an agent it is a page of Markdown, whose words are for the agent; else a native
// plan of a command.
func First(p *Project, agent bool) (name, text string) {
	what, test := "what is tried before a change is done", ""
	if p != nil {
		test, what = p.Test, fmt.Sprintf("that the tests are run by `%s`, and what they cover", p.Test)
	}
	shown := cmp.Or(test, "tried")
	if p != nil && p.Untested {
		test = "" // a command that finds no test fails
	}
	if !agent {
		tested := ""
		if test != "" {
			tested = fmt.Sprintf(", { kind = \"command\", run = \"%s\" }", test)
		}
		return "plan.toml", fmt.Sprintf(nativeFirst, shown, shown, tested)
	}
	text = fmt.Sprintf(markdownFirst, what, shown)
	if test != "" {
		text += fmt.Sprintf("  Verify: `%s`\n", test)
	}
	return "PLAN.md", text
}

// markdownFirst is a first plan for an agent.
const markdownFirst = `# Say how this project is tested

- [ ] Write ` + "`TESTING.md`" + `: %s
  Verify: ` + "`grep -qF '%s' TESTING.md`" + `
`

// nativeFirst is a first plan for the shell.
const nativeFirst = `# A first plan: a step says what it changes and how it is seen to be done. docs/plan-format.md has all of it.
schema = 1
non_goals = []
invariants = []

[goal]
description = "Say how this project is tested"

[[requirements]]
id = "R1"
text = "TESTING.md says it"

[[tasks]]
id = 1
description = "Say it"

  [[tasks.steps]]
  id = 1
  description = "Write the page"
  executor = "shell"
  run = "printf '# Testing\\n\\n    %%s\\n' '%s' > TESTING.md"
  requirements = ["R1"]
  rollback = "reversible"
  on_failure = "block"
  semantic_change = "extending"
  limits = { max_files = 1, max_lines = 3 }
  artifacts = { create = ["TESTING.md"] }
  postconditions = [{ kind = "file_contains", path = "TESTING.md", text = "%s" }%s]
`
