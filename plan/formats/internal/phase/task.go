package phase

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/decidable"
	"github.com/planlock/planlock/plan/formats/internal/labels"
	"github.com/planlock/planlock/plan/formats/internal/outline"
	"github.com/planlock/planlock/plan/formats/internal/sketch"
)

// Bounds of what is read. They keep time and memory for any text small.
const (
	maxField = 10_000 // files of a field
	maxPart  = 500    // bytes of the name of a file
	maxYAML  = 1000   // entries that are given to the YAML reader; further ones are read line by line
)

// full reports that a file has as many tasks as are read.
func (r *reader) full(tasks, line int) bool {
	if tasks < sketch.MaxTasks {
		return false
	}
	r.report("too-many-tasks", plan.Error, r.t.At(line),
		fmt.Sprintf("the file has more than %d tasks; the rest is not read", sketch.MaxTasks), "split the plan up")
	return true
}

// A task is one as it was found in a file.
type task struct {
	line         int    // of its tag, heading or entry, from 0
	end          int    // the line behind it
	id           string // as written; "" where the form has none
	title        string
	number       string // the N of a title "Task N: …"
	kind         string
	priority     string
	status       string
	estimate     string
	estimateAt   int
	tdd          bool
	wave         value
	about        string   // what it builds or describes, where it has no title
	files        []string // nil: not said
	depends      []string // nil: not said
	dependsAt    int
	acceptance   []string // nil: not said
	acceptanceAt int
	expected     string
	verify       decidable.Found
	verifyAt     int    // line of the first of it
	judged       bool   // it says how one verifies it, if only in prose
	body         string // all that it says
	misspelt     []misspelt
}

// A misspelt name is one that stands where a label does, and that nothing reads.
type misspelt struct {
	line        int
	said, label string // as written, and what it is near to
}

// unread takes a name that nothing reads down where it is a misspelt label.
func (t *task) unread(name string, line int) {
	if label := labels.Meant(name); label != "" {
		t.misspelt = append(t.misspelt, misspelt{line, name, label})
	}
}

// A reader goes through one file.
type reader struct {
	sketch.Sketch // what was found, alone
	t             *outline.Text
	front         value
	modified      []string // files_modified of the front matter; nil: not said
	tasks         []task
	dialect       string
	titles        []heading // of the file, outside fences
	goal          string
	goalAt        plan.Position
}

// report adds a diagnostic about the file.
func (r *reader) report(code string, severity plan.Severity, at plan.Position, message, hint string) {
	r.reportFor(code, severity, at, message, hint, "")
}

// reportFor adds a diagnostic about a task.
func (r *reader) reportFor(code string, severity plan.Severity, at plan.Position, message, hint, task string) {
	r.Report(code, severity, at, task, message, hint)
}

// model turns a task into one of a plan. id is what it is called there.
func (t *task) model(id string) plan.Task {
	m := plan.Task{ID: id, Title: t.title, Kind: t.kind, Priority: t.priority, Status: statusOf(t.status),
		Files:     t.files,
		DependsOn: t.depends, AcceptanceCriteria: t.acceptance, Estimate: estimateOf(t.estimate)}
	if t.title == "" {
		m.Description = t.about
	}
	if n, ok := t.wave.wave(); ok {
		m.Wave = strconv.Itoa(n)
	}
	s := plan.Step{ID: "1", Description: m.Title, Prompt: t.body, ExpectedOutput: t.expected, Status: m.Status,
		TDD: t.tdd || t.kind == "tdd"}
	if s.Description == "" {
		s.Description = m.Description
	}
	if s.Description == "" {
		s.Description = "Task " + id
	}
	if strings.TrimSpace(s.Prompt) == "" {
		s.Prompt = s.Description
	}
	s.Postconditions = t.verify.Checks
	if s.ExpectedOutput == "" && len(t.acceptance) == 0 {
		s.ExpectedOutput = strings.Join(t.verify.Words, "\n")
	}
	if checkpointKind(t.kind) {
		s.Mode, s.OnFailure = plan.Collaborative, plan.Ask
	}
	m.Steps = []plan.Step{s}
	return m
}

// verified takes over what a field says about verifying the task.
func (t *task) verified(text string, line int) {
	if strings.TrimSpace(text) == "" {
		return
	}
	if !t.judged {
		t.verifyAt = line
	}
	f := decidable.Of(text)
	t.judged = true
	t.verify.Checks = append(t.verify.Checks, f.Checks...)
	t.verify.Words = append(t.verify.Words, f.Words...)
	t.verify.NotRun = append(t.verify.NotRun, f.NotRun...)
}

// name is what messages call a task, which may have no id yet: ids are given
// when all tasks are read.
func (t *task) name(index int) string {
	switch {
	case t.id != "":
		return fmt.Sprintf("task %q", t.id)
	case t.title != "":
		return fmt.Sprintf("task %q", t.title)
	}
	return fmt.Sprintf("task %d", index+1)
}
