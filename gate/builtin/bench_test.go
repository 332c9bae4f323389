package builtin_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/gatetest"
	"github.com/planlock/planlock/plan"
)

// thousand is a pass of 1,000 changed files, of which 400 are Go.
func thousand(b *testing.B) *gate.Pass {
	before, after := files{}, files{}
	body := strings.Repeat("// A line of a comment that makes the file as long as files are.\n", 40)
	for i := range 1000 {
		dir := fmt.Sprintf("pkg%02d", i%50)
		name, content := fmt.Sprintf("%s/f%04d", dir, i), ""
		switch i % 5 {
		case 0, 1:
			name, content = name+".go", fmt.Sprintf("package %s\n\n%sfunc F%d(a int) int { return a }\n", dir, body, i)
		case 2:
			name, content = name+".json", fmt.Sprintf("{\"a\": [%s1]}\n", strings.Repeat("1, ", 500))
		case 3:
			name, content = name+".yaml", strings.Repeat("- a: 1\n  b: text\n", 60)
		default:
			name, content = name+".txt", body
		}
		before[name] = content
		after[name] = strings.Replace(content, "a", "aa ", 1) // a package clause, a key, a word
		if strings.HasSuffix(name, ".go") {
			after[name] = content + fmt.Sprintf("\nfunc G%d() {}\n", i)
		}
	}
	pass := gatetest.Pass(b, before, after)
	pass.Step.Artifacts = &plan.Artifacts{Modify: []string{"pkg*/**"}}
	max := 10_000_000
	pass.Step.Limits = &plan.Limits{MaxFiles: &max, MaxLines: &max, Modules: []string{"."}}
	pass.Step.SemanticChange = plan.Extending
	for i := range 20 {
		pass.Plan.NonGoals = append(pass.Plan.NonGoals, plan.NonGoal{ID: fmt.Sprint(i), Paths: []string{fmt.Sprintf("vendor%d/**", i), fmt.Sprintf("*.lock%d", i)}, Symbols: []string{fmt.Sprintf("internal/x%d.T", i)}})
	}
	return pass
}

func BenchmarkGates(b *testing.B) {
	pass := thousand(b)
	for _, name := range []string{"artifacts", "limits", "non-goals", "syntax", "semantic-class"} {
		g := named(b, name)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if j := gatetest.Judge(b.Context(), g, pass); j.Verdict == nil {
					b.Fatal(j.Err)
				}
			}
		})
	}
}
