package tasklist

import (
	"fmt"
	"path"
	"strings"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/outline"
	"github.com/planlock/planlock/plan/formats/internal/sketch"
)

// readerOf is what gathers the items of a format; nil for one that is no list.
func readerOf(format plan.Format) func(*list) {
	switch format {
	case SpecKit:
		return readSpecKit
	case Kiro, OpenSpec:
		return func(l *list) { readNumbered(l, format) }
	case TaskMaster:
		return readTaskMaster
	case Beads:
		return readBeads
	case ExecPlan:
		return readExecPlan
	case Superpowers:
		return readSuperpowers
	case Markdown:
		return readMarkdown
	}
	return nil
}

// Read reads a task list; name stands in positions. What is wrong with it is in
// the draft. The error is a *[plan.SizeError].
func Read(name string, text []byte) (*plan.Draft, error) {
	return read(name, text, plan.Unknown)
}

// read reads a list of a format; one that is not known yet is found.
func read(name string, text []byte, format plan.Format) (*plan.Draft, error) {
	if err := sketch.CheckSize(name, text); err != nil {
		return nil, err
	}
	l := &list{Sketch: sketch.New(), t: outline.New(name, text), notes: map[string][]string{},
		bodies: map[part]*body{}, words: map[part][]string{}}
	l.Plan.Meta.Name = strings.TrimSuffix(path.Base(strings.ReplaceAll(name, `\`, "/")), path.Ext(name))
	if format == plan.Unknown {
		format = formatOf(l.t, name)
	}
	if read := readerOf(format); read != nil {
		read(l)
	} else {
		l.Report("no-tasks", plan.Error, l.t.At(0), "", "this is no task list that is known",
			"write items as  - [ ] T001 text  or  - [ ] 1. text")
	}
	l.unclosed()
	l.finish()
	l.verify()
	l.goal()
	l.references()
	l.settings()
	return l.Draft(format, plan.Text{Path: name, Text: text}), nil
}

// unclosed reports a code block or a comment that does not end, where it takes
// checkboxes with it.
func (l *list) unclosed() {
	if l.t.Open < 0 {
		return
	}
	boxes := 0
	for i := l.t.Open + 1; i < len(l.t.Lines); i++ {
		if _, ok := box(l.t.Line(i)); ok {
			boxes++
		}
	}
	if boxes == 0 {
		return
	}
	what, end := "code block", "a line of the same marks"
	if !l.t.Lines[l.t.Open].Code {
		what, end = "comment", "-->"
	}
	l.Report("fence-unclosed", plan.Warning, l.t.At(l.t.Open), "",
		fmt.Sprintf("the %s that begins here does not end, so all below it is no task: %d checkboxes", what, boxes),
		"end it with "+end)
}
