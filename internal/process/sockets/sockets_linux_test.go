package sockets

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestBound(t *testing.T) {
	const list = `Num       RefCount Protocol Flags    Type St Inode Path
00000000289d24f9: 00000002 00000000 00010000 0001 01 538950 relative
00000000f27706ef: 00000003 00000000 00000000 0001 03 539790
00000000eb7757b5: 00000002 00000000 00010000 0001 01 539629 /run/docker.sock
00000000eb7757b6: 00000002 00000000 00010000 0001 01 539630 /tmp/with a blank
00000000eb7757b7: 00000002 00000000 00010000 0001 01 539631 @abstract
`
	if diff := cmp.Diff([]string{"/run/docker.sock", "/tmp/with a blank"}, bound(list)); diff != "" {
		t.Error(diff)
	}
}

func TestMounted(t *testing.T) {
	const list = `22 28 0:21 / /run rw,nosuid shared:2 - tmpfs tmpfs rw
23 22 0:21 /docker.sock /run/a\040b.sock rw - tmpfs tmpfs rw
24 22 0:50 / /run/user/1000/gvfs rw - fuse.gvfsd-fuse gvfsd-fuse rw
25 22 0:51 /x /mnt rw - nfs4 server:/x rw
what is no mount
`
	got := mounted(list)
	want := map[string]struct{ part, local bool }{
		"/run": {false, true}, "/run/a b.sock": {true, true}, "/run/user/1000/gvfs": {false, false}, "/mnt": {true, false},
	}
	for path, w := range want {
		if m := got[path]; m.part != w.part || m.local() != w.local {
			t.Errorf("%s: %+v", path, m)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%v", got)
	}
}

// A socket is found where it is bound, and no longer than it is there.
func TestFound(t *testing.T) {
	folder, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	path := filepath.Join(folder, "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if !slices.Contains(Found(), path) {
		t.Error("it is not found")
	}
	if err := os.Rename(path, path+"2"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(Found(), path) {
		t.Error("a file in its place is taken for it")
	}
}

// Folders are looked through down to a depth, once as long as they do not
// change, and never those of strange file systems.
func TestFolders(t *testing.T) {
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	bind := func(parts ...string) string {
		t.Helper()
		path := filepath.Join(append([]string{dir}, parts...)...)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		return path
	}
	top, deep := bind("s"), bind("a", "b", "s")
	bind("a", "b", "c", "s")
	bind("home", "s")
	mounts := map[string]mount{filepath.Join(dir, "home"): {kind: "fuse.sshfs"}, dir: {kind: "tmpfs"}}
	var m memory
	look := func(want ...string) {
		t.Helper()
		got := m.below(dir, mounts, 2)
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	look(top, deep)
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(dir, old, old); err != nil {
		t.Fatal(err)
	}
	look(top, deep)
	m.folders[dir] = listing{changed: m.folders[dir].changed} // which shows whether it is looked at again
	look()
	look(append([]string{bind("t")}, top, deep)...)
}
