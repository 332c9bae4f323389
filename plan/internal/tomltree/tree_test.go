package tomltree

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/planlock/planlock/plan"
)

func parse(text string, rules Rules) (root *Node, faults []string, whole bool) {
	root, whole = Parse([]byte(text), rules, func(f Fault) {
		faults = append(faults,
			fmt.Sprintf("%d %s", f.Offset, f.Text))
	})
	return root, faults, whole
}

const sample = `schema = 1
a.b = { c = [1, "two", 3.50] }
[goal]
text = "x"
[[tasks]]
id = 1
[[tasks.steps]]
run = "true"
[[tasks.steps]]
"odd key" = 2026-01-02 03:04:05Z
`

func TestLocate(t *testing.T) {
	root, faults, whole := parse(sample, Rules{Strict: true})
	if len(faults) > 0 || !whole {
		t.Fatal(faults)
	}
	for _, tt := range []struct {
		path, at string
		there    bool
	}{
		{"schema", "schema = 1", true},
		{"a.b.c[1]", `"two"`, true},
		{"a.b.c[7]", "c = [", false},
		{"a.b.none.more", "b = {", false},
		{"goal", "[goal]", true},
		{"goal.none", "[goal]", false},
		{"tasks", "[[tasks]]", true},
		{"tasks[0].steps[0].run", `run = "true"`, true},
		{"tasks[0].steps[1]", "[[tasks.steps]]\n\"odd", true},
		{`tasks[0].steps[1]."odd key"`, `"odd key"`, true},
		{"tasks[0].steps[2]", "[[tasks.steps]]\nrun", false},
		{"", "schema", true},
	} {
		at, value := root.Locate(tt.path)
		if !strings.HasPrefix(sample[at:], tt.at) || (value != nil) != tt.there {
			t.Errorf("%s: %q, %v", tt.path, sample[at:], value)
		}
	}
	if !root.Find("tasks").Listed() || root.Find("a").Find("b").Find("c").Listed() ||
		root.Find("none").Find("more").Listed() {
		t.Error("which arrays are written as [[name]]")
	}
}

func TestSettings(t *testing.T) {
	root, _, _ := parse(sample, Rules{})
	got := root.Find("a").Settings(nil, "a")
	want := []plan.Setting{{Key: "a.b.c", Value: plan.Value{Kind: Array, List: []plan.Value{
		{Kind: Integer, Text: "1"}, {Kind: String, Text: "two"}, {Kind: Float, Text: "3.5e+00"}}}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if raw := root.Find("a").Find("b").Find("c").List[2].Raw; raw != "3.50" {
		t.Errorf("a number as written: %q", raw)
	}
}

func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		text            string
		strict, lenient string
	}{
		{"a = 1\na = 2\n", `6 "a" is already there`, `6 "a" is already there`},
		{"a = 1\nA = 2\n", `6 the keys "a" and "A" differ in case only`, ""},
		{"[t]\n[t]\n", `5 "t" is already there`, `5 "t" is already there`},
		{"t = []\n[[t]]\n", `9 "t" is already there`, `9 "t" is already there`},
		{"[[t]]\n[t]\n", `7 "t" is already there`, `7 "t" is already there`},
		{"a.b = 1\n[a.c]\n", "", ""},
		{"a = { b = 1 }\n[a.c]\n", `15 "a" is already there`, `15 "a" is already there`},
		{"a = 9007199254740993\n",
			"4 the number 9007199254740993 is beyond 2^53, where programs begin to lose digits", ""},
		{"a = nan\n", "4 nan is not a number that can be compared", ""},
		{"a = 2026-13-01\n", "4 2026-13-01 is not a date or time", "4 2026-13-01 is not a date or time"},
		{"a = 1\xff\n", "5 the text is not UTF-8", "5 the text is not UTF-8"},
		{"a = " + strings.Repeat("[", 65), "68 values are nested more than 64 deep", "68 values are nested more than 64 deep"},
		{strings.Repeat("a.", 64) + "a = 1\n", "128 values are nested more than 64 deep", "128 values are nested more than 64 deep"},
	} {
		for _, r := range []struct {
			rules Rules
			want  string
		}{{Rules{Strict: true}, tt.strict}, {Rules{}, tt.lenient}} {
			if _, faults, _ := parse(tt.text, r.rules); strings.Join(faults, "; ") != r.want {
				t.Errorf("%.40q %+v: %q", tt.text, r.rules, faults)
			}
		}
	}
	if root, faults, whole := parse("a = 1\nb =\nc = 3\n", Rules{}); whole || len(faults) != 1 ||
		root.Find("a") == nil || root.Find("c") != nil {
		t.Errorf("%v, %q", whole, faults)
	}
	if _, faults, whole := parse("[[a]]\n[[a]]\n[[a]]\n", Rules{Tables: 2}); whole || len(faults) != 1 {
		t.Errorf("%v, %q", whole, faults)
	}
}

// TestManyKeys holds that large tables are searched in no more time than their
// size.
func TestManyKeys(t *testing.T) {
	var b strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&b, "k%d = 1\n", i)
	}
	root, faults, whole := parse(b.String()+"K99999 = 2\nk5 = 3\n", Rules{Strict: true})
	if !whole || len(faults) != 2 || root.Find("k77777") == nil || root.Lookup("none") >= 0 {
		t.Errorf("%v, %q", whole, faults)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sample)
	f.Add("[a.b]\n[[a.c]]\nx = {y.z = [[1], {}]}\n'' = 07:08\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, strict := range []bool{false, true} {
			last := -1
			root, whole := Parse([]byte(text), Rules{Strict: strict}, func(f Fault) {
				if f.Offset < 0 || f.Offset > len(text) || f.Text == "" {
					t.Errorf("%+v", f)
				}
				last = int(f.Kind)
			})
			if !whole && last < 0 {
				t.Error("nobody says why it was not read")
			}
			if at, _ := root.Locate("a.b[0].c"); at < 0 || at > len(text) {
				t.Errorf("at %d", at)
			}
			root.Settings(nil, "x")
			root.Size()
		}
	})
}
