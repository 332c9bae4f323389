package document_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/document/html"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/source"
)

// compared is the page of a run each of whose changes has this difference.
func compared(t *testing.T, s *story, text func(ledger.Change) (string, error)) string {
	t.Helper()
	m, err := document.New(s.plan, s.fold(), nil)
	if err != nil {
		t.Fatal(err)
	}
	m.Compare("", func(changes []ledger.Change, each func(ledger.Change, string) error) error {
		for _, c := range changes {
			text, err := text(c)
			if err == nil {
				err = each(c, text)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	var page bytes.Buffer
	if err := html.Page().Draw(&page, m); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

// TestSides: pages show what changed side by side, escaped and bounded, and say
// what they leave out.
func TestSides(t *testing.T) {
	of := func(before, after []byte) func(ledger.Change) (string, error) {
		return func(c ledger.Change) (string, error) { return source.Unified(c.Path, before, after, 3), nil }
	}
	lines := func(n int, word string) []byte {
		var b bytes.Buffer
		for i := range n {
			fmt.Fprintf(&b, "%s %d\n", word, i)
		}
		return b.Bytes()
	}
	for name, tt := range map[string]struct {
		text       func(ledger.Change) (string, error)
		want, bans []string
	}{
		"a word": {of([]byte("a\nthe quick fox\nz\n"), []byte("a\nthe slow fox\nz\n")), []string{
			`<tr><td>1</td><td class="same" dir="ltr">a</td><td>1</td><td class="same" dir="ltr">a</td></tr>`,
			`<tr><td>2</td><td class="gone" dir="ltr">the <mark>quick</mark> fox</td><td>2</td>` +
				`<td class="new" dir="ltr">the <mark>slow</mark> fox</td></tr>`, "&#43;1 −1"}, nil},
		"another line": {of([]byte("one\n"), []byte("something else\n")), []string{
			`<td class="gone" dir="ltr">one</td>`, `<td class="new" dir="ltr">something else</td>`}, []string{"<mark>"}},
		"a new file": {of(nil, []byte("x\n")), []string{`<tr><td></td><td></td><td>1</td><td class="new" dir="ltr">x</td></tr>`}, nil},
		"a gap":      {of(lines(30, "a"), append(lines(30, "a")[4:], "end\n"...)), []string{`<tr class="gap">`}, nil},
		"hostile": {of([]byte("-- a\n"), []byte("++ <script>alert(1)</script>\u202egnp\x1b[2J \xff </details> שלום "+strings.Repeat("long", 999)+"\n")),
			[]string{`&lt;script&gt;alert(1)&lt;/script&gt;\u202egnp\x1b[2J \xff &lt;/details&gt; שלום long`, "…", ">-- a<"},
			[]string{"<script>", "\u202e", "\x1b", strings.Repeat("long", 200)}},
		"without a line end": {of([]byte("a\n"), []byte("a")), []string{"no line end at its end afterwards"}, nil},
		"a long file":        {of(nil, lines(1000, "a")), []string{"701 more lines of the difference are left out", ">a 298<"}, []string{">a 300<"}},
		"binary":             {of([]byte("\x00"), []byte("\x00\x01")), []string{"a binary file"}, nil},
		"empty":              {of(nil, []byte{}), []string{"an empty file"}, nil},
		"gone": {func(c ledger.Change) (string, error) { return "what <it> held is not kept\n", nil },
			[]string{"what &lt;it&gt; held is not kept"}, nil},
		"unreadable": {func(c ledger.Change) (string, error) { return "", fmt.Errorf("the store is <damaged>") },
			[]string{"cannot be read: the store is &lt;damaged&gt;"}, []string{`<table class="sides">`}},
	} {
		t.Run(name, func(t *testing.T) {
			page := compared(t, clean(t), tt.text)
			for _, want := range tt.want {
				if !strings.Contains(page, want) {
					t.Errorf("the page lacks %q", want)
				}
			}
			for _, bad := range tt.bans {
				if strings.Contains(page, bad) {
					t.Errorf("the page has %q", bad)
				}
			}
			if strings.Count(page, `<details class="diff">`) == 0 && name != "unreadable" {
				t.Error("the page has no difference")
			}
		})
	}
}

// TestSidesAreBounded: what an attempt changed, and what all of them did, takes
// only so much of a page, which says what is left out, and how it is seen.
func TestSidesAreBounded(t *testing.T) {
	s := firstTask(begin(t, limiter()))
	var many []ledger.Change
	for i := range 50 {
		many = append(many, modified(fmt.Sprintf("server/part%d.go", i)))
	}
	s.start("2.1", "primary").work(900, "2.1", 1, "", many...).accept("2.1", "primary")
	asked := 0
	page := compared(t, s.end(history.Partial), func(c ledger.Change) (string, error) {
		asked++
		return source.Unified(c.Path, nil, bytes.Repeat([]byte(strings.Repeat("long ", 200)+"\n"), 200), 3), nil
	})
	for _, want := range []string{"left out, for which there is no room. To see it: ", "more lines of the difference are left out"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if n := strings.Count(page, `<details class="diff">`); n < 2 || len(page) > 1<<20 {
		t.Errorf("%d differences in a page of %d bytes, %d were read", n, len(page), asked)
	}
}
