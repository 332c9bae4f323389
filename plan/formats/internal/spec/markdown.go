package spec

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"

	"github.com/planlock/planlock/internal/spelling"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/blocks"
	"github.com/planlock/planlock/plan/formats/internal/outline"
	"github.com/planlock/planlock/plan/formats/internal/sketch"
)

// An outliner walks the blocks of a document from top to bottom and knows where
// it stands.
type outliner struct {
	*blocks.Document
	half *half

	goal     *said // the goal whose text is still to come
	section  *section
	sections []*section
	speclet  *speclet
	known    map[string]*speclet
	listing  bool // below **Tasks:** of a speclet
	task     *task
	headed   bool // the open step has a heading; else it is an item of a list
	step     *step
	column   int // of the open step's item
	numbered []*task
	read     int      // up to which offset the text was read
	more     []string // what is said before the first section
}

// A section is a heading with what stands below it, kept as it was written.
type section struct {
	name     string // in small letters
	title    string
	level    int
	from, to int
	first    ast.Node
}

// readMarkdown reads spec_NAME.md and its like, in all dialects.
func readMarkdown(f *outline.Text) *half {
	h := &half{side: markdownSide, file: f}
	o := &outliner{Document: blocks.Parse(f), half: h, known: map[string]*speclet{}}
	if o.Full >= 0 {
		h.faults = append(h.faults, fault{at: o.Full,
			text: "the file has more headings, items and paragraphs than a plan of its size", fatal: true})
	}
	for n := o.Root.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			o.leave(n.Pos())
			o.heading(n)
			o.read = behind(o.Lines(n), n.Pos())
		case *ast.Paragraph:
			o.paragraph(n)
		case *ast.List:
			o.leave(n.Pos())
			o.list(n)
			o.read = o.End(n)
		case *ast.HTMLBlock:
			o.leave(n.Pos())
			o.read = o.End(n)
		case *ast.Blockquote:
			if p, ok := n.FirstChild().(*ast.Paragraph); ok && o.goal != nil {
				o.goalFrom(n, o.Lines(p))
			}
		}
	}
	o.leave(len(f.Source()))
	o.closeSection(len(f.Source()))
	if len(h.tasks) == 0 {
		h.tasks = o.numbered
	}
	o.finish()
	return h
}

// heading reads a heading: it opens a task, a step of the open task, a
// SPECLet, the goal or a section, and closes what cannot go on below it. A
// task ends at the next heading of its level or above; what is deeper and no
// step belongs to the task.
func (o *outliner) heading(n *ast.Heading) {
	open := o.step
	o.goal, o.step, o.listing = nil, nil, false
	if o.task != nil && n.Level <= o.task.level {
		o.task = nil
	}
	lines := o.Lines(n)
	if len(lines) == 0 {
		return
	}
	title := lines[0].Text
	if bold, ok := strings.CutPrefix(title, "**"); ok {
		title = strings.TrimSpace(strings.Replace(bold, "**", "", 1))
	}
	at := n.Pos()
	if id, t, ok := entitled(title, taskHeading, bareTask); ok && n.Level > 1 {
		o.closeSection(at)
		o.leaveSpeclet(n.Level)
		o.openTask(id, t, at, n.Level)
		return
	}
	if o.task != nil {
		if id, t, ok := entitled(title, stepHeading); ok {
			o.headed = true
			o.openStep(id, t, at)
		} else if id, t, ok := entitled(title, backupHeading); ok && open != nil && o.headed {
			o.step = open
			open.field("backup ["+strings.ToLower(id)+"]", t, t, at, at)
		}
		return
	}
	o.leaveSpeclet(n.Level)
	if id, t, ok := entitled(title, specletHeading, bareSpeclet); ok && n.Level > 1 {
		o.closeSection(at)
		o.openSpeclet(id, t, at, n.Level)
		return
	}
	if goalTitle.MatchString(title) && n.Level <= 3 {
		o.closeSection(at)
		o.half.goals = append(o.half.goals, said{at: at, ok: true})
		o.goal = &o.half.goals[len(o.half.goals)-1]
		return
	}
	o.half.sections = append(o.half.sections, strings.ToLower(title))
	if n.Level > 1 && (o.section == nil || n.Level <= o.section.level) {
		o.closeSection(at)
		o.section = &section{name: strings.ToLower(title), title: title, level: n.Level, from: o.End(n),
			first: n.NextSibling()}
	} else if n.Level > 1 && o.section != nil && o.section.name == "tasks" {
		o.section.name = ""
	}
}

