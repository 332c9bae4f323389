package checkpoint_test

import (
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/ledger"
)

// A FIFO is made again, whatever stands there, by whoever reads the snapshot; a
// socket is not, and what stands there stays.
func TestRestoreFIFO(t *testing.T) {
	for name, instead := range map[string]func(path string) error{
		"nothing":  func(string) error { return nil },
		"a file":   func(path string) error { return os.WriteFile(path, []byte("x"), 0o644) },
		"a folder": func(path string) error { return os.Mkdir(path, 0o755) },
		"a link":   func(path string) error { return os.Symlink("elsewhere", path) },
	} {
		t.Run(name, func(t *testing.T) {
			dir, kept := t.TempDir(), t.TempDir()
			then := time.Unix(1_000_000_000, 0)
			must(t, os.Mkdir(dir+"/d", 0o750), syscall.Mkfifo(dir+"/d/pipe", 0o600),
				os.Chmod(dir+"/d/pipe", 0o640|fs.ModeSetgid), os.Chtimes(dir+"/d/pipe", then, then))
			before := scanned(t, dir, ledger.Scope{})
			snap, err := openStoreIn(t, kept).Snapshot(t.Context(), dir, before, record.Snapshot{})
			must(t, err, os.Remove(dir+"/d/pipe"), instead(dir+"/d/pipe"))
			store := openStoreIn(t, kept)
			want, err := store.Tree(t.Context(), snap)
			must(t, err)
			if want.Digest() != before.Digest() {
				t.Fatal("the snapshot is of another tree")
			}
			must(t, store.Restore(t.Context(), dir, want, scanned(t, dir, ledger.Scope{})))
			info, err := os.Lstat(dir + "/d/pipe")
			must(t, err)
			if info.Mode() != fs.ModeNamedPipe|fs.ModeSetgid|0o640 || !info.ModTime().Equal(then) {
				t.Errorf("it is %v of %v now", info.Mode(), info.ModTime())
			}
			if got := scanned(t, dir, ledger.Scope{}).Digest(); got != before.Digest() {
				t.Errorf("the tree is another one: %s", got)
			}
		})
	}
}

func TestRestoreSocketSaysWhatToDo(t *testing.T) {
	dir := t.TempDir()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: dir + "/socket", Net: "unix"})
	must(t, err)
	l.SetUnlinkOnClose(false)
	must(t, l.Close())
	store := openStoreIn(t, t.TempDir())
	before := scanned(t, dir, ledger.Scope{})
	_, err = store.Snapshot(t.Context(), dir, before, record.Snapshot{})
	must(t, err, os.Remove(dir+"/socket"), os.WriteFile(dir+"/socket", []byte("kept"), 0o644))
	err = store.Restore(t.Context(), dir, before, scanned(t, dir, ledger.Scope{}))
	if err == nil || !strings.Contains(err.Error(), `"socket": it was a socket or a device`) {
		t.Errorf("error is %v", err)
	}
	if got, err := os.ReadFile(dir + "/socket"); err != nil || string(got) != "kept" {
		t.Errorf("what was there holds %q, %v", got, err)
	}
}
