package plan

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/planlock/planlock/internal/safetext"
)

// Severity of a diagnostic: an error refuses, a warning is recorded, a note
// informs.
type Severity string

const (
	Error   Severity = "error"   // refuses the plan
	Warning Severity = "warning" // goes on, and is recorded
	Note    Severity = "note"    // informs
)

// A Diagnostic says what is wrong, where, and how to mend it.
type Diagnostic struct {
	Code     string   `json:"code"` // stable, kebab-case
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
	Hint     string   `json:"hint,omitempty"`
	Task     string   `json:"task,omitempty"` // id, if it concerns one
	Step     string   `json:"step,omitempty"` // id within the task
	More     int      `json:"more,omitempty"` // how many others it stands for, which are not told one by one
	Pos      Position `json:"source"`
}

// Address names the step that it concerns; "" where it concerns none alone.
func (d Diagnostic) Address() Address {
	if d.Step == "" {
		return ""
	}
	return addressOf(d.Task, d.Step)
}

// Tally counts diagnostics by their severity, with those that others stand for.
func Tally(list []Diagnostic) (errors, warnings, notes int) {
	for _, d := range list {
		switch d.Severity {
		case Error:
			errors += 1 + d.More
		case Warning:
			warnings += 1 + d.More
		default:
			notes += 1 + d.More
		}
	}
	return errors, warnings, notes
}

// sortDiagnostics orders by place, then code, and drops what was said twice.
func sortDiagnostics(list []Diagnostic) []Diagnostic {
	slices.SortStableFunc(list, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column),
			cmp.Compare(a.Code, b.Code), cmp.Compare(a.Task, b.Task), cmp.Compare(a.Step, b.Step),
			cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(list)
}

// foundError reports whether there is an error in the list.
func foundError(list []Diagnostic) bool {
	return slices.ContainsFunc(list, func(f Diagnostic) bool { return f.Severity == Error })
}

// String is one line, file:line:column: severity: message [code], with nothing
// in it that a terminal would act on.
func (d Diagnostic) String() string {
	return fmt.Sprintf("%s:%d:%d: %s: %s [%s]", safetext.Escape(d.Pos.File), d.Pos.Line, d.Pos.Column, d.Severity,
		safetext.Escape(d.Message), d.Code)
}

