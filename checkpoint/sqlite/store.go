package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	driver "modernc.org/sqlite"

	"github.com/planlock/planlock/checkpoint"
)

// What a file says in its header: whose it is, and which tables it has.
const (
	application = 0x706c6b64 // "plkd"
	version     = 2
)

// patience is how long a call waits for another process that writes.
const patience = 10 * time.Second

// The tables of version 2. A content whose digest is NULL is not whole yet, and at
// is when it was begun; else when it was put or found last.
const schema = `
CREATE TABLE contents (id INTEGER PRIMARY KEY, digest TEXT UNIQUE, at INTEGER NOT NULL);
CREATE TABLE pieces (content INTEGER NOT NULL, n INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (content, n));
CREATE TABLE logs (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, epoch INTEGER NOT NULL, length INTEGER NOT NULL,
	synced INTEGER NOT NULL);
CREATE TABLE records (log INTEGER NOT NULL, n INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (log, n));
CREATE TABLE notes (run TEXT PRIMARY KEY, state TEXT NOT NULL);
CREATE TABLE claims (lock TEXT PRIMARY KEY, run TEXT NOT NULL);
CREATE TABLE papers (name TEXT PRIMARY KEY, text BLOB NOT NULL, put INTEGER NOT NULL);
`

// A Store is an open file. It is safe for concurrent use.
type Store struct {
	path  string
	whole string    // that from the root on
	db    *sql.DB   // reads
	conn  *sql.Conn // the one connection that writes
	turn  chan struct{}
	files []opened // which have to stay
	blobs blobs
	ended atomic.Bool
}

// An opened file, as it was when it was opened.
type opened struct {
	path string
	info fs.FileInfo
}

// Open opens the file at path, or makes it in a folder that is there.
// checkpoint.ErrVersion where a later planlock wrote it. Nothing of ctx is kept.
func Open(ctx context.Context, path string) (*Store, error) {
	whole, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("sqlite: open %q: %w", path, err)
	}
	c, err := driver.NewConnector(source(whole))
	if err != nil {
		return nil, fmt.Errorf("sqlite: open %q: %w", path, err)
	}
	s := &Store{path: path, whole: whole, db: sql.OpenDB(c), turn: make(chan struct{}, 1)}
	s.blobs.s = s
	s.db.SetMaxOpenConns(8)
	s.db.SetMaxIdleConns(8)
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(s.explain("open", err), s.Close())
	}
	return s, nil
}

// source is the name of the file for the driver, with what each connection is
// told. The syncs of macOS reach the disk only if they are asked to.
func source(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // C:/…
		path = "/" + path
	}
	q := url.Values{"_pragma": {fmt.Sprintf("busy_timeout(%d)", patience.Milliseconds()), "synchronous(FULL)",
		"fullfsync(1)", "checkpoint_fullfsync(1)"}}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String()
}

func (s *Store) open(ctx context.Context) (err error) {
	if s.conn, err = s.db.Conn(ctx); err != nil {
		return err
	}
	fresh, err := s.recognize(ctx)
	if err != nil {
		return err
	}
	if err := s.writeAhead(ctx); err != nil {
		return err
	}
	if fresh {
		if err := s.write(ctx, s.create); err != nil {
			return err
		}
	}
	if err := s.write(ctx, s.forgetUnfinished); err != nil {
		return err
	}
	for _, name := range []string{s.whole, s.whole + "-wal"} {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		s.files = append(s.files, opened{name, info})
	}
	return nil
}

// recognize says whether the file is empty. It changes nothing: the file may be
// somebody else's.
func (s *Store) recognize(ctx context.Context) (fresh bool, err error) {
	var app, has, tables int
	for what, into := range map[string]*int{"PRAGMA application_id": &app, "PRAGMA user_version": &has,
		"SELECT count(*) FROM sqlite_schema": &tables} {
		if err := s.conn.QueryRowContext(ctx, what).Scan(into); err != nil {
			return false, err
		}
	}
	switch {
	case app == 0 && has == 0 && tables == 0:
		return true, nil
	case app != application:
		return false, errors.New("it is a database of another program: name another file")
	case has != version:
		return false, fmt.Errorf("%w: it is %d, and this one knows %d: use the planlock that wrote the file",
			checkpoint.ErrVersion, has, version)
	}
	return false, nil
}

