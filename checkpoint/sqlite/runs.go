package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/internal/file"
)

// runs are checkpoint.Runs.
type runs struct{ s *Store }

// Open opens a log for its one writer; see checkpoint.Runs.
func (r runs) Open(ctx context.Context, name string) (checkpoint.Log, error) {
	if ctx.Err() != nil {
		return nil, r.s.explain("open log", context.Cause(ctx))
	}
	if !plain(name) {
		return nil, fmt.Errorf("%w: log %q: a name is of letters, digits and dots", checkpoint.ErrNotFound, name)
	}
	lock, err := r.s.hold(ctx, name)
	if err != nil {
		return nil, err
	}
	l := &log{s: r.s, name: name, lock: lock}
	err = r.s.write(ctx, func(ctx context.Context) error {
		return r.s.conn.QueryRowContext(ctx, `INSERT INTO logs (name, epoch, length, synced) VALUES (?, 1, 0, 0)
			ON CONFLICT (name) DO UPDATE SET epoch = epoch + 1 RETURNING id, epoch, length`, name).Scan(&l.id, &l.epoch, &l.length)
	})
	if err != nil {
		return nil, errors.Join(r.s.explain("open log", err), l.release())
	}
	return l, nil
}

// plain reports whether a name can be that of a log, and of a file.
func plain(name string) bool {
	other := func(r rune) bool {
		return r != '.' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}
	return name != "" && len(name) <= 100 && name[0] != '.' && strings.IndexFunc(name, other) < 0
}

// Read opens a log to replay it; see checkpoint.Runs.
func (r runs) Read(ctx context.Context, name string) (checkpoint.Log, error) {
	if ctx.Err() != nil {
		return nil, r.s.explain("read log", context.Cause(ctx))
	}
	l := &log{s: r.s, name: name, over: errors.New("it was opened for reading only")}
	err := r.s.db.QueryRowContext(ctx, "SELECT id FROM logs WHERE name = ?", name).Scan(&l.id)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, fmt.Errorf("%w: log %q in %q", checkpoint.ErrNotFound, name, r.s.path)
	case err != nil:
		return nil, r.s.explain("read log", err)
	}
	return l, nil
}

// page is how many runs are read at once.
const page = 500

// List yields the runs whose log was opened, page by page; see checkpoint.Runs.
func (r runs) List(ctx context.Context, which checkpoint.Which) iter.Seq2[checkpoint.Listed, error] {
	return func(yield func(checkpoint.Listed, error) bool) {
		before, left := "~", which.Latest // behind each name
		for {
			listed, err := r.list(ctx, which.Lock, before)
			if err != nil {
				yield(checkpoint.Listed{}, r.s.explain("list runs", err))
				return
			}
			for _, l := range listed {
				if left--; !yield(l, nil) || left == 0 {
					return
				}
			}
			if len(listed) < page {
				return
			}
			before = listed[page-1].Run
		}
	}
}

func (r runs) list(ctx context.Context, lock, before string) (list []checkpoint.Listed, err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	rows, err := r.s.db.QueryContext(ctx, `SELECT name, coalesce(state, '') FROM logs LEFT JOIN notes ON run = name
		WHERE name < ?1 AND name NOT LIKE '%' || ?2
		AND (?3 = '' OR state IS NOT ?4 OR name = (SELECT run FROM claims WHERE lock = ?3))
		ORDER BY name DESC LIMIT ?5`, before, checkpoint.AfterRun, lock, string(checkpoint.Sealed), page)
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		var l checkpoint.Listed
		if err := rows.Scan(&l.Run, &l.State); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		list = append(list, l)
	}
	return list, errors.Join(rows.Err(), rows.Close())
}

// Note says what becomes of a run; see checkpoint.Runs.
func (r runs) Note(ctx context.Context, run string, state checkpoint.State) error {
	err := r.s.write(ctx, func(ctx context.Context) error {
		_, err := r.s.conn.ExecContext(ctx, `INSERT INTO notes (run, state) VALUES (?, ?)
			ON CONFLICT (run) DO UPDATE SET state = excluded.state`, run, string(state))
		return err
	})
	return r.s.explain("note", err)
}

// Claim has a lock serve a run; see checkpoint.Runs.
func (r runs) Claim(ctx context.Context, lock, run, instead string) (holder string, err error) {
	err = r.s.write(ctx, func(ctx context.Context) error {
		_, err := r.s.conn.ExecContext(ctx, `INSERT INTO claims (lock, run) VALUES (?, ?)
			ON CONFLICT (lock) DO UPDATE SET run = excluded.run WHERE run = ?`, lock, run, instead)
		if err != nil {
			return err
		}
		return r.s.conn.QueryRowContext(ctx, "SELECT run FROM claims WHERE lock = ?", lock).Scan(&holder)
	})
	return holder, r.s.explain("claim", err)
}

// lingers bounds the wait for the lock of a writer that is gone: a child that it
// was just starting has the file open until it begins with its own program.
const lingers = 100 * time.Millisecond

func (s *Store) locks() string { return s.whole + "-locks" }

// hold locks the file that stands for a log, or says who has it. Without locks,
// as on some systems, there is no file: who comes later fences.
func (s *Store) hold(ctx context.Context, name string) (*os.File, error) {
	path := filepath.Join(s.locks(), name)
	for limit := time.Now().Add(lingers); ; time.Sleep(2 * time.Millisecond) {
		f, err := s.lockFile(path)
		switch {
		case errors.Is(err, errors.ErrUnsupported):
			return nil, nil
		case f != nil || err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errHeld):
			return f, s.explain("lock log", err)
		case ctx.Err() != nil:
			return nil, s.explain("lock log", context.Cause(ctx))
		case errors.Is(err, errHeld) && time.Now().After(limit):
			return nil, &checkpoint.HeldError{Dir: path, Holder: holder(path)}
		}
	}
}

var errHeld = errors.New("sqlite: somebody else has the log open")

// lockFile locks the file at path: fs.ErrNotExist where that was just removed.
func (s *Store) lockFile(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	held, err := file.Lock(f)
	if held {
		err = errHeld
	}
	if err == nil && !is(f, path) {
		err = fs.ErrNotExist
	}
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = fmt.Fprintf(f, "process %d, %s\n", os.Getpid(), filepath.Base(os.Args[0]))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// is reports whether f is what lies at path.
func is(f *os.File, path string) bool {
	mine, err := f.Stat()
	there, err2 := os.Stat(path)
	return err == nil && err2 == nil && os.SameFile(mine, there)
}

// holder says who has a log open.
func holder(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return "another writer of this log"
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 200))
	if who := strings.TrimSpace(string(text)); err == nil && who != "" {
		return "another writer of this log (" + who + ")"
	}
	return "another writer of this log"
}

// release gives the lock of a log back. What lies at its path may be that of
// another writer by now, and stays then.
func (l *log) release() error {
	if l.lock == nil {
		return nil
	}
	if is(l.lock, l.lock.Name()) {
		_ = os.Remove(l.lock.Name()) // where that cannot be, a file stays that nobody has locked
	}
	err := errors.Join(file.Unlock(l.lock), l.lock.Close())
	l.lock = nil
	return err
}
