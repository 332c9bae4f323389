package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/planlock/planlock/exec/remote"
)

// errClosed is why a lease ends whose queue is closed.
var errClosed = errors.New("remote: the queue is closed")

// attempt is how long the server may take for one answer.
const attempt = 30 * time.Second

// try does something until it is done or refused, or ctx ends. So do must be
// harmless where it is done twice.
func (q *Queue) try(ctx context.Context, what string, do func(context.Context) error) error {
	const least, most = 50 * time.Millisecond, 2 * time.Second
	for wait := least; ; wait = min(2*wait, most) {
		if ctx.Err() != nil {
			return q.failed(ctx, what, context.Cause(ctx))
		}
		once, cancel := context.WithTimeout(ctx, attempt)
		err := do(once)
		cancel()
		switch {
		case err == nil:
			return nil
		case q.closed.Err() != nil:
			return fmt.Errorf("remote: %s: %w", what, errClosed)
		case errors.Is(err, remote.ErrLost):
			return err
		case ctx.Err() != nil || !passes(err):
			return q.failed(ctx, what, err)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return q.failed(ctx, what, err)
		}
	}
}

// failed says what failed, in which database, and what would help.
func (q *Queue) failed(ctx context.Context, what string, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
		err = fmt.Errorf("%w: %w", cause, err)
	}
	return fmt.Errorf("remote: %s: %s: %w%s", what, q.where, err, hint(err))
}

// passes reports whether something may go well once the server is back: all but
// what the server refuses.
func passes(err error) bool {
	var said *pgconn.PgError
	if !errors.As(err, &said) {
		return true
	}
	switch said.Code {
	case "57P01", "57P02", "57P03", "57P05", "25P03", // it goes down, crashed, starts, or was tired of waiting
		"53300": // too many connections
		return true
	}
	return said.Code[:2] == "08" || said.Code[:2] == "40" // connections, and transactions in each other's way
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
		return "; raise its max_connections, or have fewer workers: each lane at work has a connection"
	case "57P03":
		return "; try again when it is up"
	case "28P01", "28000":
		return "; check user, password and pg_hba.conf"
	case "3D000":
		return "; make the database with CREATE DATABASE"
	case "42501":
		return "; grant the role CREATE on the database, or what it needs in the schema " + schema
	case "42P01", "42703":
		return "; somebody changed or removed the tables in the schema " + schema
	}
	return ""
}
