package project

import (
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/planlock/planlock/internal/lazyre"
)

// golang looks for a Go module.
func golang(dir fs.FS) *Project {
	if read(dir, "go.mod") == "" {
		return nil
	}
	isGo := func(name string) bool { return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") }
	p := &Project{Language: "Go", Marker: "go.mod", Tool: "go", Test: "go test ./...", Builds: "./...",
		Packages: folders(dir, isGo), Settled: there(dir, "go.mod", "go.sum")}
	at := "feature"
	for _, folder := range p.Packages { // one that others can use goes first
		if name := packageName(dir, folder, isGo); name != "" && name != "main" {
			at = folder
			break
		}
	}
	p.Code, p.CodeTest = path.Join(at, "feature.go"), path.Join(at, "feature_test.go")
	p.One = "go test ./" + strings.TrimPrefix(at, ".") + " -run TestFeature"
	symbols := strings.TrimPrefix(at, ".")
	p.Symbols = []string{symbols + ".TestFeature", symbols + ".Feature"}
	return p
}

var packageClause = lazyre.New(`(?m)^package ([A-Za-z0-9_]+)`)

// packageName is the name of the package of a folder; "" where no file says it.
func packageName(dir fs.FS, folder string, is func(string) bool) string {
	files, _ := fs.ReadDir(dir, folder) // what cannot be read says nothing
	for _, f := range files {
		if is(f.Name()) {
			if m := packageClause.FindStringSubmatch(read(dir, path.Join(folder, f.Name()))); m != nil {
				return m[1]
			}
		}
	}
	return ""
}

// rust looks for a crate, or a workspace of crates.
func rust(dir fs.FS) *Project {
	var cargo struct {
		Package   struct{ Name string }
		Workspace struct{ Members []string }
	}
	text := read(dir, "Cargo.toml")
	if text == "" || toml.Unmarshal([]byte(text), &cargo) != nil {
		return nil
	}
	p := &Project{Language: "Rust", Marker: "Cargo.toml", Tool: "cargo", Test: "cargo test",
		Packages: names(append([]string{cargo.Package.Name}, cargo.Workspace.Members...)),
		Settled:  there(dir, "Cargo.toml", "Cargo.lock")}
	if cargo.Package.Name != "" {
		p.Code, p.CodeTest, p.One = "src/feature.rs", "tests/feature.rs", "cargo test --test feature"
	}
	return p
}

// lockFiles say which program a Node project is built with.
var lockFiles = []struct{ file, tool string }{
	{"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lock", "bun"}, {"bun.lockb", "bun"},
}

// node looks for a package of Node.
func node(dir fs.FS) *Project {
	var pack struct {
		Name       string
		Scripts    map[string]string
		Workspaces json.RawMessage
	}
	text := read(dir, "package.json")
	if text == "" || json.Unmarshal([]byte(text), &pack) != nil {
		return nil
	}
	p := &Project{Language: "JavaScript", Marker: "package.json", Tool: "npm", Settled: there(dir, "package.json",
		"package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb", "tsconfig.json")}
	for _, l := range lockFiles {
		if slices.Contains(p.Settled, l.file) {
			p.Tool = l.tool
			break
		}
	}
	ext := ".js"
	if slices.Contains(p.Settled, "tsconfig.json") {
		p.Language, ext = "TypeScript", ".ts"
	}
	members := workspaces(pack.Workspaces)
	p.Packages = names(append([]string{pack.Name}, members...))
	src := "src"
	if info, err := fs.Stat(dir, "lib"); err == nil && info.IsDir() {
		src = "lib"
	}
	p.Code, p.CodeTest = src+"/feature"+ext, "test/feature.test"+ext
	script := pack.Scripts["test"]
	switch {
	case script != "" && !strings.Contains(script, "no test specified"):
		p.Test = p.Tool + " run test"
		p.One = p.Test + " -- " + p.CodeTest
	default: // what Node has by itself
		p.Tool, p.Test, p.One = "node", "node --test", "node --test "+p.CodeTest
	}
	return p
}

// workspaces are the folders of the packages that a package.json names, in
// either of its two forms.
func workspaces(text json.RawMessage) []string {
	var list []string
	if json.Unmarshal(text, &list) == nil {
		return list
	}
	var table struct{ Packages []string }
	json.Unmarshal(text, &table) // what is neither names none
	return table.Packages
}

// python looks for a project of Python.
func python(dir fs.FS) *Project {
	found := there(dir, "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt")
	if len(found) == 0 {
		return nil
	}
	p := &Project{Language: "Python", Marker: found[0], Tool: "python3", Test: "python3 -m unittest",
		Packages: folders(dir, func(name string) bool { return name == "__init__.py" }),
		Settled:  append(found, there(dir, "poetry.lock", "uv.lock", "Pipfile.lock", "tox.ini")...)}
	p.Packages = slices.DeleteFunc(p.Packages, func(name string) bool {
		return name == "." || path.Base(name) == "tests"
	})
	for _, name := range append(there(dir, "pytest.ini", "conftest.py", "tests/conftest.py", "tox.ini",
		"requirements-dev.txt"), found...) {
		if strings.Contains(name+read(dir, name), "pytest") {
			p.Test = "python3 -m pytest"
		}
	}
	tests := pythonTests(dir)
	p.Untested = len(tests) == 0
	for _, name := range tests {
		if text := read(dir, name); text != "" && !strings.Contains(text, "unittest") {
			p.Test = "python3 -m pytest" // which alone finds tests that are functions
		}
	}
	at := ""
	if len(p.Packages) > 0 {
		at = p.Packages[0]
	}
	p.Code, p.CodeTest = path.Join(at, "feature.py"), "tests/test_feature.py"
	p.One = p.Test + " " + p.CodeTest
	module := strings.ReplaceAll(strings.TrimSuffix(p.Code, ".py"), "/", ".")
	p.Symbols = []string{"tests.test_feature.test_feature", module + ".feature"}
	if p.Test == "python3 -m unittest" {
		p.Symbols[0] = "tests.test_feature.TestFeature"
		p.Symbols = slices.Insert(p.Symbols, 1, "tests.test_feature.TestFeature.test_feature")
	}
	return p
}

// pythonTests are the files of tests that lie where they mostly do.
func pythonTests(dir fs.FS) (files []string) {
	for _, below := range []string{"", "tests/", "test/"} {
		for _, form := range []string{"test_*.py", "*_test.py"} {
			found, _ := fs.Glob(dir, below+form) // the forms are right
			files = append(files, found...)
		}
	}
	return files
}

var testTarget = lazyre.New(`(?m)^(test|check)\s*:([^=]|$)`)

// makefile looks for a Makefile that tests.
func makefile(dir fs.FS) *Project {
	for _, name := range there(dir, "GNUmakefile", "makefile", "Makefile") {
		if m := testTarget.FindStringSubmatch(read(dir, name)); m != nil {
			return &Project{Language: "Make", Marker: name, Tool: "make", Test: "make " + m[1], Settled: []string{name}}
		}
	}
	return nil
}

// names are those that can be written down as they are, each once.
func names(all []string) []string {
	var out []string
	for _, name := range all {
		if plain.MatchString(name) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
