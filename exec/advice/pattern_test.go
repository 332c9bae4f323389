package advice_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/pattern"
	"github.com/planlock/planlock/plan"
)

func text(s string) plan.Value { return plan.Value{Kind: "string", Text: s} }

func list(items ...string) plan.Value {
	v := plan.Value{Kind: "array"}
	for _, s := range items {
		v.List = append(v.List, text(s))
	}
	return v
}

func patterned(confidence, risk string, complexity int, technologies, stack []string) *plan.Plan {
	p := &plan.Plan{Settings: []plan.Setting{{Key: "software_stack.languages", Value: list(stack...)}},
		Tasks: []plan.Task{{ID: "1", Complexity: complexity}}}
	p.Meta.Extra = []plan.Setting{
		{Key: "pattern_confidence", Value: text(confidence)}, {Key: "pattern_name", Value: text("desktop")},
		{Key: "pattern_technologies", Value: list(technologies...)}, {Key: "risk_assessment", Value: text(risk)},
	}
	return p
}

// hardPlan says in [execution] that a plan has complexity 4.
func hardPlan(p *plan.Plan) *plan.Plan {
	p.Execution.Extra = append(p.Execution.Extra, plan.Setting{Key: "complexity", Value: plan.Value{Kind: "integer", Text: "4"}})
	return p
}

func TestAssess(t *testing.T) {
	both := []string{"Electron", "React"}
	for _, tt := range []struct {
		name       string
		p          *plan.Plan
		alignment  pattern.Alignment
		risk       pattern.Level
		wantBackup bool
	}{
		{"all fits", patterned("HIGH", "LOW", 0, both, []string{"electron 29", "React.js", "Go"}), pattern.Full,
			pattern.Low, false},
		{"less sure", patterned("MEDIUM", "LOW", 0, both, both), pattern.Full, pattern.Low, true},
		{"not sure", patterned("LOW", "LOW", 0, both, both), pattern.Full, pattern.Low, true},
		{"one deviates", patterned("HIGH", "LOW", 0, both, both[:1]), pattern.Half, pattern.Medium, true},
		{"all deviate", patterned("HIGH", "LOW", 0, both, []string{"Qt"}), pattern.Nothing, pattern.High, true},
		{"no stack to compare", patterned("HIGH", "LOW", 0, both, nil), pattern.Unsaid, pattern.Low, false},
		{"risky already", patterned("HIGH", "MEDIUM", 0, both, both), pattern.Full, pattern.Medium, false},
		{"risky and deviating", patterned("HIGH", "MEDIUM", 0, both, both[:1]), pattern.Half, pattern.High, true},
		{"complexity 3 leaves it low", patterned("HIGH", "LOW", 3, both, both), pattern.Full, pattern.Low, false},
		{"complexity 4 makes it medium", patterned("HIGH", "LOW", 4, both, both), pattern.Full, pattern.Medium, false},
		{"medium, complexity 3", patterned("HIGH", "MEDIUM", 3, both, both), pattern.Full, pattern.Medium, false},
		{"medium with complexity 4", patterned("HIGH", "MEDIUM", 4, both, both), pattern.Full, pattern.High, true},
		{"names of several words", patterned("HIGH", "LOW", 0, []string{"TypeScript", "React Native", "Microsoft SQL Server"},
			[]string{"typescript 5", "React Router", "Microsoft Access"}), pattern.Half, pattern.Medium, true},
		{"names of several words with versions", patterned("HIGH", "LOW", 0, []string{"React Native", "SQL Server"},
			[]string{"react native v0.76", "SQL Server 2022 Express"}), pattern.Full, pattern.Low, false},
		{"a stack in a sentence", patterned("HIGH", "LOW", 0, []string{"Electron", "React", "SQLite"},
			[]string{"Electron with React and SQLite"}), pattern.Full, pattern.Low, false},
		{"a stack without blanks", patterned("HIGH", "LOW", 0, []string{"Python", "FastAPI", "C++", "Qt", "C"},
			[]string{"Python+FastAPI+C+++Qt, C"}), pattern.Full, pattern.Low, false},
		{"a name that ends with plus", patterned("HIGH", "LOW", 0, []string{"C++17", "C+"},
			[]string{"C++17", "C+"}), pattern.Full, pattern.Low, false},
		{"part of such a name", patterned("HIGH", "LOW", 0, []string{"17"},
			[]string{"C++17"}), pattern.Nothing, pattern.High, true},
		{"complexity of the whole", hardPlan(patterned("HIGH", "LOW", 0, both, both)), pattern.Full, pattern.Medium, false},
		{"no technologies", patterned("HIGH", "LOW", 1, nil, nil), pattern.Full, pattern.Low, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wanted, ok := pattern.Of(tt.p)
			if !ok {
				t.Fatal("no pattern found")
			}
			a := pattern.Assess(tt.p, wanted)
			if a.Alignment != tt.alignment || a.Risk != tt.risk || a.WantBackup != tt.wantBackup ||
				a.Escalates != (tt.risk == pattern.High) {
				t.Errorf("got %+v", a)
			}
		})
	}
}

// What a plan says of its pattern is read from its head.
func TestPatternIsRead(t *testing.T) {
	p := patterned("medium", "High", 0, []string{"Go", "Redis"}, nil)
	p.Meta.Extra = append(p.Meta.Extra, plan.Setting{Key: "pattern_reference", Value: text("https://example.org")})
	got, ok := pattern.Of(p)
	want := pattern.Pattern{Name: "desktop", Confidence: pattern.Medium, Technologies: []string{"Go", "Redis"},
		Reference: "https://example.org", Risk: pattern.High}
	if diff := cmp.Diff(want, got); diff != "" || !ok {
		t.Errorf("%t, %s", ok, diff)
	}
}

func TestFeasibilityAsksForThreeOthers(t *testing.T) {
	asked := 0
	f := advice.Builtin{Similar: func(_ context.Context, name string, k int) ([]history.Approach, error) {
		asked = k
		var all []history.Approach
		for i := range 5 {
			all = append(all, history.Approach{Description: fmt.Sprintf("%s%d: it is smaller", name, i),
				Confidence: 0.8})
		}
		return all, nil
	}}
	c := advice.Case{Kind: advice.Feasible, Plan: patterned("MEDIUM", "LOW", 1, []string{"Go"}, []string{"Go"})}
	a, err := f.Advise(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, alt := range a.Alternatives {
		names = append(names, alt.Description)
	}
	if diff := cmp.Diff([]string{"desktop0: it is smaller", "desktop1: it is smaller", "desktop2: it is smaller"},
		names); diff != "" || asked != 3 {
		t.Errorf("asked for %d: %s", asked, diff)
	}
	// A sure pattern that fits asks for none.
	asked = 0
	c.Plan = patterned("HIGH", "LOW", 1, []string{"Go"}, []string{"Go"})
	if a, err := f.Advise(t.Context(), c); err != nil || asked != 0 || len(a.Alternatives) != 0 {
		t.Errorf("asked for %d, got %+v, %v", asked, a, err)
	}
}

func TestNoPattern(t *testing.T) {
	if _, err := (advice.Builtin{}).Advise(t.Context(),
		advice.Case{Kind: advice.Feasible, Plan: &plan.Plan{}}); !errors.Is(err, advice.ErrNothing) {
		t.Errorf("got %v", err)
	}
}
