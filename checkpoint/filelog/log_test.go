package filelog

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/internal/format"
	"github.com/planlock/planlock/checkpoint/record"
)

// A faulty file fails one call.
type faulty struct {
	logFile
	write, sync error
	room        int64 // where the disk is full; 0: nowhere
}

func (f *faulty) WriteAt(b []byte, at int64) (int, error) {
	if f.write != nil {
		n, _ := f.logFile.WriteAt(b[:len(b)/2], at)
		return n, f.write
	}
	if end := at + int64(len(b)); f.room > 0 && end > f.room {
		n, _ := f.logFile.WriteAt(b[:max(0, f.room-at)], at)
		return n, syscall.ENOSPC
	}
	return f.logFile.WriteAt(b, at)
}

func (f *faulty) Sync() error {
	if f.sync != nil {
		return f.sync
	}
	return f.logFile.Sync()
}

func openForTest(t *testing.T, path string) *Log {
	t.Helper()
	l, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func replayAll(t *testing.T, l checkpoint.Log) (all []string) {
	t.Helper()
	for r, err := range l.Replay(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(r))
	}
	return all
}

func TestFileLogDiesWithItsFirstFailure(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault faulty
	}{{"write", faulty{write: syscall.EIO}}, {"sync", faulty{sync: syscall.EIO}}} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			l := openForTest(t, path)
			if err := l.Append(t.Context(), [][]byte{[]byte("kept")}); err != nil {
				t.Fatal(err)
			}
			fault, whole := c.fault, l.f
			fault.logFile = whole
			l.f = &fault
			first := l.Append(t.Context(), [][]byte{[]byte("lost")})
			if !errors.Is(first, checkpoint.ErrDead) || !errors.Is(first, syscall.EIO) {
				t.Fatalf("error is %v", first)
			}
			l.f = whole // a second try would succeed, and must not be made
			if err := l.Append(t.Context(), [][]byte{[]byte("after")}); err != first {
				t.Fatalf("after it: %v", err)
			}
			if got := replayAll(t, l); len(got) != 1 || got[0] != "kept" {
				t.Fatalf("replayed %q", got)
			}
			l.Close()
			got := replayAll(t, openForTest(t, path))
			if len(got) < 1 || got[0] != "kept" || len(got) > 2 {
				t.Fatalf("after opening it again: %q", got)
			}
		})
	}
}

// A full disk takes no record away, and leaves room for a few more.
func TestFileLogFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l := openForTest(t, path)
	if err := l.Append(t.Context(), [][]byte{[]byte("first")}); err != nil {
		t.Fatal(err)
	}
	full := &faulty{logFile: l.f, room: l.size}
	l.f = full
	err := l.Append(t.Context(), [][]byte{make([]byte, 1<<20)})
	if !errors.Is(err, syscall.ENOSPC) || errors.Is(err, checkpoint.ErrDead) {
		t.Fatalf("error is %v, want a full disk and a log that lives", err)
	}
	for range 100 {
		if err := l.Append(t.Context(), [][]byte{bytes.Repeat([]byte("x"), 100)}); err != nil {
			t.Fatal(err)
		}
	}
	full.room = 0
	if err := l.Append(t.Context(), [][]byte{make([]byte, 1<<20)}); err != nil {
		t.Fatal(err)
	}
	l.Close()
	if got := replayAll(t, openForTest(t, path)); len(got) != 102 {
		t.Fatalf("%d records", len(got))
	}
}

// What a power cut leaves of an unsynced batch is any subset of its sectors.
func TestFileLogTornInAnySubset(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l := openForTest(t, path)
	text := func(n int) []byte { return bytes.Repeat([]byte("text"), n/4) }
	for _, n := range []int{40, 700} {
		if err := l.Append(t.Context(), [][]byte{text(n)}); err != nil {
			t.Fatal(err)
		}
	}
	start := l.end.offset
	old, err := os.ReadFile(path + headExt) // as a power cut during the next batch leaves it
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Append(t.Context(), [][]byte{text(1000), text(900)}); err != nil {
		t.Fatal(err)
	}
	end := l.end.offset
	l.Close()
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	anySubset(t, path, good, old, start, end, func(l *Log, lost int) {
		if got := replayAll(t, l); lost > 0 && (len(got) != 3 || got[2] != "next") {
			t.Fatalf("sectors %b lost: %d records", lost, len(got))
		}
	})
}

// anySubset lets look at a log, after one more batch, for each subset of the
// sectors between two places that a power cut may have taken. good is the log,
// and head its head as it was before.
func anySubset(t *testing.T, path string, good, head []byte, from, to int64, look func(l *Log, lost int)) {
	t.Helper()
	first := from / sector
	for lost := range 1 << ((to-1)/sector - first + 1) {
		for _, tail := range []int{0, 5000} { // with and without zeros written ahead
			b := append(bytes.Clone(good), make([]byte, tail)...)
			for at := from; at < to; at = (at/sector + 1) * sector {
				if lost&(1<<(at/sector-first)) != 0 {
					clear(b[at:min((at/sector+1)*sector, to)])
				}
			}
			if err := errors.Join(os.WriteFile(path, b, 0o644), os.WriteFile(path+headExt, head, 0o644)); err != nil {
				t.Fatal(err)
			}
			l := openForTest(t, path)
			if err := l.Append(t.Context(), [][]byte{[]byte("next")}); err != nil {
				t.Fatal(err)
			}
			look(l, lost)
			l.Close()
		}
	}
}

