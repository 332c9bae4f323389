package plan

import (
	"strings"
	"time"
	"unicode"
)

// longest bounds the durations of a plan.
const longest = 365 * 24 * time.Hour

// A Key is one key of the native format: its name, what it means and what it
// may hold. Each key is declared once, where the model is visited
// ([Plan.Visit]): reader, writer, canonical form, JSON schema and the page of
// the format follow.
type Key struct {
	Name, Doc string
	Older     string   // another name of the same key; only one of the two may stand
	Words     []string // all that may stand there; nil: any
	Min, Max  int      // of a number
	Default   string   // what holds where the key is not written, of keys that always mean something
	ID        bool     // a name: text or an integer, or a list of them
	Set       bool     // a list whose order and repetitions have no meaning
	Inline    bool     // a list of tables that is written as a value
	Unwritten bool     // part of a plan's meaning, and no key of a plan file
	Verbatim  bool     // a text that is looked for as it stands, be it blanks alone

	means meaning
}

// Fits reports whether a duration is one that a key may have: longer than
// nothing, and at most a year.
func (k Key) Fits(d time.Duration) bool { return 0 < d && d <= longest }

// Says reports whether a text says anything: blanks alone do not, unless they are
// looked for.
func (k Key) Says(text string) bool {
	return text != "" && (k.Verbatim || strings.TrimSpace(text) != "")
}

// A meaning says what a text is, where rules hold for all such texts of a plan.
type meaning int

const (
	plain   meaning = iota
	prose           // for people
	command         // for a shell
	glob            // a path or glob in the workspace
	module          // the same, or "." for all of it
	symbol          // as in "server.Limiter.Allow"
	regex           // RE2
	own             // no text: a list whose tables are parts of their own
)

// A Visitor is told the keys of a table one by one, in the order of the format,
// each with the place of its value in the plan. It may read the value or set
// it; it must not write to a plan that it only reads.
type Visitor interface {
	Text(k Key, at *string)            // "" is not said
	Flag(k Key, at **bool)             // nil is not said
	Number(k Key, at **int)            // nil is not said
	Duration(k Key, at *time.Duration) // 0 is not said
	Texts(k Key, at *[]string)         // nil is not said
	Table(k Key, t Table)              // a table below this one
	Tables(k Key, t Tables)            // a list of tables
	Settings(k Key, at *[]Setting)     // all other keys of an open table
	FreeTables(k Key, at *[]Setting)   // tables that may hold any keys; Words are their names
}

// A Table is one that stands below a key.
type Table struct {
	Said  bool          // it is there, even without keys
	Part  bool          // it is always there, and says nothing without keys
	Thin  bool          // it is no more than its only key
	Visit func(Visitor) // its keys; one that is not there is made
}

// Tables is a list of tables below a key.
type Tables struct {
	Said  bool
	Len   int
	Make  func(n int) // a new list
	Visit func(i int, v Visitor)
}

// An ignorant visitor looks at nothing; others embed it for the keys that they
// pass over.
type ignorant struct{}

func (ignorant) Text(Key, *string)            {}
func (ignorant) Flag(Key, **bool)             {}
func (ignorant) Number(Key, **int)            {}
func (ignorant) Duration(Key, *time.Duration) {}
func (ignorant) Texts(Key, *[]string)         {}
func (ignorant) Table(Key, Table)             {}
func (ignorant) Tables(Key, Tables)           {}
func (ignorant) Settings(Key, *[]Setting)     {}
func (ignorant) FreeTables(Key, *[]Setting)   {}

// Names lists the keys of a table as visit tells them, without those that are
// not written.
func Names(visit func(Visitor)) []string {
	l := &lister{}
	visit(l)
	return l.names
}

// A lister collects the names of keys.
type lister struct {
	ignorant
	names []string
}

// add notes a key, and its older name: both may stand in a file.
func (l *lister) add(k Key) {
	if !k.Unwritten {
		l.names = append(l.names, k.Name)
	}
	if k.Older != "" {
		l.names = append(l.names, k.Older)
	}
}

func (l *lister) Text(k Key, _ *string)            { l.add(k) }
func (l *lister) Flag(k Key, _ **bool)             { l.add(k) }
func (l *lister) Number(k Key, _ **int)            { l.add(k) }
func (l *lister) Duration(k Key, _ *time.Duration) { l.add(k) }
func (l *lister) Texts(k Key, _ *[]string)         { l.add(k) }
func (l *lister) Table(k Key, _ Table)             { l.add(k) }
func (l *lister) Tables(k Key, _ Tables)           { l.add(k) }
func (l *lister) FreeTables(k Key, _ *[]Setting)   { l.names = append(l.names, k.Words...) }

// The functions below visit what the model keeps in another way than visitors
// see it.

// typed visits a text of a type of its own. It writes back only what changed,
// so that a plan that is read from several goroutines is not written to.
func typed[S ~string](v Visitor, k Key, at *S) {
	text := string(*at)
	v.Text(k, &text)
	if text != string(*at) {
		*at = S(text)
	}
}

// flag visits a truth that is false if not said.
func flag(v Visitor, k Key, at *bool) {
	var said *bool
	if *at || k.Default != "" {
		said = at
	}
	v.Flag(k, &said)
	if said != nil && *said != *at {
		*at = *said
	}
}

// number visits a number that is 0 if not said.
func number(v Visitor, k Key, at *int) {
	var said *int
	if *at != 0 {
		said = at
	}
	v.Number(k, &said)
	if said != nil && *said != *at {
		*at = *said
	}
}

// part visits a table that the model always has.
func part(v Visitor, k Key, visit func(Visitor)) { v.Table(k, Table{Part: true, Visit: visit}) }

// optional visits a table that may be missing.
func optional[T any](v Visitor, k Key, at **T, visit func(*T, Visitor)) {
	v.Table(k, Table{Said: *at != nil, Visit: func(v Visitor) {
		if *at == nil {
			*at = new(T)
		}
		visit(*at, v)
	}})
}

// list visits a list of tables.
func list[T any](v Visitor, k Key, at *[]T, visit func(*T, Visitor)) {
	v.Tables(k, Tables{Said: *at != nil, Len: len(*at), Make: func(n int) { *at = make([]T, n) },
		Visit: func(i int, v Visitor) { visit(&(*at)[i], v) }})
}

// idRune reports whether a character may stand in an id: a letter or a digit
// of any script, or one of . _ -
func idRune(r rune) bool {
	return r == '.' || r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r)
}
