package golang

import (
	"context"
	"io/fs"
	"path"
	"strings"

	"github.com/planlock/planlock/ledger/source"
)

// Language reads Go with the parser of the standard library.
type Language struct{}

var _ source.Language = Language{}

// Name is Go.
func (Language) Name() string { return "Go" }

// Reads reports whether a path is that of a Go file.
func (Language) Reads(p string) bool { return path.Ext(p) == ".go" }

// Places are the folders that a symbol may be of. A folder may have points in
// its name, so a.B.C is both C in a.B and B.C in a.
func (Language) Places(symbol string) []string {
	var folders []string
	slash := strings.LastIndexByte(symbol, '/') + 1
	last := strings.LastIndexByte(symbol, '.')
	if last < slash || last == len(symbol)-1 {
		return nil
	}
	folders = append(folders, symbol[:last])
	if prev := strings.LastIndexByte(symbol[:last], '.'); prev >= slash && prev < last-1 {
		folders = append(folders, symbol[:prev])
	}
	var places []string
	for _, folder := range folders {
		if folder == "" || fs.ValidPath(folder) {
			places = append(places, path.Join(source.Literally(folder), "*.go"))
		}
	}
	return places
}

// Read parses files by themselves.
func (Language) Read(ctx context.Context, files []source.Input) ([]source.File, error) {
	out := make([]source.File, len(files))
	for i, in := range files {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		out[i] = Read(in.Path, in.Content)
	}
	return out, nil
}

// Read parses one file. Its names have the folder of its path before them.
// Files that the go tool does not look at, tests and package main have symbols
// and no surface.
func Read(p string, src []byte) source.File {
	fset, f, faults := parse(src)
	out := source.File{Path: p, Faults: faults}
	if f == nil {
		return out
	}
	folder := p[:max(0, strings.LastIndexByte(p, '/'))] + "."
	t := texts{fset: fset, src: src, folder: folder}
	t.file(f)
	out.Symbols = t.out
	if !unseen(p) && !strings.HasSuffix(p, "_test.go") && (f.Name == nil || f.Name.Name != "main") {
		r := reader{&out.Surface, fset, p, folder, builds{both(nameTags(p), lineTags(f))},
			spelling{imports: importsOf(f)}}
		r.file(f)
	}
	return out
}

// unseen reports whether a path lies in a folder that the go tool does not look
// into.
func unseen(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if part == "testdata" || part == "vendor" || strings.HasPrefix(part, "_") || strings.HasPrefix(part, ".") {
			return true
		}
	}
	return false
}
