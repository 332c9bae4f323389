//go:build unix

package filelog_test

import (
	"context"
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/internal/disk/faulty"
	"github.com/planlock/planlock/internal/disk/powercut"
)

// TestFileLogAfterAFailedSync lets each operation of a writer fail, which syncs
// among them; the next writer goes on, and then the power goes. What either was
// told to be durable must be there.
func TestFileLogAfterAFailedSync(t *testing.T) {
	for at := 1; ; at++ {
		dir := t.TempDir()
		rec, err := powercut.New(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		l := &faulty.Layer{Next: rec, Err: syscall.EIO, At: at}
		first := appendTo(disk.New(l), dir, "a", "b", "c")
		if !l.Hit() {
			return
		}
		second := appendTo(disk.New(rec), dir, "d", "e")
		if len(second) < 4 {
			t.Fatalf("%s failed, and the next writer appended %q only", l.What(), second)
		}
		trace, fresh := rec.Trace(), filepath.Join(t.TempDir(), "fresh")
		if err := trace.At(trace.Len()).Build(fresh, powercut.Everything); err != nil {
			t.Fatal(err)
		}
		log, err := filelog.Read(t.Context(), filepath.Join(fresh, "runs", "log"))
		if err != nil {
			t.Errorf("%s failed: %v", l.What(), err)
			continue
		}
		var got []string
		for r, err := range log.Replay(context.Background()) {
			if err != nil {
				t.Errorf("%s failed: %v", l.What(), err)
			}
			got = append(got, string(r))
		}
		want := append(first, second...)
		for i := 0; len(want) > 0 && i < len(got); i++ {
			if got[i] == want[0] {
				want = want[1:]
			}
		}
		if len(want) > 0 {
			t.Errorf("%s failed: %q were acknowledged and are lost; %q are left", l.What(), want, got)
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// appendTo appends records one by one, and returns those that were
// acknowledged.
func appendTo(d *disk.Disk, dir string, records ...string) (acknowledged []string) {
	ctx := disk.With(context.Background(), d)
	log, err := filelog.Open(ctx, filepath.Join(dir, "runs", "log"))
	if err != nil {
		return nil
	}
	for _, r := range records {
		written := log.Write(ctx, [][]byte{[]byte("before " + r)})
		if err := log.Append(ctx, [][]byte{[]byte(r)}); err == nil {
			if written == nil {
				acknowledged = append(acknowledged, "before "+r)
			}
			acknowledged = append(acknowledged, r)
		} else if errors.Is(err, checkpoint.ErrDead) {
			break
		}
	}
	_ = log.Close() // it may be dead
	return acknowledged
}
