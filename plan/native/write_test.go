package native

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/planlock/planlock/internal/spelling"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/internal/tomltree"
)

var updateTOML = flag.Bool("update-toml", false, "write the golden text of plans")

// random makes plans that the native format can say, with all that is hard to
// spell.
type random struct{ *rand.Rand }

var hardTexts = []string{"", "a", "plain words", `say "hi"`, `"`, `""`, `"""`, `a"""b""""`, `'''`, `it's "both"`, `back\slash`, `\`, `\n`, "two\nlines",
	"\nfirst is empty\n", "ends\n\n", "tab\there", "cr\r\nlf", "a\rb", "\x00", "\x1b[31m", "\x7f", "a\u0085b", "\u202e", "\u200b", "\ufeff", "é", "日本語", "🙂", "e\u0301",
	"# no comment", "= [x]", "[[tasks]]", "{ a = 1 }", " blank ", "a\tb", "trailing \\\n  x", "a\n\"", "a\"\n", "\U000e0001", "\U0010ffff", "0", "007", "-1", "12", "9007199254740993", "1.2"}

func (r random) text() string {
	s := hardTexts[r.IntN(len(hardTexts))]
	if r.IntN(4) == 0 {
		s += hardTexts[r.IntN(len(hardTexts))]
	}
	if r.IntN(30) == 0 {
		s = strings.Repeat(s+"x ", 60)
	}
	return s
}

func (r random) plan() *plan.Plan {
	p := &plan.Plan{}
	r.fill(reflect.ValueOf(p).Elem(), "Plan")
	p.Schema = plan.SchemaVersion
	for t, s := range p.Steps() {
		if s.Address = plan.Address(t.ID + "." + s.ID); strings.HasPrefix(s.ID, t.ID+".") {
			s.Address = plan.Address(s.ID)
		}
	}
	return p
}

var words = map[reflect.Type][]string{
	reflect.TypeFor[plan.Profile]():        {"strict", "observe"},
	reflect.TypeFor[plan.Mode]():           {"", "silent", "dynamic", "collaborative", "education"},
	reflect.TypeFor[plan.OnFailure]():      {"", "block", "retry", "ask"},
	reflect.TypeFor[plan.Rollback]():       {"", "reversible", "compensatable", "irreversible"},
	reflect.TypeFor[plan.Layer]():          {"", "clone", "in-place"},
	reflect.TypeFor[plan.SemanticChange](): {"", "preserving", "extending", "modifying", "breaking"},
	reflect.TypeFor[plan.Propagation]():    {"", "halt_on_critical", "continue_and_log", "collaborative_review"},
	reflect.TypeFor[plan.Status]():         {"open"},
}

var mosts = map[string]int{"Exit": 255, "MaxFiles": math.MaxInt32, "MaxLines": math.MaxInt32, "MaxRetries": 1000, "Complexity": 5, "FailureThreshold": math.MaxInt32}

func (r random) fill(v reflect.Value, name string) {
	if v.Type() == reflect.TypeFor[[]plan.Setting]() {
		v.Set(reflect.ValueOf(r.settings(name)))
		return
	}
	switch v.Kind() {
	case reflect.String:
		switch list := words[v.Type()]; {
		case list != nil:
			v.SetString(list[r.IntN(len(list))])
		case name == "Level":
			v.SetString([]string{"", "none", "process", "filesystem", "strict"}[r.IntN(5)])
		case name == "Address" || name == "Summary":
		default:
			v.SetString(r.text())
		}
	case reflect.Int:
		v.SetInt(int64(r.IntN(mosts[name] + 1)))
	case reflect.Int64:
		v.SetInt([]int64{0, 1, int64(time.Second), int64(90 * time.Minute), int64(2 * time.Hour),
			int64(365 * 24 * time.Hour), r.Int64N(int64(365 * 24 * time.Hour))}[r.IntN(7)])
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Pointer:
		if r.IntN(2) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
			r.fill(v.Elem(), name)
		}
	case reflect.Slice:
		if r.IntN(3) == 0 || name == "Files" || name == "PlanFiles" || name == "Own" {
			return
		}
		n := r.IntN(4)
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			r.fill(v.Index(i), name)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				r.fill(v.Field(i), f.Name)
			}
		}
	}
}

// settings are random keys of the tables that have them, as reading leaves
// them.
func (r random) settings(of string) []plan.Setting {
	var list []plan.Setting
	if of != "Settings" {
		for _, k := range r.table(3).Keys {
			list = k.Value.Settings(list, spelling.QuoteKey(k.Name))
		}
	} else {
		for _, name := range []string{"software_stack", "components", "constraints", "education", "logging",
			"metadata"} {
			if r.IntN(6) == 0 {
				list = r.table(3).Settings(list, name)
			}
		}
	}
	slices.SortStableFunc(list, plan.Setting.Compare)
	return list
}

// table is a random table. Its keys are none that a known key is like.
func (r random) table(depth int) *tomltree.Node {
	t := &tomltree.Node{Kind: tomltree.Table}
	for range r.IntN(4) {
		name := "k" + hardTexts[r.IntN(len(hardTexts))]
		like := func(k tomltree.Key) bool { return strings.EqualFold(k.Name, name) }
		if !slices.ContainsFunc(t.Keys, like) {
			t.Keys = append(t.Keys, tomltree.Key{Name: name, Value: r.value(depth)})
		}
	}
	return t
}

func (r random) value(depth int) *tomltree.Node {
	kinds := 6
	if depth > 0 {
		kinds = 9
	}
	switch r.IntN(kinds) {
	case 0:
		return &tomltree.Node{Kind: tomltree.Integer, Text: fmt.Sprint(r.Int64N(2<<53) - 1<<53)}
	case 1:
		text, _ := tomltree.CanonicalFloat(fmt.Sprint(r.NormFloat64() * []float64{0, 1, 1e3, 1e-9, 1e200}[r.IntN(5)]))
		return &tomltree.Node{Kind: tomltree.Float, Text: text}
	case 2:
		return &tomltree.Node{Kind: tomltree.Boolean, Text: fmt.Sprint(r.IntN(2) == 0)}
	case 3:
		return &tomltree.Node{Kind: tomltree.Datetime,
			Text: []string{"1979-05-27T07:32:00Z", "1979-05-27", "07:32:00", "07:32:00.5", "1979-05-27T07:32:00", "1979-05-27T07:32:00.25+01:00"}[r.IntN(6)]}
	case 6:
		return r.table(depth - 1)
	case 7, 8:
		a := &tomltree.Node{Kind: tomltree.Array}
		for range r.IntN(4) {
			a.List = append(a.List, r.value(depth-1))
		}
		return a
	}
	return &tomltree.Node{Kind: tomltree.String, Text: r.text()}
}

// Whatever plan the format can say is read back as it was, and is written the
// same again.
func TestTOMLIsReadBack(t *testing.T) {
	plans := uint64(800)
	if testing.Short() {
		plans = 50
	}
	for seed := range plans {
		p := random{rand.New(rand.NewPCG(seed, 1))}.plan()
		text := Write(p, nil)
		d, err := Read("plan.toml", text)
		if err != nil || len(d.Found) > 0 {
			t.Fatalf("seed %d: %v %v\n%s", seed, err, d.Found, text)
		}
		if !reflect.DeepEqual(&d.Plan, p) {
			t.Fatalf("seed %d: %s\n%s", seed, cmp.Diff(p, &d.Plan), text)
		}
		if d.Plan.Digest() != p.Digest() {
			t.Fatalf("seed %d: another digest", seed)
		}
		if again := Write(&d.Plan, nil); !bytes.Equal(again, text) {
			t.Fatalf("seed %d: %s", seed, cmp.Diff(string(text), string(again)))
		}
	}
}

// The plans of the documentation and of testdata are written and read back.
func TestTOMLOfFiles(t *testing.T) {
	files, err := filepath.Glob("../testdata/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		d, err := ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := Write(&d.Plan, map[string][]string{"": {"A plan that was written."}, "tasks[0].steps[0].artifacts": {"What it changes."}})
		again, err := Read(file, text)
		if err != nil || len(again.Found) > 0 {
			t.Fatal(err, again.Found)
		}
		if diff := cmp.Diff(d.Plan, again.Plan); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
		golden := strings.TrimSuffix(file, ".toml") + ".written"
		if *updateTOML {
			if err := os.WriteFile(golden, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(text)); diff != "" {
			t.Errorf("%s: %s", golden, diff)
		}
	}
}

// What the format cannot say is kept as a comment, or stands elsewhere.
func TestTOMLKeepsWhatItCannotSay(t *testing.T) {
	text := func(s string) plan.Value { return plan.Value{Kind: tomltree.String, Text: s} }
	retries := 5000
	p := &plan.Plan{Profile: plan.Observe, Goal: "bad \xff byte",
		Meta: plan.Meta{Extra: []plan.Setting{{Key: "Version", Value: text("other case")}}},
		Settings: []plan.Setting{{Key: "task_list.phase", Value: text("one")}, {Key: "dependencies", Value: text("no table")}, {Key: "logging.a", Value: text("1")}, {Key: "logging.A", Value: text("2")},
			{Key: "logging.a.b", Value: text("3")},
			{Key: "logging.big", Value: plan.Value{Kind: tomltree.Integer, Text: "99999999999999999999"}}, {Key: `not "a key`, Value: text("4")},
			{Key: "logging.t", Value: plan.Value{Kind: tomltree.Table, List: []plan.Value{text("x"), text("5")}}}},
		Tasks: []plan.Task{{ID: "1", Estimate: -time.Hour, Complexity: 9,
			Steps: []plan.Step{{ID: "1", Mode: "auto", MaxRetries: &retries,
				Limits: &plan.Limits{MaxFiles: new(int)}}}}}}
	*p.Tasks[0].Steps[0].Limits.MaxFiles = -1
	got := Write(p, nil)
	d, err := Read("x.toml", got)
	if err != nil || len(d.Found) > 0 {
		t.Fatalf("%v %v\n%s", err, d.Found, got)
	}
	want := []plan.Setting{{Key: "logging.A", Value: text("2")}, {Key: "logging.a_2", Value: text("1")}, {Key: "logging.a_3.b", Value: text("3")}, {Key: "logging.big", Value: text("99999999999999999999")}, {Key: "logging.t.x", Value: text("5")},
		{Key: `metadata."not \"a key"`, Value: text("4")}, {Key: "metadata.dependencies", Value: text("no table")},
		{Key: "metadata.task_list.phase", Value: text("one")}}
	if diff := cmp.Diff(want, d.Plan.Settings); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]plan.Setting{{Key: "Version_2", Value: text("other case")}}, d.Plan.Meta.Extra); diff != "" {
		t.Error(diff)
	}
	for _, c := range []string{`# decide: mode was "auto", which cannot stand here`,
		`# decide: max_retries was "5000"`, `# decide: estimate was "-1h0m0s"`,
		`# decide: complexity was "9"`, "# decide: limits.max_files was -1"} {
		if !strings.Contains(string(got), c) {
			t.Errorf("%q is not there:\n%s", c, got)
		}
	}
	if d.Plan.Goal != "bad \uFFFD byte" {
		t.Errorf("goal %q", d.Plan.Goal)
	}
}

