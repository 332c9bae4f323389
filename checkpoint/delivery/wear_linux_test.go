package delivery_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/planlock/planlock/ledger"
)

// TestWhatAFileBearsStays delivers into files that belong to somebody else, or
// have attributes: they have them afterwards, as if they had been written into.
func TestWhatAFileBearsStays(t *testing.T) {
	capability := "\x01\x00\x00\x02\x00\x20\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" // version 2, cap_net_raw
	cases := map[string]struct {
		act    func(path string) error
		mode   fs.FileMode
		remain bool // the capability
	}{
		"content":              {func(path string) error { return os.WriteFile(path, []byte("other"), 0o644) }, 0o644, false},
		"mode":                 {func(path string) error { return os.Chmod(path, 0o750) }, 0o750, true},
		"a file nobody writes": {func(path string) error { return os.Chmod(path, 0o444) }, 0o444, true},
		"setuid":               {func(path string) error { return os.Chmod(path, 0o755|fs.ModeSetuid) }, 0o755 | fs.ModeSetuid, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := lay(t, "f f644 text")
			path, root := filepath.Join(dir, "f"), os.Getuid() == 0
			if err := syscall.Setxattr(path, "user.x", []byte("y"), 0); errors.Is(err, syscall.ENOTSUP) {
				t.Skip("the file system keeps no attributes")
			}
			if root {
				must(t, os.Chown(path, 4711, 4712), syscall.Setxattr(path, "security.capability", []byte(capability), 0))
			}
			before := scanned(t, dir)
			made := copied(t, dir)
			must(t, c.act(filepath.Join(made, "f")))
			conflicts, err := deliver(t.Context(), dir, "one", ledger.Diff(before, scanned(t, made)), from(made))
			if err != nil || len(conflicts) > 0 {
				t.Fatal(err, conflicts)
			}
			info, err := os.Lstat(path)
			must(t, err)
			if info.Mode() != c.mode {
				t.Errorf("the mode is %v, want %v", info.Mode(), c.mode)
			}
			if got := attribute(path, "user.x"); got != "y" {
				t.Errorf("user.x is %q", got)
			}
			if stat := info.Sys().(*syscall.Stat_t); root && (stat.Uid != 4711 || stat.Gid != 4712) {
				t.Errorf("it belongs to %d:%d", stat.Uid, stat.Gid)
			}
			if got := attribute(path, "security.capability"); root && (got != "") != c.remain {
				t.Errorf("its capability is %q", got)
			}
		})
	}
}

func attribute(path, name string) string {
	value := make([]byte, 100)
	n, err := syscall.Getxattr(path, name, value)
	if err != nil {
		return ""
	}
	return string(value[:n])
}
