package hold

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"syscall"
	"time"

	"github.com/planlock/planlock/checkpoint/internal/file"
	"github.com/planlock/planlock/internal/disk"
)

// The controller's own folder in a workspace, and what Workspace makes there.
const (
	ownFolder  = ".planlock"
	lockName   = ownFolder + "/lock"
	ignoreName = ownFolder + "/.gitignore"
)

// A holder is what the lock file says, for people.
type holder struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	User    string    `json:"user"`
	Started time.Time `json:"started"`
	What    string    `json:"what"`
	File    uint64    `json:"file,omitempty"` // number of the lock file on its disk; 0 where files have none
}

// writeHolder says in the lock file who holds the workspace. Nothing is decided
// by it: the lock is what counts.
func writeHolder(f *disk.File) error {
	h := holder{PID: os.Getpid(), Started: time.Now().UTC().Truncate(time.Second), What: filepath.Base(os.Args[0])}
	h.Host, _ = os.Hostname() // best effort: it only tells people where to look
	if u, err := user.Current(); err == nil {
		h.User = u.Username
	}
	if info, err := f.Stat(); err == nil {
		h.File = file.Inode(info)
	}
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = f.WriteAt(append(text, '\n'), 0)
	return err
}

// nameTime bounds the wait for a holder that has the lock and has not written
// its name yet, as some of fifty do that begin at once on a busy machine.
const nameTime = time.Second

// nameHolder says who holds dir. Between taking the lock and writing its name a
// holder is nobody, or still seems to be the one before it, who died: that
// passes.
func nameHolder(ctx context.Context, dir string) string {
	limit := time.NewTimer(nameTime)
	defer limit.Stop()
	again := time.NewTicker(2 * time.Millisecond)
	defer again.Stop()
	for {
		var h *holder
		if f := openLock(dir); f != nil {
			h = readHolder(f)
			_ = f.Close() // only read
		}
		if h != nil && !h.gone() {
			return h.String()
		}
		select {
		case <-again.C:
			continue
		case <-limit.C:
		case <-ctx.Done():
		}
		if h != nil {
			return h.String()
		}
		return fmt.Sprintf("a process that has locked the folder and whose name is not in %q", lockName)
	}
}

// lingers bounds the wait for a lock that nobody has any more: a child that its
// holder was just starting when it died has all files open until it begins with
// its own program.
const lingers = 2 * time.Second

// lock locks a file of dir without waiting for a holder that lives.
func lock(ctx context.Context, f *os.File, dir string) (held bool, err error) {
	limit := time.Now().Add(lingers)
	for {
		held, err = file.Lock(f)
		if !held || err != nil || ctx.Err() != nil || time.Now().After(limit) || !orphaned(f, dir) {
			return held, err
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// orphaned reports whether somebody has a file of dir alone, and the one who
// says so is gone.
func orphaned(f *os.File, dir string) bool {
	if alone, err := file.Share(f); !alone { // somebody works in a folder below
		if err == nil {
			_ = file.Unlock(f) // what fails is seen when it is locked
		}
		return false
	}
	said := openLock(dir)
	if said == nil {
		return false
	}
	defer said.Close() // only read
	h := readHolder(said)
	return h != nil && h.gone()
}

// openLock opens the lock file of a folder; nil where there is none that may be
// read.
func openLock(dir string) *os.File {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDONLY|file.NoWait, 0)
	if err != nil {
		return nil
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil
	}
	return f
}

// readHolder is what f says; nil while that is nothing.
func readHolder(f io.ReaderAt) *holder {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, 4096))
	h := new(holder)
	if err != nil || json.Unmarshal(text, h) != nil {
		return nil
	}
	return h
}

// gone reports whether the holder surely is no process of this host.
func (h *holder) gone() bool {
	if host, err := os.Hostname(); err != nil || host != h.Host || h.PID <= 0 {
		return false
	}
	return ended(h.PID)
}

func (h *holder) String() string {
	return fmt.Sprintf("process %d (%q) of user %q on host %q since %s", h.PID, h.What, h.User, h.Host,
		h.Started.UTC().Format(time.RFC3339))
}

// cannotHold says why, and what to do where that is known.
func cannotHold(dir string, err error) error {
	hint := ""
	switch {
	case errors.Is(err, syscall.EROFS):
		hint = " is on a read-only file system, work in a copy"
	case errors.Is(err, fs.ErrPermission):
		hint = " cannot be written, check its owner and mode"
	}
	return fmt.Errorf("checkpoint: workspace %q%s: %w", dir, hint, err)
}
