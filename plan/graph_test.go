package plan_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/planlock/planlock/plan"
)

// planOf makes a plan of tasks "id: dependencies", each with one step.
func planOf(tasks ...string) *plan.Plan {
	p := &plan.Plan{}
	for _, line := range tasks {
		id, needs, _ := strings.Cut(line, ":")
		t := plan.Task{ID: id, DependsOn: strings.Fields(needs),
			Steps: []plan.Step{{ID: "1", Address: plan.Address(id + ".1"), Description: "do " + id}}}
		p.Tasks = append(p.Tasks, t)
	}
	return p
}

func TestGraph(t *testing.T) {
	for _, tt := range []struct {
		name     string
		plan     *plan.Plan
		speclets []plan.Speclet
		stages   [][]string
		order    string
		cycles   [][]string
	}{
		{"declared order", planOf("c", "a", "b"), nil, [][]string{{"c", "a", "b"}}, "c a b", nil},
		{"dependencies", planOf("c:a", "a", "b:c", "d"), nil, [][]string{{"a", "d"}, {"c"}, {"b"}}, "a c b d", nil},
		{"unknown", planOf("a:x", "b"), nil, [][]string{{"a", "b"}}, "a b", nil},
		{"itself", planOf("a:a", "b"), nil, [][]string{{"b"}}, "b", [][]string{{"a", "a"}}},
		{"two cycles", planOf("a:b", "b:a", "c:d", "d:e", "e:c", "f"), nil, [][]string{{"f"}}, "f",
			[][]string{{"a", "b", "a"}, {"c", "d", "e", "c"}}},
		{"speclets", planOf("a", "b", "c"), []plan.Speclet{{ID: "X", Tasks: []string{"a"}, DependsOn: []string{"Y"}},
			{ID: "Y", Tasks: []string{"b", "c"}}},
			[][]string{{"Y"}, {"X"}}, "b c a", nil},
		{"speclets in a cycle", planOf("a", "b"), []plan.Speclet{{ID: "X", Tasks: []string{"a"},
			DependsOn: []string{"Y"}}, {ID: "Y", Tasks: []string{"b"}, DependsOn: []string{"X"}}},
			[][]string{}, "", [][]string{{"X", "Y", "X"}}},
		{"tasks against speclets", planOf("a", "b:a"),
			[]plan.Speclet{{ID: "X", Tasks: []string{"a"}, DependsOn: []string{"Y"}}, {ID: "Y", Tasks: []string{"b"}}},
			[][]string{{"Y"}, {"X"}}, "", [][]string{{"a", "speclet X", "speclet Y", "b", "a"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.plan.Speclets = tt.speclets
			g := tt.plan.Graph()
			var order []string
			for _, a := range g.Order {
				order = append(order, strings.TrimSuffix(string(a), ".1"))
			}
			if diff := cmp.Diff(tt.stages, g.Stages); diff != "" {
				t.Error("stages", diff)
			}
			if got := strings.Join(order, " "); got != tt.order {
				t.Errorf("order %q, want %q", got, tt.order)
			}
			if diff := cmp.Diff(tt.cycles, g.Cycles); diff != "" {
				t.Error("cycles", diff)
			}
		})
	}
}

// In any plan, each step comes after all that it depends on, once, and is left
// out only for a cycle.
func TestGraphOfRandomPlans(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		n := 1 + random.IntN(12)
		var tasks []string
		for i := range n {
			line := fmt.Sprintf("%d:", i)
			for range random.IntN(3) {
				line += fmt.Sprintf(" %d", random.IntN(n))
			}
			tasks = append(tasks, line)
		}
		p := planOf(tasks...)
		g := p.Graph()
		place := map[string]int{}
		for i, a := range g.Order {
			place[strings.TrimSuffix(string(a), ".1")] = i + 1
		}
		if len(place) != len(g.Order) || len(g.Cycles) == 0 && len(place) != n || len(g.Cycles) > 0 && len(place) == n {
			t.Fatalf("%q: %v", tasks, g)
		}
		for _, task := range p.Tasks {
			for _, d := range task.DependsOn {
				if place[task.ID] > 0 && (place[d] == 0 || place[d] >= place[task.ID]) {
					t.Fatalf("%q: %s before %s in %v", tasks, task.ID, d, g.Order)
				}
			}
		}
		for _, c := range g.Cycles {
			for i := 1; i < len(c); i++ {
				if _, task := c[i-1], c[i]; !strings.Contains(" "+strings.Join(p.Tasks[atoi(c[i-1])].DependsOn,
					" ")+" ", " "+task+" ") {
					t.Fatalf("%q: %v is no cycle", tasks, c)
				}
			}
		}
	}
}

func atoi(s string) (n int) {
	fmt.Sscan(s, &n)
	return n
}

// A chain of many tasks needs no deep stack, and no more than linear time.
func TestDeepChain(t *testing.T) {
	tasks := 100_000
	if testing.Short() {
		tasks = 5_000
	}
	p := planOf("0")
	for i := 1; i < tasks; i++ {
		id := fmt.Sprint(i)
		p.Tasks = append(p.Tasks, plan.Task{ID: id, DependsOn: []string{fmt.Sprint(i - 1)}})
	}
	if g := p.Graph(); len(g.Stages) != tasks || g.Cycles != nil {
		t.Errorf("%d stages", len(g.Stages))
	}
	p.Tasks[0].DependsOn = []string{fmt.Sprint(tasks - 1)}
	if g := p.Graph(); len(g.Cycles) != 1 || len(g.Cycles[0]) != tasks+1 {
		t.Errorf("%d cycles", len(g.Cycles))
	}
}

// TestRulesGoByTheOrderOfExecution: a SPEC pair is carried out stage by stage, so
// that what is declared last may come before what another speclet does.
func TestRulesGoByTheOrderOfExecution(t *testing.T) {
	for format, want := range map[plan.Format]bool{plan.SpecPair: false, plan.Native: true} {
		p := planOf("1", "2", "3")
		p.Speclets = []plan.Speclet{{ID: "a", Tasks: []string{"1"}}, {ID: "b", Tasks: []string{"2"}, DependsOn: []string{"a"}},
			{ID: "c", Tasks: []string{"3"}}}
		p.Tasks[2].Steps[0].TestIntent = &plan.TestIntent{Behavior: "it lights", Test: "go test ./...", FixedBy: "2.1"}
		d := &plan.Draft{Plan: *p, Format: format}
		found := slices.ContainsFunc(d.Check(plan.CheckOptions{}), func(d plan.Diagnostic) bool { return d.Code == "fixed-by-not-later" })
		if found != want {
			t.Errorf("%s: that the step which makes a test pass comes earlier is said: %v", format, found)
		}
	}
}
