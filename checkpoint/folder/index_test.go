package folder

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/internal/format"
	"github.com/planlock/planlock/checkpoint/internal/golden"
	"github.com/planlock/planlock/ledger"
)

// indexed is a store of several packs whose index is stored.
func indexed(t testing.TB, packs, each int) (dir string, texts []string) {
	t.Helper()
	dir = t.TempDir()
	for p := range packs {
		var some []string
		for i := range each {
			some = append(some, fmt.Sprintf("content %d of pack %d", i, p))
		}
		put(t, dir, some...)
		texts = append(texts, some...)
	}
	d := openStore(t, dir)
	d.mu.Lock()
	err := d.writeIndex()
	d.mu.Unlock()
	if err = errors.Join(err, d.Close()); err != nil {
		t.Fatal(err)
	}
	return dir, texts
}

// The index answers as the packs do, whatever happened to it or to them.
func TestIndexIsAdvice(t *testing.T) {
	dir, texts := indexed(t, 3, 5)
	path := filepath.Join(dir, indexName)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d := openStore(t, dir)
	if d.stored.len() != len(texts) || len(d.index) != 0 {
		t.Fatalf("%d of %d contents are in the index, and %d beside it", d.stored.len(), len(texts), len(d.index))
	}
	d.Close()
	put(t, dir, "a", "b", "c") // none of which is in it
	d = openStore(t, dir)
	if got := holds(t, d, "a", "b", "c"); len(got) != 3 || d.stored.len() != len(texts) {
		t.Fatalf("beside the index only %q are kept", got)
	}
	for i := range good {
		b := bytes.Clone(good)
		b[i] ^= 1 << (i % 8)
		if decodeIndex(b) != nil || decodeIndex(good[:i]) != nil {
			t.Fatalf("byte %d changed or cut, and it was read", i)
		}
	}
	for name, do := range map[string]func() error{
		"as it is":     func() error { return nil },
		"removed":      func() error { return os.Remove(path) },
		"damaged":      func() error { return os.WriteFile(path, append([]byte("x"), good[1:]...), 0o644) },
		"a folder":     func() error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o755)) },
		"a newer pack": func() error { put(t, dir, "newer"); return nil },
		"a pack moved": func() error {
			p := packsIn(t, dir)[0]
			return os.Rename(p, p+"~")
		},
	} {
		if err := errors.Join(os.RemoveAll(path), os.WriteFile(path, good, 0o644), do()); err != nil {
			t.Fatal(err)
		}
		want := len(texts)
		if name == "a pack moved" {
			want -= 5
		}
		d := openStore(t, dir)
		if got := holds(t, d, texts...); len(got) != want {
			t.Errorf("%s: %d of %d contents", name, len(got), want)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, packFolder, "*~")); len(left) == 1 {
			if err := os.Rename(left[0], strings.TrimSuffix(left[0], "~")); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A wrong entry in an index that verifies cannot pass for a content, and Check
// names it.
func TestIndexLies(t *testing.T) {
	dir, texts := indexed(t, 2, 3)
	path := filepath.Join(dir, indexName)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	x := decodeIndex(b)
	copy(x.entries[:32], bytes.Repeat([]byte{0}, 32))
	x.entries[indexEntry+32+4+7]++ // the offset of the second
	if err := os.WriteFile(path, encodeIndex(x.packs, x.entries), 0o644); err != nil {
		t.Fatal(err)
	}
	d := openStore(t, dir)
	for _, text := range texts {
		got, err := checkpoint.NewStore(d).Get(t.Context(), ledger.Sum([]byte(text)))
		var damaged *checkpoint.DamagedError
		if err == nil && string(got) != text || err != nil && !errors.As(err, &damaged) &&
			!errors.Is(err, checkpoint.ErrNotFound) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	var faults []Fault
	if _, err := d.Check(t.Context(), func(f Fault) { faults = append(faults, f) }); err != nil ||
		len(faults) != 1 || !strings.Contains(faults[0].Why, "2 entries") {
		t.Errorf("%v, %v", faults, err)
	}
}

func TestGoldenIndex(t *testing.T) {
	packs := []indexedPack{{goldenPack, 300}, {"01JGVPACKV2", 20}}
	entries := appendIndexEntry(nil, sum{1}, 1, place{17, 2})
	entries = appendIndexEntry(entries, sum{2}, 0, place{100, 200})
	x := decodeIndex(golden.Same(t, "index.v1", encodeIndex(packs, entries)))
	if diff := cmp.Diff(&packIndex{packs, entries}, x, cmp.AllowUnexported(packIndex{}, indexedPack{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if w, ok := x.find(sum{2}); !ok || w != (where{goldenPack, place{100, 200}, true}) {
		t.Errorf("%+v, %v", w, ok)
	}
	if _, ok := x.find(sum{3}); ok {
		t.Error("it finds what is not there")
	}
}

func FuzzIndex(f *testing.F) {
	f.Add(encodeIndex([]indexedPack{{"a", 30}}, appendIndexEntry(nil, sum{1}, 0, place{17, 2})))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 4 {
			b = format.Seal(b[:len(b)-4])
		}
		x := decodeIndex(b)
		if x == nil {
			return
		}
		for i := range x.len() {
			x.at(i)
		}
		x.find(sum{1})
		if !bytes.Equal(encodeIndex(x.packs, x.entries), b) {
			t.Fatal("it is written otherwise")
		}
	})
}

// Opening a store of many packs.
func BenchmarkOpenFolder(b *testing.B) {
	dir, _ := indexed(b, 500, 20)
	for _, with := range []string{"index", "packs"} {
		b.Run("from "+with, func(b *testing.B) {
			if with == "packs" {
				must(b, os.Remove(filepath.Join(dir, indexName)))
			}
			b.ReportAllocs()
			for b.Loop() {
				d, err := Open(b.Context(), dir)
				must(b, err, d.Close())
			}
		})
	}
}

func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}
