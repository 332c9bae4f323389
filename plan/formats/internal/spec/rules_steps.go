package spec

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/planlock/planlock/plan"
)

// An id names one step of its task. Step 2.3 of task 2 is its step 3.
func stepDuplicate(c spot) {
	first := map[string]*step{}
	for _, s := range c.t.steps {
		if f := first[s.id]; f == nil {
			first[s.id] = s
		} else {
			c.of(c.t, s).tell(s.at, "give one of them another id, in both files",
				"step %s.%s is there already, in line %d", c.t.id, s.id, c.h.file.Offset(f.at).Line)
		}
	}
}

// A step says what is done: in Markdown behind its number, in TOML as
// description or action.
func stepNoAction(c spot) {
	if c.s.title.text == "" {
		c.tell(c.s.at, c.byHalf("write what is done behind the colon",
			`add  description = "…"`+quoted(c.called(c.t.id, c.s.id))), "step %s does not say what is done", c.step())
	}
}

// A step says what can be seen when it is done.
func stepNoOutput(c spot) {
	if c.s.expected.text == "" {
		c.tell(c.s.at, c.byHalf("add  - **Expected output:** what can be seen then",
			`add  expected_output = "…", what can be seen then`), "step %s does not say what it brings about", c.step())
	}
}

// Where the goal fails with a step, there is another way to do it.
func criticalNoBackup(c spot) {
	if f := c.s.flagOf(c.t); f.value != nil && *f.value && len(c.s.backups) == 0 {
		c.tell(c.s.at, c.byHalf("add  - **Backup [1]:** another way to do it",
			`add  [[tasks.steps.backups]]  with id = 1 and description = "…", another way to do it, in both files`),
			"step %s is critical and has no backup", c.step())
	}
}

// A backup is another way to do the step. Doing the same again is what
// max_retries is for.
func backupOnlyRetry(c spot) {
	doing := c.s.act
	if doing == nil {
		doing = new(plan.Step)
	}
	for _, b := range c.s.backups {
		as := b.act
		as.Description = b.text.text
		how := b.method.or(b.text).text
		said := func(text string) bool { return text != "" && strings.EqualFold(plain(how), plain(text)) }
		inWords := doing.Run+as.Run+as.Prompt+as.Tool+as.ToolPath+b.tool == "" &&
			(said(c.methodOf(c.s)) || said(c.s.title.text))
		if inWords || doing.SameAgain(&as) {
			c.tell(b.at, "describe another way, and raise max_retries if trying again helps",
				"backup %s of step %s only does the same again: %q", b.id, c.step(),
				shorten(cmp.Or(as.Run, as.Prompt, how)))
		}
	}
}

// A backup says what it does differently.
func backupEmpty(c spot) {
	for _, b := range c.s.backups {
		if b.text.text == "" {
			c.tell(b.at, "say what it does differently", "backup %s of step %s does not say what is done", b.id,
				c.step())
		}
	}
}

// An id names one backup of its step.
func backupDuplicate(c spot) {
	seen := map[string]bool{}
	for _, b := range c.s.backups {
		if seen[b.id] {
			c.tell(b.at, "number the backups of a step 1, 2, 3 in both files", "step %s has backup %s twice",
				c.step(), b.id)
		}
		seen[b.id] = true
	}
}

// byHalf is the hint for the half that the spot is in.
func (c spot) byHalf(markdown, toml string) string {
	if c.h.side == tomlSide {
		return toml
	}
	return markdown
}

// quoted says what the other half calls a thing, where it does.
func quoted(title string) string {
	if title == "" {
		return ""
	}
	return fmt.Sprintf(", as the Markdown does: %q", shorten(title))
}
