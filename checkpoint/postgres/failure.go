package postgres

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/planlock/planlock/checkpoint"
)

// Patience with a server that is gone: how long one attempt may take, and all of
// them; and how long it may be until a log that nobody adds to notices.
type patience struct{ attempt, all, notice time.Duration }

// try does something until it is done, refused, or the patience is at its end.
// So do must be harmless where it is done twice.
func (p patience) try(ctx context.Context, do func(context.Context) error) error {
	const least, most = 50 * time.Millisecond, 2 * time.Second
	limit := time.Now().Add(p.all)
	for wait := least; ; wait = min(2*wait, most) {
		attempt, cancel := context.WithTimeout(ctx, p.attempt)
		err := do(attempt)
		cancel()
		if err == nil || ctx.Err() != nil || !lost(err) || time.Now().Add(wait).After(limit) {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		}
	}
}

// ask has the server do something that may be done twice, and says what of the
// store failed.
func (s *Store) ask(ctx context.Context, what string, do func(context.Context) error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("checkpoint: %s: %w", what, context.Cause(ctx))
	}
	if err := s.try(ctx, do); err != nil {
		return s.failed(ctx, what, err)
	}
	return nil
}

// failed says what failed, in which database, and what would help.
func (s *Store) failed(ctx context.Context, what string, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
		err = fmt.Errorf("%w: %w", cause, err)
	}
	// As a disk says it, which a run waits for.
	if said := (*pgconn.PgError)(nil); errors.As(err, &said) && said.Code == "53100" {
		full := &checkpoint.FullError{Err: fmt.Errorf("%w: %w", syscall.ENOSPC, err)}
		return fmt.Errorf("checkpoint: %s: %s: %w%s", what, s.where, full, hint(err))
	}
	return fmt.Errorf("checkpoint: %s: %s: %w%s", what, s.where, err, hint(err))
}

// lost reports whether nobody knows what became of something, or it may go well
// once the server is back: all but what the server refuses.
func lost(err error) bool {
	var said *pgconn.PgError
	if errors.As(err, &said) {
		switch said.Code {
		case "57P01", "57P02", "57P03", "57P05", "25P03", // it goes down, crashed, starts, or was tired of waiting
			"53300": // too many connections
			return true
		}
		return said.Code[:2] == "08"
	}
	return !errors.Is(err, checkpoint.ErrNotFound) && !errors.Is(err, checkpoint.ErrFenced) && !errors.Is(err, errGap)
}

// hint is what would help, "" where that is not known.
func hint(err error) string {
	var said *pgconn.PgError
	if !errors.As(err, &said) {
		if failed := (*pgconn.ConnectError)(nil); errors.As(err, &failed) {
			return "; does the server run, and does it listen there?"
		}
		return ""
	}
	switch said.Code {
	case "25006":
		return `; it only reads: name the primary server, or add "target_session_attrs=read-write" to the URL`
	case "53100":
		return "; free space on the disk of the server"
	case "53300":
		return "; raise its max_connections, or have fewer runs at a time: each has a connection"
	case "57P03":
		return "; try again when it is up"
	case "28P01", "28000":
		return "; check user, password and pg_hba.conf"
	case "3D000":
		return "; make the database with CREATE DATABASE"
	case "42501":
		return "; grant the role CREATE on the database, or what it needs in the schema planlock"
	case "42P01", "42703":
		return "; somebody changed or removed the tables of planlock"
	}
	return ""
}
