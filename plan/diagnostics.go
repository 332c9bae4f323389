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
	Pos      Position `json:"source"`
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
