package paint

import (
	"errors"
	"flag"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// always paints.
var always = For(Always, false, func(string) string { return "" })

// visible spells codes so that they can be read: {32}.
func visible(text string) string {
	return regexp.MustCompile("\x1b\\[([0-9;]*)m").ReplaceAllString(text, "{$1}")
}

// TestGolden holds what each kind of text looks like. Nothing but codes is added
// to it.
func TestGolden(t *testing.T) {
	for name, rule := range map[string]Rule{"report": Report, "status": Status, "check": Check, "diff": Diff,
		"error": Error} {
		plain, err := os.ReadFile("testdata/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		painted := always.Text(string(plain), rule)
		golden := "testdata/" + name + ".golden"
		if *update {
			if err := os.WriteFile(golden, []byte(visible(painted)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got := visible(painted); got != string(want) {
			t.Errorf("%s looks like\n%s\nwant\n%s", name, got, want)
		}
		if got := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(painted, ""); got != string(plain) {
			t.Errorf("%s says something else than it did:\n%s", name, got)
		}
		if got := (Brush{}).Text(string(plain), rule); got != string(plain) {
			t.Errorf("%s is painted without a brush:\n%s", name, got)
		}
	}
}

// TestAnyLine: no line breaks a rule, and none loses anything.
func TestAnyLine(t *testing.T) {
	words := []string{"", " ", "✓", " ✓ ", "next  ", "status ", "status   ", "status   X", "ACHIEVED", "PARTIALLY", ": error: [",
		"a:1:1: error: b [", "a:1:1: error: b [c]", " [x]: note: ]", "        run ", "  hint: ", "  NO   ", "      1 | ", " | ^^^",
		"  ← ", "+", "-", "planlock:", "planlock: warning:", "abcdefgh ", "abcdefgh x", strings.Repeat("ä", 9), "12345678 x"}
	for name, rule := range map[string]Rule{"report": Report, "status": Status, "check": Check, "diff": Diff,
		"error": Error, "mark": Mark} {
		for _, word := range words {
			for n := range 2 {
				painted := rule(always, word, n)
				if got := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(painted, ""); got != word {
					t.Errorf("%s makes %q of %q", name, painted, word)
				}
			}
		}
	}
}

// TestFor: who says that there are colours, and who goes before whom.
func TestFor(t *testing.T) {
	for _, c := range []struct {
		when     When
		terminal bool
		env      string
		want     bool
	}{
		{Auto, true, "", true},
		{"", true, "TERM=xterm", true},
		{Auto, false, "", false},
		{Auto, true, "TERM=dumb", false},
		{Auto, true, "NO_COLOR=1", false},
		{Auto, true, "CLICOLOR=0", false},
		{Auto, false, "CLICOLOR=1", false},
		{Auto, false, "CLICOLOR_FORCE=1", true},
		{Auto, false, "CLICOLOR_FORCE=0", false},
		{Auto, true, "CLICOLOR_FORCE=1 TERM=dumb", true},
		{Auto, true, "CLICOLOR_FORCE=1 NO_COLOR=1", false},
		{Always, false, "NO_COLOR=1 TERM=dumb", true},
		{Never, true, "CLICOLOR_FORCE=1", false},
	} {
		env := map[string]string{}
		for _, word := range strings.Fields(c.env) {
			name, value, _ := strings.Cut(word, "=")
			env[name] = value
		}
		if got := For(c.when, c.terminal, func(name string) string { return env[name] }).On(); got != c.want {
			t.Errorf("%s, terminal %t, %s: %t", c.when, c.terminal, c.env, got)
		}
	}
}

// TestDraw: what could be drawn is written, whatever became of the rest.
func TestDraw(t *testing.T) {
	failed := errors.New("failed")
	for _, b := range []Brush{always, {}} {
		var out strings.Builder
		err := b.Draw(&out, Diff, func(w io.Writer) error {
			io.WriteString(w, "step\n+a\n")
			return failed
		})
		if !errors.Is(err, failed) || !strings.Contains(visible(out.String()), "+a") {
			t.Errorf("%v, %q", err, out.String())
		}
	}
}