// leaveSpeclet closes the open SPECLet at a heading of its level or above.
func (o *outliner) leaveSpeclet(level int) {
	if o.speclet != nil && level <= o.speclet.level {
		o.speclet = nil
	}
}

// closeSection ends the open section at an offset and keeps it.
func (o *outliner) closeSection(at int) {
	if o.section != nil {
		o.section.to = at
		o.sections = append(o.sections, o.section)
	}
	o.section = nil
}

// openTask adds a task, to the open SPECLet where there is one.
func (o *outliner) openTask(id, title string, at, level int) {
	o.task = &task{id: id, short: id, at: at, level: level, title: say(title, at), speclet: o.speclet}
	o.half.tasks = append(o.half.tasks, o.task)
	if o.speclet != nil {
		o.speclet.tasks = append(o.speclet.tasks, say(id, at))
	}
}

// openStep adds a step to the open task. A title may end with "(critical)" or
// "(non-critical)", which is a flag and no part of it.
func (o *outliner) openStep(id, title string, at int) {
	title, critical := takeFlag(title)
	o.step = &step{id: local(o.task.id, id), at: at, title: say(title, at), critical: flag{value: critical, at: at}}
	o.task.steps = append(o.task.steps, o.step)
}

// openSpeclet adds a speclet, or another place that tells of it.
func (o *outliner) openSpeclet(id, title string, at, level int) {
	if s := o.known[id]; s != nil {
		o.speclet = s
		s.level = level
		return
	}
	o.speclet = &speclet{id: id, title: say(title, at), at: at, level: level}
	o.half.speclets = append(o.half.speclets, o.speclet)
	o.known[id] = o.speclet
}

// goalFrom takes the goal from the first block below its heading that says one.
// What else stands there is kept, up to the next heading.
func (o *outliner) goalFrom(n ast.Node, lines []blocks.Line) {
	rest := o.setGoal(lines)
	switch {
	case o.goal != nil: // the block says nothing
	case len(rest) > 0:
		o.belowGoal(rest[0].At, n.NextSibling())
	default:
		o.belowGoal(o.End(n), n.NextSibling())
	}
}

// belowGoal opens the section of what is said below the heading Goal besides the
// goal. Any heading ends it.
func (o *outliner) belowGoal(from int, first ast.Node) {
	o.section = &section{name: "goal", title: "Goal", level: 7, from: from, first: first}
}

// setGoal takes the text of the goal from the first lines below its heading, and
// gives back the others.
func (o *outliner) setGoal(lines []blocks.Line) (rest []blocks.Line) {
	if len(lines) == 0 {
		return nil
	}
	if l, ok := labelled(lines[0]); ok && l.name == "goal" {
		if lines[0].Text, lines[0].At = l.value, l.at; l.value == "" {
			return o.setGoal(lines[1:])
		}
	}
	n := 1
	for n < len(lines) && wraps(lines[n-1], lines[n]) {
		n++
	}
	*o.goal = say(joined(lines[:n]), lines[0].At)
	if inner := strings.Trim(o.goal.text, "*"); o.goal.text == "**"+inner+"**" && !strings.Contains(inner, "**") {
		o.goal.text = inner
	}
	o.goal = nil
	return lines[n:]
}

