package plan_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// lanesHead begins plans whose tasks a and b have one step each; what is told
// of them stands behind it.
const lanesHead = "schema = 1\nprofile = \"observe\"\n[goal]\ndescription = \"x\"\n"

// twoTasks are tasks a and b, each with a step.
func twoTasks(a, stepA, b, stepB string) string {
	task := func(id, of, step string) string {
		return fmt.Sprintf("[[tasks]]\nid = %q\n%s\n[[tasks.steps]]\nid = 1\nrun = \"true\"\n%s\n", id, of, step)
	}
	return lanesHead + task("a", a, stepA) + task("b", b, stepB)
}

func TestApart(t *testing.T) {
	const (
		waved    = "wave = 1"
		one, two = `artifacts = { create = ["one"] }`, `artifacts = { create = ["two"] }`
		none     = "artifacts = {}"
		groups   = "[[speclets]]\nid = \"A\"\ntasks = [\"a\"]\nparallel_allowed = %s\n[[speclets]]\nid = \"B\"\ntasks = [\"b\"]\nparallel_allowed = %s\n%s"
	)
	steps := func(a, b string) string { return twoTasks(waved, a, waved, b) }
	speclets := func(a, b, more string) string { return twoTasks("", one, "", two) + fmt.Sprintf(groups, a, b, more) }
	for name, tt := range map[string]struct{ text, want string }{
		"one wave":                  {steps(one, two), ""},
		"no wave":                   {twoTasks("", one, waved, two), `nothing allows task "a" to run beside others`},
		"two waves":                 {twoTasks(waved, one, "wave = 2", two), `tasks "a" and "b" are not of one wave`},
		"a dependency":              {twoTasks(waved, one, waved+"\ndepends_on = [\"a\"]", two), `task "b" comes after task "a"`},
		"a dependency by a third":   {twoTasks(waved, one, waved+"\ndepends_on = [\"c\"]", two) + "[[tasks]]\nid = \"c\"\ndepends_on = [\"a\"]\n", `task "b" comes after task "a"`},
		"a person":                  {twoTasks(waved+"\nkind = \"checkpoint:human-verify\"", one, waved, two), `task "a" waits for a person`},
		"the workspace itself":      {steps(one, two) + "[sandbox]\nlayer = \"in-place\"\n", "steps work in the workspace itself, where there is room for one"},
		"speclets":                  {speclets("true", "true", ""), ""},
		"a speclet by itself":       {speclets("true", "false", ""), `nothing allows task "b" to run beside others`},
		"a speclet's word":          {twoTasks(waved, one, waved, two) + fmt.Sprintf(groups, "true", "false", ""), `speclet "B" may not run beside others`},
		"stages":                    {speclets("true", "true", "depends_on = [\"C\"]\n[[speclets]]\nid = \"C\"\ntasks = []\n"), `speclets "A" and "B" are in different stages`},
		"a speclet's dependency":    {twoTasks("", one, "", two) + fmt.Sprintf(groups, "true\nwave = 1", "true\nwave = 1", "depends_on = [\"A\"]\n"), `task "b" comes after task "a"`},
		"waves of speclets":         {twoTasks("", one, "", two) + fmt.Sprintf(groups, "true\nwave = 1", "true\nwave = 2", ""), `speclets "A" and "B" are not of one wave`},
		"wave and stage":            {speclets("true\nwave = 1", "true\nwave = 1", "depends_on = [\"C\"]\n[[speclets]]\nid = \"C\"\ntasks = []\n"), ""},
		"a wave in two speclets":    {twoTasks(waved, one, waved, two) + fmt.Sprintf(groups, "true\nwave = 1", "true\nwave = 2", ""), `speclets "A" and "B" are not of one wave`},
		"one without a speclet":     {twoTasks(waved, one, waved, two) + "[[speclets]]\nid = \"A\"\ntasks = [\"a\"]\nparallel_allowed = true\n", `tasks "a" and "b" are not of one speclet`},
		"a wave in a speclet":       {twoTasks(waved, one, waved, two) + "[[speclets]]\nid = \"A\"\ntasks = [\"a\", \"b\"]\n", ""},
		"of one speclet":            {twoTasks("", one, "", two) + "[[speclets]]\nid = \"A\"\ntasks = [\"a\", \"b\"]\nparallel_allowed = true\n", `tasks "a" and "b" are not of one wave`},
		"nothing said":              {steps("", two), "step a.1 does not say what it changes"},
		"reads only":                {steps(`access = { reads = ["x"] }`, two), "step a.1 does not say what it changes"},
		"nothing changed":           {steps(none, two), ""},
		"what cannot be undone":     {steps(one+"\nrollback = \"irreversible\"", two), "step a.1 is irreversible: what it does outside of its own copy is seen by others"},
		"what is compensated":       {steps(one, two+"\nrollback = \"compensatable\"\ncompensate = \"true\""), "step b.1 is compensatable: what it does outside of its own copy is seen by others"},
		"what files bear":           {steps(`artifacts = { create = ["one"], bears = [{ path = "one", setuid = true }] }`, two), "step a.1 declares owners, special bits or attributes"},
		"test first":                {steps(one+"\ntdd = true", two), "step a.1 has its test written first"},
		"executed twice":            {steps(one+"\ndeterministic = true", two), "step a.1 must do the same each time, so that it is executed twice"},
		"need not be the same":      {steps(one+"\ndeterministic = false", two), ""},
		"a test of the other":       {steps(one+"\ntest_intent = { behavior = \"x\", test = \"false\", fixed_by = \"b.1\" }", two), "step b.1 makes the test of step a.1 pass"},
		"no path":                   {steps(`access = { writes = ["../x"] }`, two), `step a.1 names "../x", which is no path in the workspace`},
		"a path":                    {steps(one, one), `step a.1 writes "one", and step b.1 writes "one"`},
		"a folder":                  {steps(one, `artifacts = { create = ["one/x"] }`), `step a.1 writes "one", and step b.1 writes "one/x"`},
		"a glob":                    {steps(`artifacts = { modify = ["src/**"] }`, `artifacts = { delete = ["src/*.go"] }`), `step a.1 writes "src/**", and step b.1 writes "src/*.go"`},
		"reads":                     {steps(one, two+"\naccess = { reads = [\"o*\"] }"), `step a.1 writes "one", and step b.1 reads "o*"`},
		"reads a folder":            {steps(two+"\naccess = { reads = [\"src\"] }", `artifacts = { create = ["src/*.go"] }`), `step b.1 writes "src/*.go", and step a.1 reads "src"`},
		"reads the same":            {steps(one+"\naccess = { reads = [\"go.mod\"] }", two+"\naccess = { reads = [\"go.mod\"] }"), ""},
		"writes more":               {steps(one+"\naccess = { writes = [\"one\", \"three\"] }", `access = { writes = ["three"] }`), `step a.1 writes "three", and step b.1 writes "three"`},
		"files among others":        {steps(`artifacts = { create = ["main.go"] }`, `artifacts = { create = ["**/*.md"] }`), ""},
		"symbols":                   {steps(one+"\naccess = { symbols = [\"p.T\"] }", `artifacts = { create = ["two"], symbols_add = ["p.T.M"] }`), `step a.1 owns "p.T", and step b.1 owns "p.T.M"`},
		"other symbols":             {steps(one+"\naccess = { symbols = [\"p.T\"] }", two+"\naccess = { symbols = [\"p.Tx\"] }"), ""},
		"a condition":               {steps(one, two+"\npreconditions = [{ kind = \"file_exists\", path = \"one\" }]"), `step a.1 writes "one", and step b.1 reads "one"`},
		"its own outcome":           {steps(one+"\npostconditions = [{ kind = \"file_exists\", path = \"one\" }]\nevidence = [\"one\"]", two), ""},
		"a symbol of a condition":   {steps(`artifacts = { create = ["one"], symbols_add = ["p.F"] }`, two+"\npostconditions = [{ kind = \"symbol_exists\", symbol = \"p.F\" }]"), `step a.1 owns "p.F", and step b.1 asks for "p.F"`},
		"a command as condition":    {steps(one, two+"\npreconditions = [{ kind = \"command\", run = \"test -e one\" }]"), "step b.1 does not say what it reads, and a check command that must hold before it may read anything"},
		"and what it reads":         {steps(one, two+"\naccess = { reads = [\"three\"] }\npreconditions = [{ kind = \"command\", run = \"test -e three\" }]"), ""},
		"a command afterwards":      {steps(one, two+"\npostconditions = [{ kind = \"command\", run = \"test -e two\" }]"), ""},
		"a cycle":                   {twoTasks(waved+"\ndepends_on = [\"b\"]", one, waved+"\ndepends_on = [\"a\"]", two), "step a.1 has no place in the order of the plan"},
		"a dependency on something": {twoTasks(waved+"\ndepends_on = [\"c\"]", one, waved, two) + "[[tasks]]\nid = \"c\"\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := mustRead(t, tt.text).Plan.Lanes()
			ab, ba := l.Apart("a.1", "b.1"), l.Apart("b.1", "a.1")
			if ab != tt.want || ba != strings.ReplaceAll(tt.want, "step a.1 has no place", "step b.1 has no place") {
				t.Errorf("%q and %q, want %q", ab, ba, tt.want)
			}
		})
	}
	l := mustRead(t, steps(one, two)).Plan.Lanes()
	for pair, want := range map[[2]plan.Address]string{
		{"a.1", "a.1"}: "steps of a task run one after another", {"a.1", "c.1"}: "step c.1 has no place in the order of the plan",
	} {
		if got := l.Apart(pair[0], pair[1]); got != want {
			t.Errorf("%v: %q", pair, got)
		}
	}
}

