package plan_test

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

func TestCanonicalGolden(t *testing.T) {
	for _, name := range []string{"limits", "minimal", "everything"} {
		text := readText(t, "testdata/"+name+".toml")
		d := mustRead(t, text)
		if len(d.Found) > 0 {
			t.Errorf("%s: %v", name, d.Found)
		}
		got := append(d.Plan.Canonical(), "\n"+d.Plan.Digest()+"\n"...)
		golden(t, "testdata/"+name+".canonical", got)
		if d.Plan.Digest() != ledger.Sum(d.Plan.Canonical()) {
			t.Error("the streamed digest is not that of the encoding")
		}
	}
}

// The same plan, spelled differently.
func TestSpellingDoesNotMatter(t *testing.T) {
	base := limitsPlan(t)
	want := mustRead(t, base).Plan.Digest()
	replace := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(base) }
	for name, text := range map[string]string{
		"comments":    "# a comment\n" + replace("schema = 1\n", "schema = 1 # one\n\n# more\n"),
		"line ends":   strings.ReplaceAll(base, "\n", "\r\n"),
		"mark":        "\ufeff" + base,
		"no newline":  strings.TrimRight(base, "\n"),
		"indentation": strings.ReplaceAll(base, "\n  ", "\n"),
		"key order":   replace("id = \"R2\"\ntext = \"The limit is documented\"", "text = \"The limit is documented\"\nid = \"R2\""),
		"numbers":     replace("max_lines = 120", "max_lines = 0x78", "max_lines = 80", "max_lines = +8_0", "max_lines = 20", "max_lines = 0b10100"),
		"strings":     replace(`"Document the limit"`, `'''Document the limit'''`, `"README.md"`, `"\u0052EADME.md"`),
		"inline":      replace("[goal]\ndescription = \"Limit each client of the HTTP server to 10 requests per second\"\n", "", "schema = 1\n", "schema = 1\ngoal = { description = \"Limit each client of the HTTP server to 10 requests per second\" }\n"),
		"dotted":      replace("[goal]\ndescription = \"Limit", "", "schema = 1\n", "schema = 1\ngoal.description = \"Limit each client of the HTTP server to 10 requests per second\"\n", " each client of the HTTP server to 10 requests per second\"\n", ""),
		"dotted step": replace("    [tasks.steps.limits]\n    max_files = 1\n    max_lines = 80\n    modules = [\"server\"]\n", "", "  components = [\"server\"]\n", "  components = [\"server\"]\n  limits.max_files = 1\n  limits.max_lines = 80\n  limits.modules = [\"server\"]\n"),
		"set order":   replace(`["server.Limiter", "server.Limiter.Allow"]`, `["server.Limiter.Allow", "server.Limiter", "server.Limiter"]`),
		"durations":   replace(`"2m"`, `"120s"`),
		"ids":         replace("depends_on = [1]", `depends_on = ["1"]`),
		"defaults":    replace("[defaults]\nexecutor = \"shell\"\non_failure = \"block\"\n", "[defaults]\n", "  requirements = [\"R1\"]\n", "  requirements = [\"R1\"]\n  executor = \"shell\"\n", "  requirements = [\"R2\"]\n", "  requirements = [\"R2\"]\n  executor = \"shell\"\n  on_failure = \"block\"\n", "  components", "  on_failure = \"block\"\n  components"),
	} {
		t.Run(name, func(t *testing.T) {
			d := mustRead(t, text)
			if text == base || len(d.Found) > 0 {
				t.Fatalf("the test is wrong: %v\n%s", d.Found, text)
			}
			if got := d.Plan.Digest(); got != want {
				t.Errorf("another digest:\n%s\n%s", mustRead(t, base).Plan.Canonical(), d.Plan.Canonical())
			}
		})
	}
}

// Every field of the model is part of the digest, by reflection: a field that
// is added and not encoded fails here.
func TestEveryFieldMatters(t *testing.T) {
	p := &plan.Plan{}
	fill(reflect.ValueOf(p).Elem(), 0)
	seen := map[ledger.Digest]string{p.Digest(): "the plan itself"}
	changes := 0
	vary(reflect.ValueOf(p).Elem(), "Plan", func(path string) {
		changes++
		got := p.Digest()
		if before, ok := seen[got]; ok {
			t.Errorf("%s: the same digest as %s", path, before)
		}
		seen[got] = path
	})
	if changes < 200 {
		t.Errorf("only %d changes were tried", changes)
	}
}

// notMeaning are fields that are no part of a plan's meaning.
var notMeaning = map[string]bool{
	"Address": true, // follows from the ids; FixedBy has the same type and is checked by its own name
	"Own":     true, // the controller's, not the plan's
	"Status":  true, // what happened, not what is to be done
	"Summary": true, // likewise, in the words of somebody else
}

func fill(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth)
	case reflect.Slice:
		if depth > 12 || v.Type().Elem() == reflect.TypeFor[plan.Value]() && depth > 4 {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), depth+1)
		fill(v.Index(1), depth+1)
		if v.Type().Elem().Kind() == reflect.String {
			v.Index(1).SetString("y")
		}
		if v.Type().Elem() == reflect.TypeFor[plan.Setting]() {
			v.Index(1).FieldByName("Key").SetString("y")
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if !notMeaning[v.Type().Field(i).Name] {
				fill(v.Field(i), depth+1)
			}
		}
	}
}

