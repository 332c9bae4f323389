package postgres

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/planlock/planlock/checkpoint"
)

// runs are checkpoint.Runs.
type runs struct{ *Store }

var _ checkpoint.Holders = runs{}

// check refuses what is no name of a log.
func check(name string) error {
	other := func(r rune) bool {
		return r != '.' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}
	if name == "" || len(name) > 255 || strings.Trim(name, ".") == "" || strings.ContainsFunc(name, other) {
		return fmt.Errorf("%w: %.40q is no name of a log: it has letters, digits and dots", checkpoint.ErrNotFound, name)
	}
	return nil
}

// lingers bounds the wait for the lock of a writer whose connection the server
// is just closing.
const lingers = 300 * time.Millisecond

// Open opens a log for its one writer; see checkpoint.Runs.
func (r runs) Open(ctx context.Context, name string) (checkpoint.Log, error) {
	what := fmt.Sprintf("open log %q", name)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("checkpoint: %s: %w", what, context.Cause(ctx))
	}
	if err := check(name); err != nil {
		return nil, err
	}
	l := &log{reading: reading{r.Store, name, 0}, lock: lockKey("log", r.workspace, name), turn: make(chan struct{}, 1),
		shut: make(chan struct{})}
	limit, cancel := context.WithTimeout(ctx, r.attempt)
	defer cancel()
	err := l.begin(limit)
	if held := (*checkpoint.HeldError)(nil); errors.As(err, &held) {
		return nil, err
	} else if err != nil {
		return nil, r.failed(ctx, what, err)
	}
	go l.keep(r.notice)
	return l, nil
}

// begin takes the lock of the log and the next epoch.
func (l *log) begin(ctx context.Context) error {
	conn, err := l.store.connect(ctx)
	if err != nil {
		return err
	}
	if err = l.take(ctx, conn); err == nil {
		err = conn.QueryRow(ctx, `INSERT INTO planlock.logs (workspace, name, holder) VALUES ($1, $2, $3)
			ON CONFLICT (workspace, name) DO UPDATE SET epoch = logs.epoch + 1, holder = excluded.holder
			RETURNING id, epoch, size`, l.store.workspace, l.name, self()).Scan(&l.id, &l.epoch, &l.size)
	}
	if err != nil {
		_ = conn.Close(ctx) // which gives the lock back
		return err
	}
	l.conn = conn
	return nil
}

// take takes the lock of a log that is opened, or says who has it.
func (l *log) take(ctx context.Context, conn *pgx.Conn) error {
	for limit := time.Now().Add(lingers); ; time.Sleep(20 * time.Millisecond) {
		got := false
		if err := conn.QueryRow(ctx, `SELECT pg_try_advisory_lock($1)`, l.lock).Scan(&got); err != nil || got {
			return err
		}
		if time.Now().After(limit) {
			break
		}
	}
	holder := unnamed
	err := conn.QueryRow(ctx, `SELECT holder FROM planlock.logs WHERE workspace = $1 AND name = $2`,
		l.store.workspace, l.name).Scan(&holder)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	return &checkpoint.HeldError{Dir: l.path(), Holder: holder}
}

// unnamed is who has the lock of a log that was never opened.
const unnamed = "somebody who does not say so yet"

// Holder says who has the lock of a log; see checkpoint.Holders. The locks of the
// server are those of all its databases.
func (r runs) Holder(ctx context.Context, name string) (holder string, err error) {
	high, low := halves(lockKey("log", r.workspace, name))
	err = r.ask(ctx, fmt.Sprintf("ask who has log %q", name), func(ctx context.Context) error {
		return r.pool.QueryRow(ctx, `SELECT CASE WHEN EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted
				AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
				AND objsubid = 1 AND classid = $3::bigint::oid AND objid = $4::bigint::oid)
			THEN coalesce((SELECT holder FROM planlock.logs WHERE workspace = $1 AND name = $2), $5) ELSE '' END`,
			r.workspace, name, high, low, unnamed).Scan(&holder)
	})
	return holder, err
}

// self says who this process is, for people.
func self() string {
	host, _ := os.Hostname() // best effort: it only tells people where to look
	name := "?"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return fmt.Sprintf("process %d (%q) of user %q on host %q since %s", os.Getpid(), filepath.Base(os.Args[0]), name,
		host, time.Now().UTC().Format(time.RFC3339))
}

// Read opens a log to replay it; see checkpoint.Runs.
func (r runs) Read(ctx context.Context, name string) (checkpoint.Log, error) {
	if err := check(name); err != nil {
		return nil, err
	}
	l := reading{r.Store, name, 0}
	err := r.ask(ctx, fmt.Sprintf("read log %q", name), func(ctx context.Context) error {
		err := r.pool.QueryRow(ctx, `SELECT id FROM planlock.logs WHERE workspace = $1 AND name = $2`,
			r.workspace, name).Scan(&l.id)
		if errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("%w: log %q of workspace %q", checkpoint.ErrNotFound, name, r.workspace)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &readOnly{reading: l}, nil
}

// List yields the runs; see checkpoint.Runs.
func (r runs) List(ctx context.Context, which checkpoint.Which) iter.Seq2[checkpoint.Listed, error] {
	const page = 500
	return func(yield func(checkpoint.Listed, error) bool) {
		before := "~" // behind all names
		for left := which.Latest; which.Latest == 0 || left > 0; left -= page {
			most := page
			if which.Latest > 0 {
				most = min(left, page)
			}
			list, err := r.listed(ctx, which.Lock, before, most)
			if err != nil {
				yield(checkpoint.Listed{}, err)
				return
			}
			for _, l := range list {
				if before = l.Run; !yield(l, nil) {
					return
				}
			}
			if len(list) < most {
				return
			}
		}
	}
}

// listed are at most so many runs, the latest first, that come before a name.
func (r runs) listed(ctx context.Context, lock, before string, most int) (list []checkpoint.Listed, err error) {
	err = r.ask(ctx, "list runs", func(ctx context.Context) error {
		rows, err := r.pool.Query(ctx, `SELECT name, state FROM planlock.logs
			WHERE workspace = $1 AND name < $2 AND right(name, $4) <> $5 AND ($3 = '' OR state <> $6
				OR name = (SELECT run FROM planlock.claims WHERE workspace = $1 AND lock = $3))
			ORDER BY name DESC LIMIT $7`,
			r.workspace, before, lock, len(checkpoint.AfterRun), checkpoint.AfterRun, string(checkpoint.Sealed), most)
		if err == nil {
			list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[checkpoint.Listed])
		}
		return err
	})
	return list, err
}

// Note says what becomes of a run; see checkpoint.Runs.
func (r runs) Note(ctx context.Context, run string, state checkpoint.State) error {
	return r.ask(ctx, "note", func(ctx context.Context) error {
		_, err := r.pool.Exec(ctx, `UPDATE planlock.logs SET state = $3 WHERE workspace = $1 AND name = $2`,
			r.workspace, run, string(state))
		return err
	})
}

// Claim has a lock serve a run; see checkpoint.Runs.
func (r runs) Claim(ctx context.Context, lock, run, instead string) (holder string, err error) {
	err = r.ask(ctx, "claim", func(ctx context.Context) error {
		return r.pool.QueryRow(ctx, `INSERT INTO planlock.claims (workspace, lock, run) VALUES ($1, $2, $3)
			ON CONFLICT (workspace, lock) DO UPDATE SET run =
				CASE WHEN claims.run = $4 THEN excluded.run ELSE claims.run END
			RETURNING run`, r.workspace, lock, run, instead).Scan(&holder)
	})
	return holder, err
}
