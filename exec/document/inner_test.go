package document

import (
	"bufio"
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// TestConfidenceInWords has both edges from both sides.
func TestConfidenceInWords(t *testing.T) {
	for c, want := range map[float64]string{0: "low", 0.39: "low", 0.40: "medium", 0.69: "medium", 0.70: "high", 1: "high"} {
		if got := confidence(c); got != want {
			t.Errorf("%v: got %q, want %q", c, got, want)
		}
	}
}

// TestWhatCameOfAPatch: an attempt that the controller died in is neither set
// back nor failed.
func TestWhatCameOfAPatch(t *testing.T) {
	try := func(number int, class history.Class) *history.Attempt {
		a := &history.Attempt{Number: number, Method: history.AttemptStarted{Method: "patch_1"}}
		if class != "" {
			a.Failure = &history.AttemptFailed{Class: class}
		}
		return a
	}
	s := &history.Step{Status: history.Completed, Undone: []*history.Attempt{try(1, ""), try(2, history.Lost), try(3, history.Breach)},
		Attempts: []*history.Attempt{try(4, history.Lost), try(5, history.Crashed), try(6, "")}}
	const want = "attempt 1 was set back, attempt 2 was cut off, attempt 3 failed, " +
		"attempt 4 was cut off, attempt 5 failed, attempt 6 was accepted"
	if got := resultOf(&history.Run{}, s, "patch_1"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestBackupsThatWereCutOff: what was interrupted, or lost with its controller, is no
// failure of a backup.
func TestBackupsThatWereCutOff(t *testing.T) {
	s := &step{}
	for _, class := range []history.Class{history.Interrupted, history.Lost, history.Crashed} {
		a := &attempt{of: &history.Attempt{Failure: &history.AttemptFailed{Class: class}}, Method: "backup_1", Outcome: failed}
		if class == history.Lost {
			a.Outcome = lost
		}
		s.Attempts = append(s.Attempts, a)
	}
	s.Attempts = append(s.Attempts, &attempt{of: &history.Attempt{}, Method: "backup_1", Outcome: accepted})
	var got []string
	for _, b := range backupLog(s, nil) {
		got = append(got, b.Outcome)
	}
	if diff := cmp.Diff([]string{"cut_off", "cut_off", "failure", "success"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestAttemptsBeforeARollback: the last attempt may have been accepted, and what
// failed before it is told as that.
func TestAttemptsBeforeARollback(t *testing.T) {
	for tried, want := range map[string]string{
		"": "", "+": "", "-": `set back after 1 attempt, which ended with "no"`,
		"--":  `set back after 2 attempts, the last of which ended with "no"`,
		"+-":  `set back after 2 attempts, the last of which ended with "no"`,
		"-+":  `set back after 2 attempts, one of which failed, with "no"`,
		"--+": `set back after 3 attempts, 2 of which failed, the last of these with "no"`,
	} {
		var s step
		for _, c := range tried {
			a := &attempt{RolledBack: true}
			if c == '-' {
				a.Failure = &attemptFailure{Reasons: []string{"no"}}
			}
			s.Attempts = append(s.Attempts, a)
		}
		if got := strings.Join(s.setBack(), "; "); got != want {
			t.Errorf("%s: got %q, want %q", tried, got, want)
		}
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0.0 s", 940 * time.Millisecond: "0.9 s", 59990 * time.Millisecond: "1 min 00 s", 125 * time.Second: "2 min 05 s",
		3*time.Hour + 4*time.Minute: "3 h 04 min", -time.Second: "-1.0 s",
	} {
		if got := Duration(d); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}

func TestStages(t *testing.T) {
	for name, c := range map[string]struct {
		ids   []string
		edges [][2]string
		want  [][]string
	}{
		"none": {nil, nil, nil},
		"free": {[]string{"b", "a"}, nil, [][]string{{"b", "a"}}},
		"diamond": {[]string{"d", "c", "b", "a"}, [][2]string{{"a", "b"}, {"a", "c"}, {"b", "d"}, {"c", "d"},
			{"a", "d"}}, [][]string{{"a"}, {"c", "b"}, {"d"}}},
		"cycle":   {[]string{"a", "b", "c"}, [][2]string{{"b", "c"}, {"c", "b"}, {"a", "b"}}, [][]string{{"a"}, {"b", "c"}}},
		"unknown": {[]string{"a"}, [][2]string{{"x", "a"}}, [][]string{{"a"}}},
		"doubled": {[]string{"a", "a"}, nil, [][]string{{"a"}}},
	} {
		if diff := cmp.Diff(c.want, stages(c.ids, c.edges)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

// TestVeryLargeAccount: what an account does not list counts all the same.
func TestVeryLargeAccount(t *testing.T) {
	e := newEntry(&history.Accounted{Total: 3001, Whole: "sha256:1", Unsaid: true, Changes: []ledger.Change{
		{Path: "m", Op: ledger.Created, After: &ledger.Entry{Path: "m", Kind: ledger.Dir}},
		{Path: "m/1", Op: ledger.Created, After: &ledger.Entry{Path: "m/1", Kind: ledger.File}}}})
	if got := e.size(); got != "3000 files" {
		t.Errorf("the size is %q", got)
	}
	m := &Model{Profile: plan.Observe, steps: []*step{{ID: "1", Status: history.Completed,
		Attempts: []*attempt{{Ledger: e}}}}}
	m.Files, m.Lines = netFiles(m.steps)
	if m.unlisted() != 2999 || m.modified() != 3000 {
		t.Errorf("%d modified, %d of them not listed", m.modified(), m.unlisted())
	}
	var text strings.Builder
	w := &page{bufio.NewWriter(&text)}
	w.files(m.Files, m.unlisted())
	if w.Flush(); !strings.Contains(text.String(), "besides   2999 changes") {
		t.Errorf("the report names\n%s", text.String())
	}
	made := declarations(m)
	if len(made) != 1 || made[0].MaxFiles != 3000 {
		t.Errorf("it would have had to declare %+v", made)
	}
}

func TestNetFiles(t *testing.T) {
	did := func(address string, ops ...string) *step {
		e := &entry{}
		for _, op := range ops {
			path, what, _ := strings.Cut(op, " ")
			e.Changes = append(e.Changes, change{path: newPath(path), Op: ledger.Op(what), Kind: "file",
				Lines: &lineCount{2, 1}})
		}
		return &step{Address: "", ID: address, Status: "completed", Attempts: []*attempt{{Ledger: e}}}
	}
	files, lines := netFiles([]*step{
		did("1", "a created", "b modified", "c created", "d deleted"),
		did("2", "a modified", "b deleted", "c deleted", "d created"),
	})
	var got []string
	for _, f := range files {
		got = append(got, f.Path+" "+string(f.Op)+f.Lines.String())
	}
	if diff := cmp.Diff([]string{"a created +4 −2", "b deleted +4 −2", "d modified +4 −2"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if lines != (lineCount{12, 6}) {
		t.Errorf("got %+v", lines)
	}
}

func TestShowInvisible(t *testing.T) {
	in := map[string]string{"k\u202e": "a\u009b\x7f\U000e0001 é 日 \\\u200d"}
	var b bytes.Buffer
	if err := encode(&b, in); err != nil {
		t.Fatal(err)
	}
	doc := b.Bytes()
	want := "{\n  \"k\\u202e\": \"a\\u009b\\u007f\\udb40\\udc01 é 日 \\\\\\u200d\"\n}\n"
	if diff := cmp.Diff(want, string(doc)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	var out map[string]string
	if err := json.Unmarshal(doc, &out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(in, out); diff != "" {
		t.Errorf("its meaning changed:\n%s", diff)
	}
}

// What md made of words stands in Markdown for exactly these words, wherever it
// stands.
func FuzzMarkdownWords(f *testing.F) {
	for _, s := range []string{"# a", "1. a", "2.1", "- a", "```", "a|b", "<b>", "&amp;", "http://x.y", "www.x.y", "a@b.cd", "[a]: b", "***", "=", "~~a~~", "a  \nb", "\\", "!", "![]()", "- [ ] x", "+", "\t", "|-|", "mailto:a@b.cd"} {
		f.Add(s)
	}
	parser := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
	f.Fuzz(func(t *testing.T, words string) {
		want := safetext.Escape(strings.TrimSpace(words))
		for _, made := range []string{md(words), code(words)} {
			for _, place := range []string{made, "- " + made, "# " + made, "| a |\n|---|\n| " + made + " |",
				"x " + made + " y"} {
				source := []byte(place)
				shown := &strings.Builder{}
				_ = ast.Walk(parser.Parse(text.NewReader(source)),
					func(n ast.Node, entering bool) (ast.WalkStatus, error) {
						if !entering {
							return ast.WalkContinue, nil
						}
						switch n := n.(type) {
						case *ast.Text:
							shown.Write(n.Segment.Value(source))
						case *ast.RawHTML, *ast.HTMLBlock, *ast.Link, *ast.AutoLink, *ast.Image, *ast.Emphasis,
							*ast.FencedCodeBlock, *ast.ThematicBreak, *ast.CodeBlock:
							t.Fatalf("%q became a %s in %q", words, n.Kind(), place)
						}
						return ast.WalkContinue, nil
					})
				if !strings.Contains(unescape(shown.String()), want) && !strings.Contains(want, "  ") && place != made {
					t.Errorf("%q is shown as %q in %q", words, shown, place)
				}
			}
		}
	})
}

// unescape takes the backslashes back that Markdown takes as escapes.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", s[i+1]) >= 0 {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func FuzzTOMLString(f *testing.F) {
	f.Add("a\"b\\c\n\x00\u202e\U0001f600\x7f")
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "")
		var got struct{ K string }
		if err := toml.Unmarshal([]byte("K = "+tomlString(s)), &got); err != nil || got.K != s {
			t.Errorf("%q: got %q, %v", s, got.K, err)
		}
	})
}
