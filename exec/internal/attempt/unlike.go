package attempt

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/ledger"
)

const (
	comparedText = 1 << 20 // how long a file may be in which the first difference is looked for
	quotedLine   = 120     // how much of a line is quoted, in bytes
)

// unlikeIn are the paths that two lists of changes to one tree leave in different
// states, sorted.
func unlikeIn(a, b []ledger.Change) []string {
	var paths []string
	was, is := byPath(a), byPath(b)
	for path, c := range was {
		if o, both := is[path]; !both || !alike(c.After, o.After) {
			paths = append(paths, path)
		}
	}
	for path := range is {
		if _, both := was[path]; !both {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

func byPath(changes []ledger.Change) map[string]ledger.Change {
	m := make(map[string]ledger.Change, len(changes))
	for _, c := range changes {
		m[c.Path] = c
	}
	return m
}

// alike reports whether a path is in one state: nil where nothing is there.
func alike(a, b *ledger.Entry) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Kind == b.Kind && a.Mode == b.Mode && a.Digest == b.Digest && a.Target == b.Target
}

// unlikeAt says how two executions left a path.
func (t judging) unlikeAt(path string, first, second []ledger.Change) string {
	a, did := byPath(first)[path]
	b, again := byPath(second)[path]
	switch {
	case !again:
		return fmt.Sprintf("%s, and not touched the second time", a.Op)
	case !did:
		return fmt.Sprintf("not touched, and %s the second time", b.Op)
	case a.After == nil || b.After == nil:
		return fmt.Sprintf("%s, and %s the second time", a.Op, b.Op)
	case a.After.Kind != b.After.Kind:
		return fmt.Sprintf("a %s, and a %s the second time", a.After.Kind, b.After.Kind)
	case a.After.Target != b.After.Target:
		return fmt.Sprintf("it leads to %q, and to %q the second time", a.After.Target, b.After.Target)
	case a.After.Digest == b.After.Digest:
		return fmt.Sprintf("its mode is %04o, and %04o the second time", a.After.Mode.Perm(), b.After.Mode.Perm())
	}
	if place := t.firstUnlike(path); place != "" {
		return place
	}
	return fmt.Sprintf("%d bytes (%s), and %d bytes (%s) the second time", a.After.Size, a.After.Digest.Short(),
		b.After.Size, b.After.Digest.Short())
}

// firstUnlike is the first line at which two executions left a text otherwise; ""
// where it is none.
func (t judging) firstUnlike(path string) string {
	a := textOf(func() (io.ReadCloser, error) { return worktree.OpenIn(t.Work.Dir, path) })
	b := textOf(func() (io.ReadCloser, error) { return t.again.lane.Open(path) })
	if a == nil || b == nil {
		return ""
	}
	return firstLineUnlike(a, b)
}

// printedUnlike is where what two executions printed differs first; "" where it
// does not. Of long outputs it is said of what is kept.
func printedUnlike(a, b string) string {
	place := firstLineUnlike([]byte(a), []byte(b))
	if place != "" && max(len(a), len(b)) >= bound.Output {
		place = "of its end, which is kept, " + place
	}
	return bound.Text(strings.ToValidUTF8(place, "\uFFFD"), bound.Line)
}

// firstLineUnlike is where two texts differ first; "" where they do not.
func firstLineUnlike(a, b []byte) string {
	if bytes.Equal(a, b) {
		return ""
	}
	for n := 1; ; n++ {
		x, restA, moreA := bytes.Cut(a, []byte("\n"))
		y, restB, moreB := bytes.Cut(b, []byte("\n"))
		switch {
		case !bytes.Equal(x, y):
			return fmt.Sprintf("line %d is %q, and %q the second time", n, around(x, y), around(y, x))
		case moreA != moreB, !moreA:
			return fmt.Sprintf("it ends in line %d with a line break only once", n)
		}
		a, b = restA, restB
	}
}

// around is what is quoted of a line: from a little before where it begins to differ.
func around(line, other []byte) string {
	from := 0
	for from < len(line) && from < len(other) && line[from] == other[from] {
		from++
	}
	if from < quotedLine/2 {
		return bound.Text(string(line), quotedLine)
	}
	for from -= quotedLine / 4; from > 0 && !utf8.RuneStart(line[from]); from-- {
	}
	return "…" + bound.Text(string(line[from:]), quotedLine)
}

// textOf reads a text; nil if it is none, or long.
func textOf(open func() (io.ReadCloser, error)) []byte {
	f, err := open()
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, comparedText+1))
	if err != nil || len(text) > comparedText || !utf8.Valid(text) || bytes.ContainsRune(text, 0) {
		return nil
	}
	return append([]byte{}, text...)
}
