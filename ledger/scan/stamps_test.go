package scan

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/ledger"
)

const life = "the life of this machine"

// spelled are the stamps of a tree; nil if there are none.
func spelled(t testing.TB, tree *ledger.Tree, dir, life string) []byte {
	t.Helper()
	var b bytes.Buffer
	if kept, err := WriteStamps(&b, tree, dir, life); err != nil || kept != (b.Len() > 0) {
		t.Fatal(kept, b.Len(), err)
	}
	return b.Bytes()
}

// revive reads stamps back.
func (s *Scanner) revive(dir, life, stamps string) (*ledger.Tree, error) {
	return s.Revive(dir, life, strings.NewReader(stamps), int64(len(stamps)))
}

// revived is a tree as another process has it: spelled, and read back.
func revived(t testing.TB, s Scanner, dir string, tree *ledger.Tree) *ledger.Tree {
	t.Helper()
	stamps := spelled(t, tree, dir, life)
	if stamps == nil {
		t.Skip("no stamps are kept on this system, or on this file system")
	}
	again, err := s.revive(dir, life, string(stamps))
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// What was spelled is read back as it was, and spelled again in the same words.
func TestStampsAreReadBack(t *testing.T) {
	eachWay(t, func(t *testing.T, s Scanner) {
		dir := t.TempDir()
		write(t, dir, "a/b/f", "x")
		write(t, dir, "a-b", "")
		write(t, dir, "a.go/deep/er/g", "y")
		write(t, dir, "names/only/f", "z")
		write(t, dir, "left/out", "z")
		write(t, dir, "large", "longer than the others")
		if err := os.Symlink("nowhere", filepath.Join(dir, "l")); err != nil {
			t.Skip("needs links: ", err)
		}
		s.Scope = ledger.Scope{Ignore: []string{"left"}, Stamps: []string{"names"}, Track: []string{"a"},
			Own: []string{"x"}}
		s.MaxFile, s.Tolerant = 10, true
		tree := scanWith(t, s, dir, nil)
		again := revived(t, s, dir, tree)
		if diff := cmp.Diff(entriesOf(tree), entriesOf(again)); diff != "" {
			t.Error(diff)
		}
		checkTree(t, again, tree)
		if diff := cmp.Diff(tree.Unread(), again.Unread()); diff != "" || len(again.Unread()) != 1 {
			t.Error("what could not be read: ", again.Unread(), diff)
		}
		for _, path := range []string{"a/b", "names/only", "left", "x", "large"} {
			if got, want := again.Level(path), tree.Level(path); got != want {
				t.Errorf("%s is %v, want %v", path, got, want)
			}
		}
		if Reads(again) != 0 || Reads(tree) != 4 {
			t.Errorf("%d were read, and then %d; want 4, and 0", Reads(tree), Reads(again))
		}
		first, second := spelled(t, tree, dir, life), spelled(t, again, dir, life)
		if memoryOf(tree).trust.grain == unprobed {
			memoryOf(tree).trust.grain = memoryOf(again).trust.grain
			first = spelled(t, tree, dir, life)
		}
		if string(first) != string(second) {
			t.Error("spelled again it is something else")
		}
		if _, err := Again(t.Context(), dir, again); err != nil {
			t.Error(err)
		}
	})
}

// A scan that begins with what another process left finds what one finds that
// knows nothing, and reads what a scan of the same process would read, whatever
// was changed in between.
func TestRevivedScanEqualsFirstScan(t *testing.T) {
	needUnix(t)
	rounds := 50
	if testing.Short() {
		rounds = 25
	}
	for seed := range uint64(4) {
		eachWay(t, func(t *testing.T, s Scanner) {
			v := vandal{rand.New(rand.NewPCG(seed, 2)), t.TempDir()}
			s.Scope.Stamps = []string{"B"}
			tree := scanWith(t, s, v.dir, nil)
			for round := range rounds {
				again := revived(t, s, v.dir, tree)
				for range v.IntN(8) {
					v.act()
				}
				s.Workers = v.IntN(4)
				got, live := scanWith(t, s, v.dir, again), scanWith(t, s, v.dir, tree)
				first := scanWith(t, s, v.dir, nil)
				if diff := cmp.Diff(entriesOf(first), entriesOf(got)); diff != "" || got.Digest() != first.Digest() {
					t.Fatalf("seed %d, round %d: %s", seed, round, diff)
				}
				if diff := cmp.Diff(entriesOf(live), entriesOf(got)); diff != "" {
					t.Fatalf("seed %d, round %d: %s", seed, round, diff)
				}
				if Reads(got) != Reads(live)-Reads(tree) {
					t.Fatalf("seed %d, round %d: %d were read, and %d in the same process", seed, round, Reads(got),
						Reads(live)-Reads(tree))
				}
				checkTree(t, got, tree)
				tree = got
			}
		})
	}
}

// Trees 13: no racy write is missed by a scan of another process.
func TestTreesRacyWritesBetweenProcesses(t *testing.T) {
	rounds := 200
	if testing.Short() {
		rounds = 50
	}
	eachWay(t, func(t *testing.T, s Scanner) { racyWrites(t, s, t.TempDir(), rounds, revived) })
}

// Each change that leaves size and time of modification as they were is found
// by what it cannot leave, and nothing else is read.
func TestRevivedScanReadsWhatChanged(t *testing.T) {
	needUnix(t)
	when := time.Unix(1e9, 0)
	put := func(t *testing.T, dir, path, content string) {
		write(t, dir, path, content)
		if err := os.Chtimes(filepath.Join(dir, path), when, when); err != nil {
			t.Fatal(err)
		}
	}
	move := func(t *testing.T, dir, from, to string) {
		if err := os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name   string
		change func(t *testing.T, dir string)
		reads  int64
	}{
		{"nothing", func(*testing.T, string) {}, 0},
		{"written with the old size and time", func(t *testing.T, dir string) { put(t, dir, "d3/f", "b") }, 1},
		{"replaced with the old size and time", func(t *testing.T,
			dir string) {
			put(t, dir, "n", "b")
			move(t, dir, "n", "d3/f")
		}, 1},
		{"two files of one time swapped", func(t *testing.T, dir string) {
			move(t, dir, "d3/f", "n")
			move(t, dir, "d3/g", "d3/f")
			move(t, dir, "n", "d3/g")
		}, 2},
		{"folders swapped", func(t *testing.T, dir string) {
			move(t, dir, "d3", "n")
			move(t, dir, "d4", "d3")
			move(t, dir, "n", "d4")
		}, 4},
		{"a folder renamed", func(t *testing.T, dir string) { move(t, dir, "d3", "n") }, 2},
		{"a mode", func(t *testing.T, dir string) { chmod(t, dir, "d3/f", 0o600) }, 1},
		{"a file more", func(t *testing.T, dir string) { put(t, dir, "d3/h", "a") }, 1},
		{"a file less", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "d3/f")) }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachWay(t, func(t *testing.T, s Scanner) {
				dir := t.TempDir()
				for i := range 8 {
					put(t, dir, fmt.Sprintf("d%d/f", i), fmt.Sprint(i))
					put(t, dir, fmt.Sprintf("d%d/g", i), fmt.Sprint(i+1))
				}
				tree := scanWith(t, s, dir, nil)
				if !memoryOf(tree).trust.usable {
					t.Skip("no stamps are trusted on this file system")
				}
				settle(tree)
				again := revived(t, s, dir, tree)
				c.change(t, dir)
				got := scanWith(t, s, dir, again)
				if diff := cmp.Diff(listing(t, dir), entriesOf(got)); diff != "" {
					t.Error(diff)
				}
				if Reads(got) != c.reads {
					t.Errorf("%d were read, want %d", Reads(got), c.reads)
				}
			})
		})
	}
}