// vary changes one thing at a time, calls try, and puts it back.
func vary(v reflect.Value, path string, try func(string)) {
	was := reflect.New(v.Type()).Elem()
	was.Set(v)
	change := func(what string, to any) {
		v.Set(reflect.ValueOf(to).Convert(v.Type()))
		try(path + " " + what)
		v.Set(was)
	}
	switch v.Kind() {
	case reflect.String:
		change("changed", "z")
		change("empty", "")
	case reflect.Int, reflect.Int64:
		change("changed", 8)
	case reflect.Bool:
		change("false", false)
	case reflect.Pointer:
		v.SetZero()
		try(path + " nil")
		v.Set(was)
		vary(v.Elem(), path, try)
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		v.Set(was.Slice(0, 1))
		try(path + " shorter")
		if v.Type().Elem() != reflect.TypeFor[plan.Setting]() {
			v.Set(was.Slice(0, 0))
			try(path + " empty")
			v.SetZero()
			try(path + " nil")
		}
		v.Set(was)
		vary(v.Index(0), path+"[0]", try)
	case reflect.Struct:
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; !notMeaning[name] {
				vary(v.Field(i), path+"."+name, try)
			}
		}
	}
}

// The encoding can be read back, and the names of every record are in order,
// each once.
func TestCanonicalIsWellFormed(t *testing.T) {
	p := &plan.Plan{}
	fill(reflect.ValueOf(p).Elem(), 0)
	text := p.Canonical()
	rest, ok := bytes.CutPrefix(text, []byte(plan.CanonicalName))
	if !ok {
		t.Fatal("no name")
	}
	rest = parseCanonical(t, rest)
	if len(rest) > 0 {
		t.Errorf("%d bytes are left", len(rest))
	}
}

func parseCanonical(t *testing.T, b []byte) []byte {
	t.Helper()
	if len(b) == 0 {
		t.Fatal("ends early")
	}
	switch b[0] {
	case 's':
		_, rest := parseText(t, b)
		return rest
	case 'i':
		_, rest, _ := bytes.Cut(b, []byte(";"))
		return rest
	case 't', 'f':
		return b[1:]
	case '[':
		for b = b[1:]; b[0] != ']'; {
			b = parseCanonical(t, b)
		}
		return b[1:]
	case '{':
		last := ""
		for b = b[1:]; b[0] != '}'; {
			var name string
			name, b = parseText(t, b)
			if name <= last {
				t.Errorf("%q stands behind %q", name, last)
			}
			last = name
			b = parseCanonical(t, b)
		}
		return b[1:]
	}
	t.Fatalf("what is %q", b[0])
	return nil
}

func parseText(t *testing.T, b []byte) (string, []byte) {
	var n int
	if _, err := fmt.Sscanf(string(b[:min(len(b), 20)]), "s%d:", &n); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(b, []byte(":"))
	return string(rest[:n]), rest[n:]
}

func TestNilIsNotEmpty(t *testing.T) {
	with := func(a *plan.Artifacts) ledger.Digest {
		return (&plan.Plan{Tasks: []plan.Task{{Steps: []plan.Step{{Artifacts: a}}}}}).Digest()
	}
	digests := map[ledger.Digest]bool{}
	for _, a := range []*plan.Artifacts{nil, {}, {Create: []string{}}, {SymbolsAdd: []string{}},
		{SymbolsRemove: []string{}}} {
		digests[with(a)] = true
	}
	if len(digests) != 5 {
		t.Errorf("%d different digests of 5", len(digests))
	}
}

func TestCopyIsDeep(t *testing.T) {
	p := &plan.Plan{}
	fill(reflect.ValueOf(p).Elem(), 0)
	want := p.Digest()
	c := plan.DeepCopy(p)
	if c.Digest() != want {
		t.Fatal("the copy is another plan")
	}
	vary(reflect.ValueOf(c).Elem(), "Plan", func(path string) {
		if p.Digest() != want {
			t.Fatalf("a change of the copy at %s changed the plan", path)
		}
	})
	c.Tasks[0].Steps[0].Artifacts.Create[0] = "changed"
	*c.Tasks[0].Steps[0].MaxRetries = 99
	if p.Digest() != want {
		t.Error("the copy shares with the plan")
	}
}

func TestScalars(t *testing.T) {
	for _, tt := range []struct{ a, b string }{
		{"1.5", "15e-1"}, {"0.0", "-0.0"}, {"1_000", "1000"}, {"0xFF", "255"}, {"0o17", "15"},
		{"1979-05-27T07:32:00Z", "1979-05-27 07:32:00.000Z"}, {"07:32:00", "07:32:00.0"}, {"07:32:00", "07:32"}, {"1979-05-27T07:32:00", "1979-05-27 07:32"}, {"1979-05-27T07:32:00Z", "1979-05-27t07:32:00+00:00"},
	} {
		a := mustRead(t, "schema = 1\n[constraints]\nv = "+tt.a+"\n")
		b := mustRead(t, "schema = 1\n[constraints]\nv = "+tt.b+"\n")
		if a.Plan.Digest() != b.Plan.Digest() || len(a.Found)+len(b.Found) > 0 {
			t.Errorf("%s and %s differ: %v %v %v %v", tt.a, tt.b, a.Plan.Settings, b.Plan.Settings, a.Found, b.Found)
		}
	}
	for _, bad := range []string{"nan", "inf", "-inf", "+nan", "9007199254740993", "-9007199254740993", "99999999999999999999", "1e999", "01", "1979-13-01"} {
		if d := mustRead(t, "schema = 1\n[constraints]\nv = "+bad+"\n"); len(d.Found) == 0 {
			t.Errorf("%s was taken: %v", bad, d.Plan.Settings)
		}
	}
	if a, b := mustRead(t, "schema = 1\n[constraints]\nv = 1\n"),
		mustRead(t, "schema = 1\n[constraints]\nv = 1.0\n"); a.Plan.Digest() == b.Plan.Digest() {
		t.Error("an integer and a float are one")
	}
}
