package folder

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

// opened is an index of these bytes; nil if it is none.
func opened(b []byte) *packIndex { return openIndex(bytes.NewReader(b), int64(len(b))) }

// verifies reports whether all of an index verifies.
func verifies(b []byte) bool {
	x := opened(b)
	if x == nil {
		return false
	}
	for range x.all {
	}
	return !x.damaged.Load()
}

// An entry says of a content where it lies.
type entry struct {
	key sum
	at  where
}

// spelled is an index of packs and contents.
func spelled(t testing.TB, packs []indexedPack, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := writeIndexOf(&b, packs)
	for _, e := range entries {
		w.add(e.key, e.at)
	}
	must(t, w.end())
	return b.Bytes()
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
	if d.stored.len() != len(texts) || d.index.len() != 0 {
		t.Fatalf("%d of %d contents are in the index, and %d beside it", d.stored.len(), len(texts), d.index.len())
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
		if verifies(b) || verifies(good[:i]) {
			t.Fatalf("byte %d changed or cut, and it was read", i)
		}
	}
	for name, do := range map[string]func() error{
		"as it is": func() error { return nil },
		"removed":  func() error { return os.Remove(path) },
		"damaged":  func() error { return os.WriteFile(path, append([]byte("x"), good[1:]...), 0o644) },
		"damaged in the middle": func() error {
			b := bytes.Clone(good)
			b[len(b)/2] ^= 1
			return os.WriteFile(path, b, 0o644)
		},
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
	x := opened(b)
	var entries []entry
	for key, at := range x.all {
		entries = append(entries, entry{key, at})
	}
	entries[0].key = sum{}
	entries[1].at.offset++
	for i := range x.packs {
		x.packs[i].upTo++ // so that it may say that
	}
	b = bytes.Clone(spelled(t, x.packs, entries...))
	for i := range x.packs {
		x.packs[i].upTo--
	}
	copy(b, spelled(t, x.packs)[:x.start])
	if err := os.WriteFile(path, b, 0o644); err != nil {
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
	want := []entry{
		{sum{1}, where{"01JGVPACKV2", place{17, 2}, true}},
		{sum{2}, where{goldenPack, place{100, 200}, true}},
	}
	x := opened(golden.Same(t, "index.v2", spelled(t, packs, want...)))
	var got []entry
	for key, at := range x.all {
		got = append(got, entry{key, at})
	}
	diff := cmp.Diff(want, got, cmp.AllowUnexported(entry{}, where{}, place{}))
	if diff != "" || !slices.Equal(x.packs, packs) {
		t.Errorf("%v, (-want +got):\n%s", x.packs, diff)
	}
	if w, ok := x.find(sum{2}); !ok || w != (where{goldenPack, place{100, 200}, true}) {
		t.Errorf("%+v, %v", w, ok)
	}
	if _, ok := x.find(sum{3}); ok {
		t.Error("it finds what is not there")
	}
}

// Of more contents than a block has, also where many begin alike, each is found,
// and no other.
func TestIndexOfManyBlocks(t *testing.T) {
	var entries []entry
	for i := range 1000 {
		key := sum{0: byte(i / 500), 8: byte(i / 256), 9: byte(i)}
		entries = append(entries, entry{key, where{"a", place{int64(20 + 2*i), 2}, true}})
	}
	x := opened(spelled(t, []indexedPack{{"a", 9000}}, entries...))
	for _, e := range entries {
		if at, ok := x.find(e.key); !ok || at != e.at {
			t.Fatalf("%x: %v, %v", e.key, at, ok)
		}
		e.key[31] = 1
		if at, ok := x.find(e.key); ok {
			t.Fatalf("%x: %v", e.key, at)
		}
	}
}

func FuzzIndex(f *testing.F) {
	f.Add(spelled(f, []indexedPack{{"a", 30}}, entry{sum{1}, where{"a", place{17, 2}, true}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 4 {
			b = format.Seal(b[:len(b)-4])
		}
		if x := opened(b); x != nil {
			for key := range x.all {
				x.find(key)
			}
			x.find(sum{1})
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
