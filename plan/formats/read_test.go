package formats_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/file"
	"github.com/planlock/planlock/plan/formats"
	"github.com/planlock/planlock/plan/lockfile"
)

// put writes files into a new folder.
func put(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func mustRead(t testing.TB, path string) *plan.Draft {
	t.Helper()
	d, err := formats.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// errorsOf are the errors among diagnostics.
func errorsOf(found []plan.Diagnostic) []string {
	var list []string
	for _, d := range found {
		if d.Severity == plan.Error || d.Code == "cannot-run" {
			list = append(list, d.String())
		}
	}
	return list
}

func TestReadSamples(t *testing.T) {
	for name, s := range samples() {
		t.Run(name, func(t *testing.T) {
			dir := put(t, s.files)
			d := mustRead(t, dir)
			if d.Format != s.format && len(s.files) > 0 {
				t.Fatalf("the folder is %q, want %q: %v", d.Format, s.format, d.Found)
			}
			if list := errorsOf(d.Check(plan.CheckOptions{})); s.clean && len(list) > 0 {
				t.Errorf("errors:\n%s", strings.Join(list, "\n"))
			}
			for _, f := range d.Check(plan.CheckOptions{}) {
				if f.Pos.Line < 1 || f.Pos.Column < 1 || f.Hint == "" || f.Message == "" {
					t.Errorf("%+v is incomplete", f)
				}
			}
			order := d.Plan.Graph().Order
			if len(order) == 0 {
				t.Error("there is nothing to carry out")
			}
			if s.steps != nil {
				if diff := cmp.Diff(s.steps, order); diff != "" {
					t.Error(diff)
				}
			}
			if len(s.files) == 1 || s.format == "spec-pair" {
				for file := range s.files {
					one := mustRead(t, filepath.Join(dir, file))
					if one.Format != s.format {
						t.Errorf("%s alone is %q, want %q", file, one.Format, s.format)
					}
				}
			}
		})
	}
}

// TestEitherHalf reads a pair by the folder and by each of its files, whatever
// they are called.
func TestEitherHalf(t *testing.T) {
	for _, names := range [][2]string{
		{"spec_notes.md", "parameters_notes.toml"},
		{"notes_SPEC.md", "parameters_notes.toml"},
		{"NOTES_spec.md", "parameters_notes.toml"},
		{"speclet_1_notes.md", "parameters_speclet_1_notes.toml"},
		{"spec.md", "parameters.toml"},
		{"what.md", "ever.toml"}, // the only two halves
	} {
		t.Run(names[0], func(t *testing.T) {
			dir := put(t, map[string]string{names[0]: specMarkdown, names[1]: specTOML, "progress_notes.json": "{}", "README.md": "# Read me\n"})
			want := mustRead(t, dir)
			for _, name := range names {
				d := mustRead(t, filepath.Join(dir, name))
				if d.Format != "spec-pair" || d.Plan.Digest() != want.Plan.Digest() {
					t.Errorf("%s is %q and means something else", name, d.Format)
				}
			}
			sides := want.Sides()
			if len(sides) != 2 || sides[0].Name != "markdown" || filepath.Base(sides[0].File) != names[0] ||
				filepath.Base(sides[1].File) != names[1] {
				t.Errorf("sides: %+v", sides)
			}
		})
	}
}

// TestHalvesOfDifferentPairs keeps apart what does not belong together.
func TestHalvesOfDifferentPairs(t *testing.T) {
	dir := put(t, map[string]string{"speclet_1_a.md": specMarkdown, "speclet_2_b.md": specMarkdown,
		"parameters_speclet_1_a.toml": specTOML})
	if d := mustRead(t, filepath.Join(dir, "speclet_2_b.md")); d.Format != "spec-markdown" {
		t.Errorf("a half without another is %q", d.Format)
	}
	if d := mustRead(t, filepath.Join(dir, "speclet_1_a.md")); d.Format != "spec-pair" {
		t.Errorf("a half with another is %q", d.Format)
	}
	_, err := formats.ReadFile(dir)
	if !errors.Is(err, file.ErrManyPlans) || !strings.Contains(err.Error(), "speclet_2_b.md") ||
		!strings.Contains(err.Error(), "parameters_speclet_1_a.toml with speclet_1_a.md") {
		t.Errorf("the folder: %v", err)
	}
}

func TestFolders(t *testing.T) {
	for name, tt := range map[string]struct {
		files map[string]string
		want  plan.Format
		err   error
		says  string
	}{
		"a native plan comes first": {map[string]string{"plan.toml": nativePlan, "04-01-PLAN.md": phaseFirst},
			plan.Native, nil, ""},
		"nothing":                   {map[string]string{"a.txt": "x"}, "", file.ErrNoPlan, "PLAN.md"},
		"only prose":                {map[string]string{"README.md": "# Read me\n\nText.\n"}, "", file.ErrNoPlan, "PLAN.md"},
		"two kinds":                 {map[string]string{"04-01-PLAN.md": phaseFirst, "pending_actions.json": `[{"task_id":1,"priority":"HIGH","action":"a","acceptance_criteria":["b"]}]`}, "", file.ErrManyPlans, "pending_actions.json"},
		"a summary is not its plan": {map[string]string{"04-01-PLAN.md": phaseFirst, "04-01-SUMMARY.md": "---\nphase: 04\nplan: 01\n---\n# Done\n"}, "phase-plan", nil, ""},
		"phase plans that are called otherwise": {map[string]string{"foundation.md": phaseFirst, "lamps (v2).md": phaseSecond,
			"foundation summary.md": "---\nphase: 04\nplan: 01\n---\n# Done\n"}, "phase-plan", nil, ""},
		"a summary alone is no plan": {map[string]string{"04-01-SUMMARY.md": "---\nphase: 04\nplan: 01\n---\n# Done\n"}, "", file.ErrNoPlan, ""},
		"a lock file is no plan":     {map[string]string{"04-01-PLAN.md": phaseFirst, "04-01-PLAN.lock.json": `{"tasks": []}`}, "phase-plan", nil, ""},
		"a page that is called so": {map[string]string{"PLAN.md": "# X\n\n- [ ] a\n", "README.md": "# Y\n\n1. b\n2. c\n"},
			"markdown", nil, ""},
		"a page that is not":               {map[string]string{"README.md": "# Y\n\n1. b\n2. c\n"}, "", file.ErrNoPlan, ""},
		"a page beside the plan of a tool": {map[string]string{"TODO.md": "# X\n\n- [ ] a\n", "plan.toml": nativePlan}, plan.Native, nil, ""},
		"what lies deeper is not read":     {map[string]string{"deep/04-01-PLAN.md": phaseFirst}, "", file.ErrNoPlan, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := formats.ReadFile(put(t, tt.files))
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if err != nil {
				if !strings.Contains(err.Error(), tt.says) {
					t.Errorf("%v does not say %q", err, tt.says)
				}
				return
			}
			if d.Format != tt.want {
				t.Errorf("format %q, want %q", d.Format, tt.want)
			}
		})
	}
}

func TestPhaseFolderIsOneGraph(t *testing.T) {
	d := mustRead(t, put(t, map[string]string{"04-01-PLAN.md": phaseFirst, "04-02-PLAN.md": phaseSecond}))
	if diff := cmp.Diff([][]string{{"01"}, {"02"}}, d.Plan.Graph().Stages); diff != "" {
		t.Error(diff)
	}
	if len(d.Files) != 2 || len(d.Plan.Tasks) != 3 {
		t.Errorf("%d files, %d tasks", len(d.Files), len(d.Plan.Tasks))
	}
	for i := range d.Plan.Tasks {
		p := d.Position("tasks[" + string(rune('0'+i)) + "]")
		if !strings.Contains(d.Line(p), "<task") {
			t.Errorf("task %d is at %v: %q", i, p, d.Line(p))
		}
	}
}

func TestUnknown(t *testing.T) {
	for name, tt := range map[string]struct{ file, text, says string }{
		"empty":           {"plan.md", "", "empty"},
		"prose":           {"README.md", "# Read me\n\nText.\n\n- milk\n", "headings: 1, checkboxes: 0"},
		"a list of notes": {"p.md", "# Notes\n\n- [ ] Buy milk\n", `what stands below the heading "Notes" is not read as tasks`},
		"json": {"package.json", `{"name": "x", "version": "1", "scripts": {"a": "b"}}`,
			"name, version, scripts"},
		"json list":  {"x.json", `[1, 2]`, "list"},
		"binary":     {"x.bin", "\x00\x01\x02", "binary"},
		"binary md":  {"tasks.md", "- [ ] T001 \x00", "binary"},
		"not text":   {"x.txt", "abc\xff\xfe", "UTF-8"},
		"script":     {"run.sh", "#!/bin/sh\necho\n", "script"},
		"html":       {"index.html", "<!DOCTYPE html><p>", "HTML"},
		"yaml":       {"x.yaml", "a: 1\n", "YAML"},
		"plain":      {"x.txt", "hello\n", "plain text"},
		"other toml": {"Cargo.toml", "[package]\nname = \"x\"\n", "not a plan"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := formats.ReadBytes(tt.file, []byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			found := d.Check(plan.CheckOptions{})
			if d.Format != plan.Unknown || len(found) != 1 || found[0].Code != "not-a-plan" ||
				found[0].Severity != plan.Error {
				t.Fatalf("format %q, found %v", d.Format, found)
			}
			if !strings.Contains(found[0].Message, tt.says) || found[0].Hint == "" {
				t.Errorf("it says %q, hint %q", found[0].Message, found[0].Hint)
			}
		})
	}
}

// TestNativePlansAreKnown tells native plans, also those that forgot to say so,
// from halves of a SPEC.
func TestNativePlansAreKnown(t *testing.T) {
	for name, tt := range map[string]struct {
		file, text string
		want       plan.Format
		code       string
	}{
		"as it should be":    {"x.toml", nativePlan, plan.Native, ""},
		"by another name":    {"x.plan", nativePlan, plan.Native, ""},
		"no schema":          {"plan.toml", strings.TrimPrefix(nativePlan, "schema = 1\n"), plan.Unknown, "schema-missing"},
		"no schema, by keys": {"x.toml", "goal.description = \"x\"\n[[non_goals]]\n[[tasks]]\n", plan.Unknown, "schema-missing"},
		"a later schema":     {"x.toml", "schema = 2\n", plan.Unknown, "schema-unsupported"},
		"a half of a SPEC":   {"x.toml", specTOML, "spec-toml", "file-missing"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := formats.ReadBytes(tt.file, []byte(tt.text))
			if err != nil || d.Format != tt.want {
				t.Fatalf("%v, %v", d, err)
			}
			if tt.code != "" && !slices.ContainsFunc(d.Found,
				func(f plan.Diagnostic) bool { return f.Code == tt.code }) {
				t.Errorf("found %v", d.Found)
			}
		})
	}
}

func TestReadErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := formats.ReadFile(filepath.Join(dir, "none.md")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := formats.ReadBytes("x.md", make([]byte, 17<<20)); !errors.As(err, new(*plan.SizeError)) {
		t.Errorf("a large text: %v", err)
	}
	big := filepath.Join(dir, "tasks.md")
	if err := os.WriteFile(big, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, 17<<20); err != nil {
		t.Fatal(err)
	}
	if _, err := formats.ReadFile(big); !errors.As(err, new(*plan.SizeError)) {
		t.Errorf("a large file: %v", err)
	}
	if _, err := formats.ReadFile(os.DevNull); !errors.Is(err, file.ErrNotRegular) {
		t.Errorf("a device: %v", err)
	}
}

// TestLocksFollowTheirFiles locks plans of each format and changes words of
// their files.
func TestLocksFollowTheirFiles(t *testing.T) {
	for name, s := range samples() {
		if !s.clean {
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := put(t, s.files)
			id, err := lockfile.NewID(time.Now(), nil)
			if err != nil {
				t.Fatal(err)
			}
			l, err := plan.Lock(mustRead(t, dir), plan.LockOptions{ID: id})
			if err != nil {
				t.Fatal(err)
			}
			if err := l.Verify(); err != nil {
				t.Fatalf("nothing moved: %v", err)
			}
			written, err := lockfile.Encode(l)
			if err != nil {
				t.Fatal(err)
			}
			again, err := lockfile.Read(mustRead(t, dir), written, plan.CheckOptions{})
			if err != nil || again.Digest() != l.Digest() || again.Format() != s.format {
				t.Fatalf("the lock was read as %v, %v", again, err)
			}
			for file, text := range s.files {
				changed := strings.NewReplacer("Write", "Draw", "Search", "Find").Replace(text)
				if changed == text {
					t.Fatalf("%s has nothing to change", file)
				}
				if err := os.WriteFile(filepath.Join(dir, file), []byte(changed), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			var moved *plan.LockError
			if err := l.Verify(); !errors.As(err, &moved) {
				t.Errorf("words were changed, and Verify says %v", err)
			}
		})
	}
}

// TestTickingABoxIsNoOtherPlan ticks boxes of task lists, as agents do while
// they work.
func TestTickingABoxIsNoOtherPlan(t *testing.T) {
	for name, s := range samples() {
		for file, text := range s.files {
			ticked := strings.ReplaceAll(text, "- [ ]", "- [x]")
			if ticked == text {
				continue
			}
			t.Run(name, func(t *testing.T) {
				before, _ := formats.ReadBytes(file, []byte(text))
				after, _ := formats.ReadBytes(file, []byte(ticked))
				if before.Plan.Digest() != after.Plan.Digest() {
					t.Error("the digest moved")
				}
			})
		}
	}
}

// TestWhatIsNotSaidIsToldOnce counts the notes of each plan.
func TestWhatIsNotSaidIsToldOnce(t *testing.T) {
	for name, s := range samples() {
		t.Run(name, func(t *testing.T) {
			said := map[string]int{}
			for _, f := range mustRead(t, put(t, s.files)).Check(plan.CheckOptions{}) {
				if f.Code == "not-said" {
					said[f.Message]++
					if f.Severity != plan.Note || !strings.Contains(f.Hint, " = ") {
						t.Errorf("%+v", f)
					}
				}
			}
			if s.format == plan.Native && len(said) > 0 || s.format != plan.Native && len(said) < 3 {
				t.Errorf("said %v", said)
			}
			for message, n := range said {
				if n > 1 {
					t.Errorf("%d times: %s", n, message)
				}
			}
		})
	}
}

// Files that a text says to create are looked for, and that is told.
func TestDerivedChecks(t *testing.T) {
	for name, text := range map[string]string{
		"tasks.md":         "# Tasks\n- [ ] T001 Add the model in src/user.py\n",
		"01-01-PLAN.md":    "## Task 1: A\n**Acceptance:** x\n\nCreate `src/user.py` with the model.\n",
		"pending.json":     `[{"task_id": 1, "priority": "HIGH", "action": "Create ` + "`src/user.py`" + `", "acceptance_criteria": ["x", "` + "`go vet ./...`" + ` passes"]}]`,
		"x.md":             "# P\n\n### Task 1: Model\n\n- [ ] **Step 1: Write it**\n\nCreate `src/user.py`.\n",
		".kiro/x/tasks.md": "- [ ] 1. Model\n  - Create `src/user.py`\n  - _Requirements: 1_\n",
	} {
		d, err := formats.ReadBytes(name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, s := range d.Plan.Steps() {
			for _, c := range s.Postconditions {
				found = append(found, c.String())
			}
		}
		want := `file_exists path="src/user.py" (derived from the text)`
		if !slices.Contains(found, want) {
			t.Errorf("%s (%s): no %s among %q", name, d.Format, want, found)
		}
		if name == "pending.json" && !slices.Contains(found, `command run="go vet ./..."`) {
			t.Errorf("%s: the criterion that is a command is among %q", name, found)
		}
		told := slices.ContainsFunc(d.Found, func(f plan.Diagnostic) bool { return f.Code == "derived-checks" })
		if !told {
			t.Errorf("%s: nobody is told: %v", name, d.Found)
		}
	}
}
