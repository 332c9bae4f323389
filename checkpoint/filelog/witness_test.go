package filelog

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/internal/format"
	"github.com/planlock/planlock/checkpoint/internal/golden"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/internal/disk"
)

// witnessed is a closed log of three batches that w knows, with where each
// ends.
func witnessed(t *testing.T, w Witness) (path string, ends []int64) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "log")
	l, err := w.Open(t.Context(), path)
	must(t, err)
	for _, text := range []string{"one", "two", "three"} {
		must(t, l.Append(t.Context(), [][]byte{[]byte(text)}))
		ends = append(ends, l.end.offset)
	}
	must(t, l.Close())
	return path, ends
}

// What is done to a log and its head together is found by the witness.
func TestWitness(t *testing.T) {
	w := Witness{Dir: filepath.Join(t.TempDir(), "state", "deep")}
	other := func(path string, texts ...string) error {
		l, err := Open(t.Context(), path)
		for _, text := range texts {
			err = errors.Join(err, l.Append(t.Context(), [][]byte{[]byte(text)}))
		}
		return errors.Join(err, l.Close())
	}
	for _, c := range []struct {
		name string
		do   func(path string, ends []int64) error
		seq  uint64 // first record that is wrong; 0: good
	}{
		{"as it was", func(string, []int64) error { return nil }, 0},
		{"cut", func(path string, ends []int64) error {
			return errors.Join(os.Truncate(path, ends[1]), os.Remove(path+headExt))
		}, 3},
		{"cut in the last batch", func(path string, ends []int64) error {
			return errors.Join(os.Truncate(path, ends[2]-5), os.Remove(path+headExt))
		}, 3},
		{"removed", func(path string, ends []int64) error {
			return errors.Join(os.Remove(path),
				os.Remove(path+headExt))
		}, 1},
		{"the last batch is another", func(path string, ends []int64) error {
			return errors.Join(os.Truncate(path, ends[1]), os.Remove(path+headExt), other(path, "THREE"))
		}, 3},
		{"written anew, and longer", func(path string, ends []int64) error {
			return errors.Join(os.Remove(path), os.Remove(path+headExt), other(path, "a", "b", "c", "d", "e"))
		}, 4},
		{"gone on without it", func(path string, _ []int64) error { return other(path, "four") }, 0},
		{"an old copy, on purpose", func(path string, ends []int64) error {
			return errors.Join(os.Truncate(path, ends[0]), os.Remove(path+headExt), os.Remove(w.File(path)))
		}, 0},
		{"a witness that is damaged", func(path string, ends []int64) error {
			b, err := os.ReadFile(w.File(path))
			b[20]++
			return errors.Join(err, os.WriteFile(w.File(path), b, 0o600), os.Truncate(path, ends[0]),
				os.Remove(path+headExt))
		}, 0},
		{"a witness that is a folder", func(path string, _ []int64) error {
			return errors.Join(os.Remove(w.File(path)), os.Mkdir(w.File(path), 0o700))
		}, 0},
		{"moved", func(path string, ends []int64) error {
			must(t, os.Rename(path, path+"~"), os.Rename(path+headExt, path+"~"+headExt))
			l, err := w.Open(t.Context(), path+"~") // nobody knows it there
			return errors.Join(err, l.Append(t.Context(), [][]byte{[]byte("more")}), l.Close(),
				os.Rename(path+"~", path), os.Rename(path+"~"+headExt, path+headExt))
		}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, ends := witnessed(t, w)
			must(t, c.do(path, ends))
			for _, open := range []func() (*Log, error){
				func() (*Log, error) { return w.Read(t.Context(), path) },
				func() (*Log, error) { return w.Open(t.Context(), path) },
			} {
				l, err := open()
				var corrupt *record.CorruptError
				if c.seq > 0 && (!errors.As(err, &corrupt) || corrupt.Seq != c.seq) || c.seq == 0 && err != nil {
					t.Fatalf("error is %v, want record %d", err, c.seq)
				}
				if err == nil {
					must(t, l.Close())
				}
			}
		})
	}
}

