package scan

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/ledger"
)

// Trees 9: links.
func TestTreesLinksAreNotFollowed(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	write(t, outside, "secret/f", "x")
	write(t, dir, "real/f", "x")
	link(t, dir, "loop", "loop")
	link(t, dir, ".", "self")
	link(t, dir, outside, "out")
	link(t, dir, "../..", "up")
	link(t, dir, "real", "alias")
	if err := os.Link(filepath.Join(outside, "secret/f"), filepath.Join(dir, "hard")); err != nil {
		t.Skip("needs hard links: ", err)
	}
	var got []string
	for e := range scanned(t, dir, nil).All() {
		got = append(got, string(e.Kind)+" "+e.Path)
	}
	want := []string{"link alias", "file hard", "link loop", "link out", "dir real", "file real/f", "link self", "link up"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Trees 9: a folder swapped for a link, again and again, while it is scanned.
func TestTreesFolderSwappedDuringScan(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	write(t, outside, "secret", "x")
	write(t, dir, "d/f", "x")
	link(t, dir, outside, "l")
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		swap := func(from, to string) { os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)) }
		for {
			select {
			case <-stop:
				return
			default:
				swap("d", "t")
				swap("l", "d")
				swap("d", "l")
				swap("t", "d")
			}
		}
	}()
	for range 300 {
		tree, err := scanner().Scan(context.Background(), dir, nil)
		if err != nil {
			if !errors.Is(err, ErrChanging) {
				t.Error(err)
			}
			continue
		}
		for e := range tree.All() {
			if filepath.Base(e.Path) == "secret" {
				t.Errorf("the scan left the folder: %v", e)
			}
		}
	}
	close(stop)
	<-done
}

// Trees 10: what is not a regular file is named and not opened.
func TestTreesSpecialFilesAreNamed(t *testing.T) {
	dir := t.TempDir()
	mkfifo(t, filepath.Join(dir, "fifo"))
	mksocket(t, filepath.Join(dir, "socket"))
	tree := scanned(t, dir, nil)
	for _, path := range []string{"fifo", "socket"} {
		if e, ok := tree.Lookup(path); !ok || e.Kind != ledger.Special || e.Size != 0 || e.Digest != "" {
			t.Errorf("%s: got %+v, %v", path, e, ok)
		}
	}
	if n := len(ledger.Diff(ledger.Empty(), tree)); n != 2 {
		t.Errorf("%d changes, want 2", n)
	}
}

// Trees 10: what cannot be read is an error that names it and says what to do.
func TestTreesUnreadable(t *testing.T) {
	needUnix(t)
	if os.Geteuid() == 0 {
		t.Skip("root can read everything")
	}
	dir := t.TempDir()
	write(t, dir, "file", "x")
	write(t, dir, "folder/f", "x")
	chmod(t, dir, "file", 0)
	chmod(t, dir, "folder", 0)
	defer chmod(t, dir, "folder", 0o700)
	_, err := scanner().Scan(context.Background(), dir, nil)
	if !errors.Is(err, fs.ErrPermission) {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{`"file"`, `"folder"`, "ignore"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not name %s", err, want)
		}
	}
	scanWith(t, Scanner{Scope: ledger.Scope{Ignore: []string{"file", "folder"}}}, dir, nil)
}

// Trees 10: a sparse file of a tebibyte is refused by its size, not read.
func TestTreesSparseFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "sparse", "")
	if err := os.Truncate(filepath.Join(dir, "sparse"), 1<<40); err != nil {
		t.Skip("needs sparse files: ", err)
	}
	_, err := scanner().Scan(context.Background(), dir, nil)
	if err == nil || !strings.Contains(err.Error(), `"sparse"`) || !strings.Contains(err.Error(), "ignore") {
		t.Errorf("got %v", err)
	}
}

