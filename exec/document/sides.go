package document

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/plan"
)

// What a page shows of the texts of changes.
const (
	mostInFile    = 300       // lines of a file
	mostInAttempt = 128 << 10 // bytes of the differences of an attempt
	mostInPage    = 512 << 10 // and of all of them
	mostInLine    = 400       // columns
	aRow          = 100       // bytes that a line weighs besides its text
	mostMarked    = 4 << 10   // bytes of a line whose words are compared
)

// A sideBySide is a change with its text before and afterwards, or a note of why
// there is none.
type sideBySide struct {
	Path, Op, Note string
	Lines          string // how many were added and removed
	Rows           []sideRow
}

// A sideRow is a line before and what became of it. Gap: there are lines in
// between that are not shown.
type sideRow struct {
	Gap           bool
	Before, After side
}

// A side of a row; without a number there is no such line.
type side struct {
	Number int
	Class  string // "gone", "new" or "same"
	Parts  []sidePart
}

// A sidePart is a part of a line. Marked: it is what changed in it.
type sidePart struct {
	Text   string
	Marked bool
}

// errFull says that no more is shown.
var errFull = errors.New("document: there is no room")

// Compare has pages show the texts of what the attempts of a step changed, or
// of all steps where it is "". unified is [exec.Workspace.Unified]. What it
// cannot read, and what there is no room for, is said in the page. Documents
// that are proved by the journal alone are drawn without it.
//
// [exec.Workspace.Unified]: https://pkg.go.dev/github.com/planlock/planlock/exec#Workspace.Unified
func (rep *Model) Compare(of plan.Address,
	unified func([]ledger.Change, func(ledger.Change, string) error) error) {
	rep.compared = true
	room := mostInPage
	var changes []ledger.Change
	var owners []*attempt
	var steps []*step
	for _, s := range rep.steps {
		if of != "" && s.Address != of {
			continue
		}
		for _, a := range s.Attempts {
			if a.of.Accounted == nil {
				continue
			}
			a.room = mostInAttempt
			for _, c := range a.of.Accounted.Changes {
				if c.ChangesContent() {
					changes, owners, steps = append(changes, c), append(owners, a), append(steps, s)
				}
			}
		}
	}
	at := 0
	err := unified(changes, func(c ledger.Change, text string) error {
		if room < mostInAttempt/2 {
			return errFull
		}
		a := owners[at]
		at++
		shown, size := newSides(c, text)
		if size > min(a.room, room) {
			a.leftOut++
			return nil
		}
		a.room, room = a.room-size, room-size
		a.sides = append(a.sides, shown)
		return nil
	})
	for i := at; i < len(owners); i++ {
		owners[i].leftOut++
		if err != nil && !errors.Is(err, errFull) {
			owners[i].unread = err.Error()
		}
	}
	for i, a := range owners {
		if more := a.of.Accounted.Total - len(a.of.Accounted.Changes); more > 0 && (i == 0 || owners[i-1] != a) {
			a.leftOut += more
		}
		a.whole = rep.say(action.Action{Kind: action.Diff, Step: steps[i].Address, Run: rep.Run, Attempt: a.Number})
	}
}

// Compared reports whether pages show the texts of what changed.
func (rep *Model) Compared() bool { return rep.compared }

// Sides are the texts of what an attempt changed.
func (a *attempt) Sides() []sideBySide { return a.sides }

// LeftOut says which texts of changes are not shown, and how they are seen; ""
// where all are.
func (a *attempt) LeftOut() string {
	switch {
	case a.leftOut == 0:
		return ""
	case a.unread != "":
		return fmt.Sprintf("The text of %s cannot be read: %s", count(a.leftOut, "change", "changes"), a.unread)
	}
	return fmt.Sprintf("The text of %s is left out, for which there is no room. To see it: %s",
		count(a.leftOut, "change", "changes"), a.whole)
}

// newSides lays a difference out, which has the form of diff -u, and says about
// how many bytes of a page it takes.
func newSides(c ledger.Change, text string) (out sideBySide, size int) {
	out = sideBySide{Path: safetext.Escape(c.Path), Op: string(c.Op)}
	head, rest, _ := strings.Cut(text, "\n")
	heads, body, _ := strings.Cut(rest, "\n")
	switch {
	case strings.HasPrefix(head, "Binary files "):
		out.Note = "a binary file"
		return out, aRow
	case !strings.HasPrefix(heads, "+++ "):
		out.Note = safetext.Escape(head) // why there is none
		return out, aRow
	case body == "":
		out.Note = "an empty file"
		return out, aRow
	}
	var t sideTable
	added, removed, lines, shown := 0, 0, 0, 0
	for line := range strings.Lines(body) {
		switch line[0] {
		case '+':
			added++
		case '-':
			removed++
		}
		if lines++; lines <= mostInFile && size < mostInAttempt/2 {
			shown++
			t.add(line)
			size += aRow + min(len(line), mostInLine)
		}
	}
	t.pair()
	out.Rows, out.Lines, out.Note = t.rows, fmt.Sprintf("+%d −%d", added, removed), t.end
	if lines > shown {
		out.Note = fmt.Sprintf("%d more lines of the difference are left out", lines-shown)
	}
	return out, size
}

