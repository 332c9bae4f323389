package filelog

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/internal/file"
	"github.com/planlock/planlock/checkpoint/internal/format"
	"github.com/planlock/planlock/checkpoint/record"
)

// threeBatches is a closed log of batches of 1, 2 and 1 records, and where each
// ends.
func threeBatches(t *testing.T) (path string, ends []logEnd) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "log")
	l := openForTest(t, path)
	for _, batch := range [][][]byte{{[]byte("one")}, {[]byte("two"), []byte("three")}, {[]byte("four")}} {
		if err := l.Append(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, l.end)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return path, ends
}

// openBoth opens a log for reading and for writing.
func openBoth(t *testing.T, path string) error {
	t.Helper()
	var errs []error
	for _, open := range []func(context.Context, string) (*Log, error){Read, Open} {
		l, err := open(t.Context(), path)
		if err == nil {
			err = l.Close()
		}
		errs = append(errs, err)
	}
	if (errs[0] == nil) != (errs[1] == nil) {
		t.Errorf("for reading %v, for writing %v", errs[0], errs[1])
	}
	return errs[1]
}

// A cut is found wherever it is, and leaves what is there as it is.
func TestFileLogCut(t *testing.T) {
	path, ends := threeBatches(t)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range good {
		if err := os.WriteFile(path, good[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		var corrupt *record.CorruptError
		if err := openBoth(t, path); !errors.As(err, &corrupt) {
			t.Fatalf("cut at %d: %v", n, err)
		}
		if int64(n) == ends[0].offset && corrupt.Seq != 2 {
			t.Errorf("cut behind the first batch: %v, want record 2", corrupt)
		}
		if now, err := os.ReadFile(path); err != nil || len(now) != n {
			t.Fatalf("cut at %d: it has %d bytes now, %v", n, len(now), err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	var corrupt *record.CorruptError
	if err := openBoth(t, path); !errors.As(err, &corrupt) {
		t.Errorf("removed: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a new log was put in its place: %v", err)
	}
	// Whoever puts an older copy back says so by removing the head.
	if err := errors.Join(os.WriteFile(path, good[:ends[0].offset], 0o644), os.Remove(path+headExt)); err != nil {
		t.Fatal(err)
	}
	if got := replayAll(t, openForTest(t, path)); len(got) != 1 {
		t.Errorf("without a head: %q", got)
	}
}

func TestFileLogWrittenAnew(t *testing.T) {
	path, _ := threeBatches(t)
	head, err := os.ReadFile(path + headExt)
	if err != nil {
		t.Fatal(err)
	}
	for name, last := range map[string]string{"same length": "FOUR", "longer": "four and more"} {
		if err := errors.Join(os.Remove(path), os.Remove(path+headExt)); err != nil {
			t.Fatal(err)
		}
		l := openForTest(t, path)
		for _, batch := range [][][]byte{{[]byte("one")}, {[]byte("two"), []byte("three")}, {[]byte(last)}} {
			if err := l.Append(t.Context(), batch); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(l.Close(), os.WriteFile(path+headExt, head, 0o644)); err != nil {
			t.Fatal(err)
		}
		var corrupt *record.CorruptError
		if err := openBoth(t, path); !errors.As(err, &corrupt) || corrupt.Seq != 4 {
			t.Errorf("%s: %v, want record 4", name, err)
		}
	}
}

// Whatever a power cut leaves of the head, a good log can be read.
func TestFileLogHeadLeftBehind(t *testing.T) {
	path, ends := threeBatches(t)
	heads := map[string][]byte{"empty": {}, "zeros": make([]byte, headSize), "half": ends[2].encode()[:20],
		"torn": append(ends[2].encode()[:30], ends[0].encode()[30:]...), "longer": append(ends[2].encode(), 0)}
	for _, e := range ends {
		heads[string(rune('0'+e.records))+" records"] = e.encode()
	}
	for name, head := range heads {
		if err := os.WriteFile(path+headExt, head, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := openBoth(t, path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	later := ends[2].encode()[:headSize-4]
	later[headPrefix-1] = 2
	if err := os.WriteFile(path+headExt, format.Seal(later), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := openBoth(t, path); !errors.Is(err, checkpoint.ErrVersion) {
		t.Errorf("a later version: %v", err)
	}
	if err := errors.Join(os.Remove(path+headExt), os.Mkdir(path+headExt, 0o755)); err != nil {
		t.Fatal(err)
	}
	if err := openBoth(t, path); err == nil {
		t.Error("a folder: no error")
	}
}

// A batch of which nobody knows whether it is durable is not in the head.
func TestFileLogHeadIsNeverNewer(t *testing.T) {
	path, _ := threeBatches(t)
	l := openForTest(t, path)
	before, err := os.ReadFile(path + headExt)
	if err != nil {
		t.Fatal(err)
	}
	l.f = &faulty{logFile: l.f, sync: syscall.EIO}
	if err := l.Append(t.Context(), [][]byte{[]byte("five")}); !errors.Is(err, checkpoint.ErrDead) {
		t.Fatal(err)
	}
	l.Close()
	if after, err := os.ReadFile(path + headExt); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the head was written: %v", err)
	}
}

// A reader never takes what a writer adds meanwhile for a cut.
func TestFileLogReadWhileWritten(t *testing.T) {
	path, _ := threeBatches(t)
	l := openForTest(t, path)
	done := make(chan error)
	go func() {
		var err error
		for i := 0; i < 50 && err == nil; i++ {
			err = l.Append(t.Context(), [][]byte{bytes.Repeat([]byte("x"), 700)})
		}
		done <- err
	}()
	for {
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			return
		default:
		}
		r, err := Read(t.Context(), path)
		if err != nil {
			t.Fatal(err, <-done)
		}
		r.Close()
	}
}

// What is done to the files of a log while it is open kills it.
func TestFileLogTakenAway(t *testing.T) {
	for name, do := range map[string]func(path string) error{
		"removed": os.Remove,
		"cut":     func(path string) error { return os.Truncate(path, 100) },
		"emptied": func(path string) error { return os.Truncate(path, 0) },
		"replaced": func(path string) error {
			return errors.Join(os.Rename(path, path+"2"),
				copyFile(path+"2", path))
		},
		"folder removed": func(path string) error { return os.RemoveAll(filepath.Dir(path)) },
		"head removed":   func(path string) error { return os.Remove(path + headExt) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "folder", "log")
			l := openForTest(t, path)
			if err := l.Append(t.Context(), [][]byte{bytes.Repeat([]byte("x"), 200)}); err != nil {
				t.Fatal(err)
			}
			if err := do(path); err != nil {
				t.Skip("needs files that can be taken away while they are open: ", err)
			}
			size := int64(-1)
			if info, err := os.Stat(path); err == nil {
				size = info.Size()
			}
			for range 2 {
				if err := l.Append(t.Context(), [][]byte{[]byte("lost")}); !errors.Is(err, checkpoint.ErrDead) ||
					!errors.Is(err, checkpoint.ErrReplaced) {
					t.Fatalf("error is %v", err)
				}
			}
			l.Close()
			if info, err := os.Stat(path); err == nil && info.Size() != size {
				t.Errorf("it had %d bytes and has %d: what it was is lost", size, info.Size())
			}
		})
	}
}

// A log that was cut is not written any more, also where nothing is to be
// durable yet.
func TestFileLogCutBeforeWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l := openForTest(t, path)
	if err := l.Append(t.Context(), [][]byte{[]byte("x")}); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 20); err != nil {
		t.Skip("needs files that can be cut while they are open: ", err)
	}
	if err := l.Write(t.Context(), [][]byte{[]byte("y")}); !errors.Is(err, checkpoint.ErrReplaced) || !errors.Is(err,
		checkpoint.ErrDead) {
		t.Errorf("error is %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != 20 {
		t.Errorf("it has %v bytes, %v; it had 20", info.Size(), err)
	}
}

func TestFileLogCutBeforeClose(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l := openForTest(t, path)
	if err := l.Append(t.Context(), [][]byte{[]byte("x")}); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 20); err != nil {
		t.Skip("needs files that can be cut while they are open: ", err)
	}
	if err := l.Close(); !errors.Is(err, checkpoint.ErrReplaced) {
		t.Errorf("error is %v", err)
	}
}

// What was cut off a log since it was opened is missed by a replay, which
// yields what is left.
func TestFileLogReplayOfACutLog(t *testing.T) {
	path, ends := threeBatches(t)
	for _, open := range []func(context.Context, string) (*Log, error){Open, Read} {
		for _, size := range []int64{ends[1].offset, ends[1].offset + 20, ends[0].offset, int64(logHeader)} {
			again := filepath.Join(t.TempDir(), "log")
			if err := copyFile(path, again); err != nil {
				t.Fatal(err)
			}
			l, err := open(t.Context(), again)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { l.Close() })
			if err := os.Truncate(again, size); err != nil {
				t.Skip("needs files that can be cut while they are open: ", err)
			}
			var last error
			for _, err := range l.Replay(t.Context()) {
				last = err
			}
			if corrupt := new(record.CorruptError); !errors.As(last, &corrupt) {
				t.Errorf("cut to %d bytes: error is %v", size, last)
			}
		}
	}
}

// An error bears the name of the log, also of one that was just made.
func TestFileLogErrorsBearItsName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if got := openForTest(t, path).f.(file.Data).OS().Name(); got != path {
		t.Errorf("it is %q", got)
	}
}

func TestGoldenHead(t *testing.T) {
	want := "706c616e6c6f636b2f68656164" + "00" + "0001" + "0000000000000203" + "0000000000000004" + "0a0b0c0d" + "2b34d019"
	e := logEnd{offset: 0x203, records: 4, sum: 0x0a0b0c0d}
	if diff := cmp.Diff(want, hex.EncodeToString(e.encode())); diff != "" {
		t.Error(diff)
	}
	if got, err := decodeHead(e.encode()); err != nil || got != e {
		t.Errorf("read back: %v, %v", got, err)
	}
}

func FuzzHead(f *testing.F) {
	f.Add(logEnd{offset: 0x203, records: 4, sum: 1}.encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		if e, err := decodeHead(b); err == nil && e != (logEnd{}) && !bytes.Equal(e.encode(), b) {
			t.Fatal(e)
		}
	})
}

func copyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o644)
}
