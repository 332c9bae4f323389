package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/planlock/planlock/plan"
)

// What is refused of the access of two steps that may run at once, and what is
// not: only what both say themselves counts, and only where the plan marks them.
func TestAccessOfStepsThatRunAtOnce(t *testing.T) {
	const waved = "wave = 1"
	access := func(lists string) string { return "access = { " + lists + " }" }
	const protected = "[[non_goals]]\nid = \"N1\"\ntext = \"no\"\npaths = [\"auth/**\"]\n"
	one := access(`writes = ["src/**"], symbols = ["p.T"]`)
	for name, tt := range map[string]struct{ text, want string }{
		"a write":                       {twoTasks(waved, one, waved, access(`writes = ["src/a.go"]`)), "access-overlap"},
		"a read":                        {twoTasks(waved, one, waved, access(`reads = ["src/a.go"]`)), "access-overlap"},
		"a symbol":                      {twoTasks(waved, one, waved, access(`symbols = ["p.T"]`)), "access-overlap"},
		"both read":                     {twoTasks(waved, access(`reads = ["go.mod"]`), waved, access(`reads = ["go.mod"]`)), ""},
		"nothing in common":             {twoTasks(waved, one, waved, access(`writes = ["docs/**"]`)), ""},
		"no mark":                       {twoTasks("", one, waved, one), ""},
		"two waves":                     {twoTasks(waved, one, "wave = 2", one), ""},
		"one after the other":           {twoTasks(waved, one, waved+"\ndepends_on = [\"a\"]", one), ""},
		"by artifacts alone":            {twoTasks(waved, one, waved, `artifacts = { modify = ["src/a.go"] }`), ""},
		"all artifacts":                 {twoTasks("", access(`writes = ["src", "docs/*.md"]`)+"\nartifacts = { modify = [\"src/a.go\", \"docs/*.md\", \"docs/b.md\"] }", "", ""), ""},
		"an artifact too many":          {twoTasks("", access(`writes = ["src"]`)+"\nartifacts = { modify = [\"src/a.go\"], delete = [\"srcs/b.go\"] }", "", ""), "access-incomplete"},
		"no artifact may be":            {twoTasks("", access(`writes = []`)+"\nartifacts = { create = [\"a.go\"] }", "", ""), "access-incomplete"},
		"nothing, and a write":          {twoTasks("", access(`writes = ["a"]`)+"\nartifacts = {}", "", ""), "access-contradiction"},
		"nothing, and an ignored write": {twoTasks("", access(`writes = ["dist/**"]`)+"\nartifacts = {}", "", "") + "[ledger]\nignore = [\"dist/**\"]\n", ""},
		"a write that is protected":     {twoTasks("", access(`writes = ["auth/x/*.go"]`), "", "") + protected, "access-contradiction"},
		"a write around what is":        {twoTasks("", access(`writes = ["**"]`), "", "") + protected, ""},
		"a write outside the modules":   {twoTasks("", access(`writes = ["docs/a.md"]`)+"\nlimits = { modules = [\"src\"] }", "", ""), "access-contradiction"},
		"a symbol of somebody else":     {twoTasks("", one+"\nartifacts = { modify = [\"src/a.go\"], symbols_add = [\"p.T.M\", \"p.U\"] }", "", ""), "access-contradiction"},
		"a method of its type":          {twoTasks("", one+"\nartifacts = { modify = [\"src/a.go\"], symbols_add = [\"p.T.M\"] }", "", ""), ""},
		"no word of writes":             {twoTasks("", access(`reads = ["src"]`)+"\nartifacts = { create = [\"a.go\"] }", "", ""), ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			for _, d := range mustRead(t, tt.text).Check(plan.CheckOptions{}) {
				if strings.HasPrefix(d.Code, "access-") {
					got += d.Code
					if d.Severity != plan.Error {
						t.Errorf("%v", d)
					}
				}
			}
			if got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// Of a long plan of which every two steps access the same, each second one is
// named, and nothing is too much to look at.
func TestAccessOfALongPlan(t *testing.T) {
	text := lanesHead
	for i := range 600 {
		text += fmt.Sprintf("[[tasks]]\nid = \"t%d\"\nwave = 1\n[[tasks.steps]]\nid = 1\nrun = \"true\"\n"+
			"access = { writes = [\"x%d/**\"] }\n", i, i/2)
	}
	found := 0
	for _, c := range codesOf(mustRead(t, text).Check(plan.CheckOptions{})) {
		if c == "access-overlap" {
			found++
		}
		if c == "too-complex" {
			t.Error("too many comparisons")
		}
	}
	if found != 300 {
		t.Errorf("%d overlaps, want 300", found)
	}
}
