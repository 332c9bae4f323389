package spec

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// The example is a pair without faults that testdata/rules.toml breaks, rule by
// rule.

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
			exampleTop + "[validation]\ntotal_tasks = 2\n\n" + exampleTableA + exampleTableB + exampleTables +
				exampleEnd
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
			fmt.Fprintf(&b, "[[speclets]]\nid = %q\ndepends_on = [%q]\ntasks = []\nparallel_allowed = true\n\n", id,
				before)
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

// A breach is how a rule is broken: edits of the example, and where the finding
// then stands.
type breach struct {
	Code     string
	Speclets bool // the example has speclets
	At       []struct{ Side, Text string }
	Edits    []edit
}

// An edit replaces a piece of one half of the example.
type edit struct{ Side, Good, Bad string }

// wholeFile stands for all of a half.
const wholeFile = "{{the file}}"

// breaches are those of testdata/rules.toml: one for each rule, in the order of
// the table.
func breaches(t testing.TB) []breach {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "rules.toml"))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Rules []breach }
	if err := toml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Rules) != len(rules()) {
		t.Fatalf("%d rules are broken, there are %d", len(doc.Rules), len(rules()))
	}
	pieces := strings.NewReplacer("{{the goal}}", exampleGoal, "{{byte e4}}", "\xe4", "{{2200 items}}", denseText(),
		"{{task 1}}", exampleFirst, "{{task 2}}", exampleSecond, "{{both tasks}}", exampleTasks, "{{both tables}}",
		exampleTables,
		"{{the last step}}", exampleLastStep, "{{table 3}}", oneTask, "{{speclet b, markdown}}", exampleSpecletB,
		"{{speclet b, toml}}", exampleTableB, "{{20 tasks more, markdown}}", manyTasks(markdownSide),
		"{{20 tasks more, toml}}", manyTasks(tomlSide), "{{3 steps more, markdown}}", threeSteps(markdownSide),
		"{{3 steps more, toml}}", threeSteps(tomlSide), "{{3 speclets more, markdown}}", deepChain(markdownSide),
		"{{3 speclets more, toml}}", deepChain(tomlSide))
	for i, b := range doc.Rules {
		if b.Code != rules()[i].code {
			t.Fatalf("%s is broken where %s is the rule", b.Code, rules()[i].code)
		}
		for k, m := range b.At {
			b.At[k].Text = pieces.Replace(m.Text)
		}
		for k, e := range b.Edits {
			b.Edits[k] = edit{e.Side, pieces.Replace(e.Good), pieces.Replace(e.Bad)}
		}
	}
	return doc.Rules
}

// broken is the example with the edits made.
func (b breach) broken(t testing.TB) (markdown, toml string) {
	t.Helper()
	markdown, toml = example(b.Speclets)
	for _, e := range b.Edits {
		half := &markdown
		if e.Side == tomlSide {
			half = &toml
		}
		if e.Good == wholeFile {
			*half = e.Bad
			continue
		}
		if !strings.Contains(*half, e.Good) {
			t.Fatalf("no %q in the %s example", e.Good, e.Side)
		}
		*half = strings.Replace(*half, e.Good, e.Bad, 1)
	}
	return markdown, toml
}
