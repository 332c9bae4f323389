package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/planlock/planlock/checkpoint"
)

// papers are checkpoint.Papers.
type papers struct{ s *Store }

// Put keeps text under name; see checkpoint.Papers.
func (p papers) Put(ctx context.Context, name string, text []byte) error {
	_, err := p.exec(ctx, "put paper", `INSERT INTO papers (name, text, put) VALUES (?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET text = excluded.text, put = excluded.put`, name, nonNil(text), time.Now().UnixNano())
	return err
}

// PutNew keeps text where nothing is kept yet; see checkpoint.Papers.
func (p papers) PutNew(ctx context.Context, name string, text []byte) error {
	n, err := p.exec(ctx, "put paper", "INSERT OR IGNORE INTO papers (name, text, put) VALUES (?, ?, ?)", name,
		nonNil(text), time.Now().UnixNano())
	if err == nil && n == 0 {
		err = fmt.Errorf("sqlite: paper %q: %w", name, fs.ErrExist)
	}
	return err
}

// Get returns what is kept; see checkpoint.Papers.
func (p papers) Get(ctx context.Context, name string) (text []byte, put time.Time, err error) {
	if ctx.Err() != nil {
		return nil, time.Time{}, p.s.explain("get paper", context.Cause(ctx))
	}
	var at int64
	err = p.s.db.QueryRowContext(ctx, "SELECT text, put FROM papers WHERE name = ?", name).Scan(&text, &at)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, time.Time{}, fmt.Errorf("%w: paper %q in %q", checkpoint.ErrNotFound, name, p.s.path)
	case err != nil:
		return nil, time.Time{}, p.s.explain("get paper", err)
	}
	return text, time.Unix(0, at), nil
}

// Names are the names that begin with prefix; see checkpoint.Papers.
func (p papers) Names(ctx context.Context, prefix string) (names []string, err error) {
	if ctx.Err() != nil {
		return nil, p.s.explain("list papers", context.Cause(ctx))
	}
	rows, err := p.s.db.QueryContext(ctx, "SELECT name FROM papers WHERE name >= ? ORDER BY name", prefix)
	if err != nil {
		return nil, p.s.explain("list papers", err)
	}
	for rows.Next() {
		var name string
		if err = rows.Scan(&name); err != nil || !strings.HasPrefix(name, prefix) {
			break
		}
		names = append(names, name)
	}
	if err := errors.Join(err, rows.Err(), rows.Close()); err != nil {
		return nil, p.s.explain("list papers", err)
	}
	return names, nil
}

// Remove removes what is kept under name; see checkpoint.Papers.
func (p papers) Remove(ctx context.Context, name string) error {
	_, err := p.exec(ctx, "remove paper", "DELETE FROM papers WHERE name = ?", name)
	return err
}

// exec carries out one statement, and returns how many papers it was about.
func (p papers) exec(ctx context.Context, doing, statement string, args ...any) (n int64, err error) {
	err = p.s.write(ctx, func(ctx context.Context) error {
		done, err := p.s.conn.ExecContext(ctx, statement, args...)
		if err == nil {
			n, err = done.RowsAffected()
		}
		return err
	})
	return n, p.s.explain(doing, err)
}

// nonNil is bytes that are no NULL.
func nonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
