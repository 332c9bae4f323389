package faulty_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/internal/disk/faulty"
)

// replace does what every careful writer does: 7 operations.
func replace(d *disk.Disk, dir string) error {
	root, err := d.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	f, err := root.OpenFile("new", os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write([]byte("after"))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := root.Rename("new", "f"); err != nil {
		return err
	}
	return root.SyncFolder(".")
}

func TestEveryOperationFailsOnce(t *testing.T) {
	// How many operations of replace can fail like that.
	for want, errs := range map[int][]error{
		7: {syscall.EIO},
		4: {syscall.ENOSPC},
		3: {syscall.EMFILE, syscall.EROFS},
		1: {io.ErrShortWrite, syscall.EXDEV},
	} {
		for _, fail := range errs {
			n := 0
			for at := 1; ; at++ {
				l := &faulty.Layer{Err: fail, At: at}
				err := replace(disk.New(l), t.TempDir())
				if !l.Hit() {
					if err != nil {
						t.Errorf("%v: nothing failed, and yet: %v", fail, err)
					}
					break
				}
				if n++; !errors.Is(err, fail) {
					t.Errorf("%v at %d (%s): got %v", fail, at, l.What(), err)
				}
			}
			if n != want {
				t.Errorf("%v: %d operations failed, want %d", fail, n, want)
			}
		}
	}
}

func TestShortWriteKeepsTheFirstHalf(t *testing.T) {
	dir := t.TempDir()
	err := replace(disk.New(&faulty.Layer{Err: io.ErrShortWrite, At: 1}), dir)
	text, rerr := os.ReadFile(filepath.Join(dir, "new"))
	if !errors.Is(err, io.ErrShortWrite) || rerr != nil || string(text) != "af" {
		t.Errorf("%v; the file holds %q, %v", err, text, rerr)
	}
}

func TestForeverAndHeal(t *testing.T) {
	l := &faulty.Layer{Err: syscall.EROFS, At: 2, Forever: true}
	d, dir := disk.New(l), t.TempDir()
	if err := replace(d, dir); !errors.Is(err, syscall.EROFS) {
		t.Errorf("first: %v", err)
	}
	if err := replace(d, dir); !errors.Is(err, syscall.EROFS) {
		t.Errorf("second: %v", err)
	}
	l.Heal()
	if err := replace(d, dir); err != nil {
		t.Errorf("healed: %v", err)
	}
}
