// Package sketch holds what the readers of all formats do alike: they gather a
// plan, the places of its parts, and what is wrong with it, within bounds that
// keep time and memory for any text small.
package sketch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/plan"
)

// Bounds of what is read.
const (
	MaxSize  = 16 << 20 // bytes of a file
	MaxTasks = 12_000   // of a file
	maxFound = 900      // diagnostics that are told one by one
)

// A Sketch is a plan that a front end draws: what it has found so far, where
// that stands, and what is wrong with it. Readers embed one and hand it over
// at the end. The zero value has no map of places; [New] makes one.
type Sketch struct {
	Plan   plan.Plan
	Places plan.Places // of parts of the plan, as in "tasks[0].depends_on"
	Found  []plan.Diagnostic
	Broken bool                 // not read to its end: only what was found can be said of it
	Ends   map[int][]plan.Check // what must hold at the end of tasks, by their index
	last   map[kind]int
}

// A kind of diagnostics, of which the last one told stands for the rest.
type kind struct {
	code     string
	severity plan.Severity
}

// New returns an empty sketch.
func New() Sketch { return Sketch{Places: plan.Places{}} }

// CheckSize returns a *[plan.SizeError] for a text that is too large to be
// read.
func CheckSize(name string, text []byte) error {
	if len(text) > MaxSize {
		return &plan.SizeError{Name: name, Size: int64(len(text)), Max: MaxSize}
	}
	return nil
}

// Report notes a diagnostic. Of very many the last of a kind stands for the
// rest.
func (s *Sketch) Report(code string, severity plan.Severity, at plan.Position, task, message, hint string) {
	if at, told := s.last[kind{code, severity}]; told && len(s.Found) >= maxFound {
		s.Found[at].More++
		return
	}
	if s.last == nil {
		s.last = map[kind]int{}
	}
	s.last[kind{code, severity}] = len(s.Found)
	s.Found = append(s.Found, plan.Diagnostic{Code: code, Severity: severity, Message: message, Hint: hint, Task: task,
		Pos: at})
}

// End adds what must hold at the end of a task.
func (s *Sketch) End(task int, checks ...plan.Check) {
	if len(checks) == 0 {
		return
	}
	if s.Ends == nil {
		s.Ends = map[int][]plan.Check{}
	}
	s.Ends[task] = append(s.Ends[task], checks...)
}

// Cycles reports every cycle of tasks in full, at the place of the task that it
// begins with.
func (s *Sketch) Cycles(p *plan.Plan, at func(task string) plan.Position) {
	for _, cycle := range p.Graph().Cycles {
		s.Report("task-cycle", plan.Error, at(cycle[0]), cycle[0], "tasks wait for each other: "+Chain(cycle),
			"take one of the dependencies out")
	}
}

// Draft is the finished plan. Settings are sorted by key.
func (s *Sketch) Draft(format plan.Format, files ...plan.Text) *plan.Draft {
	slices.SortStableFunc(s.Plan.Settings, plan.Setting.Compare)
	s.decide()
	for i := range s.Found {
		if f := &s.Found[i]; f.More > 0 {
			f.Message += fmt.Sprintf("; and %d more of this kind", f.More)
		}
	}
	return plan.Assemble(plan.Parts{Plan: s.Plan, Format: format, Files: files, Found: s.Found, Broken: s.Broken,
		Position: s.Places.Position, Ends: s.Ends})
}

// Chain names a cycle; one of many keeps its ends.
func Chain(cycle []string) string {
	const most = 40
	if n := len(cycle); n > most {
		return Chain(cycle[:most/2]) + fmt.Sprintf(" → … %d more … → ", n-most) + Chain(cycle[n-most/2:])
	}
	return strings.Join(cycle, " → ")
}

// Status says how far something is in the word of a list; words of another
// meaning, like "deferred", stay as they are.
func Status(word string) plan.Status {
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "", "open", "pending", "todo":
		return plan.Open
	case "in-progress", "in_progress", "running":
		return plan.InProgress
	case "done", "completed", "complete", "closed":
		return plan.Done
	}
	return plan.Status(word)
}

// Text is a text as settings hold it.
func Text(text string) plan.Value { return plan.Value{Kind: "string", Text: text} }

// Texts are some as settings hold them.
func Texts(list []string) plan.Value {
	v := plan.Value{Kind: "array", List: make([]plan.Value, len(list))}
	for i, text := range list {
		v.List[i] = Text(text)
	}
	return v
}