// lanesPlan makes a plan of lines "WAVE NEEDS: PATHS; PATHS", one for each task
// with the steps 1, 2 and so on; the tasks are called a, b and so on.
func lanesPlan(lines ...string) *plan.Plan {
	p := &plan.Plan{}
	for i, line := range lines {
		head, steps, _ := strings.Cut(line, ":")
		words := strings.Fields(head)
		t := plan.Task{ID: string(rune('a' + i)), Wave: strings.Trim(words[0], "-"), DependsOn: words[1:]}
		for j, paths := range strings.Split(steps, ";") {
			id := fmt.Sprint(j + 1)
			t.Steps = append(t.Steps, plan.Step{ID: id, Address: plan.Address(t.ID + "." + id),
				Artifacts: &plan.Artifacts{Modify: strings.Fields(paths)}})
		}
		p.Tasks = append(p.Tasks, t)
	}
	return p
}

func TestGroups(t *testing.T) {
	for name, tt := range map[string]struct {
		plan *plan.Plan
		jobs int
		want string
	}{
		"all":                                  {lanesPlan("1: x", "1: y", "1: z"), 64, "[[a.1 b.1 c.1]]"},
		"as many as there is room":             {lanesPlan("1: x", "1: y", "1: z", "1: w"), 2, "[[a.1 b.1] [c.1 d.1]]"},
		"one at a time":                        {lanesPlan("1: x", "1: y"), 1, "[]"},
		"steps in lines":                       {lanesPlan("1: x; x", "1: y; y; y"), 64, "[[a.1 b.1] [a.2 b.2]]"},
		"nothing is overtaken that may matter": {lanesPlan("1: x; y", "1: y", "1: z"), 64, "[[a.1 c.1]]"},
		"a barrier":                            {lanesPlan("1: x", "-: w", "1: y", "1: z"), 64, "[[c.1 d.1]]"},
		"a dependency":                         {lanesPlan("1: x", "1 a: y", "1: z"), 64, "[[a.1 c.1]]"},
		"those that meet":                      {lanesPlan("1: x", "1: x y", "1: z", "1: y"), 64, "[[a.1 c.1]]"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := fmt.Sprint(groupsOf(tt.plan, tt.jobs)); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// In any plan the answer is the same for both steps, no two steps that touch
// one path are ever together, and a run by groups carries out every step once,
// none before what it needs.
func TestLanesOfRandomPlans(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	files := []string{"a/x", "a/y", "b/x", "b/y", "c"}
	together := 0
	for range 400 {
		var lines []string
		for i := range 2 + random.IntN(6) {
			line := pick("1", "1", "1", "2", "-")
			if i > 0 && random.IntN(3) == 0 {
				line += " " + string(rune('a'+random.IntN(i)))
			}
			line += ":"
			for j := range 1 + random.IntN(3) {
				if j > 0 {
					line += ";"
				}
				line += pick("a/x", "a/y", "b/*", "a/**", "**/x", "c", "", "{b,c}/y")
			}
			lines = append(lines, line)
		}
		p := lanesPlan(lines...)
		for _, s := range p.Steps() {
			switch random.IntN(12) {
			case 0:
				s.Rollback = plan.Irreversible
			case 1:
				s.Artifacts = nil
			case 2:
				s.Access = &plan.Access{Reads: []string{pick(files...)}}
			}
		}
		l := p.Lanes()
		touches := func(s *plan.Step, file string, reads bool) bool {
			var list []string
			if s.Artifacts != nil {
				list = s.Artifacts.Modify
			}
			if reads && s.Access != nil {
				list = slices.Concat(list, s.Access.Reads)
			}
			return slices.ContainsFunc(list, func(p string) bool { return ledger.Match(p, file) })
		}
		for _, a := range p.Steps() {
			for _, b := range p.Steps() {
				why := l.Apart(a.Address, b.Address)
				if back := l.Apart(b.Address, a.Address); back != why {
					t.Fatalf("%v: %s and %s: %q and %q", lines, a.Address, b.Address, why, back)
				}
				if why != "" {
					continue
				}
				together++
				for _, file := range files {
					if touches(a, file, false) && touches(b, file, true) {
						t.Fatalf("%v: %s and %s both touch %s", lines, a.Address, b.Address, file)
					}
				}
			}
		}
		runByGroups(t, p, 1+random.IntN(4))
	}
	if together < 500 {
		t.Errorf("only %d pairs may run at once", together)
	}
}

// runByGroups goes through a plan as a run would.
func runByGroups(t *testing.T, p *plan.Plan, jobs int) {
	t.Helper()
	l, rest := p.Lanes(), slices.Clone(p.Graph().Order)
	for len(rest) > 0 {
		group := next(l, rest, jobs)
		if len(group) == 0 || len(group) > jobs || group[0] != rest[0] {
			t.Fatalf("the group %v of %v, %d at once", group, rest, jobs)
		}
		for _, a := range group {
			for _, b := range rest[:slices.Index(rest, a)] {
				if l.Apart(a, b) != "" {
					t.Fatalf("%s overtakes %s", a, b)
				}
			}
		}
		rest = without(rest, group)
	}
}

// next is the group that comes next of the steps that are not over.
func next(l *plan.Lanes, rest []plan.Address, jobs int) (group []plan.Address) {
	for a := range l.Beside(slices.Values(rest)) {
		if group = append(group, a); len(group) == jobs {
			break
		}
	}
	return group
}

// without are the steps that are left once a group is over.
func without(rest, group []plan.Address) []plan.Address {
	return slices.DeleteFunc(rest, func(a plan.Address) bool { return slices.Contains(group, a) })
}

// groupsOf are the groups of more than one step that a run goes through if
// nothing fails.
func groupsOf(p *plan.Plan, jobs int) (groups [][]plan.Address) {
	l, rest := p.Lanes(), slices.Clone(p.Graph().Order)
	for len(rest) > 0 {
		group := next(l, rest, jobs)
		rest = without(rest, group)
		if len(group) > 1 {
			groups = append(groups, group)
		}
	}
	return groups
}

// What may run at once is found as far as there is room for it, also in a long
// plan, and not farther ahead than is looked.
func TestLanesOfLongPlans(t *testing.T) {
	p := lanesPlan("1: x")
	task := p.Tasks[0]
	p.Tasks = nil
	for i := range 2000 {
		task.ID, task.Steps = fmt.Sprint(i), []plan.Step{{ID: "1", Address: plan.Address(fmt.Sprintf("%d.1", i)),
			Artifacts: &plan.Artifacts{Modify: []string{fmt.Sprint("x", i)}}}}
		p.Tasks = append(p.Tasks, task)
	}
	if groups := groupsOf(p, plan.MaxJobs); len(groups) != 32 || len(groups[0]) != 64 {
		t.Errorf("%d groups", len(groups))
	}
	for i := range p.Tasks[:300] {
		p.Tasks[i].Steps[0].Artifacts.Modify = []string{"x"}
	}
	if group := next(p.Lanes(), p.Graph().Order, 2); len(group) != 1 {
		t.Errorf("%v at once", group)
	}
}
