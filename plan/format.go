package plan

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/planlock/planlock/plan/internal/hidden"
)

// String is one line, file:line:column: severity: message [code], with nothing in it that a terminal would act on.
func (d Diagnostic) String() string {
	return fmt.Sprintf("%s:%d:%d: %s: %s [%s]", hidden.Escape(d.Pos.File), d.Pos.Line, d.Pos.Column, d.Severity, hidden.Escape(d.Message), d.Code)
}

// Format writes the diagnostic for people: its line, the line of the source with a mark below the
// place, and the hint. Without a draft, or where it does not hold the line, nothing is quoted.
func (d Diagnostic) Format(w io.Writer, draft *Draft) error {
	var b strings.Builder
	b.WriteString(d.String() + "\n")
	if draft != nil {
		quote(&b, draft.Line(d.Pos), d.Pos)
	}
	if d.Hint != "" {
		fmt.Fprintf(&b, "  hint: %s\n", hidden.Escape(d.Hint))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// maxQuote is how many bytes of a line are quoted around the place.
const maxQuote = 160

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
	before := hidden.Escape(strings.ReplaceAll(line[from:at], "\t", " "))
	after := hidden.Escape(strings.ReplaceAll(line[at:to], "\t", " "))
	length := max(1, utf8.RuneCountInString(strings.TrimRight(after, " ")))
	if i := strings.Index(after, " #"); i > 0 && strings.Count(after[:i], `"`)%2 == 0 { // a comment is not marked
		length = utf8.RuneCountInString(strings.TrimRight(after[:i], " "))
	}
	fmt.Fprintf(b, "%7d | %s%s\n", p.Line, before, after)
	fmt.Fprintf(b, "%7s | %s%s\n", "", strings.Repeat(" ", utf8.RuneCountInString(before)), strings.Repeat("^", length))
}
