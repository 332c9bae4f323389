package folder

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/internal/golden"
	"github.com/planlock/planlock/ledger"
)

const goldenPack = "01JGVPACKV1000000000000000"

func goldenPackBytes() []byte {
	b := appendPackHeader(nil)
	for _, text := range []string{"hello", ""} {
		b = appendItem(b, goldenPack, int64(len(b)), item{itemContent, int64(len(text)), sumOf([]byte(text))})
		b = append(b, text...)
	}
	b = appendItem(b, goldenPack, int64(len(b)), item{kind: itemMark})
	b = appendItem(b, goldenPack, int64(len(b)), item{itemContent, 4, sumOf([]byte("last"))})
	return append(b, "last"...)
}

func sumOf(b []byte) sum {
	s, err := ledger.Sum(b).Sum()
	if err != nil {
		panic(err)
	}
	return s
}

func TestGoldenPack(t *testing.T) {
	b := golden.Same(t, goldenPack+packExt, goldenPackBytes())
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, packFolder), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, packFolder, goldenPack+packExt), b, 0o644); err != nil {
		t.Fatal(err)
	}
	d, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for text, durable := range map[string]bool{"hello": true, "": true, "last": false} {
		got, err := checkpoint.NewStore(d).Get(t.Context(), ledger.Sum([]byte(text)))
		if err != nil || string(got) != text {
			t.Errorf("%q: %q, %v", text, got, err)
		}
		if has, err := d.Has(t.Context(), ledger.Sum([]byte(text))); err != nil || has != durable {
			t.Errorf("%q: Has says %v, %v", text, has, err)
		}
	}
}

// What was written before version 1 is refused in one sentence that says what
// to do, and left as it is.
func TestOldPackIsRefused(t *testing.T) {
	pack, err := os.ReadFile(filepath.Join("testdata", "pack.old"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openPack(t, pack); !errors.Is(err, checkpoint.ErrVersion) ||
		!strings.Contains(err.Error(), "begin anew") {
		t.Errorf("a store: %v", err)
	}
}

// Damage to the header of a pack costs nothing else, whichever bit it hits: it
// is not taken for a pack of another version, and Check tells of it.
func TestPackHeaderDamaged(t *testing.T) {
	for bit := range packHeader * 8 {
		pack := goldenPackBytes()
		pack[bit/8] ^= 1 << (bit % 8)
		d, err := openPack(t, pack)
		if err != nil {
			t.Fatalf("bit %d of byte %d flipped: %v", bit%8, bit/8, err)
		}
		got, err := checkpoint.NewStore(d).Get(t.Context(), ledger.Sum([]byte("hello")))
		if err != nil || string(got) != "hello" {
			t.Errorf("bit %d of byte %d flipped: %q, %v", bit%8, bit/8, got, err)
		}
		var faults []string
		if _, err := d.Check(t.Context(), func(f Fault) { faults = append(faults, f.Why) }); err != nil {
			t.Errorf("bit %d of byte %d flipped: check: %v", bit%8, bit/8, err)
		}
		if len(faults) != 1 || faults[0] != "its beginning is damaged" {
			t.Errorf("bit %d of byte %d flipped: faults %q", bit%8, bit/8, faults)
		}
	}
}

// A pack whose header says another version, and whose items are not of this
// one, was written by a later planlock.
func TestLaterPackIsRefused(t *testing.T) {
	pack := goldenPackBytes()
	pack[packHeader-1]++
	pack = bytes.ReplaceAll(pack, []byte(itemMagic), []byte("item"))
	if _, err := openPack(t, pack); !errors.Is(err, checkpoint.ErrVersion) ||
		!strings.Contains(err.Error(), "later planlock") {
		t.Errorf("%v", err)
	}
}

// openPack opens a store that holds one pack.
func openPack(t *testing.T, pack []byte) (*Blobs, error) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, packFolder, goldenPack+packExt)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, pack, 0o644)); err != nil {
		t.Fatal(err)
	}
	d, err := Open(t.Context(), dir)
	if err == nil {
		t.Cleanup(func() { d.Close() })
	}
	return d, err
}

// Damage to a pack costs the items it hit: every other content is still there,
// and nothing is taken for what it is not.
func TestPackDamaged(t *testing.T) {
	good := goldenPackBytes()
	texts := map[sum]string{}
	for _, text := range []string{"hello", "", "last"} {
		texts[sumOf([]byte(text))] = text
	}
	find := func(b []byte) (n int) {
		_, err := scanPack(bytes.NewReader(b), goldenPack, int64(packHeader), int64(len(b)),
			func(s sum, p place, _ bool) {
				text, ok := texts[s]
				if !ok || p.size != int64(len(text)) {
					t.Fatalf("found %x of %d bytes", s, p.size)
				}
				n++
			})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for i := packHeader * 8; i < len(good)*8; i++ {
		b := bytes.Clone(good)
		b[i/8] ^= 1 << (i % 8)
		if n := find(b); n < 2 {
			t.Fatalf("bit %d of byte %d flipped: %d contents left", i%8, i/8, n)
		}
	}
	for n := packHeader; n < len(good); n++ {
		find(good[:n])
	}
}

func FuzzPack(f *testing.F) {
	f.Add(goldenPackBytes()[packHeader:])
	f.Fuzz(func(t *testing.T, b []byte) {
		b = append(appendPackHeader(nil), b...)
		scan, err := scanPack(bytes.NewReader(b), goldenPack, int64(packHeader), int64(len(b)),
			func(_ sum, p place, _ bool) {
				if p.size < 0 || p.offset < int64(packHeader) || p.offset+p.size > int64(len(b)) {
					t.Fatalf("a content at %v of %d bytes", p, len(b))
				}
			})
		if err != nil || scan.end > int64(len(b)) || scan.marked > scan.end {
			t.Fatal(scan, err)
		}
	})
}