// listGoals takes each item of a list below the heading Goal for a goal of its
// own, but for those with another label, as **Owner:**, from which on the list
// is kept.
func (o *outliner) listGoals(n *ast.List) {
	kept := o.End(n)
	for i, item := range blocks.Items(n) {
		own := o.Own(item)
		if i > 0 {
			if len(own) == 0 {
				continue
			}
			if l, ok := labelled(own[0]); ok && l.name != "goal" {
				kept = min(kept, own[0].At)
				continue
			}
			o.half.goals = append(o.half.goals, said{at: own[0].At, ok: true})
			o.goal = &o.half.goals[len(o.half.goals)-1]
		}
		o.setGoal(own)
		if o.goal != nil { // the item says nothing
			o.goal = nil
		}
	}
	o.belowGoal(kept, n.NextSibling())
}

// wraps reports whether a line of a goal goes on in the next. A goal is one
// line; one that was broken by an editor ends in the middle of a sentence, at
// some width or before a small letter.
func wraps(l, next blocks.Line) bool {
	first, _ := utf8.DecodeRuneInString(next.Text)
	return !strings.ContainsAny(l.Text[len(l.Text)-1:], ".!?:;") && (unicode.IsLower(first) || len(l.Text) >= 60)
}

// paragraph reads what stands between headings and lists: the text of the
// goal, or lines with a label in bold such as "**Mode:** silent". These belong
// to what is open, a step before a task and a task before a SPECLet. A
// paragraph at the left margin ends a step that is an item of a list.
func (o *outliner) paragraph(n *ast.Paragraph) {
	lines := o.Lines(n)
	if o.goal != nil {
		o.goalFrom(n, lines)
		return
	}
	if len(lines) > 0 {
		o.leave(lines[0].At)
	}
	if !o.headed && len(lines) > 0 && o.Text.Offset(lines[0].At).Column == 1 {
		o.step = nil
	}
	o.listing = false
	for i, l := range lines {
		b, ok := o.label(l)
		if !ok {
			continue
		}
		if o.read <= lines[0].At {
			o.leave(l.At)
			o.read = behind(lines, l.At)
		}
		own := lines[i : i+1]
		for _, next := range lines[i+1:] {
			if _, ok := o.label(next); ok {
				break
			}
			own = lines[i : i+len(own)+1]
		}
		value := valueOf(b, own)
		switch {
		case b.name == "goal":
			o.half.restated = append(o.half.restated, say(value, b.at))
		case o.step != nil && b.name != "verification" && b.name != "logging":
			o.step.field(b.name, value, value, l.At, b.at)
		case o.task != nil:
			o.task.field(b.name, value, b.at)
		case o.speclet != nil:
			o.specletField(b.name, value, l.At)
		}
	}
}

// label reads a line that begins with a label, as [labelled] does; "Tasks:" is one
// of a SPECLet also without bold face.
func (o *outliner) label(l blocks.Line) (label, bool) {
	b, ok := labelled(l)
	if ok || o.speclet == nil || o.task != nil || o.step != nil {
		return b, ok
	}
	m := specletTasks.FindStringSubmatchIndex(l.Text)
	if m == nil {
		return b, false
	}
	return label{name: "tasks", value: l.Text[m[2]:m[3]], at: l.At + m[2]}, true
}

// specletField reads a line with a label that tells of a SPECLet. What other
// labels say is kept.
func (o *outliner) specletField(name, value string, at int) {
	s := o.speclet
	switch name {
	case "depends on", "dependencies":
		d := statement{at: at}
		for _, id := range listed(value) {
			d.ids = append(d.ids, said{id, at, true})
		}
		s.depends = append(s.depends, d)
	case "tasks included", "tasks":
		for _, id := range listed(value) {
			s.tasks = append(s.tasks, said{id, at, true})
			s.listed = true
		}
		o.listing = value == ""
	case "parallel allowed":
		s.parallel = flag{value: truth(value), at: at}
	default:
		if value != "" {
			s.extra = append(s.extra, plan.Setting{Key: spelling.QuoteKey(slug(name)), Value: sketch.Text(value)})
		}
	}
}

