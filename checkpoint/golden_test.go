package checkpoint

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/ledger"

	"github.com/planlock/planlock/checkpoint/record"
)

var update = flag.Bool("update", false, "write the golden files anew; never do that with those of a released version")

const goldenPack = "01JGVPACKV1000000000000000"

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

func golden(t *testing.T, name string, got []byte) []byte {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s is written as\n%swant\n%s", name, hex.Dump(got), hex.Dump(want))
	}
	return want
}

func TestGoldenManifest(t *testing.T) {
	full, delta := goldenManifests()
	for name, m := range map[string]*manifest{"manifest-full.v1": full, "manifest-delta.v1": delta} {
		text, err := m.encode()
		if err != nil {
			t.Fatal(err)
		}
		back, err := decodeManifest(golden(t, name, text))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, back, cmp.AllowUnexported(manifest{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestGoldenPack(t *testing.T) {
	b := golden(t, goldenPack+packExt, goldenPackBytes())
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, packFolder), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, packFolder, goldenPack+packExt), b, 0o644); err != nil {
		t.Fatal(err)
	}
	d, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for text, durable := range map[string]bool{"hello": true, "": true, "last": false} {
		got, err := NewStore(d).Get(t.Context(), ledger.Sum([]byte(text)))
		if err != nil || string(got) != text {
			t.Errorf("%q: %q, %v", text, got, err)
		}
		if has, err := d.Has(t.Context(), ledger.Sum([]byte(text))); err != nil || has != durable {
			t.Errorf("%q: Has says %v, %v", text, has, err)
		}
	}
}

func TestGoldenJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	log, err := OpenFileLog(path)
	if err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return time.Unix(1700000000, 5) }
	j, err := OpenJournal(t.Context(), log, "01JGRUN", now)
	if err != nil {
		t.Fatal(err)
	}
	var want []record.Record
	for i, f := range []record.Fact{
		{Type: "run.started", Data: json.RawMessage(`{"plan":"p"}`)},
		{Type: "step.started", Step: "1.1", Attempt: 1},
		{Type: "step.done", Step: "1.1", Attempt: 1, Data: json.RawMessage(`[1,"é"]`)},
	} {
		add := j.Append
		if i == 1 {
			add = j.Write
		}
		records, err := add(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, records...)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "journal.v1", written)
	for _, name := range []string{"journal.v1"} {
		old, err := ReadFileLog(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		defer old.Close()
		if j, err = OpenJournal(t.Context(), old, "01JGRUN", now); err != nil {
			t.Fatal(err)
		}
		var got []record.Record
		for r, err := range j.Records(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, r)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// What was written before version 1 is refused in one sentence that says what
// to do, and left as it is.
func TestOldFormatsAreRefused(t *testing.T) {
	dir := t.TempDir()
	copied := func(from, to string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join("testdata", from))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, to)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, text, 0o644)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	log := copied("journal.old", "journal")
	before, _ := os.ReadFile(log)
	for name, open := range map[string]func(string) (*FileLog, error){"to append": OpenFileLog,
		"to read": ReadFileLog} {
		if _, err := open(log); !errors.Is(err, ErrOldFormat) {
			t.Errorf("a log that is opened %s: %v", name, err)
		}
	}
	if after, err := os.ReadFile(log); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the log was changed: %v", err)
	}
	copied("pack.old", filepath.Join(packFolder, goldenPack+packExt))
	d, err := OpenFolder(dir)
	if err == nil {
		_, err = d.Get(t.Context(), ledger.Sum([]byte("hello")))
		d.Close()
	}
	if !errors.Is(err, ErrOldFormat) {
		t.Errorf("a store: %v", err)
	}
	manifest, err := os.ReadFile(filepath.Join("testdata", "manifest.old"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := decodeManifest(manifest); !errors.Is(err, ErrOldFormat) {
		t.Errorf("a manifest: %v", err)
	}
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

func FuzzLog(f *testing.F) {
	one, _ := appendFrame(nil, int64(logHeader), frameLoose, [][]byte{[]byte("a"), {}})
	two, _ := appendFrame(one, int64(logHeader+len(one)), frameBehind, [][]byte{bytes.Repeat([]byte{0}, 600)})
	f.Add(two)
	f.Add(two[:len(two)-9])
	f.Fuzz(func(t *testing.T, b []byte) {
		b = append(append([]byte(logMagic), 0, 0, 0, logVersion), b...)
		var first [][]byte
		end, err := readFrames(t.Context(), bytes.NewReader(b), "log", int64(len(b)), ends{},
			func(r []byte, _ error) bool {
				first = append(first, bytes.Clone(r))
				return true
			})
		if err != nil {
			return
		}
		// What is cut off makes no difference to what is left.
		n := 0
		again, err := readFrames(t.Context(), bytes.NewReader(b[:end.offset]), "log", end.offset, ends{head: end},
			func(r []byte, _ error) bool {
				if !bytes.Equal(r, first[n]) {
					t.Fatal("another record")
				}
				n++
				return true
			})
		if err != nil || again != end || n != len(first) {
			t.Fatal(again, end, n, err)
		}
	})
}
