package ledger

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares text with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	name = "testdata/" + name
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: -want +got\n%s", name, diff)
	}
}

func file(path, content string) Entry {
	return Entry{Path: path, Kind: File, Mode: 0o644, Size: int64(len(content)), Digest: Sum([]byte(content))}
}

func dir(path string) Entry { return Entry{Path: path, Kind: Dir, Mode: 0o755} }

func tree(t testing.TB, entries ...Entry) *Tree {
	t.Helper()
	tree, err := NewTree(entries)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

var samples = []struct {
	name    string
	entries []Entry
}{
	{"empty", nil},
	{"one file", []Entry{file("a", "x")}},
	{"empty folder", []Entry{dir("a")}},
	{"executable", []Entry{{Path: "a", Kind: File, Mode: 0o755, Size: 1, Digest: Sum([]byte("x"))}}},
	{"setuid", []Entry{{Path: "a", Kind: File, Mode: 0o755 | fs.ModeSetuid, Size: 1, Digest: Sum([]byte("x"))}}},
	{"link", []Entry{{Path: "a", Kind: Link, Target: "b"}}},
	{"special", []Entry{{Path: "a", Kind: Special, Mode: 0o600}}},
	{"nested", []Entry{dir("a"), dir("a/b"), file("a/b/c", "x"), file("a/d", "y")}},
	{"folder between its contents", []Entry{dir("a"), dir("a-b"), file("a-b/c", "x"), file("a.go", "z"),
		file("a/c", "y"), file("a0", "0")}},
	{"open folders in a row", []Entry{dir("a"), dir("a "), dir("a !"), file("a !/1", "1"), file("a /2", "2"),
		file("a/3", "3")}},
	{"bytes", []Entry{file("\xff\n\x1b", "x"), {Path: "l", Kind: Link, Target: "\xfe"}}},
}

func TestTreeDigestGolden(t *testing.T) {
	var b strings.Builder
	seen := make(map[Digest]string)
	for _, s := range samples {
		d := tree(t, s.entries...).Digest()
		if other, ok := seen[d]; ok {
			t.Errorf("%q and %q have the same digest", s.name, other)
		}
		seen[d] = s.name
		fmt.Fprintf(&b, "%s  %s\n", d, s.name)
	}
	if Empty().Digest() != tree(t).Digest() {
		t.Error("there are two empty trees")
	}
	golden(t, "tree-1.digests", b.String())
}

// The digest by the words of treeEncoding, folder by folder, as an oracle for
// the single pass.
func slowDigest(entries []Entry, folder string) Digest {
	buf := []byte(treeEncoding + "\n")
	prefix := folder + "/"
	if folder == "" {
		prefix = ""
	}
	for _, e := range entries {
		name, in := strings.CutPrefix(e.Path, prefix)
		if !in || strings.Contains(name, "/") {
			continue
		}
		row := rowOf(&e)
		buf = appendRow(buf, &row, name, e.Target)
		if e.Kind == Dir {
			var sum []byte
			fmt.Sscanf(strings.TrimPrefix(string(slowDigest(entries, e.Path)), scheme), "%x", &sum)
			buf = append(buf, sum...)
		}
	}
	return Sum(buf)
}

func randomEntries(r *rand.Rand) []Entry {
	names := []string{"a", "a ", "a-", "a.b", "a0", "b", "b/"[:1], "\xff", "-"}
	var entries []Entry
	seen := make(map[string]bool)
	folders := []string{""}
	for range r.IntN(25) {
		path := folders[r.IntN(len(folders))] + names[r.IntN(len(names))]
		if seen[path] {
			continue
		}
		seen[path] = true
		switch r.IntN(5) {
		case 0, 1:
			entries = append(entries, Entry{Path: path, Kind: Dir, Mode: fs.FileMode(0o700 + r.IntN(2))})
			folders = append(folders, path+"/")
		case 2:
			entries = append(entries, Entry{Path: path, Kind: Link, Target: names[r.IntN(3)]})
		default:
			entries = append(entries, file(path, names[r.IntN(3)]))
		}
	}
	return entries
}

func TestTreeDigestIsThatOfItsWords(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 5000 {
		entries := randomEntries(r)
		tr := tree(t, entries...)
		if got, want := tr.Digest(), slowDigest(slicesOf(tr), ""); got != want {
			t.Fatalf("got %s, want %s of\n%s", got, want, shape(tr))
		}
		r.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
		if again := tree(t, entries...); again.Digest() != tr.Digest() {
			t.Fatal("the order of the entries counts")
		}
	}
}

func TestTreeEveryFieldCounts(t *testing.T) {
	base := []Entry{dir("d"), file("d/f", "x"), {Path: "l", Kind: Link, Target: "t"}}
	want := tree(t, base...).Digest()
	for name, change := range map[string]func(e []Entry){
		"path":        func(e []Entry) { e[1].Path = "d/g" },
		"kind":        func(e []Entry) { e[1] = Entry{Path: "d/f", Kind: Special, Mode: 0o644} },
		"mode":        func(e []Entry) { e[1].Mode = 0o600 },
		"folder mode": func(e []Entry) { e[0].Mode = 0o700 },
		"size":        func(e []Entry) { e[1].Size++ },
		"content":     func(e []Entry) { e[1].Digest = Sum([]byte("y")) },
		"target":      func(e []Entry) { e[2].Target = "T" },
	} {
		changed := slices.Clone(base)
		change(changed)
		if tree(t, changed...).Digest() == want {
			t.Errorf("the %s does not count", name)
		}
	}
	later := slices.Clone(base)
	later[1].ModTime = time.Unix(5, 0)
	if tree(t, later...).Digest() != want || !later[1].Same(base[1]) {
		t.Error("the time of modification counts")
	}
}

func TestNewTreeRefuses(t *testing.T) {
	tests := []struct {
		name    string
		entries []Entry
		want    string
	}{
		{"empty path", []Entry{file("", "")}, "empty path"},
		{"absolute", []Entry{file("/a", "")}, "absolute"},
		{"outside", []Entry{file("../a", "")}, `".."`},
		{"outside in the middle", []Entry{dir("a"), file("a/../../b", "")}, `".."`},
		{"dot", []Entry{file(".", "")}, `"."`},
		{"double slash", []Entry{dir("a"), file("a//b", "")}, "empty name"},
		{"last slash", []Entry{dir("a/")}, "empty name"},
		{"zero byte", []Entry{file("a\x00b", "")}, "zero byte"},
		{"doubled", []Entry{file("a", ""), file("a", "x")}, "twice"},
		{"no folder", []Entry{file("a/b", "")}, "not listed as a folder"},
		{"folder is a file", []Entry{file("a", ""), file("a/b", "")}, "not listed as a folder"},
		{"folder is a link", []Entry{{Path: "a", Kind: Link, Target: "/etc"}, file("a/b", "")},
			"not listed as a folder"},
		{"folder of a folder", []Entry{dir("a"), file("a/b/c", "")}, "not listed as a folder"},
		{"kind", []Entry{{Path: "a", Kind: "door"}}, "unknown kind"},
		{"file without digest", []Entry{{Path: "a", Kind: File}}, "digest"},
		{"negative size", []Entry{{Path: "a", Kind: File, Size: -1, Digest: Sum(nil)}}, "negative"},
		{"link with mode", []Entry{{Path: "a", Kind: Link, Target: "b", Mode: 0o777}}, "mode"},
		{"link to nothing", []Entry{{Path: "a", Kind: Link}}, "target"},
		{"folder with size", []Entry{{Path: "a", Kind: Dir, Size: 4096}}, "size"},
		{"type bits", []Entry{{Path: "a", Kind: Dir, Mode: fs.ModeDir | 0o755}}, "bits"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := NewTree(tt.entries)
			if got != nil || !errors.Is(err, errEntry) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, %v; want %q", got, err, tt.want)
			}
		})
	}
}

