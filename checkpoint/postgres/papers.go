package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/planlock/planlock/checkpoint"
)

// papers are checkpoint.Papers.
type papers struct{ *Store }

// Put keeps text; see checkpoint.Papers.
func (p papers) Put(ctx context.Context, name string, text []byte) error {
	return p.ask(ctx, "put paper", func(ctx context.Context) error {
		_, err := p.pool.Exec(ctx, `INSERT INTO planlock.papers (workspace, name, text, put)
			VALUES ($1, $2, $3, clock_timestamp())
			ON CONFLICT (workspace, name) DO UPDATE SET text = excluded.text, put = excluded.put`,
			p.workspace, name, present(text))
		return err
	})
}

// PutNew keeps text where nothing is kept; see checkpoint.Papers. It is not
// tried twice: what the first attempt put would be taken for another's.
func (p papers) PutNew(ctx context.Context, name string, text []byte) error {
	if ctx.Err() != nil {
		return fmt.Errorf("checkpoint: put paper: %w", context.Cause(ctx))
	}
	said, err := p.pool.Exec(ctx, `INSERT INTO planlock.papers (workspace, name, text, put)
		VALUES ($1, $2, $3, clock_timestamp()) ON CONFLICT DO NOTHING`, p.workspace, name, present(text))
	switch {
	case err != nil:
		return p.failed(ctx, "put paper", err)
	case said.RowsAffected() == 0:
		return fmt.Errorf("checkpoint: paper %q: %w", name, fs.ErrExist)
	}
	return nil
}

// present is text, which is NULL nowhere.
func present(text []byte) []byte {
	if text == nil {
		return []byte{}
	}
	return text
}

// Get returns what is kept; see checkpoint.Papers.
func (p papers) Get(ctx context.Context, name string) (text []byte, put time.Time, err error) {
	err = p.ask(ctx, "get paper", func(ctx context.Context) error {
		err := p.pool.QueryRow(ctx, `SELECT text, put FROM planlock.papers WHERE workspace = $1 AND name = $2`,
			p.workspace, name).Scan(&text, &put)
		if errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("%w: paper %q", checkpoint.ErrNotFound, name)
		}
		return err
	})
	return text, put, err
}

// Names are the names that begin with prefix; see checkpoint.Papers.
func (p papers) Names(ctx context.Context, prefix string) (names []string, err error) {
	err = p.ask(ctx, "list papers", func(ctx context.Context) error {
		rows, err := p.pool.Query(ctx, `SELECT name FROM planlock.papers
			WHERE workspace = $1 AND name >= $2 AND starts_with(name, $2) ORDER BY name`, p.workspace, prefix)
		if err == nil {
			names, err = pgx.CollectRows(rows, pgx.RowTo[string])
		}
		return err
	})
	return names, err
}

// Remove removes what is kept; see checkpoint.Papers.
func (p papers) Remove(ctx context.Context, name string) error {
	return p.ask(ctx, "remove paper", func(ctx context.Context) error {
		_, err := p.pool.Exec(ctx, `DELETE FROM planlock.papers WHERE workspace = $1 AND name = $2`, p.workspace, name)
		return err
	})
}
