package ledger

import (
	"errors"
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"
)

// A job is a folder to be read, or some names of a folder that is already open.
type job struct {
	path  string      // of the folder
	in    *folder     // with names: the folder itself; else the one that holds it, or nil
	info  fs.FileInfo // of the folder, when it was found in the one that holds it
	found found       // the folder's entry
	names []string    // nil: list the folder
}

const (
	batch   = 256 // names in a job: enough to share a large folder between workers
	maxHeld = 256 // folders kept open for jobs; beyond, jobs open theirs from the root
)

// A folder is an open folder that several jobs use. The last one closes it.
type folder struct {
	root  *os.Root
	users int32
}

func (f *folder) close() {
	if atomic.AddInt32(&f.users, -1) == 0 {
		f.root.Close()
	}
}

// do reads one folder, or a part of one, and yields the jobs for the rest.
func (r *reader) do(j job) (next []job, errs []error) {
	if r.walk.ctx.Err() != nil {
		r.walk.drop(j)
		return nil, nil
	}
	if j.names == nil {
		var err error
		if j, err = r.open(j); err != nil || j.in == nil {
			if err != nil {
				err = r.refuse(j.found, err)
			}
			if err != nil {
				errs = []error{pathError(j.path, err)}
			}
			return nil, errs
		}
	}
	defer j.in.close()
	names := j.names
	for len(names) > batch {
		j.in.use(1)
		next = append(next, job{path: j.path, in: j.in, names: names[:batch:batch]})
		names = names[batch:]
	}
	var folders []job
	for _, name := range names {
		path := name
		if j.path != "" {
			path = j.path + "/" + name
		}
		if r.walk.scope.leavesOut(path) {
			continue
		}
		folder, err := r.entry(j.in.root, name, path)
		if err != nil {
			errs = append(errs, pathError(path, err))
		} else if folder != nil {
			folder.in = j.in
			folders = append(folders, *folder)
		}
	}
	r.walk.hold(j.in, folders)
	return append(next, folders...), errs
}

func (f *folder) use(n int) { atomic.AddInt32(&f.users, int32(n)) }

// hold keeps in open for the jobs of its folders, or has them open theirs from the root
// when too many are open already.
func (w *walk) hold(in *folder, jobs []job) {
	if len(jobs) == 0 {
		return
	}
	w.mu.Lock()
	keep := w.held+len(jobs) <= maxHeld || w.held < maxHeld/2
	if keep {
		w.held += len(jobs)
	}
	w.mu.Unlock()
	if keep {
		in.use(len(jobs))
		return
	}
	for i := range jobs {
		jobs[i].in = nil
	}
}

// drop lets go of what a job held.
func (w *walk) drop(j job) {
	if j.in == nil {
		return
	}
	j.in.close()
	if j.names == nil {
		w.mu.Lock()
		w.held--
		w.mu.Unlock()
	}
}

// open opens the folder of a job and lists it. Where there is no folder any more, the
// job comes back without one; what stands there now is read instead.
func (r *reader) open(j job) (job, error) {
	defer r.walk.drop(j)
	in, name := r.place(j)
	var failed error
	for range tries {
		opened, err := r.openFolder(j)
		if err == nil {
			listed, gone := r.list(j, opened)
			if j.path == "" || !errors.Is(gone, fs.ErrNotExist) {
				return listed, gone
			}
			err = gone // it was taken away between the two
		}
		failed = err
		if now, err := in.Lstat(name); err == nil && os.SameFile(now, j.info) {
			if errors.Is(failed, fs.ErrPermission) {
				break
			}
			continue // it is there again
		}
		folder, err := r.entry(in, name, j.path)
		if err != nil || folder == nil {
			j.in = nil
			return j, err
		}
		j.info, j.found = folder.info, folder.found
	}
	j.in = nil
	if no := syscall.Errno(0); !errors.As(failed, &no) || errors.Is(failed, fs.ErrNotExist) || errors.Is(failed, errNotFolder) {
		failed = ErrChanging
	}
	return j, failed
}

func (r *reader) list(j job, opened *folder) (job, error) {
	names, err := list(opened.root)
	if err != nil {
		opened.close()
		j.in = nil
		return j, err
	}
	if j.path != "" {
		r.found = append(r.found, j.found)
	}
	j.in, j.names = opened, names
	return j, nil
}

// place is the open folder that holds the folder of a job, and its name there.
func (r *reader) place(j job) (in *os.Root, name string) {
	if j.in == nil {
		return r.walk.root.root, j.path
	}
	_, name = splitPath(j.path)
	return j.in.root, name
}

// openFolder opens the folder of a job, and makes sure that it is the one that was found:
// not a link that stands there now, and not what that leads to.
func (r *reader) openFolder(j job) (*folder, error) {
	if j.path == "" {
		r.walk.root.use(1)
		return r.walk.root, nil
	}
	in, name := r.place(j)
	// The final dot keeps the system from opening anything but a folder.
	sub, err := in.OpenRoot(name + "/.")
	if err != nil {
		return nil, err
	}
	now, err := sub.Stat(".")
	if err == nil && !os.SameFile(now, j.info) {
		err = ErrChanging
	}
	if err != nil {
		sub.Close()
		return nil, err
	}
	return &folder{root: sub, users: 1}, nil
}

func list(dir *os.Root) ([]string, error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}