func FuzzNewTree(f *testing.F) {
	f.Add("a\nb/c\nb")
	f.Add("a/b\na\na-\na-/x")
	f.Fuzz(func(t *testing.T, list string) {
		var entries []Entry
		for path := range strings.SplitSeq(list, "\n") {
			if name, ok := strings.CutSuffix(path, ":"); ok {
				entries = append(entries, dir(name))
			} else {
				entries = append(entries, file(path, ""))
			}
		}
		tr, err := NewTree(entries)
		if err != nil {
			return
		}
		if len(entries) < 50 && tr.Digest() != slowDigest(slicesOf(tr), "") {
			t.Error("not the digest of its words")
		}
		for _, e := range entries {
			if got, ok := tr.Lookup(e.Path); !ok || got != e {
				t.Errorf("looking up %q yields %v, %v", e.Path, got, ok)
			}
		}
	})
}

func TestDiff(t *testing.T) {
	a := tree(t, file("gone", "1"), file("same", "1"), file("content", "1"), file("kind", "1"), dir("mode"),
		Entry{Path: "target", Kind: Link, Target: "x"})
	b := tree(t, file("new", "1"), file("same", "1"), file("content", "2"), dir("kind"),
		Entry{Path: "mode", Kind: Dir, Mode: 0o700}, Entry{Path: "target", Kind: Link, Target: "y"})
	var got []string
	for _, c := range Diff(a, b) {
		got = append(got, fmt.Sprint(c, " ", c.Kind()))
	}
	want := []string{"modify content file", "delete gone file", "modify kind dir", "modify mode dir",
		"create new file", "modify target link"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if Diff(a, a) != nil || Diff(nil, nil) != nil || len(Diff(nil, b)) != b.Len() {
		t.Error("a tree differs from itself, or no tree is not the empty one")
	}
}

// Applying a difference to the first tree yields the second.
func TestDiffThenApply(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 3000 {
		a, b := tree(t, randomEntries(r)...), tree(t, randomEntries(r)...)
		state := make(map[string]Entry)
		for e := range a.All() {
			state[e.Path] = e
		}
		changes := Diff(a, b)
		for _, c := range changes {
			old, had := state[c.Path]
			if had != (c.Before != nil) || had && old != *c.Before {
				t.Fatalf("%v does not start from what was there", c)
			}
			delete(state, c.Path)
			if c.After != nil {
				state[c.Path] = *c.After
			}
		}
		var entries []Entry
		for _, e := range state {
			entries = append(entries, e)
		}
		if tree(t, entries...).Digest() != b.Digest() {
			t.Fatal("the changes do not lead from a to b")
		}
		if !slices.IsSortedFunc(changes, func(x, y Change) int { return strings.Compare(x.Path, y.Path) }) {
			t.Fatal("not sorted")
		}
	}
}

func slicesOf(tree *Tree) []Entry { return slices.Collect(tree.All()) }

// shape is a tree as text: what its identity consists of.
func shape(tree *Tree) string {
	var b strings.Builder
	for e := range tree.All() {
		fmt.Fprintf(&b, "%s %q %04o %d %s %q\n", e.Kind, e.Path, UnixMode(e.Mode), e.Size, e.Digest.Short(), e.Target)
	}
	return b.String()
}
