package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"github.com/planlock/planlock/checkpoint"
)

// code is what SQLite says went wrong, 0 where it says nothing.
func code(err error) int {
	var said *driver.Error
	if !errors.As(err, &said) {
		return codes.SQLITE_OK
	}
	if said.Code() == codes.SQLITE_IOERR_SHMSIZE { // its file beside cannot grow
		return codes.SQLITE_FULL
	}
	return said.Code() & 0xff
}

// busy reports that another process was writing.
func busy(err error) bool { return code(err) == codes.SQLITE_BUSY || code(err) == codes.SQLITE_LOCKED }

// helps says what helps.
var helps = map[int]string{
	codes.SQLITE_FULL:     "its disk is full: free some space",
	codes.SQLITE_READONLY: "it cannot be written: give this user the right to write it and its folder",
	codes.SQLITE_PERM:     "it cannot be written: give this user the right to write it and its folder",
	codes.SQLITE_CANTOPEN: "it cannot be opened: make its folder, and give this user the right to write there",
	codes.SQLITE_NOTADB:   "it is no database of SQLite: name another file, or put a copy back",
	codes.SQLITE_CORRUPT:  "it is damaged: put a copy back, or save what is whole with \"sqlite3 FILE .recover\"",
	codes.SQLITE_BUSY:     "another process has been writing it for 10 s: wait for it or stop it",
	codes.SQLITE_LOCKED:   "another process has been writing it for 10 s: wait for it or stop it",
	codes.SQLITE_IOERR:    "it cannot be read or written: look at its disk, and open it again",
}

// explain says what was done with the file when err came, and what helps.
func (s *Store) explain(doing string, err error) error {
	switch help := helps[code(err)]; {
	case err == nil:
		return nil
	case code(err) == codes.SQLITE_FULL: // as a disk says it, which a run waits for
		full := &checkpoint.FullError{Err: fmt.Errorf("%w: %w", syscall.ENOSPC, err)}
		return fmt.Errorf("sqlite: %s: %q: %s: %w", doing, s.path, help, full)
	case help != "":
		return fmt.Errorf("sqlite: %s: %q: %s: %w", doing, s.path, help, err)
	case s.ended.Load():
		return fmt.Errorf("sqlite: %s: %q: %w", doing, s.path, checkpoint.ErrClosed)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("sqlite: %s: %q: it was removed while it was opened: %w", doing, s.path, err)
	}
	return fmt.Errorf("sqlite: %s: %q: %w", doing, s.path, err)
}
