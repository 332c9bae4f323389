package delivery_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/planlock/planlock/checkpoint/delivery"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// raced is how often work is delivered beside editors.
func raced() int {
	switch {
	case whole:
		return 3000
	case testing.Short():
		return 10
	}
	return 40
}

// TestRaceWithEditors delivers work there and back beside editors that save in
// place and by rename, create, delete, and move folders on the same paths.
// Nothing of what they wrote is lost: what they did not overwrite or delete
// themselves is in the workspace, or a finding names it.
func TestRaceWithEditors(t *testing.T) {
	const folders, files = 4, 6
	one, two := raceTree(folders, files, "one"), raceTree(folders, files, "two")
	trees := []string{lay(t, one), lay(t, two)}
	there := ledger.Diff(scanned(t, trees[0]), scanned(t, trees[1]))
	back := ledger.Diff(scanned(t, trees[1]), scanned(t, trees[0]))

	dir := fast(t)
	add(t, dir, one)
	var wait sync.WaitGroup
	stop := make(chan struct{})
	editors := make([]*editor, folders)
	for k := range editors {
		e := &editor{dir: dir, folder: fmt.Sprint("d", k), at: fmt.Sprint("d", k), rng: rand.New(rand.NewPCG(uint64(k), 1)),
			files: files, alive: map[string]string{}}
		editors[k] = e
		wait.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					e.edit()
				}
			}
		})
	}
	conflicts, delivered := race(t, dir, there, back, trees)
	close(stop)
	wait.Wait()

	found := findings(t, dir)
	texts := contents(dir)
	edits, lost := 0, 0
	for _, e := range editors {
		edits += e.edits
		if e.err != nil {
			t.Errorf("the editor of %s: %v", e.folder, e.err)
		}
		for text, path := range e.alive {
			if !e.has(texts, found, path, text) {
				lost++
				t.Errorf("%s: %q is lost", path, strings.TrimSpace(text))
			}
		}
	}
	t.Logf("%d deliveries of %d changes beside %d edits: %d changes delivered, %d conflicts, %d findings, %d lost",
		raced(), len(there), edits, delivered, conflicts, len(found), lost)
	if delivered == 0 || conflicts == 0 || edits == 0 {
		t.Error("nothing was raced for")
	}
}

// race delivers work there and back.
func race(t *testing.T, dir string, there, back []ledger.Change, trees []string) (conflicts, delivered int) {
	place, err := delivery.Open(t.Context(), dir)
	must(t, err)
	defer place.Close()
	for i := range raced() {
		changes, after := there, trees[1]
		if i%2 == 1 {
			changes, after = back, trees[0]
		}
		d, err := place.Stage(t.Context(), fmt.Sprint("d", i), changes, from(after))
		must(t, err)
		list, err := d.Finish(t.Context())
		if err != nil {
			t.Error(err)
			return conflicts, delivered
		}
		conflicts, delivered = conflicts+len(list), delivered+len(changes)-len(list)
	}
	return conflicts, delivered
}

// raceTree is one of two trees: some files are in both, with other contents of
// the same size or not, some in one of them.
func raceTree(folders, files int, text string) string {
	var b strings.Builder
	for k := range folders {
		for i := range files {
			switch {
			case i == 0 && text == "one", i == 1 && text == "two":
			case i == 2 && text == "one":
				fmt.Fprintf(&b, "d%d/f%d f644\n", k, i)
			default:
				fmt.Fprintf(&b, "d%d/f%d f644 %s\n", k, i, text)
			}
		}
		if text == "two" {
			fmt.Fprintf(&b, "d%d/new/f f644 x\n", k)
		}
	}
	return b.String()
}

// An editor edits the files of one folder, and moves that. It knows what it
// wrote and did not overwrite or delete itself.
type editor struct {
	dir, folder, at string // at is where the folder is
	files           int
	rng             *rand.Rand
	alive           map[string]string // contents, with their paths
	edits           int
	err             error
}

func (e *editor) edit() {
	e.edits++
	path := fmt.Sprintf("%s/f%d", e.folder, e.rng.IntN(e.files))
	if e.rng.IntN(8) == 0 {
		path = e.folder + "/own" // which nobody delivers
	}
	text := fmt.Sprintf("%s %d by an editor\n", path, e.edits)
	var err error
	switch e.rng.IntN(10) {
	case 0, 1:
		err = e.inPlace(path, text, os.O_RDWR)
	case 2:
		err = e.inPlace(path, text, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	case 3, 4:
		err = e.byRename(path, text)
	case 5:
		err = e.remove(path)
	case 6, 7, 8: // as it was, so that something can be delivered
		err = e.byRename(path, []string{"one", "two", ""}[e.rng.IntN(3)])
	case 9:
		err = e.move()
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) && e.err == nil {
		e.err = err
	}
}

// name is where a path is now.
func (e *editor) name(path string) string {
	return e.dir + "/" + e.at + strings.TrimPrefix(path, e.folder)
}

// inPlace writes into the file that is there, whatever becomes of its name.
func (e *editor) inPlace(path, text string, flags int) error {
	f, err := os.OpenFile(e.name(path), flags, 0o644)
	if err != nil {
		return err
	}
	old, err := io.ReadAll(f)
	err = errors.Join(err, f.Truncate(0))
	e.gone(string(old))
	_, werr := f.WriteAt([]byte(text), 0)
	e.wrote(path, text)
	return errors.Join(err, werr, f.Close())
}

// byRename puts a new file in place. To know what that replaces, it exchanges
// where something is.
func (e *editor) byRename(path, text string) error {
	tmp := e.name(path) + ".tmp"
	if err := os.WriteFile(tmp, []byte(text), 0o644); err != nil {
		return err
	}
	root, err := (*disk.Disk)(nil).OpenRoot(filepath.Dir(tmp))
	if err != nil {
		return err
	}
	defer root.Close()
	name := filepath.Base(e.name(path))
	if err = disk.Swap(root, filepath.Base(tmp), root, name); errors.Is(err, fs.ErrNotExist) {
		err = disk.MoveNew(root, filepath.Base(tmp), root, name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	e.wrote(path, text)
	return e.discard(tmp)
}

func (e *editor) remove(path string) error {
	tmp := e.name(path) + ".tmp"
	if err := os.Rename(e.name(path), tmp); err != nil {
		return err
	}
	return e.discard(tmp)
}

// discard removes what it has out of the way already.
func (e *editor) discard(tmp string) error {
	old, err := os.ReadFile(tmp)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	e.gone(string(old))
	return errors.Join(err, os.RemoveAll(tmp))
}

// move moves the folder away, or back. Where a delivery made another one
// meanwhile, it stays away.
func (e *editor) move() error {
	to := e.folder
	if e.at == e.folder {
		to = e.folder + "-moved"
	}
	root, err := (*disk.Disk)(nil).OpenRoot(e.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err = disk.MoveNew(root, e.at, root, to); err == nil {
		e.at = to
	}
	return err
}

func (e *editor) wrote(path, text string) {
	if strings.HasSuffix(text, "by an editor\n") {
		e.alive[text] = path
	}
}

func (e *editor) gone(text string) { delete(e.alive, text) }

// has reports whether what an editor wrote is where it belongs, or a finding
// of its path names it.
func (e *editor) has(texts map[string]string, found []delivery.Finding, path, text string) bool {
	rest := strings.TrimPrefix(path, e.folder)
	return texts[e.folder+rest] == text || texts[e.folder+"-moved"+rest] == text ||
		slices.ContainsFunc(found, func(f delivery.Finding) bool { return f.Was.Path == path && texts[f.Kept] == text })
}
