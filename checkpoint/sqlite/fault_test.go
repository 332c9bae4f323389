package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/ledger"
)

const run = "01K0000000000000000000000A"

// open opens a file of its own, which is closed when the test ends.
func open(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// says checks that an error names the file, and says what would help.
func says(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, err)
		}
	}
}

func replayed(t *testing.T, s *Store) (all []string) {
	t.Helper()
	l, err := s.Runs().Read(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	for r, err := range l.Replay(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(r))
	}
	return all
}

func texts(texts ...string) (batch [][]byte) {
	for _, text := range texts {
		batch = append(batch, []byte(text))
	}
	return batch
}

// TestFull has the file reach its limit, as on a full disk.
func TestFull(t *testing.T) {
	ctx, s := t.Context(), open(t, filepath.Join(t.TempDir(), "full.db"))
	l, err := s.Runs().Open(ctx, run)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Append(ctx, texts("kept")); err != nil {
		t.Fatal(err)
	}
	limit := func(pages int) {
		if _, err := s.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", pages)); err != nil {
			t.Fatal(err)
		}
	}
	limit(1) // as many as there are
	big := strings.Repeat("x", 300_000)
	says(t, l.Append(ctx, texts("half", big)), "full.db", "disk is full: free some space")
	small, large := []byte(big), bytes.Repeat([]byte("large"), 3<<20)
	for _, c := range [][]byte{small, large} {
		err := s.Blobs().Put(ctx, ledger.Sum(c), bytes.NewReader(c))
		says(t, errors.Join(err, s.Blobs().Sync(ctx)), "full.db", "free some space")
	}
	other := open(t, s.path)
	for _, c := range [][]byte{small, large} {
		if has, err := other.Blobs().Has(ctx, ledger.Sum(c)); has || err != nil {
			t.Errorf("half a content is kept: %v, %v", has, err)
		}
	}

	limit(1 << 30)
	if err := errors.Join(l.Append(ctx, texts("kept, too")), s.Blobs().Sync(ctx)); err != nil {
		t.Fatalf("once there is space: %v", err)
	}
	if got := strings.Join(replayed(t, s), ", "); got != "kept, kept, too" {
		t.Errorf("replayed %s", got)
	}
	if has, err := other.Blobs().Has(ctx, ledger.Sum(small)); !has || err != nil {
		t.Errorf("what was put before is not kept: %v, %v", has, err)
	}
	var left int
	if err := s.db.QueryRow("SELECT count(*) FROM contents WHERE digest IS NULL").Scan(&left); err != nil || left > 0 {
		t.Errorf("%d contents are left that are not whole, %v", left, err)
	}
}

func TestForeign(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	text := []byte("This is a letter, and no database.\n" + strings.Repeat("Yours truly. ", 100))
	if err := errors.Join(os.WriteFile(path("letter"), text, 0o644), os.Mkdir(path("folder"), 0o755)); err != nil {
		t.Fatal(err)
	}
	for name, statement := range map[string]string{"theirs": "CREATE TABLE t (x)", "later": "PRAGMA user_version = 7"} {
		if name == "later" {
			_ = open(t, path(name)).Close()
		}
		db, err := sql.Open("sqlite", path(name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"letter": "no database of SQLite: name another file", "theirs": "of another program: name another file",
		"later": "it is 7, and this one knows 2", "none/x.db": "make its folder", "folder": "make its folder",
	} {
		before, _ := os.ReadFile(path(name))
		s, err := Open(t.Context(), path(name))
		if err == nil {
			t.Errorf("%s was opened", name)
			_ = s.Close()
			continue
		}
		says(t, err, name, want)
		if (name == "later") != errors.Is(err, checkpoint.ErrVersion) {
			t.Errorf("%s: %v", name, err)
		}
		if after, _ := os.ReadFile(path(name)); !bytes.Equal(before, after) {
			t.Errorf("%s was changed", name)
		}
	}
}

// TestReadOnly asks for a file that this user may not write.
func TestReadOnly(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("the administrator may write everything")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "mine.db")
	_ = open(t, path).Close()
	if err := errors.Join(os.Chmod(path, 0o444), os.Chmod(dir, 0o555)); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755)
	_, err := Open(t.Context(), path)
	says(t, err, "mine.db", "give this user the right")
}

// TestDamaged overwrites what lies in the middle of the file, and takes records
// away.
func TestDamaged(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "damaged.db")
	s := open(t, path)
	l, err := s.Runs().Open(ctx, run)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if err := l.Append(ctx, texts(strings.Repeat(strconv.Itoa(i), 1000), "b")); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ doing, why string }{
		{"DELETE FROM records WHERE n = 199", "it ends here, and had 200 records"},
		{"DELETE FROM records WHERE n = 17", "it is missing"},
	} {
		if _, err := s.db.ExecContext(ctx, c.doing); err != nil {
			t.Fatal(err)
		}
		var corrupt *record.CorruptError
		if err := last(ctx, l); !errors.As(err, &corrupt) || !strings.Contains(corrupt.Why, c.why) {
			t.Errorf("%s: %v", c.doing, err)
		}
	}
	if err := errors.Join(l.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	rubbish := bytes.Repeat([]byte("rubbish "), int(info.Size())/8-8<<10)
	if _, err := f.WriteAt(rubbish, 32<<10); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, path)
	l, err = s.Runs().Open(ctx, run)
	if err != nil {
		t.Fatal(err)
	}
	says(t, last(ctx, l), "damaged.db", "it is damaged: put a copy back")
	says(t, l.Append(ctx, texts("more")), "damaged.db", "it is damaged: put a copy back")
}