// specletItem reads an item below the heading of a SPECLet: "Depends on: [1]",
// with what is nested in it, or "tasks: [1, 2]".
func (o *outliner) specletItem(own []blocks.Line, whole string) {
	b, ok := labelled(own[0])
	if !ok {
		m := specletTasks.FindStringSubmatch(unmarked(own[0].Text))
		if m == nil {
			o.speclet.more = append(o.speclet.more, "- "+whole)
			return
		}
		b = label{name: "tasks", value: m[1]}
	}
	_, nested, _ := strings.Cut(whole, "\n")
	value := valueOf(b, own)
	if value == "" {
		var ids []string
		for line := range strings.Lines(nested) {
			ids = append(ids, unmarked(strings.TrimSpace(line)))
		}
		value = strings.Join(ids, ", ")
	}
	o.specletField(b.name, value, own[0].At)
	o.listing = false
}

// list reads a list: steps, or what belongs to one, in a task; names of tasks
// below "**Tasks:**" of a SPECLet; tasks where it is numbered and stands below
// the heading Tasks.
func (o *outliner) list(n *ast.List) {
	if o.goal != nil {
		o.listGoals(n)
		return
	}
	for i, item := range blocks.Items(n) {
		own := o.Own(item)
		column := o.Text.Offset(item.Pos()).Column
		switch {
		case o.task != nil:
			o.taskItem(item, own, column)
		case o.speclet != nil && !o.listing && len(own) > 0:
			o.specletItem(own, o.Raw(own[0].At, o.End(item)))
		case o.listing && len(own) > 0:
			if id, _, ok := entitled(own[0].Text, taskHeading); ok {
				o.speclet.tasks = append(o.speclet.tasks, say(id, own[0].At))
				o.speclet.listed = true
			}
		case o.section != nil && o.section.name == "tasks" && n.IsOrdered() && column == 1:
			o.numberedTask(item, own, n.Start+i)
		}
	}
	o.listing = false
}

// taskItem reads an item of a list in a task: a step, something that belongs to
// the open step, or to the task.
func (o *outliner) taskItem(item ast.Node, own []blocks.Line, column int) {
	if o.step != nil && (o.headed || column > o.column) {
		o.stepItem(o.step, item, own, true)
		return
	}
	o.step = nil
	if len(own) == 0 {
		return
	}
	if id, _, ok := entitled(own[0].Text, boldStep, plainStep); ok {
		o.headed, o.column = false, column
		o.stepFrom(id, item, own)
		return
	}
	if b, ok := labelled(own[0]); ok {
		o.task.field(b.name, o.Raw(b.at, o.End(item)), b.at)
	} else {
		o.task.more = append(o.task.more, "- "+o.Raw(own[0].At, o.End(item)))
	}
}

// stepItem reads an item below a step. What is nested deeper counts where it is
// a backup or the like.
func (o *outliner) stepItem(s *step, item ast.Node, own []blocks.Line, top bool) {
	if len(own) > 0 {
		if b, ok := labelled(own[0]); ok && (top || known(b.name)) {
			s.field(b.name, valueOf(b, own), o.Raw(b.at, o.End(item)), item.Pos(), b.at)
		} else if top {
			s.more = append(s.more, o.Raw(own[0].At, o.End(item)))
		}
	}
	for n := item.FirstChild(); n != nil; n = n.NextSibling() {
		if list, ok := n.(*ast.List); ok {
			for _, sub := range blocks.Items(list) {
				o.stepItem(s, sub, o.Own(sub), false)
			}
		}
	}
}

// numberedTask reads "1. T" below the heading "Tasks".
func (o *outliner) numberedTask(item ast.Node, own []blocks.Line, number int) {
	if len(own) == 0 {
		return
	}
	was := o.task
	t := &task{id: strconv.Itoa(number), at: item.Pos(), level: 6,
		title: say(strings.Trim(joined(own), "* "), own[0].At)}
	t.short = t.id
	o.numbered = append(o.numbered, t)
	o.task = t
	for n := item.FirstChild(); n != nil; n = n.NextSibling() {
		if list, ok := n.(*ast.List); ok {
			o.step = nil
			for _, sub := range blocks.Items(list) {
				o.taskItem(sub, o.Own(sub), o.Text.Offset(sub.Pos()).Column)
			}
		}
	}
	o.task, o.step = was, nil
}
