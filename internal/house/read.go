package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A repository is the Go source below a folder.
type repository struct {
	dir      string
	fset     *token.FileSet
	packages []*pkg // those that are measured, by folder
	others   []*file
	pages    [][]byte // of the documentation for hosts
}

// A pkg is the files of a folder that are no tests.
type pkg struct {
	dir   string // relative to the repository
	path  string // how it is imported
	name  string
	files []*file
	tests []*file
}

// A file of Go.
type file struct {
	name  string // relative to the repository
	path  string // how its package is imported
	test  bool
	text  []byte
	ast   *ast.File
	lines lines
}

// Folders that no package of the house is in.
var outside = []string{".git", "testdata", "docs", ".planlock"}

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// read reads all Go files below a folder. Measured are those of the module
// there and of the command's; of other modules only what they use.
func read(dir string) (*repository, error) {
	r := &repository{dir: dir, fset: token.NewFileSet()}
	modules, err := modulePaths(dir)
	if err != nil {
		return nil, err
	}
	byDir := map[string]*pkg{}
	err = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && slices.Contains(outside, e.Name()) && name != dir:
			return fs.SkipDir
		case e.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		f, err := r.parse(filepath.ToSlash(rel))
		if err != nil {
			return err
		}
		folder := path.Dir(f.name)
		importPath, measured := modules.of(folder)
		f.path = importPath
		if !measured || generated.Match(f.text) {
			r.others = append(r.others, f)
			return nil
		}
		p := byDir[folder]
		if p == nil {
			p = &pkg{dir: folder, path: importPath}
			byDir[folder] = p
			r.packages = append(r.packages, p)
		}
		if f.test {
			p.tests = append(p.tests, f)
		} else {
			p.files, p.name = append(p.files, f), f.ast.Name.Name
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if r.pages, err = pages(dir); err != nil {
		return nil, err
	}
	slices.SortFunc(r.packages, func(a, b *pkg) int { return strings.Compare(a.dir, b.dir) })
	return r, nil
}

// pages are those of the documentation.
func pages(dir string) (texts [][]byte, _ error) {
	names, err := filepath.Glob(filepath.Join(dir, "docs", "*.md"))
	if err != nil {
		return nil, err
	}
	for _, name := range append(names, filepath.Join(dir, "README.md")) {
		text, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}

func (r *repository) parse(name string) (*file, error) {
	text, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil {
		return nil, err
	}
	parsed, err := parser.ParseFile(r.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	f := &file{name: name, test: strings.HasSuffix(name, "_test.go"), text: text, ast: parsed}
	f.lines = countLines(text)
	return f, nil
}

// modules are the paths of modules, by folder.
type modules map[string]string

var moduleLine = regexp.MustCompile(`(?m)^module\s+(\S+)`)

func modulePaths(dir string) (modules, error) {
	m := modules{}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && slices.Contains(outside, e.Name()) && name != dir {
			return fs.SkipDir
		}
		if e.Name() != "go.mod" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		found := moduleLine.FindSubmatch(text)
		if found == nil {
			return fmt.Errorf("%s names no module", name)
		}
		rel, err := filepath.Rel(dir, filepath.Dir(name))
		m[filepath.ToSlash(rel)] = string(found[1])
		return err
	})
	if err == nil && m["."] == "" {
		err = errors.New("there is no go.mod in " + dir)
	}
	return m, err
}

// of is the import path of a folder, and whether it is measured.
func (m modules) of(folder string) (importPath string, measured bool) {
	for at := folder; ; at = path.Dir(at) {
		if module, ok := m[at]; ok {
			rel := strings.TrimPrefix(strings.TrimPrefix(folder, at), "/")
			return path.Join(module, rel), at == "." || at == "cmd"
		}
	}
}

func (r *repository) find(dir string) *pkg {
	dir = path.Clean(strings.TrimPrefix(dir, "./"))
	for _, p := range r.packages {
		if p.dir == dir {
			return p
		}
	}
	return nil
}
