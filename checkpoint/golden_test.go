package checkpoint

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint/internal/golden"
	"github.com/planlock/planlock/ledger"
)

func goldenManifests() (full, delta *manifest) {
	at := time.Unix(1700000000, 123456789)
	file := ledger.Entry{Path: "a/x\xff", Kind: ledger.File, Mode: fs.ModeSetuid | 0o755, Size: 5,
		Digest: ledger.Sum([]byte("hello")), ModTime: at}
	full = &manifest{tree: ledger.Sum([]byte("tree 1")), entries: []ledger.Entry{
		{Path: "a", Kind: ledger.Dir, Mode: 0o755, ModTime: time.Unix(-1, 0)}, file,
		{Path: "f", Kind: ledger.Special, Mode: 0o600, ModTime: at},
		{Path: "l", Kind: ledger.Link, Target: "../b", ModTime: at},
	}}
	file.Path = "b"
	delta = &manifest{tree: ledger.Sum([]byte("tree 2")), base: ledger.Sum([]byte("base")), depth: 1, weight: 300,
		full:    400,
		removed: []string{"a/x\xff", "l"}, entries: []ledger.Entry{file}}
	return full, delta
}

func decodeManifest(b []byte) (*manifest, error) {
	r, err := readHead(io.NopCloser(bytes.NewReader(b)))
	if err != nil {
		return nil, err
	}
	return r.all()
}

func TestGoldenManifest(t *testing.T) {
	full, delta := goldenManifests()
	for name, m := range map[string]*manifest{"manifest-full.v1": full, "manifest-delta.v1": delta} {
		text, err := m.encode()
		if err != nil {
			t.Fatal(err)
		}
		back, err := decodeManifest(golden.Same(t, name, text))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, back, cmp.AllowUnexported(manifest{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func FuzzManifest(f *testing.F) {
	full, delta := goldenManifests()
	for _, m := range []*manifest{full, delta} {
		text, _ := m.encode()
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := decodeManifest(b)
		if err != nil {
			return
		}
		text, err := m.encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := decodeManifest(text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, again, cmp.AllowUnexported(manifest{})); diff != "" {
			t.Fatal(diff)
		}
	})
}

// What was written before version 1 is refused in one sentence that says what
// to do.
func TestOldManifestIsRefused(t *testing.T) {
	manifest, err := os.ReadFile(filepath.Join("testdata", "manifest.old"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := decodeManifest(manifest); !errors.Is(err, ErrVersion) || !strings.Contains(err.Error(), "begin anew") {
		t.Errorf("a manifest: %v", err)
	}
}
