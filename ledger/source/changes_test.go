package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"testing"

	"github.com/planlock/planlock/ledger"
)

// Version is one state of some files: contents by path.
type Version map[string]string

func (v Version) Tree(t testing.TB) *ledger.Tree {
	t.Helper()
	folders := make(map[string]bool)
	var entries []ledger.Entry
	for name, content := range v {
		entries = append(entries, fileOf(name, content))
		for d := path.Dir(name); d != "." && !folders[d]; d = path.Dir(d) {
			folders[d] = true
			entries = append(entries, ledger.Entry{Path: d, Kind: ledger.Dir, Mode: 0o755})
		}
	}
	tree, err := ledger.NewTree(entries)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// fileOf is the entry of a file.
func fileOf(name, content string) ledger.Entry {
	return ledger.Entry{Path: name, Kind: ledger.File, Mode: 0o644, Size: int64(len(content)),
		Digest: ledger.Sum([]byte(content))}
}

func (v Version) Open(_ context.Context, e ledger.Entry) (io.ReadCloser, error) {
	content, ok := v[e.Path]
	if !ok {
		return nil, fmt.Errorf("no content of %q", e.Path)
	}
	return io.NopCloser(strings.NewReader(content)), nil
}

// A content that is not what its entry says is an error, and never read as
// source or counted.
func TestContentMustMatchItsEntry(t *testing.T) {
	want := Version{"a.go": "package a\n"}
	changes := ledger.Diff(ledger.Empty(), want.Tree(t))
	for _, other := range []Version{{"a.go": "package b\n"}, {"a.go": "package"}, {"a.go": "package a\n\n"}} {
		if _, err := (&Reader{Languages: []Language{anything{}}}).Changed(t.Context(), changes, other.Open); !errors.Is(err, ledger.ErrContent) {
			t.Errorf("symbols of %q: %v", other["a.go"], err)
		}
		if _, _, err := countChanges(t.Context(), changes, nil, other.Open); !errors.Is(err, ledger.ErrContent) {
			t.Errorf("lines of %q: %v", other["a.go"], err)
		}
	}
	if _, _, err := countChanges(t.Context(), changes, nil, Version{}.Open); err == nil ||
		!strings.Contains(err.Error(), `"a.go"`) {
		t.Errorf("got %v", err)
	}
}

// anything reads every file, and finds nothing in it.
type anything struct{}

func (anything) Name() string { return "anything" }

func (anything) Reads(string) bool { return true }

func (anything) Places(string) []string { return nil }

func (anything) Read(_ context.Context, files []Input) ([]File, error) {
	return make([]File, len(files)), nil
}
