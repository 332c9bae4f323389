package tasklist

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/labels"
)

var (
	// waiting is what a page says that a task waits for, with numbers: "depends on
	// 2 and 3", "after step 2".
	waiting = lazyre.New(`(?i)\b(?:(?:depends?\s+(?:up)?on|blocked\s+by)\s*:?\s+` + `(?:(?:steps?|tasks?|phases?|items?|milestones?|stages?)\s+)?` +
		`|(?:after|requires|needs)\s+(?:steps?|tasks?|phases?|items?|milestones?|stages?)\s+)` +
		`(#?\d+(?:\.\d+)*(?:\s*(?:,|and|&|\+)\s*(?:and\s+)?(?:(?:steps?|tasks?|phases?)\s+)?#?\d+(?:\.\d+)*)*)`)
	// worded is such a thing in words, in brackets or behind a label.
	worded = lazyre.New(`(?i)[(\[]\s*(?:depends?\s+(?:up)?on|blocked\s+by|after|requires)\s*:?\s+([^)\]]{1,80})[)\]]`)
	// aside is a line of a task's text that says it on purpose: in brackets, or first.
	aside = lazyre.New(`(?i)(?:[(\[]|^\W*)(?:depends?\s+(?:up)?on|blocked\s+by|after|requires)\b`)
	// count is one of the numbers.
	count = lazyre.New(`\d+(?:\.\d+)*`)
	// nothing is a label that says that there is nothing to wait for.
	nothing = lazyre.New(`(?i)^\W*(?:none|nothing|n/?a|no|keine|-|–|—)?\W*$`)
)

// order reads what tasks say that they wait for. Numbers are those of the page,
// where no two tasks have one; else tasks are counted as they stand. What is said
// in words is the title of a task, or orders nothing, which is told.
func (m *markdown) order() {
	at := map[string]string{} // numbers and titles of the page: tasks
	several := false
	for i, t := range m.Plan.Tasks {
		number := m.said[i]
		_, twice := at[number]
		several = several || number == "" || twice
		at[number] = t.ID
	}
	if several {
		clear(at)
		for _, t := range m.Plan.Tasks {
			at[t.ID] = t.ID
		}
	}
	for _, t := range m.Plan.Tasks {
		if title := strings.ToLower(t.Title); at[title] == "" {
			at[title] = t.ID
		}
	}
	for i := range m.Plan.Tasks {
		m.wait(i, at)
	}
}

// wait reads what one task waits for.
func (m *markdown) wait(i int, at map[string]string) {
	t := &m.Plan.Tasks[i]
	where := m.Places[fmt.Sprintf("tasks[%d]", i)]
	depend := func(id string) {
		if id != t.ID && !slices.Contains(t.DependsOn, id) {
			t.DependsOn = append(t.DependsOn, id)
		}
	}
	add := func(text string) {
		for _, number := range count.FindAllString(text, -1) {
			depend(cmp.Or(at[number], number)) // one that is not there is told
		}
	}
	words := func(text string, where plan.Position) {
		text = strings.Trim(text, " \t*_`.()")
		if id := at[strings.ToLower(text)]; id != "" {
			depend(id)
		} else if !nothing.MatchString(text) {
			m.Report("task-dep-prose", plan.Note, where, t.ID,
				fmt.Sprintf("what task %s waits for is said in words, and orders nothing: %s", t.ID, text),
				"name the step by its number:  (depends on step 2)")
		}
	}
	read := func(text string, where plan.Position) {
		found := waiting.FindAllStringSubmatch(text, -1)
		for _, w := range found {
			add(w[1])
		}
		if w := worded.FindStringSubmatch(text); w != nil && found == nil {
			words(w[1], where)
		}
	}
	label := func(text string, where plan.Position) {
		if onlyNumbers(text) {
			add(text)
		} else if text != "" {
			words(text, where)
		}
	}
	label(m.waits[i], where)
	read(t.Title, where)
	b := m.bodies[part{i, -1}]
	if b == nil {
		return
	}
	labelled := map[int]bool{}
	labels.Each(m.t, slices.Values(b.lines), func(f *labels.Field) {
		if f.Depends() {
			labelled[f.Line] = true
			label(strings.Join(f.Value(), " "), m.t.At(f.Line))
		}
	})
	for _, n := range b.lines {
		if line := m.t.Line(n); !m.t.Lines[n].Hidden && !labelled[n] && aside.MatchString(line) {
			read(line, m.t.At(n))
		}
	}
}

// onlyNumbers reports whether a text names numbers of tasks and says nothing else:
// "2, 3", "Step 2 and step 3".
func onlyNumbers(text string) bool {
	text = "depends on " + strings.TrimRight(text, " .")
	return waiting.FindString(text) == text
}
