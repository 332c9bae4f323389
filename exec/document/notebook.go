package document

import (
	"fmt"
	"slices"
	"strings"
)

// An Entry is what a task, a step, or the run as a whole adds to the notepad
// that a plan names. Key begins its row in the timeline: no other entry has it.
type Entry struct {
	Key        string
	row, title string
	notes      []note
}

// Entries are what a run has for a notepad that is kept over several runs, so
// far: of each task that is over or, where the plan says so, of each step that
// is, or all of them at the end only. The end has what is said of the run as a
// whole. None is ever changed by what comes later, unless it is done anew: what
// education mode is about to teach is waited for.
func Entries(m *Model) []Entry {
	often, all := frequency(m.plan), notesOf(m.of, m)
	if often == "end_only" && !over(m) {
		return nil
	}
	of := func(belongs func(note) bool) (list []note) {
		for _, n := range all {
			if n.kind != idea && n.task != "" && belongs(n) {
				list = append(list, n)
			}
		}
		return list
	}
	entry := func(what, title, status string, at stamp, notes []note) Entry {
		key := fmt.Sprintf("| %s | %s | %s |", at.clock(), what, code(m.Run))
		return Entry{Key: key, row: fmt.Sprintf("%s %s | %s |", key, title, md(status)),
			title: strings.TrimSuffix(what+": "+title, ": ") + " - " + at.clock(), notes: notes}
	}
	learns := func(s *step) bool { return !over(m) && m.of.Step(s.Address).OwesLesson() != nil }
	var list []Entry
	for _, t := range m.Tasks {
		switch {
		case often == "per_step":
			for _, s := range t.Steps {
				if s.Status.Over() && !s.Ended.IsZero() && !learns(s) {
					list = append(list, entry(md("Step "+string(s.Address)), md(s.Title), string(s.Status), s.Ended,
						of(func(n note) bool { return n.step == s.Address })))
				}
			}
		case !t.Started.IsZero() && (over(m) || !t.open() && !slices.ContainsFunc(t.Steps, learns)):
			list = append(list, entry(md("Task "+t.ID), md(t.Title), t.Status, t.Ended,
				of(func(n note) bool { return n.task == t.ID })))
		}
	}
	slices.SortStableFunc(list, func(a, b Entry) int { return strings.Compare(a.when(), b.when()) })
	if over(m) {
		list = append(list, entry("The run", md(m.Titled()), string(m.Status), m.Ended,
			slices.DeleteFunc(slices.Clone(all), func(n note) bool { return n.kind != idea && n.task != "" })))
	}
	return list
}

// when is the time of an entry, to the second.
func (e Entry) when() string { return e.Key[:len("| 2006-01-02 15:04:05")] }

// timelineTitle is the section of a notepad that has a row for each entry.
const timelineTitle = "Execution timeline"

// otherTitles are what sections are called in notepads that people began.
var otherTitles = map[noteKind]string{machine: "ai observations", human: "human observations"}

// Into is the notepad with entries added that it does not have: the notes of
// each in the section of their kind, and a row in the timeline. What stands in
// it stays as it is, to the byte; "" is a notepad that nobody began. It returns
// text where nothing is to be added.
func Into(text string, m *Model, entries []Entry) string {
	entries = slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return strings.Contains(text, e.Key) })
	if len(entries) == 0 {
		return text
	}
	if strings.TrimSpace(text) == "" {
		text += "# Notepad: " + md(m.Titled()) + "\n\nWhat runs of this plan taught. planlock adds to it, and changes nothing that stands here.\n"
	}
	end := "\n"
	if strings.Contains(text, "\r\n") {
		end = "\r\n"
	}
	book := strings.SplitAfter(text, "\n")
	for _, e := range entries {
		for kind := range noteKinds {
			lines := []string{"### " + e.title, ""}
			for _, n := range e.notes {
				if n.kind == kind {
					lines = append(lines, "- "+n.said())
				}
			}
			if len(lines) > 2 {
				book = addTo(book, append([]string{""}, lines...), end, noteTitles[kind], otherTitles[kind])
			}
		}
		book = addTo(book, []string{e.row}, end, timelineTitle, "")
	}
	return strings.Join(book, "")
}

// said is the text of a note, with its step.
func (n note) said() string {
	if n.step == "" {
		return n.text
	}
	return md("step "+string(n.step)) + ": " + n.text
}

// addTo adds lines at the end of a section, which is made where there is none:
// before the timeline, or at the end.
func addTo(book, lines []string, end, title, other string) []string {
	from, to := section(book, title, other)
	if from < 0 {
		made := []string{"## " + title}
		if title == timelineTitle {
			made = append(made, "", "| When | What | Run | Title | Status |", "|---|---|---|---|---|")
		}
		lines = append(append([]string{""}, made...), lines...)
		if to, _ = section(book, timelineTitle, ""); to < 0 {
			to = len(book)
		}
	}
	for to > 0 && strings.TrimSpace(book[to-1]) == "" {
		to--
	}
	if from >= 0 && title == timelineTitle {
		to = behindTable(book, from, to)
	}
	text := strings.Join(lines, end) + end
	if to > 0 && !strings.HasSuffix(book[to-1], "\n") {
		text = end + text
	}
	// A line each: the next entry looks for sections.
	return slices.Insert(book, to, slices.Collect(strings.Lines(text))...)
}

// behindTable is the place behind the last row of a table in a section; its end
// where it has none.
func behindTable(book []string, from, to int) int {
	for i := to; i > from; i-- {
		if strings.HasPrefix(book[i-1], "|") {
			return i
		}
	}
	return to
}

// section is where a section of a notepad begins and where the next one does;
// from is negative where there is none.
func section(book []string, titles ...string) (from, to int) {
	from, fenced := -1, false
	for i, line := range book {
		line = strings.TrimRight(line, " \t\r\n")
		switch {
		case strings.HasPrefix(line, "```"), strings.HasPrefix(line, "~~~"):
			fenced = !fenced
		case fenced:
		case from >= 0 && (strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "## ")):
			return from, i
		case from < 0 && strings.HasPrefix(line, "## "):
			name := strings.TrimSpace(line[3:])
			if slices.ContainsFunc(titles, func(t string) bool { return t != "" && strings.EqualFold(t, name) }) {
				from = i
			}
		}
	}
	return from, len(book)
}
