package spec

import (
	"strings"
	"testing"
)

// What the Markdown says of a task, of a step or of a SPECLet in no words of the
// format is kept: of a task and of a step it is told to whoever carries it out.
func TestProseIsKept(t *testing.T) {
	readOf := func(old, now string) string {
		markdown, toml := example(true)
		if !strings.Contains(markdown, old) {
			t.Fatalf("the example has no %q", old)
		}
		d, err := read(texts(strings.Replace(markdown, old, now, 1), toml))
		if err != nil {
			t.Fatal(err)
		}
		task := d.Plan.Tasks[1]
		said := "task: " + task.Description + "\nstep: " + task.Steps[0].Prompt + "\n"
		for _, s := range d.Plan.Settings {
			said += s.Key + ": " + s.Value.Text + "\n"
		}
		return said
	}
	const task, step, way = "### Task [2]: Document it\n", "- **Step [1]:** Write the page\n", "  - **Primary method:** Describe the answer 429\n"
	headed := "#### Step [1]: Write the page\n"
	for name, tt := range map[string]struct{ old, now, want string }{
		"a paragraph":               {task, task + "It is for readers.\n\n", "task: It is for readers."},
		"beside a label":            {task, task + "**Purpose:** help\n\nIt is for readers.\n\n", "task: help\n\nIt is for readers."},
		"above a label":             {task, task + "It is for readers.\n**Deadline:** Friday\n\n", "task: It is for readers.\n"},
		"code":                      {task, task + "```\nmake page\n```\n\n", "task: ```\nmake page\n```"},
		"a quote":                   {task, task + "> It is for readers\n\n", "task: > It is for readers"},
		"a list":                    {task, task + "- It is for readers\n\nSteps:\n", "task: - It is for readers\n\nSteps:"},
		"code of a step":            {step, step + "  ```\n  make page\n  ```\n", "Describe the answer 429\n```\nmake page\n```"},
		"a paragraph of a step":     {step, step + "\n  It is short.\n\n", "Describe the answer 429\nIt is short."},
		"code of a heading":         {step + way, headed + "```\nmake page\n```\n\n- **Primary method:** Describe the answer 429\n", "**Mode:** silent\n```\nmake page\n```"},
		"a paragraph of a heading":  {step + way, headed + "It is short.\n\n- **Primary method:** Describe the answer 429\n", "**Mode:** silent\nIt is short."},
		"a paragraph of a SPECLet":  {"**Parallel Allowed:** `false`\n", "**Parallel Allowed:** `false`\n\nIt is last.\n", "metadata.speclets.docs.text: It is last."},
		"another label of it":       {"**Parallel Allowed:** `false`\n", "**Parallel Allowed:** `false`\n**Risk:** high\n", "metadata.speclets.docs.risk: high"},
		"before the first section":  {"## Goal\n", "It was made by hand.\n\n## Goal\n", "metadata.preamble: It was made by hand."},
		"a comment is not said":     {task, task + "<!-- It is for readers -->\n\n", "task: \n"},
		"a rule says nothing":       {task, task + "\n---\n\n", "task: \n"},
		"what stands in a section":  {"Both files have the same tasks.\n", "Both files have the same.\n", "task: \n"},
		"an item that is a mistake": {task, task + "- \n\n", "task: \n"},
	} {
		if said := readOf(tt.old, tt.now); !strings.Contains(said, tt.want) {
			t.Errorf("%s: no %q in\n%s", name, tt.want, said)
		}
	}
}

// What the Markdown says of a step besides its method is kept as well where the
// parameters have a command, which alone is carried out.
func TestProseBesideACommandIsKept(t *testing.T) {
	d := pairOf(t, "- **Step [1]:** Write the page\n", "- **Step [1]:** Write the page\n  - **Owner:** Bob\n",
		"description = \"Write the page\"\n", "description = \"Write the page\"\nrun = \"make page\"\n")
	for _, s := range d.Plan.Settings {
		if s.Key == "metadata.tasks.2.steps.1.text" && s.Value.Text == "Owner: Bob" {
			return
		}
	}
	t.Errorf("it is lost: %v", d.Plan.Settings)
}