// last is how a replay ends.
func last(ctx context.Context, l checkpoint.Log) (err error) {
	for _, err = range l.Replay(ctx) {
	}
	return err
}

// TestTakenAway has somebody remove or replace a file that is open.
func TestTakenAway(t *testing.T) {
	for _, what := range []string{"", "-wal"} {
		ctx, path := t.Context(), filepath.Join(t.TempDir(), "gone.db")
		s := open(t, path)
		l, err := s.Runs().Open(ctx, run)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+what, path+".aside"); err != nil {
			t.Fatal(err)
		}
		if err := l.Append(ctx, texts("lost")); !errors.Is(err, checkpoint.ErrReplaced) {
			t.Errorf("append without %q: %v", what, err)
		}
		if err := errors.Join(os.WriteFile(path+what, nil, 0o644), s.Papers().Put(ctx, "a", nil)); !errors.Is(err, checkpoint.ErrReplaced) {
			t.Errorf("with another %q: %v", what, err)
		}
	}
}

// TestFenced has the lock of a log go away: whoever comes later fences.
func TestFenced(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "fenced.db")
	first, second := open(t, path), open(t, path)
	a, err := first.Runs().Open(ctx, run)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Append(ctx, texts("a")); err != nil {
		t.Fatal(err)
	}
	_, err = second.Runs().Open(ctx, run)
	var held *checkpoint.HeldError
	if !errors.As(err, &held) || !strings.Contains(held.Holder, strconv.Itoa(os.Getpid())) {
		t.Fatalf("a second writer: %v", err)
	}
	if err := os.Remove(filepath.Join(path+"-locks", run)); err != nil {
		t.Fatal(err)
	}
	b, err := second.Runs().Open(ctx, run)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := a.Append(ctx, texts("late")); !errors.Is(err, checkpoint.ErrFenced) {
			t.Errorf("the earlier writer: %v", err)
		}
	}
	if err := errors.Join(a.Close(), b.Append(ctx, texts("b"))); err != nil {
		t.Error(err)
	}
	if _, err := first.Runs().Open(ctx, run); !errors.As(err, &held) {
		t.Errorf("the earlier writer took the lock of the later one along: %v", err)
	}
	if got := strings.Join(replayed(t, first), ""); got != "ab" {
		t.Errorf("replayed %s", got)
	}
	if err := errors.Join(b.Close(), first.Close(), second.Close()); err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(path + "*"); err != nil || len(left) != 1 {
		t.Errorf("what is left: %v, %v", left, err)
	}
}

// TestProcesses has another process write to the same file, and be killed while
// it has a log open.
func TestProcesses(t *testing.T) {
	const file = "PLANLOCK_SQLITE_FILE"
	if path := os.Getenv(file); path != "" {
		l, err := open(t, path).Runs().Open(t.Context(), run)
		for err == nil {
			err = l.Append(t.Context(), texts("one", "two", "three"))
			fmt.Println("appended")
		}
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "shared.db")
	ctx, s := t.Context(), open(t, path)
	other := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestProcesses$")
	other.Env = append(os.Environ(), file+"="+path)
	out, err := other.StdoutPipe()
	if err == nil {
		err = other.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 100)); err != nil { // several lines
		t.Fatal(err)
	}
	_, err = s.Runs().Open(ctx, run)
	if held := (*checkpoint.HeldError)(nil); !errors.As(err, &held) || !strings.Contains(held.Holder, strconv.Itoa(other.Process.Pid)) {
		t.Errorf("while another process has it: %v", err)
	}
	mine, err := s.Runs().Open(ctx, run+checkpoint.AfterRun)
	if err == nil {
		err = errors.Join(mine.Append(ctx, texts("beside")), s.Papers().Put(ctx, "a", nil))
	}
	if err != nil {
		t.Errorf("beside another process: %v", err)
	}
	_ = other.Process.Kill()
	_, _ = io.Copy(io.Discard, out)
	_ = other.Wait()
	l, err := s.Runs().Open(ctx, run)
	if err != nil {
		t.Fatalf("after it was killed: %v", err)
	}
	if err := l.Append(ctx, texts("end")); err != nil {
		t.Fatal(err)
	}
	if got := replayed(t, s); len(got)%3 != 1 || got[len(got)-1] != "end" {
		t.Errorf("%d records, the last of which is %q", len(got), got[len(got)-1])
	}
}