// settle makes a tree look as if its folder had been at rest for a second
// before it was scanned, by both clocks.
func settle(tree *ledger.Tree) {
	memoryOf(tree).trust.start = memoryOf(tree).trust.start.Round(0).Add(time.Second)
	memoryOf(tree).trust.up.before += time.Second
	memoryOf(tree).trust.up.after += time.Second
	memoryOf(tree).trust.grain = fine
}

// What the wall clock did between two processes is found by the clock of the
// machine.
func TestRevivedScanAfterAClockWasSet(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "f", "x")
	s := Scanner{}
	for _, c := range []struct {
		name   string
		passed time.Duration // on the clock of the machine, more than on the wall
		reads  int64
	}{
		{"not at all", 0, 0},
		{"forward", -time.Hour, 0},
		{"back", time.Hour, 1},
		{"back a little", clockSlack + time.Millisecond, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := scanWith(t, s, dir, nil)
			if !memoryOf(tree).trust.usable || !memoryOf(tree).trust.up.known() {
				t.Skip("no stamps are kept here")
			}
			settle(tree)
			memoryOf(tree).trust.up.before -= c.passed
			memoryOf(tree).trust.up.after = memoryOf(tree).trust.up.before
			if c.passed > memoryOf(tree).trust.up.before {
				// this machine runs for less than that
				memoryOf(tree).trust.start = memoryOf(tree).trust.start.Add(c.passed)
				memoryOf(tree).trust.up.before, memoryOf(tree).trust.up.after = 1, 1
			}
			if got := scanWith(t, s, dir, revived(t, s, dir, tree)); Reads(got) != c.reads {
				t.Errorf("%d were read, want %d", Reads(got), c.reads)
			}
		})
	}
}

// Both readings of a clock that cannot be set are taken the way that finds a
// wall clock that was set back.
func TestTrustPassedOnTheMachinesClock(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	old := trust{start: now, up: uptime{before: 10 * time.Second, after: 11 * time.Second}}
	next := trust{start: now, up: uptime{before: 20 * time.Second, after: 21 * time.Second}}
	if got := next.since(&old); got != 11*time.Second {
		t.Errorf("%v passed, want 11s", got)
	}
	old.up = uptime{}
	next.start = now.Add(time.Minute)
	if got := next.since(&old); got != time.Minute {
		t.Errorf("without such a clock %v passed, want 1m", got)
	}
}