// Format writes the diagnostic for people: its line, the line of the source
// with a mark below the place, and the hint. Without a draft, or where it does
// not hold the line, nothing is quoted.
func (d Diagnostic) Format(w io.Writer, draft *Draft) error {
	var b strings.Builder
	b.WriteString(d.String() + "\n")
	if draft != nil {
		quote(&b, draft.Line(d.Pos), d.Pos)
	}
	if d.Hint != "" {
		fmt.Fprintf(&b, "  hint: %s\n", safetext.Escape(d.Hint))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// maxQuote is how many bytes of a line are quoted around the place.
const maxQuote = 160

// quote writes the line of a place, and below it a mark from the place to the
// end of what stands there. Only so much of a long line is quoted as a screen
// shows, and tabs are one blank, so that the mark is where it belongs.
func quote(b *strings.Builder, line string, p Position) {
	if strings.TrimSpace(line) == "" || p.Column < 1 || p.Column > len(line)+1 {
		return
	}
	at := p.Column - 1
	from := max(0, at-maxQuote/2)
	for from > 0 && !utf8.RuneStart(line[from]) {
		from--
	}
	to := min(len(line), from+maxQuote)
	for to > at && to < len(line) && !utf8.RuneStart(line[to]) {
		to--
	}
	before := safetext.Escape(strings.ReplaceAll(line[from:at], "\t", " "))
	after := safetext.Escape(strings.ReplaceAll(line[at:to], "\t", " "))
	length := max(1, utf8.RuneCountInString(strings.TrimRight(after, " ")))
	if i := strings.Index(after, " #"); i > 0 && strings.Count(after[:i], `"`)%2 == 0 { // a comment is not marked
		length = utf8.RuneCountInString(strings.TrimRight(after[:i], " "))
	}
	fmt.Fprintf(b, "%7d | %s%s\n", p.Line, before, after)
	fmt.Fprintf(b, "%7s | %s%s\n", "", strings.Repeat(" ", utf8.RuneCountInString(before)), strings.Repeat("^", length))
}

// count says how many there are of something.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// capped leaves out of what a front end found what nobody would read.
func capped(found []Diagnostic) []Diagnostic {
	if len(found) <= maxFindings {
		return found
	}
	rest := found[maxFindings:]
	f := &Diagnostics{list: slices.Clone(found[:maxFindings])}
	f.errors = maxFindings
	f.Add(Diagnostic{Code: "too-many", Pos: rest[0].Pos})
	last := &f.list[maxFindings]
	if !foundError(rest) {
		last.Severity = Warning
	}
	at := map[Severity]int{}
	for i, d := range f.list {
		at[d.Severity] = i
	}
	last.More = -1 // it is no further one itself
	for _, d := range rest {
		if i, ok := at[d.Severity]; ok {
			f.list[i].More += 1 + d.More
		}
	}
	last.More = max(0, last.More)
	return f.list
}

const (
	// maxFindings bounds the errors that are reported of one plan: who wrote
	// more of them will read it again.
	maxFindings = 1000
	// maxAlike bounds the warnings, and the notes, of one code that are told
	// one by one. The others are only counted: they refuse nothing.
	maxAlike = 50
)

// Diagnostics collects what is wrong with a native plan: so much of it as
// people read. The severity of each follows from its code. The zero value is
// ready.
type Diagnostics struct {
	list   []Diagnostic
	cut    bool           // there were too many errors
	errors int            // in list
	alike  map[string]int // warnings and notes in list, by code
	rest   map[string]*rest
}

// A rest is the one diagnostic of a code that stands for all that are not told.
type rest struct{ at, count int }

// List returns what was collected, in the order in which it was added.
func (f *Diagnostics) List() []Diagnostic { return f.list }

// diagnosticsOf goes on from what was found before.
func diagnosticsOf(before []Diagnostic) *Diagnostics {
	f := &Diagnostics{list: slices.Clone(before)}
	for _, d := range before {
		f.count(d)
	}
	return f
}

// count notes that a diagnostic is in the list.
func (f *Diagnostics) count(d Diagnostic) {
	if d.Severity == Error {
		f.errors++
		f.cut = f.cut || d.Code == "too-many"
		return
	}
	if f.alike == nil {
		f.alike, f.rest = map[string]int{}, map[string]*rest{}
	}
	f.alike[d.Code]++
}

// wants reports whether a diagnostic of a code is still told. Where another one
// stands for it, it is counted there.
func (f *Diagnostics) wants(code string) bool {
	if f.cut {
		return false
	}
	r := f.rest[code]
	if r == nil {
		return true
	}
	r.count++
	f.list[r.at].Message, f.list[r.at].More = fmt.Sprintf("and %d more of this kind", r.count), r.count-1
	return false
}

// Add takes a diagnostic, or counts it where there are enough like it.
func (f *Diagnostics) Add(d Diagnostic) {
	if !f.wants(d.Code) {
		return
	}
	d.Severity = severityOf(d.Code)
	switch {
	case d.Severity == Error && f.errors >= maxFindings:
		d = Diagnostic{Code: "too-many", Severity: Error, Pos: d.Pos,
			Message: fmt.Sprintf("more than %d errors were found; the rest is left out", maxFindings),
			Hint:    "mend these first, then check again"}
	case d.Severity != Error && f.alike[d.Code] >= maxAlike:
		d.Task, d.Step, d.Message = "", "", "and 1 more of this kind"
		f.rest[d.Code] = &rest{at: len(f.list), count: 1}
	}
	f.count(d)
	f.list = append(f.list, d)
}