// writeAhead has the file written by way of a log. Of several processes that
// turn that on at a time SQLite refuses some at once, who have to come again.
func (s *Store) writeAhead(ctx context.Context) error {
	for limit := time.Now().Add(patience); ; {
		var mode string
		err := s.conn.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode)
		if err == nil && mode != "wal" {
			err = fmt.Errorf("its folder cannot have the log of SQLite (mode %q): name a file on a disk of this machine", mode)
		}
		if !busy(err) || time.Now().After(limit) {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// create makes the tables, unless another process was faster.
func (s *Store) create(ctx context.Context) error {
	fresh, err := s.recognize(ctx)
	if err != nil || !fresh {
		return err
	}
	_, err = s.conn.ExecContext(ctx, fmt.Sprintf("%s PRAGMA application_id = %d; PRAGMA user_version = %d;", schema,
		application, version))
	return err
}

// Blobs keep contents in the file. They can tell other processes what they
// gathered (WriteGathered).
func (s *Store) Blobs() checkpoint.Blobs { return &s.blobs }

// Runs keep journals in the file.
func (s *Store) Runs() checkpoint.Runs { return runs{s} }

// Papers keep questions and answers in the file.
func (s *Store) Papers() checkpoint.Papers { return papers{s} }

// Close closes the file. Contents that were put and not synced are gone. Close
// the logs first. Closing again is harmless.
func (s *Store) Close() error {
	if s.ended.Swap(true) {
		return nil
	}
	var err error
	if s.conn != nil {
		err = s.conn.Close()
	}
	err = errors.Join(err, s.db.Close())
	_ = os.Remove(s.locks()) // unless another log is open
	if err != nil {
		return fmt.Errorf("sqlite: close %q: %w", s.path, err)
	}
	return nil
}

// An errUnknown is what a commit came to: it may be there after all.
type errUnknown struct{ error }

func (e errUnknown) Unwrap() error { return e.error }

// write has do write in one transaction, once it is its turn: all of that is
// kept, and durable, or nothing. What was begun is not cancelled: it is short.
func (s *Store) write(ctx context.Context, do func(context.Context) error) error {
	return s.transact(ctx, do, false)
}

// transact is write, and where the disk can wait, only the system has what was
// written: it is durable with the next commit that is.
func (s *Store) transact(ctx context.Context, do func(context.Context) error, later bool) error {
	if err := s.wait(ctx); err != nil {
		return err
	}
	defer func() { <-s.turn }()
	ctx = context.WithoutCancel(ctx)
	begin := "PRAGMA synchronous = FULL; BEGIN IMMEDIATE"
	if later {
		begin = "PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE"
	}
	if _, err := s.conn.ExecContext(ctx, begin); err != nil {
		return err
	}
	err := do(ctx)
	if err == nil {
		err = s.stays()
	}
	if err == nil {
		if _, err = s.conn.ExecContext(ctx, "COMMIT"); err != nil {
			err = errUnknown{err}
		}
	}
	if err != nil {
		_, _ = s.conn.ExecContext(ctx, "ROLLBACK") // SQLite may have done it by itself
	}
	return err
}

// wait waits for the turn to write.
func (s *Store) wait(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// stays finds files that were removed or replaced: SQLite would go on writing to
// what has no name any more.
func (s *Store) stays() error {
	for _, f := range s.files {
		if info, err := os.Stat(f.path); err != nil || !os.SameFile(info, f.info) {
			return fmt.Errorf("%w: %q, open it again", checkpoint.ErrReplaced, f.path)
		}
	}
	return nil
}
