package spec

import (
	"fmt"
	"strings"
)

// The example is a pair without faults that the catalogue breaks, rule by rule.

const exampleGoal = "Build a rate limiter for the public service"

const exampleHead = `# Spec: rate limiter

**Purpose:** The service answers fast

## Goal
` + exampleGoal + `

## Definition of Complete
- [ ] The eleventh request is refused

## Definitions
- limiter: what counts requests

## Components
- The limiter, ` + "`components.limiter`" + `

## Constraints
- No answer takes longer than ` + "`constraints.max_latency_ms`" + `

`

const exampleFirst = `### Task [1]: Limit requests
- **Step [1]:** Write the limiter
  - **Primary method:** Count per client and second
  - **Backup [1]:** Use a library
  - **Expected output:** A limiter with tests
  - **Critical:** true
  - **Mode:** silent
- **Step [2]:** Log refused requests
  - **Primary method:** One line for each
  - **Expected output:** A line in the log
  - **Critical:** false
  - **Mode:** silent

`

const exampleLastStep = `- **Step [2]:** Shorten it
  - **Primary method:** Read it aloud
  - **Expected output:** A shorter page
  - **Critical:** false
  - **Mode:** silent
`

const exampleSecond = `### Task [2]: Document it
- **Step [1]:** Write the page
  - **Primary method:** Describe the answer 429
  - **Backup [1]:** Generate it from the comments
  - **Expected output:** A page in docs
  - **Critical:** true
  - **Mode:** silent
` + exampleLastStep + "\n"

const exampleTasks = exampleFirst + exampleSecond

const exampleFoot = `## Bridging
Both files have the same tasks.

## Instructions for LLM
Work through the tasks in order.
`

const exampleTop = `# Parameters
[meta]
goal_descriptor = "limiter"
version = "1.0"

[goal]
description = "` + exampleGoal + `"

[execution]
default_mode = "dynamic"

[software_stack]
deployment_type = "library"
primary_language = "go"

[user_interface]
required = false

[deployment]
target_platform = "linux"

[completion_criteria]
acceptance_criteria = ["The eleventh request is refused"]

[components]
limiter = "Counts requests"

[constraints]
max_latency_ms = 200

`

const exampleTables = `[[tasks]]
id = 1
description = "Limit requests"
[[tasks.steps]]
id = 1
description = "Write the limiter"
expected_output = "A limiter with tests"
critical_flag = true
mode = "silent"
max_retries = 2
[[tasks.steps.backups]]
id = 1
description = "Use a library"
[[tasks.steps]]
id = 2
description = "Log refused requests"
expected_output = "A line in the log"
critical_flag = false
mode = "silent"
max_retries = 0

[[tasks]]
id = 2
description = "Document it"
[[tasks.steps]]
id = 1
description = "Write the page"
expected_output = "A page in docs"
critical_flag = true
mode = "silent"
max_retries = 1
[[tasks.steps.backups]]
id = 1
description = "Generate it from the comments"
[[tasks.steps]]
id = 2
description = "Shorten it"
expected_output = "A shorter page"
critical_flag = false
mode = "silent"
max_retries = 0

`

const exampleEnd = `[error_propagation]
enabled = true
read_prior_steps = true
propagation_strategy = "halt_on_critical"
`

const (
	exampleSpecletA = "### SPECLet [code]: The code\n**Depends On:** `[]`\n**Tasks Included:** `[task_1]`\n**Parallel Allowed:** `true`\n\n"
	exampleSpecletB = "### SPECLet [docs]: The page\n**Depends On:** `[\"code\"]`\n**Tasks Included:** `[task_2]`\n**Parallel Allowed:** `false`\n\n"
	exampleTableA   = "[[speclets]]\nid = \"code\"\ndescription = \"The code\"\ndepends_on = []\ntasks = [1]\nparallel_allowed = true\n\n"
	exampleTableB   = "[[speclets]]\nid = \"docs\"\ndescription = \"The page\"\ndepends_on = [\"code\"]\ntasks = [2]\nparallel_allowed = false\n\n"
)

// example is the pair without faults.
func example(speclets bool) (markdown, toml string) {
	if speclets {
		return exampleHead + exampleSpecletA + exampleSpecletB + exampleTasks + exampleFoot,
			exampleTop + "[validation]\ntotal_tasks = 2\n\n" + exampleTableA + exampleTableB + exampleTables + exampleEnd
	}
	return exampleHead + exampleTasks + exampleFoot, exampleTop + exampleTables + exampleEnd
}

const oneTask = `[[tasks]]
id = 3
description = "Announce it"
[[tasks.steps]]
id = 1
description = "Write to the users"
expected_output = "A message"
critical_flag = false
mode = "silent"
max_retries = 0
`

// manyTasks are 20 more tasks.
func manyTasks(side string) string {
	var b strings.Builder
	for i := 3; i <= 22; i++ {
		if side == markdownSide {
			fmt.Fprintf(&b, "### Task [%d]: Announce it\n- **Step [1]:** Write to the users\n\n", i)
		} else {
			b.WriteString(strings.Replace(oneTask, "id = 3", fmt.Sprintf("id = %d", i), 1) + "\n")
		}
	}
	return b.String()
}

// threeSteps are steps that are not critical.
func threeSteps(side string) string {
	var b strings.Builder
	for i := 3; i <= 5; i++ {
		if side == markdownSide {
			fmt.Fprintf(&b, "- **Step [%d]:** Measure it\n", i)
		} else {
			fmt.Fprintf(&b, "[[tasks.steps]]\nid = %d\ndescription = \"Measure it\"\nexpected_output = \"A number\"\ncritical_flag = false\nmode = \"silent\"\nmax_retries = 0\n", i)
		}
	}
	return b.String() + "\n"
}

// deepChain are three speclets, each waiting for the one before.
func deepChain(side string) string {
	var b strings.Builder
	before := "docs"
	for _, id := range [...]string{"c", "d", "e"} {
		if side == markdownSide {
			fmt.Fprintf(&b, "### SPECLet [%s]: More\n**Depends On:** `[%q]`\n\n", id, before)
		} else {
			fmt.Fprintf(&b, "[[speclets]]\nid = %q\ndepends_on = [%q]\ntasks = []\nparallel_allowed = true\n\n", id, before)
		}
		before = id
	}
	return b.String()
}

// denseText is a text with too many items.
func denseText() string {
	var b strings.Builder
	b.WriteString("Work through the tasks in order.\n")
	for i := range 2200 {
		fmt.Fprintf(&b, "- %d\n", 1000+i)
	}
	return b.String()
}

// lastDense is what is not read of the example with denseText in it.
func lastDense() string {
	text := strings.Replace(exampleHead+exampleTasks+exampleFoot, "Work through the tasks in order.\n", denseText(), 1)
	_, full := flatten([]byte(text))
	return text[max(full, 0):]
}
