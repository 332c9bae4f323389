package document

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// A noteKind is the section of the notepad that a note stands in.
type noteKind int

const (
	insight noteKind = iota
	technical
	idea
	connection
	machine
	human
	lesson
	noteKinds
)

var noteTitles = [noteKinds]string{
	insight: "Key insights", technical: "Technical notes", idea: "Ideas for enhancement", connection: "Cross-system connections",
	machine: "Observations of the machine", human: "Observations of people", lesson: "Lessons",
}

// A note is one thing worth keeping.
type note struct {
	kind noteKind
	task string
	step plan.Address // "" where it is about the whole run
	at   stamp
	text string // escaped
}

// frequency is how often the notepad is brought up to date.
func frequency(p *plan.Plan) string {
	for _, s := range p.Settings {
		if s.Key == "knowledge_capture.update_frequency" {
			return s.Value.Text
		}
	}
	return "per_task"
}

// drawNotepad draws what was learned while the plan was carried out, for
// people, grouped by task, by step or only at the end, as the plan's
// knowledge_capture.update_frequency says.
func drawNotepad(w io.Writer, rep *Model) error {
	p, r := rep.plan, rep.of
	d := &document{bufio.NewWriter(w)}
	d.put("# Notepad: %s\n\n", md(rep.Goal))
	d.put("Run %s, begun %s, %s.\n", code(rep.Run), rep.Started.clock(), outcome(rep.Status))
	often := frequency(p)
	if often == "end_only" && r.Ended == nil {
		d.put("\nThe plan wants its notes at the end of the run.\n")
		return d.Flush()
	}
	notes := notesOf(r, rep)
	for kind := range noteKinds {
		d.section(noteTitles[kind])
		last, none := "", true
		for _, n := range notes {
			if n.kind != kind {
				continue
			}
			none = false
			if place := n.place(often); place != last {
				if last != "" {
					d.put("\n")
				}
				d.put("### %s\n\n", place)
				last = place
			}
			d.put("- %s\n", n.text)
		}
		if none {
			d.put("None.\n")
		}
	}
	d.timeline(rep)
	return d.Flush()
}

// place is the heading that a note stands under.
func (n note) place(often string) string {
	switch {
	case n.step == "" && n.task == "":
		return "The run"
	case n.step == "" || often != "per_step":
		return md("Task " + n.task)
	}
	return fmt.Sprintf("%s - %s", md("Step "+string(n.step)), n.at.clock())
}

func (d *document) timeline(rep *Model) {
	d.section("Execution timeline")
	var rows [][]string
	for _, s := range rep.steps {
		if !s.Started.IsZero() {
			rows = append(rows, []string{s.Started.clock(), md(string(s.Address)), md(s.Title), string(s.Status),
				md(s.Method), s.Duration.String()})
		}
	}
	d.table("Nothing has begun.", []string{"Begun", "Step", "Title", "Status", "Method", "Duration"}, rows)
}

// notesOf are all notes of a run, in the order of the plan's steps.
func notesOf(r *history.Run, rep *Model) []note {
	var all []note
	for _, s := range rep.steps {
		was := r.Step(s.Address)
		add := func(kind noteKind, format string, args ...any) {
			at := s.Ended
			if at.IsZero() {
				at = s.Started
			}
			all = append(all, note{kind, s.Task, s.Address, at, fmt.Sprintf(format, args...)})
		}
		stepNotes(add, s, was)
	}
	for _, rec := range rep.analysis.Recommendations {
		all = append(all, note{idea, rec.Task, rec.Step, rep.latest, md(rec.Text())})
	}
	for _, a := range r.Addenda {
		all = append(all, note{human, "", "", rep.latest, fmt.Sprintf("%s added to the plan's record, in answer to %s: %s", md(a.By), md(a.Question), md(a.Choice+" "+a.Reason))})
	}
	return all
}

// stepNotes are the notes that a step leaves.
func stepNotes(add func(noteKind, string, ...any), s *step, was *history.Step) {
	failed := false
	for _, a := range s.Attempts {
		if a.Failure == nil {
			continue
		}
		failed = true
		add(technical, "attempt %d (%s) failed, %s: %s", a.Number, code(a.Method), md(meaning(a.Failure.Class)),
			md(strings.Join(a.Failure.Reasons, "; ")))
	}
	if failed && s.Status == history.Completed {
		add(insight, "%s did it where %s had failed", code(s.Method), code(s.Attempts[0].Method))
	}
	for _, a := range was.Advised {
		if a.Note != "" {
			add(machine, "%s of %s: %s", md(a.Kind), md(a.Advisor), md(a.Note))
		}
		for _, f := range a.Findings {
			add(machine, "found: %s", md(f))
		}
	}
	for _, q := range s.Questions {
		if q.Answer != nil && q.Answer.Reason != "" {
			add(human, "%s answered %s: %s", md(q.Answer.By), md(q.ID), md(q.Answer.Reason))
		}
	}
	if l := was.Lesson; l != nil {
		add(lesson, "recommended %s, chosen %s, used %s: %s", code(l.Recommended), code(l.Chosen), code(l.Used),
			md(l.Result))
		add(lesson, "%s", md(l.Lesson))
		for _, o := range l.Others {
			add(lesson, "%s would have: %s", code(o.Method), md(o.Would))
		}
	}
}
