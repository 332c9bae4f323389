package external

import (
	"context"
	"errors"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/cause"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/gatetest"
)

// A printer is a runner of programs that print what it says, and end with its
// statuses, one after another.
type printer struct {
	text  string
	exits []int
	calls *int
}

func (p printer) Run(ctx context.Context, c gate.Command) (gate.CommandResult, error) {
	exit := 0
	if p.calls != nil {
		exit = p.exits[*p.calls%len(p.exits)]
		*p.calls++
	}
	_, err := c.Stdout.Write([]byte(p.text))
	return gate.CommandResult{Exit: exit}, errors.Join(err, context.Cause(ctx))
}

func TestConforms(t *testing.T) {
	p := &Program{Label: "thinker", Args: []string{"think"}}
	exectest.RunAdvisor(t, p, advice.Case{Kind: advice.Reflection, Point: advice.Execution,
		Method: advice.Method{ID: "primary", Prompt: "do it"},
		Runner: printer{text: `{"note": "n", "confidence": 0.8, "patch": {"prompt": "do it well"}}`}})
}

func TestRead(t *testing.T) {
	tests := []struct {
		name, text string
		want       advice.Advice
		err        string // part of it
		is         error
	}{
		{name: "last line", text: "thinking\n{\"note\": \"n\", \"confidence\": 1, \"cost\": {\"calls\": 2, \"tokens\": 30}}\n",
			want: advice.Advice{Note: "n", Confidence: 1, Cost: history.AdviceCost{Calls: 2, Tokens: 30}}},
		{name: "findings alone", text: `{"findings": ["f"], "more": {"x": 1}}`, want: advice.Advice{Findings: []string{"f"}}},
		{name: "nothing", text: `{"nothing": "no idea"}`, err: "no idea", is: advice.ErrNothing},
		{name: "empty", text: ``, is: ErrAnswer},
		{name: "no object", text: `["note"]`, err: "no object", is: ErrAnswer},
		{name: "says nothing", text: `{"confidence": 0.9}`, err: "neither a note", is: ErrAnswer},
		{name: "twice", text: `{"note": "a", "note": "b"}`, err: "stands twice", is: ErrAnswer},
		{name: "other letters", text: `{"note": "a", "patch": {"Run": "rm"}}`, err: `the name "run" is spelled "Run"`,
			is: ErrAnswer},
		{name: "a figure", text: `{"note": "a", "risk": -1}`, err: "from 0 to 1", is: ErrAnswer},
		{name: "too much", text: strings.Repeat(" ", 1<<20) + `{"note": "a"}`, err: "more than", is: ErrAnswer},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got advice.Advice
			_, err := read([]byte(tt.text), &got)
			if !errors.Is(err, tt.is) || tt.err != "" && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("error %v, want %v with %q", err, tt.is, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); err == nil && diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestRiskOfAnAnswer: one that is not said is computed as for the built-in
// advisor; one that is said counts, 0 too.
func TestRiskOfAnAnswer(t *testing.T) {
	for said, want := range map[string]float64{"": cause.Risk(0.5, 0.5, 0), `, "risk": 0`: 0, `, "risk": 0.3`: 0.3} {
		calls := 0
		p := &Program{Label: "thinker", Run: "think"}
		a, err := p.Advise(t.Context(), advice.Case{Kind: advice.Reflection,
			Runner: printer{`{"note": "n", "confidence": 0.5, "severity": 0.5` + said + `}`, []int{0}, &calls}})
		if err != nil || a.Risk != want || want == 0 != (said == `, "risk": 0`) {
			t.Errorf("%q: risk %v, want %v, error %v", said, a.Risk, want, err)
		}
	}
}

// TestCrashes asks a program once more, and not a third time.
func TestCrashes(t *testing.T) {
	for _, exits := range [][]int{{3, 0}, {3, 3}} {
		calls := 0
		p := &Program{Label: "thinker", Run: "think"}
		_, err := p.Advise(t.Context(), advice.Case{Kind: advice.Research, Runner: printer{`{"note": "n"}`, exits, &calls}})
		if calls != 2 || (err == nil) != (exits[1] == 0) {
			t.Errorf("statuses %v: asked %d times, error %v", exits, calls, err)
		}
	}
	_, err := (&Program{Label: "thinker", Run: "think"}).Advise(t.Context(), advice.Case{Kind: advice.Research})
	if !errors.Is(err, gate.ErrNoRunner) {
		t.Errorf("without a runner: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"note": "n", "confidence": 0.5, "patch": {"args": {"seed": "1"}}, "alternatives": [{"description": "d"}]}`))
	f.Add([]byte("x\n{\"nothing\": \"no\"}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var a advice.Advice
		_, err := read(text, &a)
		if err != nil && !errors.Is(err, ErrAnswer) && !errors.Is(err, advice.ErrNothing) {
			t.Fatalf("an error of no kind: %v", err)
		}
		if err == nil && !(a.Confidence >= 0 && a.Confidence <= 1) {
			t.Fatalf("confidence %v", a.Confidence)
		}
	})
}

func TestPatterns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "patterns.json")
	if err := os.WriteFile(path, []byte(`[
		{"name": "a", "technologies": ["Go", "SQL"]},
		{"name": "b", "technologies": ["go", "sql", "http"], "confidence": "HIGH", "reasoning": "it scales"},
		{"name": "c", "technologies": ["sql"], "reference": "https://example.org/c"},
		{"name": "d", "technologies": ["rust"]}]`), 0o644); err != nil {
		t.Fatal(err)
	}
	known, err := ReadPatterns(path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := known.similar(t.Context(), "a", 3)
	want := []history.Approach{
		{Name: "b", Description: "b (confidence HIGH): it scales; technologies go, sql, http", Confidence: 2.0 / 3, Source: "patterns"},
		{Name: "c", Description: "c; technologies sql", Confidence: 0.5, Source: "https://example.org/c"},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if _, err := known.similar(t.Context(), "z", 3); err == nil {
		t.Error("a pattern that is not there has others like it")
	}
	for text, want := range map[string]string{
		`{}`:              "no list",
		`[{"name": "a"}]`: "pattern 1: it needs",
		`[{"Name": "a"}]`: "spelled",
		`[{"name": "a", "technologies": ["x"], "confidence": "sure"}]`: "write HIGH",
		`[1`: "byte",
	} {
		if _, err := decodePatterns([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestDocumentedProgram runs the program that docs/advisor-protocol.md shows.
func TestDocumentedProgram(t *testing.T) {
	python, err := osexec.LookPath("python3")
	if err != nil {
		t.Skip(err)
	}
	page, err := os.ReadFile("../../../docs/advisor-protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "```python\n")
	text, _, found := strings.Cut(text, "```\n")
	script := filepath.Join(t.TempDir(), "think.py")
	if err := os.WriteFile(script, []byte(text), 0o644); err != nil || !found {
		t.Fatal(err, found)
	}
	p := &Program{Label: "think", Args: []string{python, script}}
	c := advice.Case{Kind: advice.Reflection, Point: advice.Execution, Runner: gatetest.Local{Dir: t.TempDir()},
		Method:  advice.Method{ID: "primary", Prompt: "plot it"},
		Failure: history.AttemptFailed{Reasons: []string{"ModuleNotFoundError: No module named 'seaborn'"}}}
	a, err := p.Advise(t.Context(), c)
	if err != nil || a.Patch == nil || *a.Patch.Prompt != "plot it\nDo without the module seaborn." {
		t.Errorf("%+v, %v", a, err)
	}
	c.Failure.Reasons = nil
	if _, err := p.Advise(t.Context(), c); !errors.Is(err, advice.ErrNothing) {
		t.Errorf("nothing is missing: %v", err)
	}
}
