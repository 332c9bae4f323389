package formats_test

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats"
	"github.com/planlock/planlock/plan/native"
)

func mustConvert(t testing.TB, d *plan.Draft, o formats.NativeOptions) (string, *plan.Draft) {
	t.Helper()
	text, err := formats.Native(d, o)
	if err != nil {
		t.Fatal(err)
	}
	back, err := native.Read("plan.toml", text)
	if err != nil || len(back.Found) > 0 {
		t.Fatalf("%v %v\n%s", err, back.Found, text)
	}
	return string(text), back
}

// inTheirOrder are the tasks of a plan as they are carried out, those without
// steps last.
func inTheirOrder(p *plan.Plan, f plan.Format) []plan.Task {
	place := map[plan.Address]int{}
	for n, a := range p.Sequence(f) {
		place[a] = n
	}
	at := func(t plan.Task) int {
		if len(t.Steps) == 0 {
			return len(place)
		}
		return place[t.Steps[0].Address]
	}
	return slices.SortedStableFunc(slices.Values(p.Tasks), func(a, b plan.Task) int { return at(a) - at(b) })
}

// sameMeaning holds that a converted plan says what the source said. What a
// conversion adds is taken off; that it adds only where it says so is held by
// what is left.
func sameMeaning(t *testing.T, source, native *plan.Draft) {
	t.Helper()
	var want, got plan.Plan
	for _, v := range []struct {
		from *plan.Draft
		to   *plan.Plan
	}{{source, &want}, {native, &got}} {
		p := v.from.Plan
		p.Settings = nil
		if v.from.Format == plan.PendingActions || v.from.Format == plan.SpecPair {
			p.Tasks = inTheirOrder(&v.from.Plan, v.from.Format)
		}
		p.Speclets = slices.Clone(p.Speclets)
		for i, of := range source.Plan.Speclets {
			if slices.ContainsFunc(of.DependsOn, func(id string) bool {
				return !slices.ContainsFunc(source.Plan.Speclets, func(s plan.Speclet) bool { return s.ID == id })
			}) {
				p.Speclets[i].DependsOn = nil
			}
			if unknown(source, of.Tasks) {
				p.Speclets[i].Tasks = nil
			}
		}
		p.Tasks = slices.Clone(p.Tasks)
		for i := range p.Tasks {
			task := &p.Tasks[i]
			task.Files, task.PlanFiles = nil, nil
			if unknown(source, source.Plan.Tasks[i].DependsOn) {
				task.DependsOn = nil
			}
			task.Steps = slices.Clone(task.Steps)
			for j := range task.Steps {
				s := &task.Steps[j]
				if source.Plan.Tasks[i].Steps[j].Artifacts == nil {
					s.Artifacts = nil
				}
				if of := &source.Plan.Tasks[i]; of.Steps[j].ExpectedOutput == "" && len(of.AcceptanceCriteria) > 0 &&
					j == len(of.Steps)-1 {
					s.ExpectedOutput = ""
				}
				if source.Plan.Tasks[i].Steps[j].Description == "" {
					s.Description = ""
				}
			}
		}
		n := len(source.Plan.Completion.Checks)
		if len(p.Completion.Checks) > n {
			p.Completion.Checks = p.Completion.Checks[:n:n]
			if source.Plan.Completion.Checks == nil {
				p.Completion.Checks = nil
			}
		}
		if source.Plan.Goal == "" {
			p.Goal = ""
		}
		*v.to = p
	}
	if want.Digest() != got.Digest() {
		t.Errorf("the meaning moved: %s", cmp.Diff(source.Plan, native.Plan))
	}
	values := func(list []plan.Setting) []string {
		var all []string
		for _, s := range list {
			all = append(all, strings.TrimPrefix(s.Key, "metadata.")+" = "+
				string((&plan.Plan{Settings: []plan.Setting{{Value: s.Value}}}).Digest()))
		}
		slices.Sort(all)
		return all
	}
	if diff := cmp.Diff(values(source.Plan.Settings), values(native.Plan.Settings)); diff != "" {
		t.Errorf("settings: %s", diff)
	}
}

// unknown reports whether ids are among these that are no tasks.
func unknown(d *plan.Draft, ids []string) bool {
	return slices.ContainsFunc(ids, func(id string) bool {
		return !slices.ContainsFunc(d.Plan.Tasks, func(t plan.Task) bool { return t.ID == id })
	})
}

