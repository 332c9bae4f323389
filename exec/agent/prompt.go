package agent

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"text/template"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

//go:embed prompts/*.md
var prompts embed.FS

// templates reads the prompts when one is needed.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{"fence": fence, "indent": indent}).
		ParseFS(prompts, "prompts/*.md"))
})

// promptsDigest is that of all prompts, by their names.
var promptsDigest = sync.OnceValue(func() string {
	var all strings.Builder
	names, err := fs.Glob(prompts, "prompts/*.md")
	for _, name := range names {
		text, failed := prompts.ReadFile(name)
		err = cmp.Or(err, failed)
		fmt.Fprintln(&all, name, ledger.Sum(text))
	}
	if err != nil {
		panic(err) // they are compiled in
	}
	return string(ledger.Sum([]byte(all.String())))
})

// draw fills in a prompt.
func draw(name string, data any) (string, error) {
	var b strings.Builder
	if err := templates().ExecuteTemplate(&b, name+".md", data); err != nil {
		return "", fmt.Errorf("agent: prompt %s: %w", name, err)
	}
	return blankLines.ReplaceAllString(strings.TrimSpace(b.String()), "\n\n") + "\n", nil
}

// blankLines are more of them than one.
var blankLines = lazyre.New(`\n{3,}`)

// fence puts a text between marks that it does not have.
func fence(text string) string {
	marks := "```"
	for strings.Contains(text, marks) {
		marks += "`"
	}
	return marks + "\n" + strings.TrimRight(text, "\n") + "\n" + marks
}

// indent has the lines of a text stand below its first one.
func indent(text string) string {
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}

// A told step is what the prompts about a step say.
type told struct {
	exec.Briefing
	Goal        string
	Task        *plan.Task
	Address     plan.Address
	Description string
	Prompt, Run string
	Phase       string
	Tests       []string
	Declared    []string // what must change
	Nothing     bool     // nothing may
	Within      []string
	Limits      []string
	NonGoals    []string
	Criteria    []string
	Expected    string
	Checks      []string
	Unjudged    bool
	Feedback    []string
	Compress    bool
}

// first is the prompt that begins a conversation about a step.
func first(w exec.Work) (string, error) { return draw("step", tell(w)) }

// again is the prompt that goes on with the conversation about a step.
func again(w exec.Work) (string, error) {
	t := tell(w)
	if t.Phase != "" && len(t.Feedback) == 0 {
		return draw("phase", t)
	}
	return draw("again", t)
}

// tell is what is told of a piece of work.
func tell(w exec.Work) told {
	t := told{Briefing: w.Briefing, Goal: w.Goal, Task: w.Task, Description: w.Method.Description,
		Prompt: strings.TrimSpace(w.Method.Prompt), Run: w.Method.Run, Phase: string(w.Phase), Tests: w.Tests,
		Within: w.Within, Feedback: w.Feedback, Compress: w.Compress}
	for _, n := range w.NonGoals {
		t.NonGoals = append(t.NonGoals, n.Text)
	}
	if w.Task != nil {
		t.Criteria = w.Task.AcceptanceCriteria
	}
	if s := w.Step; s != nil {
		t.Address, t.Expected = s.Address, strings.TrimSpace(s.ExpectedOutput)
		t.Description = cmp.Or(t.Description, s.Description)
		t.Limits = limits(s.Limits)
		t.Declared, t.Nothing = declared(s.Artifacts)
		for _, c := range s.Postconditions {
			t.Checks = append(t.Checks, c.String())
		}
		t.Checks = append(t.Checks, expected(s.Expect)...)
	}
	if t.Prompt == t.Description {
		t.Prompt = ""
	}
	t.Unjudged = len(t.Criteria)+len(t.Checks)+len(t.Expected)+len(t.Tests) == 0
	return t
}

// declared are the artifacts of a step as lines, and whether there are none.
func declared(a *plan.Artifacts) (lines []string, nothing bool) {
	if a == nil {
		return nil, false
	}
	for _, part := range []struct {
		does  string
		names []string
	}{{"create", a.Create}, {"modify", a.Modify}, {"delete", a.Delete}, {"add the symbol", a.SymbolsAdd},
		{"remove the symbol", a.SymbolsRemove}} {
		for _, name := range part.names {
			lines = append(lines, part.does+" "+name)
		}
	}
	for _, b := range a.Bears {
		lines = append(lines, fmt.Sprintf("create %v", b.Path))
	}
	return lines, len(lines) == 0
}

// limits are those of a step as lines.
func limits(l *plan.Limits) []string {
	var lines []string
	if l == nil {
		return nil
	}
	if l.MaxFiles != nil {
		lines = append(lines, fmt.Sprintf("at most %d files change", *l.MaxFiles))
	}
	if l.MaxLines != nil {
		lines = append(lines, fmt.Sprintf("at most %d lines change", *l.MaxLines))
	}
	if l.Modules != nil {
		lines = append(lines, "only in these modules: "+strings.Join(l.Modules, ", "))
	}
	return lines
}

// expected is what is held against the agent's last message.
func expected(e *plan.Expect) []string {
	if e == nil {
		return nil
	}
	var lines []string
	if e.StdoutContains != "" {
		lines = append(lines, fmt.Sprintf("your last message contains %q", e.StdoutContains))
	}
	if e.StdoutMatches != "" {
		lines = append(lines, fmt.Sprintf("your last message matches the regular expression %q", e.StdoutMatches))
	}
	return lines
}