// Of batches that were only written, and of the one that would have made them
// durable, a power cut leaves any subset of sectors. What is read then is a
// beginning, and nothing that was durable is missing.
func TestFileLogLooseInAnySubset(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l := openForTest(t, path)
	text := func(name string, n int) [][]byte { return [][]byte{bytes.Repeat([]byte(name), n)} }
	if err := l.Append(t.Context(), text("d", 700)); err != nil {
		t.Fatal(err)
	}
	start := l.end.offset
	old, err := os.ReadFile(path + headExt)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(l.Write(t.Context(), text("1", 100)), l.Write(t.Context(), text("2", 1100)),
		l.Append(t.Context(), text("3", 900)))
	if err != nil {
		t.Fatal(err)
	}
	end := l.end.offset
	l.Close()
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	anySubset(t, path, good, old, start, end, func(l *Log, lost int) {
		order := ""
		for _, r := range replayAll(t, l) {
			order += r[:1]
		}
		l.Close()
		again := openForTest(t, path)
		defer again.Close()
		if got := replayAll(t, again); len(got) != len(order) {
			t.Fatalf("sectors %b lost: read again it is another", lost)
		}
		seen[order]++
	})
	// The first of them lies in the sector that the second begins in, so it is
	// there alone only where more of the second is lost.
	if diff := cmp.Diff([]string{"d123n", "d12n", "d1n", "dn"}, slices.Sorted(maps.Keys(seen))); diff != "" {
		t.Errorf("(-want +got):\n%s\n%v", diff, seen)
	}
}

// What was acknowledged since is no torn end, though it lies behind a batch
// that was only written.
func TestFileLogLooseIsDurableLater(t *testing.T) {
	for _, c := range []struct {
		name  string
		after int // batches that are appended afterwards
		head  bool
		want  uint64 // record that is named; 0: a torn end
	}{{"one batch later", 1, true, 2}, {"one batch later, and the head is lost", 1, false, 0},
		{"two batches later", 2, false, 2}} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			l := openForTest(t, path)
			text := [][]byte{bytes.Repeat([]byte("x"), 1500)}
			err := errors.Join(l.Append(t.Context(), text), l.Write(t.Context(), text))
			from, to := l.end.offset-1400, l.end.offset-10
			for range c.after {
				err = errors.Join(err, l.Append(t.Context(), text))
			}
			if err = errors.Join(err, l.Close()); err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			clear(b[from:to])
			if err := os.WriteFile(path, b, 0o644); err != nil {
				t.Fatal(err)
			}
			if !c.head {
				if err := os.Remove(path + headExt); err != nil {
					t.Fatal(err)
				}
			}
			var corrupt *record.CorruptError
			switch again, err := Open(t.Context(), path); {
			case c.want == 0:
				if err == nil {
					err = again.Close()
				}
				if err != nil {
					t.Error(err)
				}
			case c.want > 0 && (!errors.As(err, &corrupt) || corrupt.Seq != c.want):
				t.Errorf("error is %v, want record %d", err, c.want)
			}
		})
	}
}

// A batch in the middle that was wiped out is no torn end.
func TestFileLogWipedMiddle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l := openForTest(t, path)
	var ends []int64
	for range 3 {
		if err := l.Append(t.Context(), [][]byte{bytes.Repeat([]byte("x"), 1500)}); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, l.end.offset)
	}
	l.Close()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	clear(b[ends[0]:ends[1]])
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	var corrupt *record.CorruptError
	if _, err := Open(t.Context(), path); !errors.As(err, &corrupt) || corrupt.Seq != 2 {
		t.Fatalf("error is %v, want record 2", err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, b) {
		t.Fatalf("the file was changed: %v", err)
	}
}

func TestFileLogRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "log")
	l := openForTest(t, path)
	var held *checkpoint.HeldError
	if _, err := Open(t.Context(), path); !errors.As(err, &held) {
		t.Errorf("a second writer: %v", err)
	}
	reader, err := Read(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if err := reader.Append(t.Context(), [][]byte{{}}); !errors.Is(err, errReadOnly) {
		t.Errorf("append to a log that is read: %v", err)
	}
	big := make([]byte, format.MaxBatch/2)
	if err := l.Append(t.Context(), [][]byte{big, big}); !errors.Is(err, record.ErrTooLarge) {
		t.Errorf("a batch too large: %v", err)
	}
	var corrupt *record.CorruptError
	for name, text := range map[string]string{"empty": "", "short": "planlock.l",
		"other": "something else altogether"} {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), p); !errors.As(err, &corrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	later := filepath.Join(dir, "later")
	if err := os.WriteFile(later, []byte(logMagic+"\x00\x00\x00\x03"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), later); !errors.Is(err, checkpoint.ErrVersion) {
		t.Errorf("a later version: %v", err)
	}
	if _, err := Open(t.Context(), dir); err == nil {
		t.Error("a folder: no error")
	}
	if _, err := Read(t.Context(), filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}
