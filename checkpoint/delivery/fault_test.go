package delivery_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/internal/disk/faulty"
)

// TestFaults lets each operation of a delivery fail, with every kind of error,
// once or from then on. What fails says why, and once the disk is mended the
// same delivery goes forward.
func TestFaults(t *testing.T) {
	every := 37
	switch {
	case whole:
		every = 1
	case testing.Short():
		every = 61
	}
	for name, s := range scenes(t) {
		t.Run(name, func(t *testing.T) {
			dir, tried := filepath.Join(fast(t), "ws"), 0
			for n, fail := range []error{syscall.EIO, syscall.ENOSPC, faulty.Quota, syscall.EROFS, syscall.EMFILE,
				syscall.EXDEV, io.ErrShortWrite} {
				for _, forever := range []bool{false, true} {
					for at := 1 + n%every; !forever || fail != io.ErrShortWrite; at += every {
						l := &faulty.Layer{Err: fail, At: at, Forever: forever}
						s.suffer(t, dir, l)
						must(t, os.RemoveAll(dir))
						if !l.Hit() {
							break
						}
						tried++
					}
				}
			}
			t.Logf("%d faults", tried)
		})
	}
}

// suffer delivers on a disk that fails, and again when it is mended.
func (s *scene) suffer(t *testing.T, dir string, l *faulty.Layer) {
	t.Helper()
	must(t, os.Mkdir(dir, 0o755))
	add(t, dir, s.before)
	m := s.machine(dir, &moment{}, func() int { return 0 })
	l.Next = m
	ctx := disk.With(t.Context(), disk.New(l))
	conflicts, err := deliver(ctx, dir, "d", s.changes, s.content)
	at := fmt.Sprintf("%v at operation %d (%s), from then on: %v", l.Err, l.At, l.What(), l.Forever)
	switch {
	case err == nil:
	case !l.Hit() || !errors.Is(err, l.Err):
		t.Errorf("%s: got %v", at, err)
	default:
		l.Heal()
		if conflicts, err = deliver(ctx, dir, "d", s.changes, s.content); err != nil {
			t.Errorf("%s: mended: %v", at, err)
			return
		}
	}
	done := edits{}
	for path := range m.edited {
		done[path] = true
	}
	failed := t.Failed()
	if s.check(t, dir, conflicts, done); t.Failed() && !failed {
		t.Log(at)
	}
}
