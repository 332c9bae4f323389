package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// An arrow points from a file to another of its package: the first uses a name
// that the second declares. Names says which.
type arrow struct {
	from, to string
	names    []string
}

// arrows are those of every package that is measured, by folder, as this system
// builds it.
func (r *repository) arrows() (map[string][]arrow, error) {
	listed, exports, err := r.built()
	if err != nil {
		return nil, err
	}
	lookup := func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("nothing was compiled of %q", path)
		}
		return os.Open(exports[path])
	}
	from := importer.ForCompiler(r.fset, "gc", lookup)
	found := map[string][]arrow{}
	for _, p := range r.packages {
		names := listed[p.path]
		if len(names) == 0 {
			continue
		}
		list, err := r.packageArrows(p, names, from)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.dir, err)
		}
		found[p.dir] = list
	}
	return found, nil
}

// built lists the files of each package that the system builds, and where what
// is compiled of the packages that they import lies.
func (r *repository) built() (files map[string][]string, exports map[string]string, err error) {
	patterns := []string{"./..."}
	if _, err := os.Stat(filepath.Join(r.dir, "cmd", "go.mod")); err == nil {
		patterns = append(patterns, "./cmd/...")
	}
	c := exec.Command("go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,GoFiles,Export"},
		patterns...)...)
	c.Dir = r.dir
	var said strings.Builder
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("go list: %w\n%s", err, said.String())
	}
	files, exports = map[string][]string{}, map[string]string{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath, Dir, Export string
			GoFiles                 []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return files, exports, nil
		} else if err != nil {
			return nil, nil, err
		}
		files[p.ImportPath], exports[p.ImportPath] = p.GoFiles, p.Export
	}
}

func (r *repository) packageArrows(p *pkg, names []string, from types.Importer) ([]arrow, error) {
	var asts []*ast.File
	for _, f := range p.files {
		if slices.Contains(names, path.Base(f.name)) {
			asts = append(asts, f.ast)
		}
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: from}
	checked, err := conf.Check(p.path, r.fset, asts, info)
	if err != nil {
		return nil, err
	}
	return fileArrows(r.fset, checked, info.Uses), nil
}

// fileArrows are the arrows between the files of one package.
func fileArrows(fset *token.FileSet, p *types.Package, uses map[*ast.Ident]types.Object) []arrow {
	found := map[[2]string]map[string]bool{}
	for ident, object := range uses {
		name, ok := declared(p, object)
		if !ok {
			continue
		}
		pair := [2]string{path.Base(fset.Position(ident.Pos()).Filename),
			path.Base(fset.Position(object.Pos()).Filename)}
		if pair[0] == pair[1] {
			continue
		}
		if found[pair] == nil {
			found[pair] = map[string]bool{}
		}
		found[pair][name] = true
	}
	var list []arrow
	for pair, names := range found {
		list = append(list, arrow{pair[0], pair[1], slices.Sorted(maps.Keys(names))})
	}
	slices.SortFunc(list, func(a, b arrow) int {
		return cmp.Or(strings.Compare(a.from, b.from), strings.Compare(a.to, b.to))
	})
	return list
}

// declared is the name of what a package declares: a function, type, variable
// or constant at its top, or a method. Fields and what is local are none.
func declared(p *types.Package, object types.Object) (string, bool) {
	if object.Pkg() != p {
		return "", false
	}
	if f, ok := object.(*types.Func); ok {
		recv := f.Signature().Recv()
		if recv == nil {
			return f.Name(), true
		}
		t := recv.Type()
		if pointer, ok := t.(*types.Pointer); ok {
			t = pointer.Elem()
		}
		if named, ok := t.(*types.Named); ok {
			return named.Obj().Name() + "." + f.Name(), true
		}
		return f.Name(), true
	}
	return object.Name(), object.Parent() == p.Scope()
}

// order puts files so that few arrows point back, greedily: who is used and
// uses nobody goes last, who uses and is not used goes first, and of the rest
// whoever uses most more than it is used. Then single files move while that
// helps.
func order(arrows []arrow) []string {
	out, in := map[string]map[string]bool{}, map[string]map[string]bool{}
	for _, a := range arrows {
		for _, name := range []string{a.from, a.to} {
			if out[name] == nil {
				out[name], in[name] = map[string]bool{}, map[string]bool{}
			}
		}
		out[a.from][a.to], in[a.to][a.from] = true, true
	}
	left := slices.Sorted(maps.Keys(out))
	var first, last []string
	for len(left) > 0 {
		best, lean := 0, 0
		sink := false
		for i, name := range left {
			if len(out[name]) == 0 {
				best, sink = i, true
				break
			}
			if l := len(out[name]) - len(in[name]); i == 0 || len(in[name]) == 0 && lean < len(left)*2 || l > lean {
				best, lean = i, l
				if len(in[name]) == 0 {
					lean = len(left) * 2
				}
			}
		}
		name := left[best]
		left = slices.Delete(left, best, best+1)
		if sink {
			last = append([]string{name}, last...)
		} else {
			first = append(first, name)
		}
		for _, other := range left {
			delete(out[other], name)
			delete(in[other], name)
		}
	}
	return settle(append(first, last...), arrows)
}

// settle moves single files to where fewer arrows point back, until none does.
func settle(files []string, arrows []arrow) []string {
	for again := true; again; {
		again = false
		for _, name := range slices.Clone(files) {
			was := slices.Index(files, name)
			rest := slices.Delete(slices.Clone(files), was, was+1)
			best, at := backward(files, arrows), was
			// What moving costs is summed up place by place, from the first one
			// on.
			now := backward(slices.Insert(slices.Clone(rest), 0, name), arrows)
			for i := range len(rest) + 1 {
				if now < best {
					best, at, again = now, i, true
				}
				if i < len(rest) {
					now += between(arrows, rest[i], name)
				}
			}
			files = slices.Insert(rest, at, name)
		}
	}
	return files
}

// between is how many more arrows point back when a file moves behind another.
func between(arrows []arrow, other, name string) int {
	n := 0
	for _, a := range arrows {
		switch {
		case a.from == name && a.to == other:
			n++
		case a.from == other && a.to == name:
			n--
		}
	}
	return n
}

// backward counts the arrows that point back in an order.
func backward(files []string, arrows []arrow) int {
	return len(back(files, arrows))
}

// back are the arrows that point back in an order.
func back(files []string, arrows []arrow) []arrow {
	at := map[string]int{}
	for i, name := range files {
		at[name] = i
	}
	var list []arrow
	for _, a := range arrows {
		if at[a.from] > at[a.to] {
			list = append(list, a)
		}
	}
	return list
}

// share is how many arrows of a package point forward, of 1.
func share(arrows []arrow) float64 {
	if len(arrows) == 0 {
		return 1
	}
	return 1 - float64(backward(order(arrows), arrows))/float64(len(arrows))
}
