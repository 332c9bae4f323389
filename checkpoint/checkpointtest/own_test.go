package checkpointtest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/checkpointtest"
	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/checkpoint/folder"
	"github.com/planlock/planlock/ledger"
)

func TestMemory(t *testing.T) {
	m := &checkpoint.Memory{}
	checkpointtest.RunBlobs(t, func() (checkpoint.Blobs, error) { return m, nil })
}

func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "objects")
	checkpointtest.RunBlobs(t, func() (checkpoint.Blobs, error) { return folder.Open(t.Context(), dir) })
}

func TestMemoryLog(t *testing.T) {
	logs := map[string]*checkpoint.MemoryLog{}
	checkpointtest.RunLog(t, func(dir string) (checkpoint.Log, error) {
		if logs[dir] == nil {
			logs[dir] = &checkpoint.MemoryLog{}
		}
		logs[dir] = logs[dir].Reopen()
		return logs[dir], nil
	}, nil)
}

func TestFileLog(t *testing.T) {
	path := func(dir string) string { return filepath.Join(dir, "journal") }
	checkpointtest.RunLog(t, func(dir string) (checkpoint.Log, error) {
		return filelog.Open(t.Context(), path(dir))
	}, func(dir string) error {
		info, err := os.Stat(path(dir))
		if err != nil {
			return err
		}
		// The head is written after the batch: a crash leaves none that knows of
		// it.
		return errors.Join(os.Truncate(path(dir), info.Size()-7), os.Remove(path(dir)+".head"))
	})
}

func TestMemoryRuns(t *testing.T) {
	places := map[string]*checkpoint.MemoryRuns{}
	checkpointtest.RunRuns(t, func(place string) (checkpoint.Runs, error) {
		if places[place] == nil {
			places[place] = &checkpoint.MemoryRuns{}
		}
		return places[place], nil
	})
}

func TestMemoryPapers(t *testing.T) {
	places := map[string]*checkpoint.MemoryPapers{}
	checkpointtest.RunPapers(t, func(place string) (checkpoint.Papers, error) {
		if places[place] == nil {
			places[place] = &checkpoint.MemoryPapers{}
		}
		return places[place], nil
	})
}

func TestFileRuns(t *testing.T) {
	checkpointtest.RunRuns(t, func(place string) (checkpoint.Runs, error) {
		return filelog.Runs{Dir: filepath.Join(place, "runs")}, nil
	})
}

// A suite that accepts everything proves nothing: each of these breaks a rule.
func TestBrokenBlobs(t *testing.T) {
	for _, c := range []struct {
		rule  string
		blobs checkpoint.Blobs
	}{
		{"get", &shortened{to: 4096}},
		{"large", &shortened{to: 8 << 20}},
		{"many", &forgets{}},
		{"missing", &alwaysHas{}},
		{"failed read", &keepsHalf{}},
		{"cancelled", &deaf{}},
	} {
		got := &noted{TB: t}
		checkpointtest.RunBlobs(got, func() (checkpoint.Blobs, error) { return c.blobs, nil })
		if !strings.Contains(got.wrong, strconv.Quote(c.rule)) {
			t.Errorf("broken rule %q was not found: %s", c.rule, got.wrong)
		}
	}
}

// A noted test keeps what is wrong for itself.
type noted struct {
	testing.TB
	wrong string
}

func (n *noted) Errorf(format string, args ...any) { n.wrong += fmt.Sprintf(format, args...) + "\n" }

// shortened keeps no more of a content than so many bytes.
type shortened struct {
	checkpoint.Memory
	to int64
}

func (s *shortened) Put(ctx context.Context, d ledger.Digest, r io.Reader) error {
	return s.Memory.Put(ctx, d, io.LimitReader(r, s.to))
}

// forgets keeps a hundred contents, and then begins anew.
type forgets struct {
	mu   sync.Mutex
	kept *checkpoint.Memory
	puts int
}

func (f *forgets) now() *checkpoint.Memory {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.kept == nil {
		f.kept = &checkpoint.Memory{}
	}
	return f.kept
}

func (f *forgets) Put(ctx context.Context, d ledger.Digest, r io.Reader) error {
	f.mu.Lock()
	if f.puts++; f.puts%100 == 0 {
		f.kept = nil
	}
	f.mu.Unlock()
	return f.now().Put(ctx, d, r)
}

func (f *forgets) Get(ctx context.Context, d ledger.Digest) (io.ReadCloser, error) {
	return f.now().Get(ctx, d)
}
func (f *forgets) Has(ctx context.Context, d ledger.Digest) (bool, error) { return f.now().Has(ctx, d) }
func (f *forgets) Sync(ctx context.Context) error                         { return f.now().Sync(ctx) }

type alwaysHas struct{ checkpoint.Memory }

func (*alwaysHas) Has(context.Context, ledger.Digest) (bool, error) { return true, nil }

type keepsHalf struct{ checkpoint.Memory }

func (s *keepsHalf) Put(ctx context.Context, d ledger.Digest, r io.Reader) error {
	b, err := io.ReadAll(r)
	if perr := s.Memory.Put(ctx, d, strings.NewReader(string(b))); perr != nil {
		return perr
	}
	return err
}

type deaf struct{ checkpoint.Memory }

func (s *deaf) Put(_ context.Context, d ledger.Digest, r io.Reader) error {
	return s.Memory.Put(context.Background(), d, r)
}

// forgetful loses the last record of every batch.
type forgetful struct{ checkpoint.MemoryLog }

func (f *forgetful) Append(ctx context.Context, batch [][]byte) error {
	return f.MemoryLog.Append(ctx, batch[:len(batch)-1])
}

func TestBrokenLog(t *testing.T) {
	got := &noted{TB: t}
	logs := map[string]*forgetful{}
	checkpointtest.RunLog(got, func(dir string) (checkpoint.Log, error) {
		if logs[dir] == nil {
			logs[dir] = &forgetful{}
		}
		return logs[dir], nil
	}, nil)
	if !strings.Contains(got.wrong, `"order"`) {
		t.Errorf("a log that forgets was not found: %s", got.wrong)
	}
}

// blind is Holders that never know of anybody.
type blind struct{ checkpoint.MemoryRuns }

func (*blind) Holder(ctx context.Context, _ string) (string, error) { return "", ctx.Err() }

func TestBrokenHolders(t *testing.T) {
	got, places := &noted{TB: t}, map[string]*blind{}
	checkpointtest.RunRuns(got, func(place string) (checkpoint.Runs, error) {
		if places[place] == nil {
			places[place] = &blind{}
		}
		return places[place], nil
	})
	if !strings.Contains(got.wrong, `"holder"`) {
		t.Errorf("runs of which nobody is told who has them open were not found: %s", got.wrong)
	}
}