// Stamps of anything else, and those that are not whole, are refused.
func TestReviveRefuses(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	write(t, dir, "d/f", "x")
	write(t, other, "d/f", "x")
	s := Scanner{Scope: ledger.Scope{Ignore: []string{"i"}, Track: []string{"t"}}}
	tree := scanWith(t, s, dir, nil)
	stamps := spelled(t, tree, dir, life)
	if stamps == nil {
		t.Skip("no stamps are kept here")
	}
	refuse := func(what string, s Scanner, dir, life string, stamps []byte) {
		t.Helper()
		if tree, err := s.revive(dir, life, string(stamps)); !errors.Is(err, ErrStamps) || tree != nil {
			t.Errorf("%s: %v, %v", what, tree, err)
		}
	}
	if _, err := s.revive(dir, life, string(stamps)); err != nil {
		t.Fatal(err)
	}
	refuse("nothing", s, dir, life, nil)
	refuse("another life", s, dir, "another", stamps)
	refuse("no life", s, dir, "", stamps)
	refuse("another folder", s, other, life, stamps)
	refuse("no folder", s, filepath.Join(dir, "missing"), life, stamps)
	refuse("another path of the folder", s, dir+"/.", life, stamps)
	refuse("another scope", Scanner{Scope: ledger.Scope{Ignore: []string{"i"}}}, dir, life, stamps)
	refuse("something behind", s, dir, life, append(stamps[:len(stamps):len(stamps)], 0))
	version := append([]byte(nil), stamps...)
	binary.BigEndian.PutUint16(version[len(stampsMagic):], stampsVersion+1)
	refuse("another version", s, dir, life, version)
	for n := range stamps {
		refuse(fmt.Sprintf("the first %d bytes", n), s, dir, life, stamps[:n])
	}
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir + ".away")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	refuse("another folder of the same path", s, dir, life, stamps)

	for what, tree := range map[string]*ledger.Tree{"a tree of entries": ledger.Empty(), "a tree that was restored from a store": mustTree(t, slicesOf(tree))} {
		if spelled(t, tree, dir, life) != nil {
			t.Errorf("%s is spelled", what)
		}
	}
	if spelled(t, tree, dir, "") != nil {
		t.Error("it is spelled where nobody knows the life of the machine")
	}
}

func mustTree(t *testing.T, entries []ledger.Entry) *ledger.Tree {
	t.Helper()
	tree, err := ledger.NewTree(entries)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// Whatever bytes follow the header, reading them makes a tree that holds
// together, or an error.
func FuzzRevive(f *testing.F) {
	dir := f.TempDir()
	for _, path := range []string{"a/b/f", "a-b", "s/n", "u"} {
		name := filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755),
			os.WriteFile(name, []byte(path), 0o644)); err != nil {
			f.Fatal(err)
		}
	}
	os.Symlink("a", filepath.Join(dir, "l"))
	s := Scanner{Scope: ledger.Scope{Stamps: []string{"s"}}, Tolerant: true, MaxFile: 4}
	info, err := os.Stat(dir)
	if err != nil {
		f.Fatal(err)
	}
	top := statusOf(info)
	fs, _ := trusted(dir)
	header := appendStampsHeader(nil, dir, life, &top, fs, s.Scope)
	stamps := spelled(f, scanWith(f, s, dir, nil), dir, life)
	if stamps == nil {
		f.Skip("no stamps are kept here")
	}
	f.Add(stamps[len(header):])
	f.Add(stamps[len(header) : len(stamps)-40])
	f.Fuzz(func(t *testing.T, body []byte) {
		tree, err := s.revive(dir, life, string(header)+string(body))
		if err != nil {
			if !errors.Is(err, ErrStamps) {
				t.Fatal(err)
			}
			return
		}
		checkTree(t, tree, nil)
		// what was found may be of another process's folder
		memoryOf(tree).root.status.dev, memoryOf(tree).root.status.ino = top.dev, top.ino
		again := spelled(t, tree, dir, life)
		if again == nil {
			t.Fatal("it cannot be spelled again")
		}
		if more, err := s.revive(dir, life, string(again)); err != nil || more.Digest() != tree.Digest() {
			t.Fatal(more, err)
		}
	})
}

// A bare tree is the same tree, and says nothing of the scan that made it.
func TestBare(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "tracked/f", "x")
	write(t, dir, "large", "longer than that")
	s := Scanner{Scope: ledger.Scope{Track: []string{"tracked"}}, Tolerant: true, MaxFile: 4}
	tree := scanWith(t, s, dir, nil)
	bare := tree.Bare()
	if bare.Digest() != tree.Digest() || entriesOf(bare) != entriesOf(tree) {
		t.Errorf("got %v, want %v", bare, tree)
	}
	if bare.Tracked("tracked/f") || len(bare.Unread()) > 0 || spelled(t, bare, dir, life) != nil || Reads(bare) != 0 {
		t.Error("it tells of the scan")
	}
	if again := scanWith(t, s, dir, bare); Reads(again) == 0 {
		t.Error("a scan believed it")
	}
}