// A comment is a comment, whatever is in it.
func TestRemarksStayComments(t *testing.T) {
	p := &plan.Plan{Profile: plan.Observe, Tasks: []plan.Task{{ID: "1", Steps: []plan.Step{{ID: "1"}}}}}
	r := map[string][]string{}
	for _, key := range []string{"", "profile", "goal", "requirements", "assumptions", "invariants", "non_goals", "defaults", "tasks[0]", "tasks[0].files",
		"tasks[0].steps[0]", "tasks[0].steps[0].artifacts", "tasks[0].steps[0].limits", "tasks[0].steps[0].postconditions", "completion_criteria"} {
		r[key] = hardTexts
	}
	text := Write(p, r)
	d, err := Read("x", text)
	if err != nil || len(d.Found) > 0 || d.Plan.Digest() != readBack(t, p) {
		t.Errorf("%v %v\n%s", err, d.Found, text)
	}
	if got, want := strings.Count(string(text), "# plain words"), len(r); got != want {
		t.Errorf("%d remarks of %d are there:\n%s", got, want, text)
	}
}

func readBack(t *testing.T, p *plan.Plan) any {
	d, err := Read("x", Write(p, nil))
	if err != nil {
		t.Fatal(err)
	}
	return d.Plan.Digest()
}

func BenchmarkTOML(b *testing.B) {
	p := &plan.Plan{Profile: plan.Observe, Goal: "many", Tasks: make([]plan.Task, 1000)}
	for i := range p.Tasks {
		p.Tasks[i] = plan.Task{ID: fmt.Sprint(i), Steps: make([]plan.Step, 10)}
		for j := range p.Tasks[i].Steps {
			p.Tasks[i].Steps[j] = plan.Step{ID: fmt.Sprint(j), Description: "a step", Prompt: "do\nit",
				Artifacts: &plan.Artifacts{Create: []string{"a/b.go"}}}
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		Write(p, nil)
	}
}
