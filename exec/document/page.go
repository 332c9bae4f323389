package document

import (
	"cmp"
	"fmt"

	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/plan"
)

// A Page is what a template of a page is given: the model, its pictures, and
// what to do next.
type Page struct {
	*Model
	Graph    *graph
	Timeline *timeline
	Spending *spending // nil: nobody said anything
	Next     []string
	Check    string // how the run is proved
	Tally    string
	Bar      []portion
	Steps    string // begins the address of a step's details; its anchor follows
}

// NewPage lays the pictures of a page out.
func NewPage(m *Model) Page {
	return Page{Model: m, Graph: newGraph(m), Timeline: newTimeline(m), Spending: newSpending(m),
		Next:  each(nextSteps(m), m.told),
		Check: m.say(m.prove()), Tally: m.tally(), Bar: barOf(m), Steps: "#"}
}

// Of is the step whose details have this anchor, by its address and for
// templates; nil if there is none.
func (p Page) Of(anchor string) (plan.Address, any) {
	for _, s := range p.steps {
		if s.Anchor() == anchor {
			return s.Address, s
		}
	}
	return "", nil
}

// Functions are what templates of a page call besides methods of the model: t
// writes out what is invisible in a text; the others put words to what the
// model holds. They are the same for all pages.
func (Page) Functions() map[string]any {
	return map[string]any{
		"t":       safetext.Escape,
		"mark":    func(status any) string { return mark(fmt.Sprint(status)) },
		"outcome": outcome,
		"meaning": meaning,
		"tail":    func(s string) string { return visibleLines(tail(s, 40)) },
		"lines":   visibleLines,
		"join":    join,
		"verb":    func(op any) string { return verb(fmt.Sprint(op)) },
		"count":   count,
		"table":   differences,
		"because": because,
		"ofJob":   jobDone.String,
		"lastJob": (*attempt).lastJob,
		// of a step
		"stepMark":  (*step).mark,
		"size":      (*step).size,
		"judged":    func(js []judgement) []judgement { return only(js, judgement.judged) },
		"idle":      func(js []judgement) string { return safetext.Escape(idleOf(js)) },
		"gates":     func(s *step) string { return asked(s.gates()) },
		"story":     func(s *step) string { return safetext.Escape(join(s.story())) },
		"stopped":   (*step).stopped,
		"verdict":   (*step).verdict,
		"remedy":    (*step).remedy,
		"aftermath": (*step).aftermath,
	}
}

// A portion of the bar that shows how far the run is.
type portion struct {
	Class    string
	Label    string
	X, Width float64 // per cent
}

// barOf shows the steps by status as shares of one line.
func barOf(rep *Model) []portion {
	c := rep.Counts
	var out []portion
	x := 0.0
	for _, part := range []struct {
		class string
		n     int
	}{
		{"completed", c.Completed}, {"failed", c.Failed}, {"running", c.Running},
		{"blocked", c.Blocked}, {"skipped", c.Skipped}, {"pending", c.Pending},
	} {
		if part.n == 0 {
			continue
		}
		width := 100 * float64(part.n) / float64(c.Steps)
		out = append(out, portion{part.class, fmt.Sprintf("%d %s", part.n, part.class), x, width})
		x += width
	}
	return out
}

// visibleLines is an output with everything invisible written out, but for its
// line ends.
func visibleLines(text string) string {
	return safetext.Indent("", text)
}

// The template asks for these.

// Titled is what the run is for: the plan's goal, or, where it says none, its name.
func (rep *Model) Titled() string { return cmp.Or(rep.Goal, rep.Name, "a plan without a goal") }

// Rows sets declared against actual.
func (e *entry) Rows() []ledgerRow { return ledgerRows(e) }

// Clock is the time for people.
func (s stamp) Clock() string { return s.clock() }

// Place is path:line.
func (f finding) Place() string {
	switch {
	case f.shown == "":
		return ""
	case f.Line > 0:
		return fmt.Sprintf("%s:%d", f.Shown(), f.Line)
	}
	return f.Shown()
}

// A ledgerRow is a line of the table of declared against actual artifacts.
type ledgerRow struct {
	Class, Artifact, Declared, Actual, Lines string
}

// ledgerRows sets what a step declared against what it did, a row for each
// artifact: what fits first, then what is too much, then what is missing.
func ledgerRows(e *entry) []ledgerRow {
	var out []ledgerRow
	lines := func(c change) string {
		if c.Lines == nil {
			return ""
		}
		return c.Lines.String()
	}
	for _, c := range e.Matching {
		out = append(out, ledgerRow{"pass", c.Shown(), verb(string(c.Op)), string(c.Op), lines(c)})
	}
	for _, c := range e.Extra {
		out = append(out, ledgerRow{"fail", c.Shown(), "not declared", string(c.Op), lines(c)})
	}
	for _, m := range e.Missing {
		out = append(out, ledgerRow{"fail", safetext.Escape(m.name()), verb(string(m.Op)), "did not happen", ""})
	}
	for _, s := range e.SymbolsMatching {
		out = append(out, ledgerRow{"pass", "symbol " + safetext.Escape(s.Name), symbolVerb(string(s.Op)),
			string(s.Op), ""})
	}
	for _, s := range e.SymbolsExtra {
		out = append(out, ledgerRow{"fail", "symbol " + safetext.Escape(s.Name), "not declared", string(s.Op), ""})
	}
	return out
}