// TestNativeSamples converts a plan of each format, and reads it back.
func TestNativeSamples(t *testing.T) {
	for name, s := range samples() {
		t.Run(name, func(t *testing.T) {
			dir := put(t, s.files)
			d := mustRead(t, dir)
			text, back := mustConvert(t, d, formats.NativeOptions{Dir: t.TempDir(), Force: !s.clean})
			if d.Format == plan.Native {
				if want := s.files["plan.toml"]; text != want {
					t.Errorf("a native plan was changed: %s", cmp.Diff(want, text))
				}
				return
			}
			sameMeaning(t, d, back)
			if diff := cmp.Diff(d.Plan.Graph(), back.Plan.Graph()); diff != "" {
				t.Errorf("the order: %s", diff)
			}
			if list := errorsOf(back.Check(plan.CheckOptions{})); len(list) > 0 {
				t.Errorf("the native plan has errors:\n%s\n%s", strings.Join(list, "\n"), text)
			}
			if again, _ := mustConvert(t, back, formats.NativeOptions{}); again != text {
				t.Errorf("converting again: %s", cmp.Diff(text, again))
			}
			golden := filepath.Join("testdata", "native", strings.ReplaceAll(name, " ", "-")+".toml")
			if *update {
				if err := os.WriteFile(golden, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), text); diff != "" {
				t.Error(diff)
			}
		})
	}
}

const filesPlan = `---
phase: 01-x
plan: 01
---
<task type="auto">
<name>One</name>
<files>old.txt, ./new.txt, src/, C:\x, a/*.go, .git/config, folder</files>
<action>Do it.</action>
</task>
<task type="auto">
<name>Two</name>
<files>new.txt, other.txt</files>
<action>Do it again.</action>
</task>
`

