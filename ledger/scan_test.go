package ledger

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
)

func scan(t testing.TB, dir string, prior *Tree) *Tree {
	t.Helper()
	return scanWith(t, Scanner{}, dir, prior)
}

func scanWith(t testing.TB, s Scanner, dir string, prior *Tree) *Tree {
	t.Helper()
	tree, err := s.Scan(context.Background(), dir, prior)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// shape is a tree as text: what its identity consists of.
func shape(tree *Tree) string {
	var b strings.Builder
	for e := range tree.All() {
		fmt.Fprintf(&b, "%s %q %04o %d %s %q\n", e.Kind, e.Path, unixMode(e.Mode), e.Size, e.Digest.Short(), e.Target)
	}
	return b.String()
}

func link(t *testing.T, dir, target, path string) {
	t.Helper()
	if err := os.Symlink(target, filepath.Join(dir, path)); err != nil {
		t.Skip("needs links: ", err)
	}
}

func chmod(t *testing.T, dir, path string, mode fs.FileMode) {
	t.Helper()
	if err := os.Chmod(filepath.Join(dir, path), mode); err != nil {
		t.Fatal(err)
	}
}

func needUnix(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" {
		t.Skip("needs Unix modes and names")
	}
}

func TestScanReadsEverything(t *testing.T) {
	needUnix(t)
	dir := t.TempDir()
	write(t, dir, "a/c", "in a\n")
	write(t, dir, "a-b", "")
	write(t, dir, "a.go", "x")
	write(t, dir, ".gitignore", "*\n")
	write(t, dir, "sub/.git/HEAD", "nested")
	write(t, dir, ".git/HEAD", "left out")
	write(t, dir, ".planlock/x", "left out")
	if err := os.MkdirAll(filepath.Join(dir, "empty/deeper"), 0o755); err != nil {
		t.Fatal(err)
	}
	link(t, dir, "../nowhere", "a/dangling")
	chmod(t, dir, "a.go", 0o755|fs.ModeSetuid)
	chmod(t, dir, "empty", 0o777|fs.ModeSticky)
	chmod(t, dir, "a", 0o700)
	want := `file ".gitignore" 0644 2 dd72c1fdbc26 ""
dir "a" 0700 0  ""
file "a-b" 0644 0 e3b0c44298fc ""
file "a.go" 4755 1 2d711642b726 ""
file "a/c" 0644 5 ` + Sum([]byte("in a\n")).Short() + ` ""
link "a/dangling" 0000 0  "../nowhere"
dir "empty" 1777 0  ""
dir "empty/deeper" 0755 0  ""
dir "sub" 0755 0  ""
dir "sub/.git" 0755 0  ""
file "sub/.git/HEAD" 0644 6 ` + Sum([]byte("nested")).Short() + ` ""
`
	want = strings.Replace(want, "dd72c1fdbc26", Sum([]byte("*\n")).Short(), 1)
	tree := scan(t, dir, nil)
	if diff := cmp.Diff(want, shape(tree)); diff != "" {
		t.Error(diff)
	}
	rebuilt, err := NewTree(slicesOf(tree))
	if err != nil || rebuilt.Digest() != tree.Digest() {
		t.Errorf("made of its entries: %v, %v; want %v", rebuilt, err, tree)
	}
	for _, workers := range []int{1, 2, 7} {
		if again := scanWith(t, Scanner{Workers: workers}, dir, nil); again.Digest() != tree.Digest() {
			t.Errorf("with %d workers the tree differs", workers)
		}
	}
	chmod(t, dir, ".", 0o700)
	if again := scan(t, dir, nil); again.Digest() != tree.Digest() {
		t.Error("the mode of the root counts")
	}
}

func slicesOf(tree *Tree) []Entry {
	var entries []Entry
	for e := range tree.All() {
		entries = append(entries, e)
	}
	return entries
}

func TestScanScope(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"plan.toml", "plan.lock.json", "build/x/y", "src/a.log", "src/a.go", "logs/today", "views/SUMMARY.md"} {
		write(t, dir, path, path)
	}
	s := Scanner{Scope: Scope{
		Ignore: []string{"build", "**/*.log"},
		Track:  []string{"logs"},
		Own:    []string{"plan.toml", "plan.lock.json", "views/SUMMARY.md"},
	}}
	tree := scanWith(t, s, dir, nil)
	var got []string
	for e := range tree.All() {
		mark := e.Path
		if tree.Tracked(e.Path) {
			mark += " tracked"
		}
		got = append(got, mark)
	}
	if diff := cmp.Diff([]string{"logs tracked", "logs/today tracked", "src", "src/a.go", "views"}, got); diff != "" {
		t.Error(diff)
	}
	if !tree.Tracked("logs/gone/long/ago") || tree.Tracked("logs2") {
		t.Error("paths that the tree does not hold follow the scope too")
	}
	s.Scope.Ignore = []string{"ok", "../up", "a[", "/abs"}
	_, err := s.Scan(context.Background(), dir, nil)
	if !errors.Is(err, ErrPattern) || strings.Count(err.Error(), "not a path or glob") != 3 {
		t.Errorf("got %v, want all three faults", err)
	}
}

func TestScanRefusesWhatIsNoFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "f", "")
	for _, path := range []string{"f", "missing"} {
		if tree, err := new(Scanner).Scan(context.Background(), filepath.Join(dir, path), nil); err == nil || tree != nil {
			t.Errorf("%s: got %v, %v", path, tree, err)
		}
	}
}

func TestScanStopsWhenCancelled(t *testing.T) {
	dir := t.TempDir()
	for i := range 20 {
		write(t, dir, fmt.Sprintf("d%d/f", i), "x")
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("enough")
	cancel(cause)
	if _, err := new(Scanner).Scan(ctx, dir, nil); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

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
	for e := range scan(t, dir, nil).All() {
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
		tree, err := new(Scanner).Scan(context.Background(), dir, nil)
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
	tree := scan(t, dir, nil)
	for _, path := range []string{"fifo", "socket"} {
		if e, ok := tree.Lookup(path); !ok || e.Kind != Special || e.Size != 0 || e.Digest != "" {
			t.Errorf("%s: got %+v, %v", path, e, ok)
		}
	}
	if n := len(Diff(Empty(), tree)); n != 2 {
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
	_, err := new(Scanner).Scan(context.Background(), dir, nil)
	if !errors.Is(err, fs.ErrPermission) {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{`"file"`, `"folder"`, "ignore"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not name %s", err, want)
		}
	}
	scanWith(t, Scanner{Scope: Scope{Ignore: []string{"file", "folder"}}}, dir, nil)
}

// Trees 10: a sparse file of a tebibyte is refused by its size, not read.
func TestTreesSparseFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "sparse", "")
	if err := os.Truncate(filepath.Join(dir, "sparse"), 1<<40); err != nil {
		t.Skip("needs sparse files: ", err)
	}
	_, err := new(Scanner).Scan(context.Background(), dir, nil)
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
	tree := scan(t, dir, nil)
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
	if testing.Short() {
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
	tree := scan(t, dir, nil)
	if tree.Len() != depth {
		t.Errorf("%d entries, want %d", tree.Len(), depth)
	}
	if again := scan(t, dir, tree); again.Digest() != tree.Digest() {
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
		if tree := scan(t, dir, nil); tree.Len() != want {
			t.Errorf("%d entries, want %d", tree.Len(), want)
		}
	}
}

// Trees 12: files that come, go and grow while they are read. Every scan ends, with a tree or with an
// error that names what changes.
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
		tree, err := new(Scanner).Scan(context.Background(), dir, nil)
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

// Trees 13: same size, same time of modification, other content, written as soon as the scan is over.
func TestTreesSameSizeSameTime(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "f")
	when := []time.Time{time.Unix(0, 0), time.Now().Add(100 * 365 * 24 * time.Hour), time.Now().Add(-time.Hour), time.Unix(1, 0)}
	write(t, dir, "f", "00000")
	tree := scan(t, dir, nil)
	for i := range 2000 {
		content := fmt.Sprintf("%05d", i+1)
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, when[i%4], when[i%4]); err != nil {
			t.Fatal(err)
		}
		tree = scan(t, dir, tree)
		if e, _ := tree.Lookup("f"); e.Digest != Sum([]byte(content)) {
			t.Fatalf("write %d was missed", i)
		}
	}
}

// Contents whose stamps are old enough are taken from the prior tree, and only those.
func TestScanTrustsOldStampsOnly(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 678_901_234, time.UTC)
	at := func(d time.Duration) stamp { return stamp{dev: 1, ino: 2, changed: now.Add(d).UnixNano()} }
	fine := trust{start: now, dev: 1, usable: true}
	whole := at(-678_901_234 * time.Nanosecond) // a time without fractions: 0.68 s before
	tests := []struct {
		name  string
		trust trust
		stamp stamp
		want  bool
	}{
		{"old", fine, at(-time.Second - 1), true},
		{"within a tick", fine, at(-time.Millisecond - 1), false},
		{"after the start", fine, at(time.Millisecond + 1), false},
		{"in the future", fine, at(time.Hour + 1), false},
		{"coarse and young", fine, whole, false},
		{"coarse and old", trust{start: now.Add(5 * time.Second), dev: 1, usable: true}, whole, true},
		{"a clock that went back", trust{start: now.Add(-time.Hour), dev: 1, usable: true}, at(-1), false},
		{"another file system", trust{start: now, dev: 9, usable: true}, at(-time.Second - 1), false},
		{"a file system with unknown rules", trust{start: now, dev: 1}, at(-time.Second - 1), false},
		{"no stamp", fine, stamp{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.trust.covers(tt.stamp); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestScanDoesNotReadAgain(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "f", "x")
	tree := scan(t, dir, nil)
	if !tree.trust.usable {
		t.Skip("no stamps are trusted on this file system")
	}
	tree.trust.start = tree.trust.start.Add(time.Hour) // as if the file were old
	marked := Sum([]byte("marked"))
	tree.entries[0].Digest = marked
	if e, _ := scan(t, dir, tree).Lookup("f"); e.Digest != marked {
		t.Error("the content was read although its stamps are old and did not move")
	}
	if err := os.Chmod(filepath.Join(dir, "f"), 0o600); err != nil {
		t.Fatal(err)
	}
	if e, _ := scan(t, dir, tree).Lookup("f"); e.Digest == marked {
		t.Error("the content was not read although its stamps moved")
	}
}
