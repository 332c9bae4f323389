package remote

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/planlock/planlock/gate/evidence"
	"github.com/planlock/planlock/gate/evidence/search"
	"github.com/planlock/planlock/internal/lazyre"
)

// Bounds of what is read of a store.
const (
	maxMeta   = 64 << 10 // bytes of what is said of a run
	maxSeries = 4 << 20  // bytes of one metric
)

// A Store is a folder in which MLflow keeps runs by itself, without a server, as
// it does in mlruns. It is only read. It must not be changed once it is in use,
// and may be used concurrently.
type Store struct {
	// Dir is the folder. One that is relative lies in the workspace, and is read as
	// the run has it there.
	Dir string
	in  string // the workspace
}

// StoreAt is the store that an address names: a path, or an address with the
// scheme file. ok is false for any other address.
func StoreAt(address string) (store *Store, ok bool) {
	if u, err := url.Parse(address); err == nil && u.Scheme == "file" && (u.Host == "" || u.Host == "localhost") {
		return &Store{Dir: filepath.FromSlash(u.Path + u.Opaque)}, true
	}
	return &Store{Dir: address}, address == "" || !strings.Contains(address[len(filepath.VolumeName(address)):], ":")
}

// In is the store as it is in a workspace.
func (s *Store) In(dir string) search.Finder { return &Store{Dir: s.Dir, in: dir} }

// Name says which folder is read.
func (s *Store) Name() string { return "mlflow folder " + filepath.ToSlash(s.Dir) }

// Validate refuses a store without a folder, and one that leads out of the
// workspace.
func (s *Store) Validate() error {
	switch {
	case s.Dir == "":
		return errors.New("remote: the store of runs has no folder: set Store.Dir, as in mlruns")
	case !filepath.IsAbs(s.Dir) && !filepath.IsLocal(s.Dir):
		return fmt.Errorf("remote: the store of runs %q leads out of the workspace: give its whole path", s.Dir)
	}
	return nil
}

// named is what ids of runs and of experiments look like; none of them leads to
// another folder.
var named = lazyre.New(`^[0-9A-Za-z_-]{1,64}$`)

// Look finds out about a run, or about a file that is kept for one.
func (s *Store) Look(_ context.Context, n evidence.Need) evidence.Item {
	id := n.Name
	if n.Kind == evidence.Artifact {
		id = n.Want
	}
	root, err := s.open()
	if err != nil {
		return n.Unverifiable("the store of runs cannot be read: %v", err)
	}
	defer func() { _ = root.Close() }() // only read from
	folder, err := folderOf(root, id)
	switch {
	case err != nil:
		return n.Unverifiable("the store of runs cannot be read: %v", err)
	case folder == "":
		return n.Missing("the store of runs knows no run %q", id)
	case n.Kind == evidence.Artifact:
		return keptIn(root, folder, n)
	}
	run, err := storedRun(root, folder, id)
	if err != nil {
		return n.Unverifiable("run %q of the store: %v", id, err)
	}
	return run.item(n)
}

// open opens the folder; nothing that is read lies outside of it.
func (s *Store) open() (*os.Root, error) {
	if filepath.IsAbs(s.Dir) {
		return os.OpenRoot(s.Dir)
	}
	workspace, err := os.OpenRoot(s.in)
	if err != nil {
		return nil, err
	}
	defer func() { _ = workspace.Close() }() // only read from
	return workspace.OpenRoot(s.Dir)
}

// folderOf is the folder of a run: that of an experiment, and in it one with its
// id. "" where there is none.
func folderOf(root *os.Root, id string) (string, error) {
	if !named.MatchString(id) {
		return "", nil
	}
	experiments, err := fs.ReadDir(root.FS(), ".")
	for _, e := range experiments {
		folder := e.Name() + "/" + id
		if _, gone := root.Stat(folder + "/meta.yaml"); named.MatchString(e.Name()) && gone == nil {
			return folder, nil
		}
	}
	return "", err
}

// statuses are those of runs, by the numbers that a store has for them.
var statuses = map[string]string{"1": "RUNNING", "2": "SCHEDULED", "3": "FINISHED", "4": "FAILED", "5": "KILLED"}

// storedRun reads what a store says of a run.
func storedRun(root *os.Root, folder, id string) (*trackedRun, error) {
	text, err := readUpTo(root, folder+"/meta.yaml", maxMeta)
	if err != nil {
		return nil, err
	}
	said := map[string]string{}
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		if !ok || key == "" || strings.TrimLeft(key, " -#") != key {
			continue // of a value that has lines of its own
		}
		if _, twice := said[key]; twice {
			return nil, fmt.Errorf("its meta.yaml says %s twice", key)
		}
		said[key] = strings.Trim(strings.TrimSpace(value), `'"`)
	}
	if got := said["run_id"]; got != id {
		return nil, fmt.Errorf("its meta.yaml is about the run %q", got)
	}
	run := &trackedRun{experiment: said["experiment_id"], status: said["status"],
		deleted: said["lifecycle_stage"] == "deleted", metrics: storedMetrics(root, folder+"/metrics")}
	if name, ok := statuses[run.status]; ok {
		run.status = name
	}
	if ms, err := strconv.ParseInt(said["start_time"], 10, 64); err == nil && ms > 0 {
		run.started = time.UnixMilli(ms).UTC()
	}
	return run, nil
}

// storedMetrics are the last values of the metrics of a run: a file each, with a
// line for each value (time, value, step).
func storedMetrics(root *os.Root, folder string) map[string]float64 {
	all := map[string]float64{}
	_ = fs.WalkDir(root.FS(), folder, func(at string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || len(all) >= maxMetrics:
			return fs.SkipAll
		case !e.Type().IsRegular():
			return nil
		}
		text, _ := readUpTo(root, at, maxSeries) // what cannot be read is no metric
		last := ""
		for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan(); {
			last = lines.Text()
		}
		if parts := strings.Fields(last); len(parts) >= 2 {
			if v, err := strconv.ParseFloat(parts[1], 64); err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) {
				all[strings.TrimPrefix(at, folder+"/")] = v
			}
		}
		return nil
	})
	return all
}

// keptIn finds out about a file that is kept for a run.
func keptIn(root *os.Root, folder string, n evidence.Need) evidence.Item {
	if !filepath.IsLocal(n.Name) {
		return n.Missing("run %q has no artifact %q", n.Want, n.Name)
	}
	info, err := root.Stat(path.Join(folder, "artifacts", n.Name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return n.Missing("run %q has no artifact %q", n.Want, n.Name)
	case err != nil:
		return n.Unverifiable("artifact %q of run %q: %v", n.Name, n.Want, err)
	case !info.IsDir() && info.Size() == 0:
		return n.Missing("artifact %q of run %q is empty", n.Name, n.Want)
	}
	return evidence.Item{Need: n, State: evidence.Found, Size: info.Size()}
}

// readUpTo reads a file of at most so many bytes.
func readUpTo(root *os.Root, name string, most int64) (string, error) {
	f, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // only read from
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return "", fmt.Errorf("%s is no file of at most %d bytes", name, most)
	}
	text, err := io.ReadAll(io.LimitReader(f, most))
	return string(text), err
}