// Named files are created or modified, by what is there and by what came
// before.
func TestNativeDeclaresFiles(t *testing.T) {
	d, err := formats.ReadBytes("01-PLAN.md", []byte(filesPlan))
	if err != nil {
		t.Fatal(err)
	}
	workspace := put(t, map[string]string{"old.txt": "x", "folder/a": ""})
	text, back := mustConvert(t, d, formats.NativeOptions{Dir: workspace})
	var got []*plan.Artifacts
	for _, task := range back.Plan.Tasks {
		got = append(got, task.Steps[0].Artifacts)
	}
	want := []*plan.Artifacts{{Create: []string{"new.txt"}, Modify: []string{"old.txt"}},
		{Create: []string{"other.txt"}, Modify: []string{"new.txt"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s\n%s", diff, text)
	}
	for _, line := range []string{`modify = ["src/**"]`, `"C:\\x", which is no path`, `modify = ["a/*.go"]`, `".git/config", which is no path`, `modify = ["folder/**"]`} {
		if !strings.Contains(text, "# decide: ") || !strings.Contains(text, line) {
			t.Errorf("%s is not in\n%s", line, text)
		}
	}
	text, back = mustConvert(t, d, formats.NativeOptions{})
	if a := back.Plan.Tasks[0].Steps[0].Artifacts; a == nil || len(a.Create) > 0 || !strings.Contains(text, "# decide: which of them are new? move these to create") {
		t.Errorf("without a workspace: %+v\n%s", a, text)
	}
	if _, err := formats.Native(d, formats.NativeOptions{Dir: filepath.Join(workspace, "none")}); !errors.Is(err,
		fs.ErrNotExist) {
		t.Errorf("a workspace that is not there: %v", err)
	}
}

// A task that is done keeps its files as created: so what is there stays
// evidence.
func TestNativeOfDoneTasks(t *testing.T) {
	d, err := formats.ReadBytes("tasks.md", []byte("# Tasks\n\n- [x] T001 Write notes/old.txt\n- [ ] T002 Extend notes/old.txt\n"))
	if err != nil {
		t.Fatal(err)
	}
	text, back := mustConvert(t, d, formats.NativeOptions{Dir: put(t, map[string]string{"notes/old.txt": "x"})})
	a, b := back.Plan.Tasks[0].Steps[0].Artifacts, back.Plan.Tasks[1].Steps[0].Artifacts
	if a == nil || b == nil || !slices.Equal(a.Create, []string{"notes/old.txt"}) || !slices.Equal(b.Modify, []string{"notes/old.txt"}) || !strings.Contains(text, "acknowledge done:T001.1") {
		t.Errorf("%+v %+v\n%s", a, b, text)
	}
}

// With several steps, a file belongs to the only one that names it and does not
// just look.
func TestNativeSpreadsFiles(t *testing.T) {
	d, err := formats.ReadBytes("x.md", []byte("# X Implementation Plan\n\n**Goal:** X.\n\n### Task 1: A\n\n**Files:**\n- Create: `a/one.go`\n- Modify: `two.go`\n- Test: `a/one_test.go`\n\n"+
		"- [ ] **Step 1: Write a/one_test.go**\n- [ ] **Step 2: Run a/one_test.go**\n- [ ] **Step 3: Implement a/one.go and two.go**\n- [ ] **Step 4: Mend two.go**\n"))
	if err != nil {
		t.Fatal(err)
	}
	text, back := mustConvert(t, d, formats.NativeOptions{Dir: put(t, map[string]string{"two.go": ""})})
	var got []*plan.Artifacts
	for _, s := range back.Plan.Tasks[0].Steps {
		got = append(got, s.Artifacts)
	}
	want := []*plan.Artifacts{{Create: []string{"a/one_test.go"}}, nil, {Create: []string{"a/one.go"}}, nil}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s\n%s", diff, text)
	}
	if !strings.Contains(text, "# decide: the task names files; declare each in the step that changes it\n# artifacts = { modify = [\"two.go\"] }") {
		t.Errorf("the file that two steps name is lost:\n%s", text)
	}
}

// A text that tells to write files declares them; one that names them otherwise
// does not.
func TestNativeHints(t *testing.T) {
	for text, want := range map[string][]string{
		"Create src/a/b.go with `main.go`": {"src/a/b.go", "main.go"},
		"Write the model in src/m.py.":     {"src/m.py"},
		"Update (docs/a.md)":               {"docs/a.md"},
		"Add https://x.org/a.html to v1.2": nil,
		"Look at src/a.go":                 nil,
		"Run tests/a.py":                   nil,
		"Added src/a.go":                   nil,
		"Create and/or delete":             nil,
		"Create ../up/a.go":                nil, // nothing outside
	} {
		d, err := formats.ReadBytes("tasks.md", []byte("# Tasks\n\n- [ ] T001 "+text+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		_, back := mustConvert(t, d, formats.NativeOptions{Dir: t.TempDir()})
		var got []string
		if a := back.Plan.Tasks[0].Steps[0].Artifacts; a != nil {
			got = a.Create
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

func TestNativeDropsUnknownDependencies(t *testing.T) {
	d, err := formats.ReadBytes("tasks.md", []byte("# Tasks\n\n- [ ] T001 a\n- [ ] T002 b (depends on T001, T009)\n- [ ] T003 c (depends on T008)\n"))
	if err != nil {
		t.Fatal(err)
	}
	text, back := mustConvert(t, d, formats.NativeOptions{})
	if diff := cmp.Diff([]string{"T001"}, back.Plan.Tasks[1].DependsOn); diff != "" ||
		back.Plan.Tasks[2].DependsOn != nil {
		t.Errorf("%s\n%s", diff, text)
	}
	if !strings.Contains(text, "# decide: the source depends on \"T009\", which is not in it") {
		t.Errorf("the dependency is lost:\n%s", text)
	}
}

func TestNativeCriteria(t *testing.T) {
	d, err := formats.ReadBytes("pending_actions.json", []byte(`[{"task_id": 1, "priority": "HIGH", "action": "a", "acceptance_criteria": [
		"`+"`go test ./...`"+` passes", "docs/a.md exists", "`+"`x.txt`"+` exists.", "it is good", "`+"`go test`"+` passes twice", "rm exists", "../up.txt exists"]}]`))
	if err != nil {
		t.Fatal(err)
	}
	text, back := mustConvert(t, d, formats.NativeOptions{})
	want := []plan.Check{{Kind: "command", Run: "go test ./..."}, {Kind: "file_exists", Path: "docs/a.md"}, {Kind: "file_exists", Path: "x.txt"}}
	if diff := cmp.Diff(want, back.Plan.Completion.Checks); diff != "" {
		t.Errorf("%s\n%s", diff, text)
	}
	if got := back.Plan.Tasks[0].Steps[0].ExpectedOutput; got != "- it is good\n- `go test` passes twice\n- rm exists\n- ../up.txt exists" {
		t.Errorf("a reviewer is asked %q", got)
	}
	if len(back.Plan.Tasks[0].AcceptanceCriteria) != 7 {
		t.Errorf("criteria were lost: %q", back.Plan.Tasks[0].AcceptanceCriteria)
	}
}

func TestNativeRefuses(t *testing.T) {
	read := func(name, text string) *plan.Draft {
		d, err := formats.ReadBytes(name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	var faulty *plan.CheckError
	for _, d := range []*plan.Draft{read("a.txt", "prose"), read("plan.toml", "schema = 1\n[goal\n"), read("x.json", "[1,"), {}} {
		if _, err := formats.Native(d, formats.NativeOptions{Force: true}); !errors.As(err, &faulty) {
			t.Errorf("%s: %v", d.Format, err)
		}
	}
	d := read("tasks.md", "# Tasks\n\n- [ ] T001 a (depends on T002)\n- [ ] T002 b (depends on T001)\n")
	if _, err := formats.Native(d, formats.NativeOptions{}); !errors.As(err, &faulty) || len(faulty.Diagnostics) == 0 {
		t.Errorf("a plan with errors: %v", err)
	}
	text, back := mustConvert(t, d, formats.NativeOptions{Force: true})
	if !strings.Contains(text, "# error in the source, line ") || len(back.Plan.Tasks) != 2 {
		t.Errorf("by force:\n%s", text)
	}
}

// A native plan that was edited is written anew; the rest of its meaning stays.
func TestNativeOfAnEditedPlan(t *testing.T) {
	d, err := native.Read("plan.toml", []byte("# a comment\n"+nativePlan))
	if err != nil {
		t.Fatal(err)
	}
	d.Plan.Goal = "Another"
	text, back := mustConvert(t, d, formats.NativeOptions{})
	if back.Plan.Digest() != d.Plan.Digest() || strings.Contains(text, "#") {
		t.Errorf("%s", text)
	}
}

// TestCorpusIsConverted converts every plan of the corpus.
func TestCorpusIsConverted(t *testing.T) {
	found := map[string]int{}
	converted := 0
	err := filepath.WalkDir(corpus(t), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		d, err := formats.ReadFile(path)
		if err != nil || d.Format == plan.Unknown {
			return nil
		}
		text, err := formats.Native(d, formats.NativeOptions{Force: true})
		if nothing := new(plan.CheckError); errors.As(err, &nothing) {
			return nil
		}
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return nil
		}
		converted++
		back, err := native.Read("plan.toml", text)
		if err != nil {
			return err
		}
		if d.Format == plan.Native {
			return nil
		}
		t.Run(filepath.Base(path), func(t *testing.T) { sameMeaning(t, d, back) })
		if len(errorsOf(d.Check(plan.CheckOptions{}))) > 0 {
			return nil
		}
		for _, f := range back.Check(plan.CheckOptions{}) {
			if f.Severity == plan.Error {
				found[f.Code]++
				t.Errorf("%s: %v", path, f)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if converted == 0 {
		t.Error("nothing was converted")
	}
	t.Logf("%d converted", converted)
	for _, code := range slices.Sorted(maps.Keys(found)) {
		t.Logf("%s: %d", code, found[code])
	}
}

// FuzzNative converts whatever can be read: the text is always one that reads
// without findings, and means the same.
func FuzzNative(f *testing.F) {
	for _, s := range samples() {
		for name, text := range s.files {
			f.Add(name, []byte(text))
		}
	}
	f.Add("01-PLAN.md", []byte(filesPlan))
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		d, err := formats.ReadBytes(name, text)
		if err != nil {
			t.Fatal(err)
		}
		out, err := formats.Native(d, formats.NativeOptions{Force: true})
		if nothing := new(plan.CheckError); errors.As(err, &nothing) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		back, err := native.Read("plan.toml", out)
		if err != nil {
			t.Fatal(err)
		}
		if d.Format == plan.Native {
			return
		}
		if len(back.Plan.Tasks) != len(d.Plan.Tasks) {
			t.Errorf("%d tasks of %d", len(back.Plan.Tasks), len(d.Plan.Tasks))
		}
		again, err := formats.Native(back, formats.NativeOptions{Force: true})
		if err != nil || !bytes.Equal(again, out) {
			t.Errorf("converting again: %v %s", err, cmp.Diff(string(out), string(again)))
		}
	})
}