// TestWritten writes without waiting for the disk, which other openings see at
// once, and syncs then.
func TestWritten(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "written.db")
	s := open(t, path)
	opened, err := s.Runs().Open(ctx, run)
	if err != nil {
		t.Fatal(err)
	}
	l, ok := opened.(checkpoint.LogWriter)
	if !ok {
		t.Fatal("it cannot write")
	}
	l.Hasten()
	level := func() (level int) {
		if err := s.conn.QueryRowContext(ctx, "PRAGMA synchronous").Scan(&level); err != nil {
			t.Fatal(err)
		}
		return level
	}
	syncs := func() (n int) {
		if err := s.db.QueryRow("SELECT synced FROM logs").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	const normal, full = 1, 2 // as SQLite has them
	if err := errors.Join(l.Sync(ctx), l.Append(ctx, texts("a")), l.Sync(ctx)); err != nil || level() != full {
		t.Errorf("appended: level %d, %v", level(), err)
	}
	err = l.Write(ctx, texts("b", "c"))
	if lazy := level(); err != nil || lazy != normal || syncs() != 0 {
		t.Errorf("written: level %d, %d synced, %v", lazy, syncs(), err)
	}
	if got := strings.Join(replayed(t, open(t, path)), ""); got != "abc" {
		t.Errorf("another opening replayed %s", got)
	}
	if err := errors.Join(l.Sync(ctx), l.Sync(ctx)); err != nil || level() != full || syncs() != 3 {
		t.Errorf("synced: level %d, %d synced, %v", level(), syncs(), err)
	}
	if err := errors.Join(l.Write(ctx, texts("d")), l.Append(ctx, texts("e")), l.Close()); err != nil {
		t.Error(err)
	}
	for what, err := range map[string]error{"write": l.Write(ctx, texts("f")), "sync": l.Sync(ctx)} {
		if !errors.Is(err, checkpoint.ErrClosed) {
			t.Errorf("%s after close: %v", what, err)
		}
	}
	reader, err := s.Runs().Read(ctx, run)
	if err != nil {
		t.Fatal(err)
	}
	if err := reader.(checkpoint.LogWriter).Write(ctx, texts("f")); err == nil {
		t.Error("a reader wrote")
	}
	if got := strings.Join(replayed(t, s), ""); got != "abcde" {
		t.Errorf("replayed %s", got)
	}
}

// TestUnfinished leaves a large content half, as a crash does.
func TestUnfinished(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "half.db")
	s := open(t, path)
	for id, begun := range map[int64]time.Time{1: time.Now().Add(-2 * tooLong), 2: time.Now()} {
		err := s.write(ctx, func(ctx context.Context) error {
			if err := s.add(ctx, id, 0, texts("a piece")); err != nil {
				return err
			}
			_, err := s.conn.ExecContext(ctx, "UPDATE contents SET at = ? WHERE id = ?", begun.Unix(), id)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	other := open(t, path)
	var left string
	err := other.db.QueryRow("SELECT group_concat(id) || ' ' || (SELECT group_concat(content) FROM pieces) FROM contents").Scan(&left)
	if err != nil || left != "2 2" {
		t.Errorf("left are %q, %v: want the one that may be under way", left, err)
	}
	err = s.write(ctx, func(ctx context.Context) error { return s.name(ctx, 1, ledger.Sum(nil)) })
	says(t, err, "put it again")
}

func TestClosed(t *testing.T) {
	ctx, s := t.Context(), open(t, filepath.Join(t.TempDir(), "closed.db"))
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	_, _, get := s.Papers().Get(ctx, "a")
	for what, err := range map[string]error{"put": s.Papers().Put(ctx, "a", nil), "get": get} {
		if !errors.Is(err, checkpoint.ErrClosed) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// BenchmarkAppend appends four records of 512 bytes.
func BenchmarkAppend(b *testing.B) { append4(b, checkpoint.LogWriter.Append) }

func append4(b *testing.B, add func(checkpoint.LogWriter, context.Context, [][]byte) error) {
	s := open(b, filepath.Join(b.TempDir(), "bench.db"))
	l, err := s.Runs().Open(b.Context(), run)
	if err != nil {
		b.Fatal(err)
	}
	batch := texts("", "", "", "")
	for i := range batch {
		batch[i] = bytes.Repeat([]byte{byte('a' + i)}, 512)
	}
	for b.Loop() {
		if err := add(l.(checkpoint.LogWriter), b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	_ = l.Close()
}

// BenchmarkWrite is BenchmarkAppend without the disk.
func BenchmarkWrite(b *testing.B) { append4(b, checkpoint.LogWriter.Write) }

// BenchmarkPut puts contents of 2 KiB, 1000 for each sync.
func BenchmarkPut(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "bench.db"))
	n := 0
	for b.Loop() {
		for range 1000 {
			n++
			c := bytes.Repeat([]byte(strconv.Itoa(n+1_000_000)), 300)
			if err := s.Blobs().Put(b.Context(), ledger.Sum(c), bytes.NewReader(c)); err != nil {
				b.Fatal(err)
			}
		}
		if err := s.Blobs().Sync(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
