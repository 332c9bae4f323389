package phase

import "github.com/planlock/planlock/plan"

// Codes lists the diagnostics of phase plans, sorted by code: for each a file that draws it and one that does not. Where several files
// are needed, a line "==> NAME" comes before each.
func Codes() []plan.Code {
	return []plan.Code{
		{Code: "front-matter-parse-error", Severity: plan.Warning, Why: "A front matter that is no YAML means different things to different readers; it is read line by line.",
			Bad:  "---\nphase: 04\nplan: 01\npattern: \"\\.x\"\n---\n" + lamp,
			Good: "---\nphase: 04\nplan: 01\npattern: '\\.x'\n---\n" + lamp},
		{Code: "no-tasks", Severity: plan.Error, Why: "A plan in prose has nothing that could be carried out.",
			Bad: "# Count the lamps\n\nWe walk the rows.\n", Good: lamp},
		{Code: "plan-dep-unknown", Severity: plan.Warning, Why: "A plan waits for one that is not in its folder, so nothing can be said about their order.",
			Bad:  "==> 01-PLAN.md\n---\nphase: 04\nplan: 01\ndepends_on: [\"04-07\"]\n---\n" + lamp,
			Good: "==> 01-PLAN.md\n---\nphase: 04\nplan: 01\ndepends_on: [\"04-02\"]\n---\n" + lamp + "==> 02-PLAN.md\n---\nphase: 04\nplan: 02\n---\n" + lamp},
		{Code: "speclet-cycle", Severity: plan.Error, Why: "Plans that wait for each other never start.",
			Bad:  "==> 01-PLAN.md\n---\nphase: 04\nplan: 01\ndepends_on: [2]\n---\n" + lamp + "==> 02-PLAN.md\n---\nphase: 04\nplan: 02\ndepends_on: [1]\n---\n" + lamp,
			Good: "==> 01-PLAN.md\n---\nphase: 04\nplan: 01\ndepends_on: []\n---\n" + lamp + "==> 02-PLAN.md\n---\nphase: 04\nplan: 02\ndepends_on: [1]\n---\n" + lamp},
		{Code: "speclet-duplicate-id", Severity: plan.Error, Why: "Two plans of a folder have one number.",
			Bad:  "==> 01-PLAN.md\n---\nphase: 04\nplan: 01\n---\n" + lamp + "==> 02-PLAN.md\n---\nphase: 04\nplan: 1\n---\n" + lamp,
			Good: "==> 01-PLAN.md\n---\nphase: 04\nplan: 01\n---\n" + lamp + "==> 02-PLAN.md\n---\nphase: 04\nplan: 02\n---\n" + lamp},
		{Code: "task-cycle", Severity: plan.Error, Why: "Tasks that wait for each other never start.",
			Bad:  lamp + "**Depends on:** 2\n" + bulb + "**Depends on:** 1\n",
			Good: lamp + bulb + "**Depends on:** 1\n"},
		{Code: "task-dep-prose", Severity: plan.Note, Why: "What a task waits for is said in words, and orders nothing.",
			Bad: lamp + "**Depends on:** all of phase 3\n", Good: lamp + "**Depends on:** none\n"},
		{Code: "task-dep-unknown", Severity: plan.Error, Why: "A task waits for one that is not there.",
			Bad: lamp + "**Depends on:** 7\n", Good: lamp + bulb + "**Depends on:** 1\n"},
		{Code: "task-duplicate-id", Severity: plan.Error, Why: "An id names one task.", Bad: lamp + lamp, Good: lamp + bulb},
		{Code: "task-field-missing", Severity: plan.Warning, Why: "A task that says nothing cannot be carried out.",
			Bad: "<task type=\"auto\">\n</task>\n", Good: "<task type=\"auto\">\n<name>Count the lamps</name>\n<done>All are counted</done>\n</task>\n"},
		{Code: "task-no-acceptance", Severity: plan.Warning, Why: "Nothing says how one sees that a task is done. Where no task of a plan does, it is said once.",
			Bad: "## Task 1: Count the lamps\n", Good: lamp},
		{Code: "task-not-closed", Severity: plan.Warning, Why: "All that follows belongs to a task whose end is missing.",
			Bad: "<task type=\"auto\">\n<done>x</done>\n", Good: "<task type=\"auto\">\n<done>x</done>\n</task>\n"},
		{Code: "task-parse-error", Severity: plan.Warning, Why: "An entry of a list of tasks is no YAML; it is read line by line.",
			Bad: "- id: T1\n  title: Count: all\n  acceptance: x\n", Good: "- id: T1\n  title: \"Count: all\"\n  acceptance: x\n"},
		{Code: "too-many-tasks", Severity: plan.Error, Why: "A file with more than 12,000 tasks is not read to its end."},
		{Code: "wave-differs", Severity: plan.Note, Why: "A plan declares another wave than follows from what it depends on; it would wait for nothing, or too long.",
			Bad:  "==> 01-PLAN.md\n---\nphase: 04\nplan: 01\nwave: 3\n---\n" + lamp,
			Good: "==> 01-PLAN.md\n---\nphase: 04\nplan: 01\nwave: 1\n---\n" + lamp},
		{Code: "wave-not-after-dependency", Severity: plan.Error, Why: "A plan is in a wave that is not after the wave of one it depends on: both would start together. Of tasks within a file it is a warning.",
			Bad:  "==> 01-PLAN.md\n---\nphase: 04\nplan: 01\nwave: 1\n---\n" + lamp + "==> 02-PLAN.md\n---\nphase: 04\nplan: 02\nwave: 1\ndepends_on: [1]\n---\n" + lamp,
			Good: "==> 01-PLAN.md\n---\nphase: 04\nplan: 01\nwave: 1\n---\n" + lamp + "==> 02-PLAN.md\n---\nphase: 04\nplan: 02\nwave: 2\ndepends_on: [1]\n---\n" + lamp},
	}
}

const (
	lamp = "## Task 1: Count the lamps\n**Acceptance Criteria:**\n- All are counted\n"
	bulb = "## Task 2: Order bulbs\n**Acceptance Criteria:**\n- They are here\n"
)
