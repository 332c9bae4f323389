package document_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
)

// TestCount counts at every record of every story what the report of that
// moment counts.
func TestCount(t *testing.T) {
	for _, c := range stories {
		s := c.tell(t)
		for n := range s.records {
			part := *s
			part.records = s.records[:n+1]
			run := part.fold()
			text, err := as(document.Text, s.plan, run)
			if err != nil {
				t.Fatal(err)
			}
			if want := "  " + document.Count(run).String() + "\n"; !bytes.Contains(text, []byte(want)) {
				t.Fatalf("%s: after record %d the report lacks %q:\n%s", c.name, n+1, want, text)
			}
		}
	}
	if got, want := document.Count(detours(t).fold()).String(), "3 of 4 steps · 1 skipped · 2 retries · 1 backup · 1 question"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := document.Count(nil); got != (document.Tally{}) {
		t.Errorf("nothing counts as %+v", got)
	}
}

// TestWideColumns keeps addresses made of words and long counts of gates whole,
// within the page.
func TestWideColumns(t *testing.T) {
	p := limiter()
	const address, longest = "limiter.list-all-clients", 24
	p.Tasks[0].Steps[0].Address = address
	p.Tasks[0].Steps[0].Description = strings.Repeat("a long title ", 9)
	s := begin(t, p).start(address, "primary").work(100, address, 1, "", created("server/limit_test.go"))
	for range 11 {
		s.gates(address, 1, passed("artifacts", gate.After))
	}
	s.gates(address, 1, refused("types", gate.During, gate.Finding{Message: "no"}))
	text, err := as(document.Text, p, s.fold())
	if err != nil {
		t.Fatal(err)
	}
	if len(address) != longest {
		t.Fatalf("%d columns", len(address))
	}
	line := ""
	for l := range strings.Lines(string(text)) {
		if strings.HasPrefix(l, " ▸ ") {
			line = l
		}
	}
	for _, want := range []string{address + " a long", "12 of 13 gates", " s\n"} {
		if !strings.Contains(line, want) {
			t.Errorf("no %q in %q", want, line)
		}
	}
}

// TestNothingToUndo does not claim that something is kept where the tree had
// not changed.
func TestNothingToUndo(t *testing.T) {
	same := snapshot("before 1.1")
	s := begin(t, limiter()).start("1.1", "primary")
	s.add(10, "1.1", 1, &history.AttemptFailed{Class: history.Crashed, Reasons: []string{"exit status 1"}})
	s.add(5, "1.1", 1, &history.RestoreBegun{To: same, Discarded: same})
	s.add(5, "1.1", 1, &history.Restored{Tree: same.Tree})
	for name, draw := range map[string]drawing{"text": document.Text, "markdown": document.Markdown} {
		text, err := as(draw, s.plan, s.fold())
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(strings.Fields(string(text)), " "); !strings.Contains(got, "nothing to undo") ||
			strings.Contains(got, "undone is kept") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}
