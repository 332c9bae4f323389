package ledger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// version is one state of some files: contents by path.
type version map[string]string

func (v version) tree(t testing.TB) *Tree {
	t.Helper()
	folders := make(map[string]bool)
	var entries []Entry
	for path, content := range v {
		entries = append(entries, file(path, content))
		for d, _ := splitPath(path); d != "" && !folders[d]; d, _ = splitPath(d) {
			folders[d] = true
			entries = append(entries, dir(d))
		}
	}
	return tree(t, entries...)
}

func (v version) open(_ context.Context, e Entry) (io.ReadCloser, error) {
	content, ok := v[e.Path]
	if !ok {
		return nil, fmt.Errorf("no content of %q", e.Path)
	}
	return io.NopCloser(strings.NewReader(content)), nil
}

func TestLines(t *testing.T) {
	before := version{"changed": "1\n2\n3\n", "gone": "1\n2", "same": "x", "bin": "\x00\n\n", "totext": "\x00", "reordered": "a\nb\nc\n"}
	after := version{"changed": "1\nx\n3\n4\n", "new": "1\n2\n3\n", "same": "x", "bin": "\x00\n\n\n", "totext": "t\n", "reordered": "c\na\nb\n"}
	a, b := before.tree(t), after.tree(t)
	total, perPath, err := Lines(t.Context(), Diff(a, b), before.open, after.open)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]LineCount{"changed": {2, 1}, "gone": {0, 2}, "bin": {}, "totext": {1, 0}, "new": {3, 0}, "reordered": {1, 1}}
	if diff := cmp.Diff(want, perPath); diff != "" {
		t.Error(diff)
	}
	if total != (LineCount{7, 4}) || total.Changed() != 11 {
		t.Errorf("total %+v", total)
	}
}

func TestLinesOfKindsAndModes(t *testing.T) {
	text := version{"a": "1\n2\n", "m": "1\n"}
	wasFile, isLink := file("a", text["a"]), Entry{Path: "a", Kind: Link, Target: "b"}
	mode := file("m", text["m"])
	mode.Mode = 0o755
	d := dir("d")
	old := file("m", text["m"])
	changes := []Change{{Path: "a", Op: Modified, Before: &wasFile, After: &isLink},
		{Path: "d", Op: Created, After: &d}, {Path: "m", Op: Modified, Before: &old, After: &mode}}
	_, perPath, err := Lines(t.Context(), changes, text.open, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]LineCount{"a": {0, 2}}, perPath); diff != "" {
		t.Error(diff)
	}
}

func TestLinesOfLargeContents(t *testing.T) {
	small := "first\n"
	large := strings.Repeat("0123456789abcde\n", maxCompared/16) + "last"
	before, after := version{"f": small}, version{"f": large}
	total, _, err := Lines(t.Context(), Diff(before.tree(t), after.tree(t)), before.open, after.open)
	if err != nil {
		t.Fatal(err)
	}
	if want := (LineCount{Added: maxCompared/16 + 1, Removed: 1}); total != want {
		t.Errorf("got %+v, want %+v", total, want)
	}
}

// A content that is not what its entry says is an error, and never counted.
func TestContentMustMatchItsEntry(t *testing.T) {
	want := version{"a.go": "package a\n"}
	changes := Diff(Empty(), want.tree(t))
	for _, other := range []version{{"a.go": "package b\n"}, {"a.go": "package"}, {"a.go": "package a\n\n"}} {
		if _, _, err := Lines(t.Context(), changes, nil, other.open); !errors.Is(err, ErrContent) {
			t.Errorf("Lines of %q: %v", other["a.go"], err)
		}
	}
	if _, _, err := Lines(t.Context(), changes, nil, version{}.open); err == nil || !strings.Contains(err.Error(), `"a.go"`) {
		t.Errorf("got %v", err)
	}
}
