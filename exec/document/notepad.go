package document

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/analysis"
	"github.com/planlock/planlock/plan"
)

// A noteKind is the section of the notepad that a note stands in.
type noteKind int

const (
	insight noteKind = iota
	decision
	technical
	idea
	connection
	machine
	human
	lesson
	noteKinds
)

// noteTitles are the headings of the sections, in their order.
var noteTitles = [noteKinds]string{
	insight: "Key insights", decision: "Decisions", technical: "Technical notes",
	idea: "Ideas for enhancement", connection: "Cross-system connections",
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

// A noteSection is a section of the notepad, in parts by what they are about.
type noteSection struct {
	Title  string
	Places []notePlace
}

// A notePlace is what the notes of a part are about: the run, a task or a step.
type notePlace struct {
	Title safe
	Notes []safe
}

// noteSections are what was learned while the plan was carried out, for people,
// grouped by task, by step or only at the end, as the plan's
// knowledge_capture.update_frequency says.
func noteSections(m *Model) []noteSection {
	often, sections := frequency(m.plan), make([]noteSection, noteKinds)
	for kind := range sections {
		sections[kind].Title = noteTitles[kind]
	}
	for _, n := range notesOf(m.of, m) {
		s := &sections[n.kind]
		if title := safe(n.place(often)); len(s.Places) == 0 || s.Places[len(s.Places)-1].Title != title {
			s.Places = append(s.Places, notePlace{Title: title})
		}
		last := &s.Places[len(s.Places)-1]
		text := n.text
		if n.step != "" && often != "per_step" { // the heading does not name the step
			text = md("step "+string(n.step)) + ": " + text
		}
		last.Notes = append(last.Notes, safe(text))
	}
	return sections
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

// later reports whether the notes are not written yet: the plan wants them at the
// end of the run, and that goes on.
func (m *Model) later() bool { return frequency(m.plan) == "end_only" && m.of.Ended == nil }

// noted reports whether the notepad has a note of a task by now: ideas once the
// run has ended, the others once the task is over, or the step where the plan
// wants them by step.
func (m *Model) noted(t *task, n note) bool {
	switch {
	case over(m):
		return true
	case n.kind == idea || m.later():
		return false
	case frequency(m.plan) == "per_step":
		return slices.ContainsFunc(t.Steps, func(s *step) bool { return s.Address == n.step && s.Status.Over() })
	}
	return !t.open()
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
		before := len(all)
		stepNotes(add, r, s, was)
		if frequency(rep.plan) == "per_step" && len(all) == before && s.Status.Over() {
			add(technical, "%s", md(s.became()))
		}
	}
	for _, rec := range rep.analysis.Recommendations {
		all = append(all, note{idea, rec.Task, "", rep.latest, md(rec.Text())}) // the text names the step
	}
	for _, a := range r.Addenda {
		all = append(all, note{human, "", "", rep.latest, fmt.Sprintf("%s added to the plan's record, in answer to %s: %s", md(a.By), md(a.Question), md(strings.TrimSuffix(orElse(label(rep, a.Question, a.Choice), a.Choice)+": "+a.Reason, ": ")))})
	}
	return all
}

// became says of a step of which there is nothing to note how it ended.
func (s *step) became() string {
	switch a := s.judged(); {
	case s.Status == history.Completed && a != nil && a.Number > 1:
		return fmt.Sprintf("completed in attempt %d; nothing more to note", a.Number)
	case s.Status == history.Completed:
		return "completed; nothing more to note"
	case s.Status == history.Skipped:
		return "left out; nothing more to note"
	}
	return string(s.Status) + "; nothing more to note"
}

// label is what the choice of a question is called; "" where nobody knows.
func label(m *Model, id, key string) string {
	for _, s := range m.steps {
		for _, q := range s.Questions {
			if q.ID == id && q.Answer != nil && q.Answer.Choice == key {
				return q.Answer.Label
			}
		}
	}
	return ""
}

// A telling is something that an executor said besides its result.
type telling struct {
	Text string
	Said string // in which attempt
}

// tellings are what the attempts of a step said, each text once.
func tellings(attempts []*history.Attempt, of func(*history.AttemptEnded) []string) []telling {
	var all []telling
	for _, a := range attempts {
		if a.Said == nil {
			continue
		}
		for _, text := range of(a.Said) {
			if !slices.ContainsFunc(all, func(t telling) bool { return t.Text == text }) {
				all = append(all, telling{text, fmt.Sprintf("said in attempt %d", a.Number)})
			}
		}
	}
	return all
}

// decisionsOf are decisions that the executor of a step says it made, in attempts
// whose work was not undone, or was put back.
func decisionsOf(s *history.Step) []telling {
	again := map[int]bool{}
	for _, a := range s.Attempts {
		again[a.Method.Reinstates] = a.Failure == nil
	}
	stand := only(s.Attempts, func(a *history.Attempt) bool { return a.Failure == nil || again[a.Number] })
	return tellings(stand, decided)
}

func decided(e *history.AttemptEnded) []string { return e.Decisions }

// insightsOf are what the executor of a step says it learned, whatever became of
// the attempt.
func insightsOf(s *history.Step) []telling {
	return tellings(slices.Concat(s.Undone, s.Attempts), func(e *history.AttemptEnded) []string { return e.Insights })
}

// stepNotes are the notes that a step leaves.
func stepNotes(add func(noteKind, string, ...any), r *history.Run, s *step, was *history.Step) {
	for _, t := range insightsOf(was) {
		add(insight, "%s (%s)", md(t.Text), t.Said)
	}
	for _, t := range tellings(slices.Concat(was.Undone, was.Attempts), decided) {
		add(decision, "%s (%s)", md(t.Text), t.Said)
	}
	var first *attempt // that failed
	var failures []string
	for _, a := range s.Attempts {
		if a.Failure == nil {
			continue
		}
		if a.Outcome == lost {
			add(technical, "attempt %d (%s) was lost: %s", a.Number, code(a.Method), md(meaning(history.Lost)))
			continue
		}
		became := "was cut off"
		if a.of.Faulty() {
			became = "failed"
			if first == nil {
				first = a
			}
			failures = append(failures, fmt.Sprintf("attempt %d", a.Number))
		} else if a.of.Aside != nil || a.Failure.Class == history.Met {
			became = "was set aside"
		}
		add(technical, "attempt %d (%s) %s, %s: %s", a.Number, code(a.Method), became, md(meaning(a.Failure.Class)),
			md(strings.Join(a.Failure.Reasons, "; ")))
	}
	_, words := analysis.Decisive(r, was)
	switch a := s.judged(); {
	case first == nil || s.Status != history.Completed:
	case a != nil && a.Reinstates > 0 && len(a.reverted) > 0:
		add(insight, "what attempt %d (%s) did was kept without what it did too much: %s", a.Reinstates, code(a.Method),
			md(strings.Join(a.reverted, ", ")))
	case a != nil && a.Reinstates > 0:
		add(insight, "what attempt %d (%s) did was accepted as it was", a.Reinstates, code(a.Method))
	case words != "":
		add(insight, "%s did it once it was told: %s", code(s.Method), md(words))
	case s.Method == first.Method:
		add(insight, "%s did it in attempt %d, where %s had failed", code(s.Method), s.judged().Number, join(failures))
	default:
		add(insight, "%s did it where %s had failed", code(s.Method), code(first.Method))
	}
	for _, a := range was.Advised {
		if a.Note != "" {
			add(machine, "%s: %s", md(adviceOf(a)), md(a.Note))
		}
		for _, f := range a.Findings {
			add(machine, "found: %s", md(f))
		}
	}
	for _, q := range s.Questions {
		if q.Answer != nil && q.Answer.Reason != "" {
			add(human, "%s answered %s, %s: %s", md(q.Answer.By), md(q.ID),
				md(orElse(q.Answer.Label, q.Answer.Choice)), md(q.Answer.Reason))
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
