package drawing

import (
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

// FuzzGraph draws whatever can be read as a plan: nothing may panic, nothing
// that steers a terminal may come out, and no text may leave its quotes.
func FuzzGraph(f *testing.F) {
	text, err := os.ReadFile("../../templates/go.toml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add("schema = 1\n[[tasks]]\nid = \"a\"\ndescription = \"x\\\"]\\u001b[31m\\n; end\"\ndepends_on = [\"a\", \"b\"]\n")
	f.Add("schema = 1\n[[speclets]]\nid = \"s\"\ntasks = [\"1\"]\ndepends_on = [\"t\"]\n[[speclets]]\nid = \"t\"\ntasks = [\"2\", \"9\"]\n" +
		"[[tasks]]\nid = 1\n[[tasks]]\nid = 2\n[[tasks]]\nid = 2\n")
	f.Fuzz(func(t *testing.T, text string) {
		draft, err := native.Read("plan.toml", []byte(text))
		if err != nil {
			return
		}
		for name, draw := range map[string]func(*plan.Plan) string{"text": Text, "mermaid": Mermaid, "dot": DOT} {
			out := draw(&draft.Plan)
			for _, r := range out {
				if r != '\n' && (unicode.IsControl(r) || r == '\u202e') {
					t.Fatalf("%s: %q reaches the screen in %q", name, r, out)
				}
			}
			if name == "text" {
				continue
			}
			for line := range strings.Lines(out) {
				plain := strings.NewReplacer(`\\`, "", `\"`, "").Replace(line)
				if n := strings.Count(plain, `"`); n != 0 && n != 2 {
					t.Fatalf("%s: text leaves its quotes in %q", name, line)
				}
			}
		}
	})
}

// A title cannot leave its label, and nothing in it reaches a terminal.
func TestHostileTitles(t *testing.T) {
	title := "x\"]; click a \"javascript:alert(1)\"\nend\n```<script>\\\x1b[2J\u202e"
	p := &plan.Plan{Goal: title, Tasks: []plan.Task{{ID: "a", Title: title,
		Steps: []plan.Step{{ID: "1", Address: "a.1", Description: "do it"}}}}}
	for name, text := range map[string]string{"text": Text(p), "mermaid": Mermaid(p), "dot": DOT(p)} {
		if strings.ContainsAny(text, "\x1b\u202e") || strings.Contains(text, "\nend\n```") {
			t.Errorf("%s: %q", name, text)
		}
	}
	if m := Mermaid(p); strings.Contains(m, "<script") || strings.Count(m, `"`) != 4 {
		t.Errorf("%s", m)
	}
	if d := DOT(p); strings.Count(strings.ReplaceAll(strings.ReplaceAll(d, `\\`, ""), `\"`, ""), `"`)%2 != 0 {
		t.Errorf("%s", d)
	}
}
