package spec

import (
	"fmt"
	"slices"
	"strings"
)

// A stepPairing is a step of the tasks that both halves have; it may be missing
// in one.
type stepPairing struct {
	task pairing[task]
	step pairing[step]
}

// stepPairs are the steps of the tasks that both halves have, worked out once.
func (j *judged) stepPairs() []stepPairing {
	if j.paired == nil {
		j.paired = []stepPairing{}
		for _, p := range j.taskPairs() {
			for _, s := range pairSteps(p) {
				j.paired = append(j.paired, stepPairing{p, s})
			}
		}
	}
	return j.paired
}

// methodOf is how a step is done, in the words of the half that says it.
func (j *judged) methodOf(s *step) string {
	if j.methods == nil {
		j.methods = map[*step]said{}
		if j.m != nil && j.t != nil {
			for _, p := range j.stepPairs() {
				if a, b := p.step.first, p.step.second; a != nil && b != nil {
					j.methods[a], j.methods[b] = a.method.or(b.method), b.method.or(a.method)
				}
			}
		}
	}
	return s.method.or(j.methods[s]).text
}

// Every step of the Markdown has a table in the parameters, by id.
func stepNotInTOML(c spot) {
	for _, p := range c.stepPairs() {
		if s := p.step.first; p.step.second == nil {
			c := c.in(c.m).of(p.task.first, s)
			c.tell(s.at, fmt.Sprintf("add  [[tasks.steps]]  with  id = %s  to task %s there, or take the step out here",
				s.id, c.t.id), "step %s is not in %s", c.step(), c.judged.t.file.Name)
		}
	}
}

// Every step of the parameters stands in the Markdown, by id.
func stepNotInMarkdown(c spot) {
	for _, p := range c.stepPairs() {
		if s := p.step.second; p.step.first == nil {
			c := c.of(p.task.first, s)
			c.tell(s.at, fmt.Sprintf("add  - **Step [%s]:** %s  to task %s there, or take the step out here", s.id,
				s.title.text, c.t.id), "step %s is not in %s", c.step(), c.m.file.Name)
		}
	}
}

// surplus finds the backups that a step has in one half and not in the other:
// those whose id the other does not have, and at least as many as are more.
func surplus(mine, other []*backup) []*backup {
	if len(mine) <= len(other) {
		return nil
	}
	known := map[string]bool{}
	for _, o := range other {
		known[o.id] = true
	}
	var list []*backup
	for _, b := range mine {
		if !known[b.id] {
			list = append(list, b)
		}
	}
	more := len(mine) - len(other)
	if len(list) < more {
		return mine[len(other):]
	}
	return list[len(list)-more:]
}

// Every backup of the Markdown stands in the parameters.
func backupNotInTOML(c spot, a, b *step) {
	for _, extra := range surplus(a.backups, b.backups) {
		c.in(c.m).tell(extra.at,
			fmt.Sprintf("add  [[tasks.steps.backups]]  with  id = %s  and its description there", extra.id),
			"backup %s of step %s is not in %s", extra.id, c.step(), c.h.file.Name)
	}
}

// Every backup of the parameters stands in the Markdown.
func backupNotInMarkdown(c spot, a, b *step) {
	for _, extra := range surplus(b.backups, a.backups) {
		c.tell(extra.at, fmt.Sprintf("add  - **Backup [%s]:** %s  there", extra.id, shorten(extra.text.text)),
			"backup %s of step %s is not in %s", extra.id, c.step(), c.m.file.Name)
	}
}

// The backups of a step have the same ids in both files.
func backupIDs(c spot, a, b *step) {
	if len(a.backups) != len(b.backups) {
		return
	}
	for i, x := range a.backups {
		if y := b.backups[i]; x.id != y.id {
			c.in(c.m).tell(x.at, "number it the same in both files", "backup %s of step %s is backup %s in the parameters",
				x.id, c.step(), y.id)
		}
	}
}

// A backup is the same way in both files. The run follows the Markdown, unless the
// parameters say how it is done.
func backupTexts(c spot, a, b *step) {
	for i, y := range b.backups {
		if i >= len(a.backups) || a.backups[i].id != y.id {
			i = slices.IndexFunc(a.backups, func(x *backup) bool { return x.id == y.id })
		}
		if i < 0 || a.backups[i].text.text == "" || y.text.text == "" {
			continue
		}
		x := a.backups[i].text.text
		first, _, _ := strings.Cut(x, "\n") // without what is nested below
		if same := func(text string) bool { return sameText(x, text) || sameText(first, text) }; !same(y.text.text) &&
			!(y.method.ok && same(y.method.text)) {
			c.tell(y.text.at, "say the same in both files", "backup %s of step %s is %q here and %q in the Markdown", y.id,
				c.step(), shorten(y.text.text), shorten(x))
		}
	}
}

// Both files say the same way to do a step. The run follows the Markdown, unless
// the parameters have a command or a prompt.
func methodsDiffer(c spot, a, b *step) {
	x, y := a.method, b.method
	if x.text == "" || y.text == "" || x.text == y.text {
		return
	}
	first, _, _ := strings.Cut(x.text, "\n")
	if !sameText(x.text, y.text) && !sameText(first, y.text) && !sameText(y.text, b.title.text) {
		c.tell(y.at, "say the same in both files, or how as run or prompt",
			"step %s is done by %q here and by %q in the Markdown, which counts", c.step(), shorten(y.text), shorten(x.text))
	}
}

// A step is called the same in both files.
func stepTitles(c spot, a, b *step) {
	if a.title.text != "" && b.title.text != "" && !sameText(a.title.text, b.title.text) {
		c.tell(b.title.at, "call it the same in both files", "step %s is called %q here and %q in the Markdown",
			c.step(),
			shorten(b.title.text), shorten(a.title.text))
	}
}

// Both files expect the same of a step.
func outputsDiffer(c spot, a, b *step) {
	if x, y := a.expected, b.expected; x.text != "" && y.text != "" && !sameText(x.text, y.text) {
		c.tell(y.at, "expect the same in both files", "of step %s, %q is expected here and %q in the Markdown",
			c.step(),
			shorten(y.text), shorten(x.text))
	}
}

// Both files agree whether a step is critical, each in so many words. The run follows the parameters.
func criticalDiffers(c spot, a, b *step) {
	f := b.flagOf(c.t)
	if a.critical.odd != "" {
		c.in(c.m).tell(a.critical.at, "write true or false, as critical_flag in the parameters",
			"step %s is said to be critical here by %q, which is neither true nor false", c.step(), shorten(a.critical.odd))
	}
	if x, y := a.critical.value, f.value; x != nil && y != nil && *x != *y {
		c.tell(f.at, "decide, and write the same in both files",
			"step %s has critical_flag = %t here and %t in the Markdown", c.step(), *y, *x)
	}
}

// Both files give a step the same mode. The run follows the parameters.
func modesDiffer(c spot, a, b *step) {
	m := b.modeOf(c.t)
	if x, y := modeOf(a.mode.text), modeOf(m.text); x != "" && y != "" && x != y {
		c.tell(m.at, "decide, and write the same in both files", "step %s is %s here and %s in the Markdown",
			c.step(), y, x)
	}
}