// A sideTable is filled line by line. Lines that were removed wait for those that
// were added in their place.
type sideTable struct {
	rows          []sideRow
	before, after int // the next lines
	gone, come    []string
	end           string // says where the file ends without a line end
}

// add takes a line of a difference.
func (t *sideTable) add(line string) {
	line = strings.TrimSuffix(line, "\n")
	switch mark, text := line[0], line[1:]; mark {
	case '-':
		if len(t.come) > 0 {
			t.pair()
		}
		t.gone = append(t.gone, text)
	case '+':
		t.come = append(t.come, text)
	case '@':
		t.pair()
		if len(t.rows) > 0 {
			t.rows = append(t.rows, sideRow{Gap: true})
		}
		var a, b string
		fmt.Sscanf(line, "@@ -%s +%s @@", &a, &b) // what wrote it is of this program
		t.before, t.after = firstLine(a), firstLine(b)
	case '\\':
		switch {
		case len(t.come) > 0:
			t.end = "no line end at its end afterwards"
		case len(t.gone) > 0:
			t.end = "no line end at its end before"
		}
	case ' ':
		t.pair()
		t.rows = append(t.rows, sideRow{Before: t.left(text, "same", nil), After: t.right(text, "same", nil)})
	}
}

// firstLine is where a range of lines begins.
func firstLine(span string) (n int) {
	fmt.Sscanf(span, "%d", &n)
	return n
}

// pair sets what was removed beside what was added in its place.
func (t *sideTable) pair() {
	for i := range max(len(t.gone), len(t.come)) {
		var row sideRow
		switch {
		case i >= len(t.come):
			row.Before = t.left(t.gone[i], "gone", nil)
		case i >= len(t.gone):
			row.After = t.right(t.come[i], "new", nil)
		default:
			row.Before = t.left(t.gone[i], "gone", &t.come[i])
			row.After = t.right(t.come[i], "new", &t.gone[i])
		}
		t.rows = append(t.rows, row)
	}
	t.gone, t.come = nil, nil
}

func (t *sideTable) left(text, class string, other *string) side {
	t.before++
	return side{t.before - 1, class, parts(text, other)}
}

func (t *sideTable) right(text, class string, other *string) side {
	t.after++
	return side{t.after - 1, class, parts(text, other)}
}

// parts are a line with what is in it and not in the line in whose place it
// stands. Where both have next to nothing in common nothing is marked.
func parts(text string, other *string) []sidePart {
	if other == nil || len(text)+len(*other) > mostMarked {
		return []sidePart{{shownLine(text), false}}
	}
	words := wordsOf(text)
	was, is := strings.Join(wordsOf(*other), "\n")+"\n", strings.Join(words, "\n")+"\n"
	var out []sidePart
	same := 0
	for i, changed := range source.Added([]byte(was), []byte(is)) {
		if i == len(words) {
			break
		}
		if !changed {
			same += len(strings.TrimSpace(words[i]))
		}
		if n := len(out); n > 0 && out[n-1].Marked == changed {
			out[n-1].Text += words[i]
			continue
		}
		out = append(out, sidePart{words[i], changed})
	}
	if 3*same < len(text) || utf8.RuneCountInString(text) > mostInLine {
		return []sidePart{{shownLine(text), false}}
	}
	for i := range out {
		out[i].Text = shownLine(out[i].Text)
	}
	return out
}

// shownLine is a line, or a part of one, as a page shows it.
func shownLine(text string) string {
	text = strings.ReplaceAll(text, "\t", "    ")
	if len(text) <= mostInLine {
		return safetext.Escape(text)
	}
	return safetext.Clip(text, mostInLine)
}

// wordsOf cuts a line into words, and what stands between them.
func wordsOf(line string) (words []string) {
	begin, inWord := 0, false
	for i, r := range line {
		is := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
		if i > 0 && !(is && inWord) {
			words, begin = append(words, line[begin:i]), i
		}
		inWord = is
	}
	return append(words, line[begin:])
}
