// Package faulty is a disk that fails: operation number so and so, with an
// error of the system, once or from then on. A test lets operation 1 fail, then
// 2, and so on, until a run gets through in which nothing failed.
//
//	for at := 1; ; at++ {
//		l := &faulty.Layer{Err: syscall.ENOSPC, At: at}
//		err := run(disk.With(ctx, disk.New(l)))
//		if !l.Hit() {
//			break // there are no more operations
//		}
//		…
//	}
//
// Only operations that can fail with that error are counted; see Fits.
package faulty

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"

	"github.com/planlock/planlock/internal/disk"
)

// A Layer lets one operation fail, or all from one on. The zero value lets none
// fail. It is safe for concurrent use; the fields are set before it is used.
type Layer struct {
	// Next carries out what does not fail; nil is the operating system. Of an
	// operation that fails it gets to know, as one that failed.
	Next disk.Layer
	// Err is how operations fail. io.ErrShortWrite stands for a write that
	// keeps its first half.
	Err error
	// At is the number of the operation, from 1, among those that can fail like
	// that; 0 is none.
	At int
	// Only restricts what is counted, and fails, further; nil does not.
	Only func(op *disk.Op) bool
	// Forever lets all later ones fail as well.
	Forever bool

	mu  sync.Mutex
	n   int
	hit string
}

// Hit reports whether an operation failed.
func (l *Layer) Hit() bool { return l.What() != "" }

// What is the first operation that failed, in words; "" if none did.
func (l *Layer) What() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hit
}

// Heal ends all failing.
func (l *Layer) Heal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.At = 0
}

// Do carries an operation out, or does not; see disk.Layer.
func (l *Layer) Do(op *disk.Op, run func() error) error {
	if !l.fails(op) {
		return l.pass(op, run)
	}
	if l.Err == io.ErrShortWrite {
		op.Data = op.Data[:len(op.Data)/2]
		if err := l.pass(op, run); err != nil {
			return err
		}
		return &fs.PathError{Op: string(op.Kind), Path: op.Path, Err: io.ErrShortWrite}
	}
	failed := &fs.PathError{Op: string(op.Kind), Path: op.Path, Err: l.Err}
	return l.pass(op, func() error { return failed })
}

// Boot passes the question on.
func (l *Layer) Boot() string {
	if l.Next != nil {
		return l.Next.Boot()
	}
	return (*disk.Disk)(nil).Boot()
}

func (l *Layer) pass(op *disk.Op, run func() error) error {
	if l.Next != nil {
		return l.Next.Do(op, run)
	}
	return run()
}

func (l *Layer) fails(op *disk.Op) bool {
	if !Fits(l.Err, op) || l.Only != nil && !l.Only(op) {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n++
	if l.At == 0 || l.n < l.At || l.n > l.At && !l.Forever {
		return false
	}
	if l.hit == "" {
		l.hit = fmt.Sprintf("%s %s", op.Kind, op.Path)
	}
	return true
}

// Fits reports whether a system would let op fail with err.
func Fits(err error, op *disk.Op) bool {
	switch err {
	case syscall.EMFILE:
		switch op.Kind {
		case disk.Open, disk.Create, disk.SyncFolder: // which opens the folder
			return true
		}
		return false
	case syscall.EXDEV:
		switch op.Kind {
		case disk.Rename, disk.RenameNew, disk.Exchange, disk.Link:
			return true
		}
		return false
	case syscall.EROFS:
		return op.Changes() && op.Kind != disk.Sync && op.Kind != disk.SyncData && op.Kind != disk.SyncFolder &&
			op.Kind != disk.SyncAll ||
			op.Kind == disk.Open && op.Flags&(os.O_WRONLY|os.O_RDWR) != 0
	case io.ErrShortWrite:
		return op.Kind == disk.Write && len(op.Data) > 1
	case nil:
		return false
	}
	if err == syscall.ENOSPC || err == Quota {
		switch op.Kind {
		case disk.Create, disk.Write, disk.Truncate, disk.Mkdir, disk.Symlink, disk.Link, disk.Rename, disk.RenameNew,
			disk.Exchange, disk.Sync, disk.SyncData, disk.SyncAll:
			return true
		}
		return false
	}
	return true // EIO can come anywhere
}
