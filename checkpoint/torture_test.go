package checkpoint_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/checkpoint/folder"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/ledger"
)

// every is of how many cases an ordinary test takes one, and a short one of eight
// times as many.
func every(n int) int {
	switch {
	case torture:
		return 1
	case testing.Short():
		return 8*n + 1
	}
	return n
}

// sixtyFour is a journal of 64 KiB, its head, and the last hash of each batch.
func sixtyFour(t *testing.T) (path string, good, head []byte, total uint64) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "journal")
	log, err := filelog.Open(t.Context(), path)
	must(t, err)
	j, err := checkpoint.OpenJournal(t.Context(), log, "run", clock(), nil)
	must(t, err)
	must(t, j.SignWith(signingKey, relied))
	data := json.RawMessage(`"` + strings.Repeat("0123456789abcdef", 60) + `"`)
	for i := range 21 {
		add := j.Append
		if i%3 == 1 {
			add = j.Write // which the next one makes durable, or Close
		}
		kind := "relied"
		if i%2 == 0 {
			kind = "a"
		}
		_, err := add(t.Context(), record.Fact{Type: kind, Data: data}, record.Fact{Type: "b", Data: data},
			record.Fact{Type: "c", Data: data})
		must(t, err)
	}
	must(t, j.Close())
	good, err = os.ReadFile(path)
	must(t, err)
	head, err = os.ReadFile(path + ".head")
	must(t, err)
	if len(good) < 64<<10 {
		t.Fatalf("it has only %d bytes", len(good))
	}
	return path, good, head, 63
}

// opened is how a journal is read: how many records, or why not.
func opened(t *testing.T, path string) (uint64, error) {
	log, err := filelog.Read(t.Context(), path)
	if err != nil {
		return 0, err
	}
	j, err := checkpoint.OpenJournal(t.Context(), log, "run", nil, nil)
	if err != nil {
		return 0, errors.Join(err, log.Close())
	}
	return j.Head().Seq, j.Close()
}

// Every bit of a journal of 64 KiB flipped, with its head and without: a
// refusal that names the record.
func TestTortureEveryBit(t *testing.T) {
	path, good, head, _ := sixtyFour(t)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	defer f.Close()
	for _, with := range []bool{true, false} {
		if !with {
			must(t, os.Remove(path+".head"))
		}
		for bit := 0; bit < len(good)*8; bit += every(331) {
			one := []byte{good[bit/8] ^ 1<<(bit%8)}
			_, err := f.WriteAt(one, int64(bit/8))
			must(t, err)
			n, err := opened(t, path)
			var corrupt *record.CorruptError
			if !errors.As(err, &corrupt) && !errors.Is(err, checkpoint.ErrVersion) || corrupt != nil &&
				corrupt.Seq == 0 {
				t.Fatalf("bit %d of byte %d (head: %v): %d records, %v", bit%8, bit/8, with, n, err)
			}
			_, err = f.WriteAt(good[bit/8:bit/8+1], int64(bit/8))
			must(t, err)
		}
	}
	must(t, os.WriteFile(path+".head", head, 0o644))
	if n, err := opened(t, path); n != 63 || err != nil {
		t.Fatalf("undamaged: %d, %v", n, err)
	}
}

// Every byte of its end cut: with its head or a witness a refusal; without,
// whole batches are left, the torn one is repaired, and the head that the host
// kept tells.
func TestTortureEveryCut(t *testing.T) {
	path, good, head, total := sixtyFour(t)
	for n := len(good) - 1; n >= 0; n -= every(97) {
		must(t, os.WriteFile(path, good[:n], 0o644), os.WriteFile(path+".head", head, 0o644))
		var corrupt *record.CorruptError
		if _, err := opened(t, path); !errors.As(err, &corrupt) || corrupt.Seq == 0 {
			t.Fatalf("cut at %d: %v", n, err)
		}
		must(t, os.Remove(path+".head"))
		records, err := opened(t, path)
		if n < 16 {
			if !errors.As(err, &corrupt) {
				t.Fatalf("cut at %d: %v", n, err)
			}
			continue
		}
		if err != nil || records%3 != 0 || records >= total {
			t.Fatalf("cut at %d, without a head: %d records, %v", n, records, err)
		}
		if n%(every(97)*16) == 0 { // repaired, and told by whoever knows better
			log, err := filelog.Open(t.Context(), path)
			must(t, err)
			j, err := checkpoint.OpenJournal(t.Context(), log, "run", clock(), nil)
			must(t, err)
			if err := j.Extends(t.Context(), record.Head{Seq: total}); !errors.As(err, &corrupt) {
				t.Fatalf("cut at %d: the host is told %v", n, err)
			}
			_, err = j.Append(t.Context(), record.Fact{Type: "next"})
			must(t, err, j.Close())
			if again, err := opened(t, path); err != nil || again != records+1 {
				t.Fatalf("cut at %d and repaired: %d records, %v", n, again, err)
			}
		}
	}
}

// found lists a folder with find and sha256sum.
func found(t *testing.T, dir string) string {
	t.Helper()
	list := exec.Command("find", ".", "-mindepth", "1", "(", "-type", "d", "-printf", `%P\0%y %m %T@\0`, ")",
		"-o", "-printf", `%P\0%y %m %s %T@ %l\0`)
	sums := exec.Command("sh", "-c", "find . -type f -print0 | LC_ALL=C sort -z | xargs -0 -r sha256sum -z")
	text := ""
	for _, c := range []*exec.Cmd{list, sums} {
		c.Dir = dir
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		parts := strings.Split(string(out), "\x00")
		text += strings.Join(sortedPairs(parts, c == list), "\n") + "\n"
	}
	return text
}