// Trees 11: names.
func TestTreesNamesOfAnyBytes(t *testing.T) {
	needUnix(t)
	dir := t.TempDir()
	names := []string{strings.Repeat("n", 255), "new\nline", "esc\x1b[2J", "-rf", "a", "A", "é", "e\u0301", " ", "back\\slash", "\x7f", "[id]"}
	if runtime.GOOS == "linux" {
		names = append(names, "latin\xe9", "\xff\xfe")
	}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tree := scanned(t, dir, nil)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if tree.Len() != len(entries) {
		t.Errorf("%d entries, want %d", tree.Len(), len(entries))
	}
	for _, e := range entries {
		if _, ok := tree.Lookup(e.Name()); !ok {
			t.Errorf("%q is missing", e.Name())
		}
	}
}

// Trees 12: depth, with a sibling at every level that keeps each folder in use.
func TestTreesFiveThousandFoldersDeep(t *testing.T) {
	needUnix(t)
	depth := 5000
	if testing.Short() || way != nil {
		depth = 600
	}
	dir := t.TempDir()
	at, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	for range depth {
		if err := at.Mkdir("d", 0o755); err != nil {
			t.Fatal(err)
		}
		below, err := at.OpenRoot("d")
		at.Close()
		if err != nil {
			t.Fatal(err)
		}
		at = below
	}
	at.Close()
	tree := scanned(t, dir, nil)
	if tree.Len() != depth {
		t.Errorf("%d entries, want %d", tree.Len(), depth)
	}
	if again := scanned(t, dir, tree); again.Digest() != tree.Digest() {
		t.Error("not the same twice")
	}
}

// Trees 12: more folders in use at every level than may be held open.
func TestTreesDeepAndWide(t *testing.T) {
	dir := t.TempDir()
	path := ""
	want := 0
	for range 120 {
		for _, name := range []string{"a", "m", "z"} {
			if err := os.Mkdir(filepath.Join(dir, path, name), 0o755); err != nil {
				t.Fatal(err)
			}
			want++
		}
		path = filepath.Join(path, "m")
	}
	for range 3 {
		if tree := scanned(t, dir, nil); tree.Len() != want {
			t.Errorf("%d entries, want %d", tree.Len(), want)
		}
	}
}

// Trees 12: files that come, go and grow while they are read. Every scan ends,
// with a tree or with an error that names what changes.
func TestTreesChangingFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "grows", strings.Repeat("x", 1<<20))
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		f, err := os.OpenFile(filepath.Join(dir, "grows"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return
		}
		defer f.Close()
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				if i < 20000 {
					f.WriteString("more")
				}
				name := filepath.Join(dir, fmt.Sprint("d", i%5), "f")
				os.MkdirAll(filepath.Dir(name), 0o755)
				os.WriteFile(name, []byte("x"), 0o600)
				os.RemoveAll(filepath.Dir(name))
			}
		}
	}()
	for range 60 {
		tree, err := scanner().Scan(context.Background(), dir, nil)
		if err != nil && !errors.Is(err, ErrChanging) {
			t.Error(err)
		}
		if (err == nil) != (tree != nil) {
			t.Errorf("tree %v and error %v", tree, err)
		}
	}
	close(stop)
	<-done
}

// Trees 13: same size, same time of modification, other content, written as
// soon as the scan is over.
func TestTreesSameSizeSameTime(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "f")
	when := []time.Time{time.Unix(0, 0), time.Now().Add(100 * 365 * 24 * time.Hour), time.Now().Add(-time.Hour),
		time.Unix(1, 0)}
	write(t, dir, "f", "00000")
	tree := scanned(t, dir, nil)
	for i := range 2000 {
		content := fmt.Sprintf("%05d", i+1)
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, when[i%4], when[i%4]); err != nil {
			t.Fatal(err)
		}
		tree = scanned(t, dir, tree)
		if e, _ := tree.Lookup("f"); e.Digest != ledger.Sum([]byte(content)) {
			t.Fatalf("write %d was missed", i)
		}
	}
}
