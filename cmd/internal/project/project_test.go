package project_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/planlock/planlock/cmd/internal/project"
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/ledger/source/languages"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats"
	"github.com/planlock/planlock/plan/native"
)

// files is a folder with these texts.
func files(texts map[string]string) fstest.MapFS {
	dir := fstest.MapFS{}
	for name, text := range texts {
		dir[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return dir
}

func TestLook(t *testing.T) {
	for name, tt := range map[string]struct {
		files map[string]string
		want  string
	}{
		"go":          {map[string]string{"go.mod": "module m\n", "a/a.go": "package a\n", "b_test.go": "package m\n"}, "Go (go.mod), tested with  go test ./..., packages a"},
		"go, no code": {map[string]string{"go.mod": "module m\n"}, "Go (go.mod), tested with  go test ./..."},
		"the root":    {map[string]string{"go.mod": "module m\n", "m.go": "package m\n"}, "Go (go.mod), tested with  go test ./..., packages ."},
		"npm":         {map[string]string{"package.json": `{"name":"web","scripts":{"test":"jest"}}`}, "JavaScript (package.json), tested with  npm run test, packages web"},
		"no script": {map[string]string{"package.json": `{"name":"web","scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}`},
			"JavaScript (package.json), tested with  node --test, packages web"},
		"no name":           {map[string]string{"package.json": `{}`, "yarn.lock": ""}, "JavaScript (package.json), tested with  node --test"},
		"no JSON":           {map[string]string{"package.json": `{`, "Makefile": "test:\n"}, "Make (Makefile), tested with  make test"},
		"unittest":          {map[string]string{"setup.py": "", "app/__init__.py": ""}, "Python (setup.py), tested with  python3 -m unittest, packages app"},
		"pytest by tests":   {map[string]string{"setup.py": "", "tests/test_a.py": "def test_a(): pass\n"}, "Python (setup.py), tested with  python3 -m pytest"},
		"unittest by tests": {map[string]string{"setup.py": "", "test_a.py": "import unittest\n"}, "Python (setup.py), tested with  python3 -m unittest"},
		"pytest by name":    {map[string]string{"requirements.txt": "flask\n", "pytest.ini": ""}, "Python (requirements.txt), tested with  python3 -m pytest"},
		"a workspace only":  {map[string]string{"Cargo.toml": "[workspace]\nmembers = [\"a\", \"b/*\"]\n"}, "Rust (Cargo.toml), tested with  cargo test, packages a"},
		"Go goes first":     {map[string]string{"go.mod": "module m\n", "package.json": "{}"}, "Go (go.mod), tested with  go test ./..."},
		"hostile names": {map[string]string{"package.json": `{"name":"x\"]\nprofile = \"observe\"","scripts":{"test":"jest"}}`},
			"JavaScript (package.json), tested with  npm run test"},
		"nothing":        {map[string]string{"README.md": ""}, ""},
		"another target": {map[string]string{"Makefile": "all:\n"}, ""},
	} {
		p, err := project.Look(files(tt.files))
		switch {
		case tt.want == "":
			if !errors.Is(err, project.ErrUnknown) {
				t.Errorf("%s: %v, %v", name, p, err)
			}
			continue
		case err != nil || p.String() != tt.want:
			t.Errorf("%s: got %v, %v, want %s", name, p, err, tt.want)
			continue
		}
		holds(t, name, p)
	}
}

// holds fails if check would complain of the plan.
func holds(t *testing.T, name string, p *project.Project) {
	t.Helper()
	text, err := p.Plan()
	if err != nil {
		t.Fatal(err)
	}
	draft, err := native.Read("plan.toml", []byte(text))
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	for _, d := range draft.Check(plan.CheckOptions{Unread: (&source.Reader{Languages: languages.All()}).Unread}) {
		// Where somebody reads JavaScript, check says that its symbols are for whoever writes the plan to name.
		told := d.Code == "symbols-not-declared" && p.Marker == "package.json"
		if d.Severity != plan.Note && !told {
			t.Errorf("%s: %v\n%s", name, d, text)
		}
	}
	if strings.Contains(text, "observe") {
		t.Errorf("%s: a name got out of its quotes:\n%s", name, text)
	}
}

// FuzzLook: whatever the files hold, nothing panics, and the plan can be read.
func FuzzLook(f *testing.F) {
	f.Add("module m\n", `{"name":"a","workspaces":["b"]}`, "[package]\nname = \"a\"\n", "test:\n", uint8(1))
	f.Fuzz(func(t *testing.T, mod, pack, cargo, makefile string, which uint8) {
		all := []string{"go.mod", "package.json", "Cargo.toml", "Makefile", "pyproject.toml"}
		texts := map[string]string{}
		for i, text := range []string{mod, pack, cargo, makefile, mod} {
			if which&(1<<i) != 0 {
				texts[all[i]] = text
			}
		}
		if p, err := project.Look(files(texts)); err == nil {
			holds(t, "fuzz", p)
		}
	})
}

// TestFirst: a first plan passes a check as it is, whatever was found.
func TestFirst(t *testing.T) {
	goes, err := project.Look(files(map[string]string{"go.mod": "module m\n"}))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*project.Project{nil, goes} {
		for _, agent := range []bool{false, true} {
			name, text := project.First(p, agent)
			draft, err := formats.ReadBytes(name, []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range draft.Check(plan.CheckOptions{}) {
				if d.Severity != plan.Note {
					t.Errorf("%s of %v: %v\n%s", name, p, d, text)
				}
			}
			proves, steps := draft.Plan.Provable(), 0
			for _, s := range draft.Plan.Steps() {
				if steps++; !proves(s) {
					t.Errorf("%s of %v: nothing proves step %s:\n%s", name, p, s.Address, text)
				}
			}
			if steps != 1 {
				t.Errorf("%s of %v has %d steps:\n%s", name, p, steps, text)
			}
		}
	}
}

// TestFirstWithoutTests: a command that finds no test fails, so that no first plan
// asks for it.
func TestFirstWithoutTests(t *testing.T) {
	p, err := project.Look(files(map[string]string{"setup.py": ""}))
	if err != nil {
		t.Fatal(err)
	}
	if _, text := project.First(p, true); strings.Contains(text, "Verify: `python3") {
		t.Errorf("the tests are to be run, and there are none:\n%s", text)
	}
}