// sortedPairs puts name and facts together, in the order of the names.
func sortedPairs(parts []string, pairs bool) []string {
	if !pairs {
		return parts
	}
	m := map[string]string{}
	for i := 0; i+1 < len(parts); i += 2 {
		m[parts[i]] = parts[i+1]
	}
	var all []string
	for _, name := range sortedKeys(m) {
		all = append(all, fmt.Sprintf("%q %s", name, m[name]))
	}
	return all
}

// Random trees with links, empty folders, modes and odd names, changed at
// random and restored, are what they were: as find and sha256sum see them.
func TestTortureRandomTrees(t *testing.T) {
	if err := exec.Command("find", "--version").Run(); err != nil || runtime.GOOS != "linux" {
		t.Skip("needs GNU find")
	}
	trees := 1000 / every(25)
	store := openStoreIn(t, t.TempDir())
	for seed := range trees {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		dir := t.TempDir()
		t.Cleanup(func() { openUpAll(dir) })
		mutate(t, r, dir, 5+r.IntN(60))
		want := scanned(t, dir, ledger.Scope{})
		snap, err := store.Snapshot(t.Context(), dir, want, record.Snapshot{})
		must(t, err)
		before := found(t, dir)
		mutate(t, r, dir, 1+r.IntN(80))
		want, err = store.Tree(t.Context(), snap)
		must(t, err)
		must(t, store.Restore(t.Context(), dir, want, scanned(t, dir, ledger.Scope{})))
		if diff := cmp.Diff(strings.Split(before, "\n"), strings.Split(found(t, dir), "\n")); diff != "" {
			t.Fatalf("seed %d (-before +restored):\n%s", seed, diff)
		}
		openUpAll(dir)
		must(t, os.RemoveAll(dir))
	}
}

func openStoreIn(t testing.TB, dir string) *checkpoint.Store {
	t.Helper()
	blobs, err := folder.Open(t.Context(), dir)
	must(t, err)
	t.Cleanup(func() { blobs.Close() })
	return checkpoint.NewStore(blobs)
}

// A journal of 200 MB is verified and read in constant memory.
func TestTortureLongJournal(t *testing.T) {
	size := 200 << 20 / every(8)
	path := filepath.Join(t.TempDir(), "journal")
	log, err := filelog.Open(t.Context(), path)
	must(t, err)
	j, err := checkpoint.OpenJournal(t.Context(), log, "run", clock(), nil)
	must(t, err)
	batch := make([]record.Fact, 1000)
	for i := range batch {
		batch[i] = record.Fact{Type: "a", Data: json.RawMessage(`"` + strings.Repeat("x", 900) + `"`)}
	}
	for n := 0; n < size; n += 1000 * 1000 {
		_, err := j.Append(t.Context(), batch...)
		must(t, err)
	}
	must(t, j.Close())
	log, err = filelog.Read(t.Context(), path)
	must(t, err)
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	j, err = checkpoint.OpenJournal(t.Context(), log, "run", nil, nil)
	must(t, err)
	defer j.Close()
	n := uint64(0)
	for _, err := range j.Records(t.Context()) {
		must(t, err)
		if n++; n%5000 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&now)
			if grown := int64(now.HeapAlloc) - int64(before.HeapAlloc); grown > 16<<20 {
				t.Fatalf("after %d records the heap has grown by %d bytes", n, grown)
			}
		}
	}
	if n != j.Head().Seq {
		t.Errorf("%d records of %d", n, j.Head().Seq)
	}
}

// A sparse file is neither kept nor restored as a whole.
func TestTortureSparse(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks at blocks as Linux counts them")
	}
	dir, objects := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "sparse")
	f, err := os.Create(path)
	must(t, err)
	size := int64(64 << 20)
	if testing.Short() {
		size >>= 3
	}
	_, err = f.WriteAt([]byte("in the middle"), size/3)
	must(t, err, f.Truncate(size), f.Close())
	if blocks(t, path) > 1<<20 {
		t.Skip("this file system has no holes")
	}
	store := openStoreIn(t, objects)
	tree := scanned(t, dir, ledger.Scope{})
	_, err = store.Snapshot(t.Context(), dir, tree, record.Snapshot{})
	must(t, err)
	packs, err := filepath.Glob(filepath.Join(objects, "packs", "*"))
	must(t, err)
	if n := blocks(t, packs[0]); n > 1<<20 {
		t.Errorf("the pack takes %d bytes", n)
	}
	want, err := os.ReadFile(path)
	must(t, err)
	for _, there := range []string{"", "something else", strings.Repeat("x", 3<<20)} {
		must(t, os.WriteFile(path, []byte(there), 0o644))
		if there == "" {
			must(t, os.Remove(path))
		}
		must(t, store.Restore(t.Context(), dir, tree, scanned(t, dir, ledger.Scope{})))
		got, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
		if n := blocks(t, path); n > 1<<20 {
			t.Errorf("over %d bytes: it takes %d bytes", len(there), n)
		}
	}
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
