package powercut

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/planlock/planlock/internal/disk"
)

// A Recorder carries operations out and notes those that change what is below a
// folder. It is safe for concurrent use, and lets one operation happen at a
// time.
type Recorder struct {
	dir  string
	boot string

	mu    sync.Mutex
	start image
	nodes map[identity]int // those that exist
	last  int              // the node that was made last
	steps []step
	pages image    // what files hold that were written
	loose []string // what was found that nobody made through the disk
}

// New makes a Recorder of dir. What is there now counts as durable. boot is the
// life of the machine; see disk.Disk.Boot.
func New(dir, boot string) (*Recorder, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return nil, err
	}
	r := &Recorder{dir: abs, boot: boot, nodes: map[identity]int{}, pages: image{}}
	if r.start, err = r.load(); err != nil {
		return nil, fmt.Errorf("powercut: %w", err)
	}
	return r, nil
}

// Boot is the life of the machine.
func (r *Recorder) Boot() string { return r.boot }

// Now is how many operations were noted so far. What is durable now is durable
// at every later moment too.
func (r *Recorder) Now() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.steps)
}

// Do carries an operation out and notes it; see disk.Layer.
func (r *Recorder) Do(op *disk.Op, run func() error) error {
	if !op.Changes() {
		return run()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s := step{kind: op.Kind, name: filepath.Base(op.Path), path: op.Path}
	switch op.Kind {
	case disk.Exchange:
		if info, err := os.Lstat(op.To); err == nil {
			s.other = r.know(info, op.To)
		}
		fallthrough
	case disk.Rename, disk.RenameNew, disk.Remove, disk.Link:
		if info, err := op.There(); err == nil {
			s.node = r.know(info, op.Path)
		}
	}
	err := run()
	if err != nil && op.N == 0 && !isSync(op.Kind) {
		return err
	}
	if nerr := r.note(s, op, err); nerr != nil {
		return errors.Join(err, fmt.Errorf("powercut: %s %q: %w", op.Kind, op.Path, nerr))
	}
	return err
}

// note completes s and adds it to the trace.
func (r *Recorder) note(s step, op *disk.Op, failed error) error {
	s.failed = failed != nil
	if s.node == 0 {
		info, err := op.There()
		if err != nil {
			return err
		}
		switch op.Kind {
		case disk.Create, disk.Mkdir, disk.Symlink:
			s.node = r.made(info)
		default:
			s.node = r.know(info, op.Path)
		}
		s.mode, s.time = info.Mode(), info.ModTime()
	}
	switch op.Kind {
	case disk.Create, disk.Mkdir, disk.Symlink, disk.Link, disk.Rename, disk.RenameNew, disk.Exchange, disk.Remove:
		folder, err := op.Folder(false)
		if err != nil {
			return err
		}
		s.dir = r.know(folder, filepath.Dir(op.Path))
		s.to, s.target = s.dir, op.To
		switch op.Kind {
		case disk.Rename, disk.RenameNew, disk.Exchange, disk.Link:
			if folder, err = op.Folder(true); err != nil {
				return err
			}
			s.to, s.as = r.know(folder, filepath.Dir(op.To)), filepath.Base(op.To)
		}
	case disk.Write:
		s.data, s.offset, s.failed = append([]byte(nil), op.Data[:op.N]...), op.Offset, false
		s.lead, s.trail = r.page(s.node).around(s)
	case disk.Truncate:
		s.size = op.Size
		r.page(s.node).resize(s.size)
	}
	r.steps = append(r.steps, s)
	return nil
}

// page is a file as the system has it, whatever of it is on the disk.
func (r *Recorder) page(n int) *node {
	if r.pages[n] == nil {
		r.pages[n] = &node{}
		if was := r.start[n]; was != nil {
			r.pages[n].data = slices.Clone(was.data)
		}
	}
	return r.pages[n]
}

// made is the node of something new.
func (r *Recorder) made(info fs.FileInfo) int {
	r.last++
	r.nodes[identify(info)] = r.last
	return r.last
}

// know is the node of something that is there. What nobody made through the
// disk is a node without a history, and Check tells of it.
func (r *Recorder) know(info fs.FileInfo, path string) int {
	if n, ok := r.nodes[identify(info)]; ok {
		return n
	}
	r.loose = append(r.loose, path)
	return r.made(info)
}

// Trace is what was noted so far.
func (r *Recorder) Trace() *Trace {
	r.mu.Lock()
	defer r.mu.Unlock()
	return newTrace(r.start, r.steps[:len(r.steps):len(r.steps)])
}

// Check compares the folder with what the trace makes of it, and names what was
// done without the disk.
func (r *Recorder) Check() error {
	trace := r.Trace()
	want := trace.At(trace.Len()).image(Nothing)
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for _, path := range r.loose {
		errs = append(errs, fmt.Errorf("powercut: %q was made without the disk", path))
	}
	have := &Recorder{dir: r.dir, nodes: map[identity]int{}}
	is, err := have.load()
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	return errors.Join(append(errs, differ("", want, root, is, root))...)
}

// load reads the folder as it is.
func (r *Recorder) load() (image, error) {
	img := image{}
	err := filepath.WalkDir(r.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		id := identify(info)
		n, known := r.nodes[id] // a second name of a file
		if !known {
			if n = root; path != r.dir {
				r.last++
				n = r.last
			} else {
				r.last = root
			}
			r.nodes[id] = n
			if img[n], err = loadNode(path, info); err != nil {
				return err
			}
		}
		if path != r.dir {
			parent, err := os.Lstat(filepath.Dir(path))
			if err != nil {
				return err
			}
			img[r.nodes[identify(parent)]].names[filepath.Base(path)] = n
		}
		return nil
	})
	return img, err
}

// loadNode reads what stands at path, without its names.
func loadNode(path string, info fs.FileInfo) (*node, error) {
	n := &node{mode: info.Mode(), time: info.ModTime()}
	var err error
	switch {
	case info.IsDir():
		n.names = map[string]int{}
	case info.Mode()&fs.ModeSymlink != 0:
		n.target, err = os.Readlink(path)
	case info.Mode().IsRegular():
		n.data, err = os.ReadFile(path)
	}
	return n, err
}
