package disk

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// A Disk is where files are. Nil is the operating system itself. It is safe for
// concurrent use.
type Disk struct{ layer Layer }

// A Layer stands between planlock and the operating system, in tests. It is
// safe for concurrent use.
type Layer interface {
	// Do is called for every operation, instead of doing it. run does it, as op
	// then says. It need not be called, and what Do returns is how the
	// operation ended. Op and what is in it are good until Do returns.
	Do(op *Op, run func() error) error
	// Boot is what Disk.Boot returns.
	Boot() string
}

// New makes a Disk that does everything through layer.
func New(layer Layer) *Disk { return &Disk{layer} }

type contextKey struct{}

// With puts d into a context, for all that is opened with it.
func With(ctx context.Context, d *Disk) context.Context {
	return context.WithValue(ctx, contextKey{}, d)
}

// From is the Disk of a context; nil where nobody put one there.
func From(ctx context.Context) *Disk {
	d, _ := ctx.Value(contextKey{}).(*Disk)
	return d
}

// Plain reports whether nothing stands before the operating system.
func (d *Disk) Plain() bool { return d == nil }

// Boot names the life of the machine: what was written and not synced survives
// while it stays the same. It is "" where nobody knows.
func (d *Disk) Boot() string {
	if d != nil {
		return d.layer.Boot()
	}
	return boot()
}

// OpenRoot opens a folder, which no name leads out of. What is none is refused
// without waiting for it.
func (d *Disk) OpenRoot(dir string) (*Root, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	r := &Root{disk: d, dir: abs}
	err = d.do(&Op{Kind: Open, Path: abs}, func() error {
		// The system would wait for the other end of a FIFO.
		if info, err := os.Stat(dir); err == nil && !info.IsDir() {
			return &fs.PathError{Op: "open", Path: dir, Err: syscall.ENOTDIR}
		}
		r.root, err = os.OpenRoot(dir)
		return noFolder(err)
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Anywhere is a Root that is no folder: names are paths as package os takes
// them, relative to the current folder and not confined. It need not be closed.
func (d *Disk) Anywhere() *Root { return &Root{disk: d} }

// do carries an operation out.
func (d *Disk) do(op *Op, run func() error) error {
	if d == nil {
		return run()
	}
	return d.layer.Do(op, run)
}