// A witness that cannot be kept changes nothing.
func TestWitnessThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o644))
	for _, dir := range []string{"", file, filepath.Join(file, "below")} {
		w := Witness{Dir: dir}
		path, _ := witnessed(t, w)
		l, err := w.Open(t.Context(), path)
		must(t, err)
		if got := replayAll(t, l); len(got) != 3 {
			t.Errorf("%q: %q", dir, got)
		}
		must(t, l.Close())
	}
}

// A witness in the workspace is none: its file would be a change of the tree
// that is run.
func TestWitnessOutside(t *testing.T) {
	dir := t.TempDir()
	ws := filepath.Join(dir, "ws")
	if err := os.Mkdir(ws, 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(ws, link); err != nil {
		t.Skip("no link can be made here:", err)
	}
	for witness, outside := range map[string]bool{
		"":                               true,
		ws:                               false,
		link:                             false,
		filepath.Join(ws, "a", "b"):      false,
		filepath.Join(link, "state"):     false,
		dir:                              true,
		ws + "-state":                    true,
		filepath.Join(ws, "..", "state"): true,
		filepath.Join(ws, "..state"):     false,
	} {
		for _, workspace := range []string{ws, link} {
			want := Witness{}
			if outside {
				want.Dir = witness
			}
			if got := (Witness{Dir: witness}).Outside(workspace); got != want {
				t.Errorf("%q outside of %q: got %q", witness, workspace, got.Dir)
			}
		}
	}
}

func TestUserWitness(t *testing.T) {
	home := t.TempDir()
	for name, c := range map[string]struct{ state, want string }{
		"named":        {filepath.Join(home, "x"), filepath.Join(home, "x")},
		"switched off": {"off", ""},
	} {
		t.Setenv("PLANLOCK_STATE", c.state)
		if got := UserWitness(); got.Dir != c.want {
			t.Errorf("%s: %q, want %q", name, got.Dir, c.want)
		}
	}
	t.Setenv("PLANLOCK_STATE", "")
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "LocalAppData"} {
		t.Setenv(name, home)
	}
	if got := UserWitness(); !filepath.IsAbs(got.Dir) || !strings.HasPrefix(filepath.ToSlash(got.Dir),
		filepath.ToSlash(home)+"/") {
		t.Errorf("by itself it is %q", got.Dir)
	}
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "LocalAppData"} {
		t.Setenv(name, "")
	}
	if got := UserWitness(); got.Dir != "" {
		t.Errorf("nowhere: %q", got.Dir)
	}
}

func TestGoldenWitness(t *testing.T) {
	known := ends{file: filepath.Join(t.TempDir(), "w")}
	b := golden.Same(t, "witness.v1", appendWitness(nil, logEnd{offset: 1234, records: 56}, format.Sum{7, 8}))
	must(t, os.WriteFile(known.file, append(bytes.Clone(b), "\n/path\n"...), 0o600))
	known.readWitness(disk.From(t.Context()).Anywhere())
	if diff := cmp.Diff(logEnd{offset: 1234, records: 56}, known.witness,
		cmp.AllowUnexported(logEnd{})); diff != "" || known.hash != (format.Sum{7, 8}) {
		t.Errorf("%s %x", diff, known.hash)
	}
}

// TestWitnessAfterFullDisk writes what finds no room behind what is not synced
// yet: the witness knows what was synced then, not what found no room.
func TestWitnessAfterFullDisk(t *testing.T) {
	w, path := Witness{Dir: filepath.Join(t.TempDir(), "state")}, filepath.Join(t.TempDir(), "log")
	l, err := w.Open(t.Context(), path)
	must(t, err)
	must(t, l.Append(t.Context(), [][]byte{bytes.Repeat([]byte("a"), 1000)}),
		l.Write(t.Context(), [][]byte{[]byte("b")}))
	file := l.f
	l.f = &faulty{logFile: file, room: l.size}
	if err := l.Write(t.Context(), [][]byte{bytes.Repeat([]byte("c"), int(l.size))}); !errors.Is(err,
		syscall.ENOSPC) || errors.Is(err, checkpoint.ErrDead) {
		t.Fatalf("the disk is not full: %v", err)
	}
	l.f = file
	must(t, l.Sync(t.Context()), l.Close())
	if l, err = w.Open(t.Context(), path); err != nil {
		t.Fatalf("a good log is refused: %v", err)
	}
	must(t, l.Close())
}

func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}
