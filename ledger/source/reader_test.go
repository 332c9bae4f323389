package source_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/source"
)

// A tongue is a language of which tests say how it reads.
type tongue struct {
	read  func(files []source.Input) ([]source.File, error)
	asked int
}

func (*tongue) Name() string             { return "Tongue" }
func (*tongue) Reads(p string) bool      { return strings.HasSuffix(p, ".tng") }
func (*tongue) Places(s string) []string { return []string{s} }
func (l *tongue) Read(_ context.Context, files []source.Input) ([]source.File, error) {
	l.asked++
	return l.read(files)
}

func reads(files []source.Input) ([]source.File, error) {
	out := make([]source.File, len(files))
	for i, f := range files {
		out[i].Symbols = []source.Symbol{{Name: string(f.Content), Line: 1}}
	}
	return out, nil
}

// TestReader holds that a file which nobody could read says why, whatever its
// language does.
func TestReader(t *testing.T) {
	for name, c := range map[string]struct {
		path string
		size int64 // 0: that of the content
		read func([]source.Input) ([]source.File, error)
		want string // in Unread; "" if the file is read
	}{
		"read":           {"a.tng", 0, reads, ""},
		"too large":      {"a.tng", source.Max + 1, reads, "larger than"},
		"nobody's":       {"a.rs", 0, reads, "nobody reads Rust here"},
		"an error":       {"a.tng", 0, func([]source.Input) ([]source.File, error) { return nil, errors.New("no time") }, "no time"},
		"a panic":        {"a.tng", 0, func([]source.Input) ([]source.File, error) { panic("at a loss") }, "gave up: at a loss"},
		"a short answer": {"a.tng", 0, func([]source.Input) ([]source.File, error) { return nil, nil }, "answered for 0 of 1 files"},
	} {
		t.Run(name, func(t *testing.T) {
			text := []byte("x")
			e := ledger.Entry{Path: c.path, Kind: ledger.File, Size: int64(len(text)), Digest: ledger.Sum(text)}
			if c.size > 0 {
				e.Size = c.size
			}
			l := &tongue{read: c.read}
			r := &source.Reader{Languages: []source.Language{l}}
			content := func(context.Context, ledger.Entry) (io.ReadCloser, error) {
				return io.NopCloser(bytes.NewReader(text)), nil
			}
			for range 2 {
				files, err := r.Read(t.Context(), []ledger.Entry{e}, content)
				if err != nil || len(files) != 1 || files[0].Path != c.path {
					t.Fatalf("%+v, %v", files, err)
				}
				if f := files[0]; (c.want == "") != (f.Unread == "") || !strings.Contains(f.Unread, c.want) {
					t.Errorf("unread: %q, not %q", f.Unread, c.want)
				}
			}
			switch {
			case c.want == "" && l.asked != 1:
				t.Errorf("a content was read %d times", l.asked)
			case strings.HasPrefix(name, "a") && l.asked != 2:
				t.Error("what could not be read is not tried again")
			}
		})
	}
}

// TestReaderOfNothing holds that a program in no language that is read is never
// taken for a text.
func TestReaderOfNothing(t *testing.T) {
	var r *source.Reader
	files, err := r.Read(t.Context(), []ledger.Entry{{Path: "a.go", Kind: ledger.File}, {Path: "a.txt", Kind: ledger.File}}, nil)
	if err != nil || files[0].Unread == "" || files[1].Unread != "" {
		t.Errorf("%+v, %v", files, err)
	}
}
