package ledger

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Quote is a path or name as it can be shown to people: as it is, or as a
// quoted Go string where it holds anything that cannot be seen, steers a
// terminal or is not UTF-8, or could be taken for quoted text itself.
func Quote(name string) string {
	hidden := func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }
	if name == "" || name[0] == '"' || strings.TrimSpace(name) != name || strings.IndexFunc(name, hidden) >= 0 {
		return strconv.Quote(name)
	}
	return name
}

// String sets out the account for people, one line for each artifact, in the
// order of the account:
//
//	expected   modify server/server.go
//	           create server/limit.go         ← did not happen
//	happened   modify server/server.go
//	           modify internal/auth/token.go  ← not declared
//
// It ends without a newline, and is never empty.
func (a Account) String() string {
	var t twoColumns
	a.expected(&t)
	a.happened(&t, "not declared")
	return t.String()
}

// Undeclared sets out what happened where nothing had been declared, and so
// nothing was expected either:
//
//	happened   modify server/server.go
//
// It ends without a newline, and is never empty.
func (a Account) Undeclared() string {
	var t twoColumns
	a.happened(&t, "")
	return t.String()
}

func (a Account) expected(t *twoColumns) {
	t.section("expected")
	for _, c := range a.Matching {
		t.line(c.String(), "")
	}
	for _, s := range a.SymbolsMatching {
		t.line(symbolVerb(s.Op)+" "+Quote(s.Name), "")
	}
	for _, e := range a.Missing {
		t.line(e.String(), "did not happen")
	}
}

// happened are the lines of what happened, with a remark on what was not declared.
func (a Account) happened(t *twoColumns, remark string) {
	t.section("happened")
	for _, c := range a.Matching {
		t.line(c.String(), "")
	}
	for _, c := range a.Extra {
		t.line(c.String(), remark)
	}
	for _, s := range a.SymbolsMatching {
		t.line(s.String(), "")
	}
	for _, s := range a.SymbolsExtra {
		t.line(s.String(), remark)
	}
}

// String is the expectation for people, as in "create server/limit.go".
func (e Expectation) String() string {
	if e.Symbol != "" {
		return symbolVerb(e.Op) + " " + Quote(e.Symbol)
	}
	return e.Op.verb() + " " + Quote(e.Path)
}

// String is the change for people, as in "modify server/server.go".
func (c Change) String() string { return c.Op.verb() + " " + Quote(c.Path) }

// String is the symbol for people, as in "add symbol server.Limiter
// (server/limit.go:12)".
func (s Symbol) String() string {
	return fmt.Sprintf("%s %s (%s:%d)", symbolVerb(s.Op), Quote(s.Name), Quote(s.Path), s.Line)
}

func symbolVerb(op Op) string {
	if op == Deleted {
		return "remove symbol"
	}
	return "add symbol"
}

// twoColumns lays out sections of lines, with remarks in a column of their own.
type twoColumns struct {
	rows [][3]string // title, text, remark
	next string      // title of the next line
}

func (t *twoColumns) section(title string) {
	if t.next != "" {
		t.line("nothing", "")
	}
	t.next = title
}

func (t *twoColumns) line(text, remark string) {
	t.rows = append(t.rows, [3]string{t.next, text, remark})
	t.next = ""
}

func (t *twoColumns) String() string {
	t.section("")
	width := 0
	for _, row := range t.rows {
		if n := utf8.RuneCountInString(row[1]); row[2] != "" {
			width = max(width, min(n, 60))
		}
	}
	var b strings.Builder
	for i, row := range t.rows {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%-10s %s", row[0], row[1])
		if row[2] != "" {
			fmt.Fprintf(&b, "%*s  ← %s", max(0, width-utf8.RuneCountInString(row[1])), "", row[2])
		}
	}
	return b.String()
}
