package postgres

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/planlock/planlock/checkpoint"
)

// Config says what of a database a Store uses. The zero value is ready.
type Config struct {
	// Workspace is the name of what runs, claims and papers belong to, as a
	// folder is otherwise; "" is "default". Contents are shared by all workspaces
	// of a database.
	Workspace string
	// Existing has Open make no tables: where there are none, it is
	// checkpoint.ErrNotFound.
	Existing bool
}

// A Store keeps contents, runs and papers in a database. It is safe for
// concurrent use.
type Store struct {
	workspace string
	where     string // the database and its host, for people
	config    *pgx.ConnConfig
	pool      *pgxpool.Pool
	blobs     *blobs
	patience  // with a server that is gone
}

// errURL says nothing of the URL: it may be the password that cannot be read.
var errURL = errors.New(`checkpoint: the URL of a PostgreSQL database cannot be read: ` +
	`it has the form "postgres://USER:PASSWORD@HOST:PORT/DATABASE", special characters in a password as %XX`)

// Open connects to a database, and makes the tables where there are none, unless
// config says otherwise. url is
// as pgx takes it, "postgres://USER@HOST/DATABASE"; what it does not say is in
// the environment of libpq (PGHOST, PGPASSWORD, ...).
func Open(ctx context.Context, url string, config Config) (*Store, error) {
	c, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errURL
	}
	c.AfterConnect = settle
	c.PingTimeout = 5 * time.Second
	server := c.ConnConfig
	host := server.Host
	if !strings.HasPrefix(host, "/") { // else the folder of a socket
		host = net.JoinHostPort(host, strconv.Itoa(int(server.Port)))
	}
	s := &Store{
		workspace: cmp.Or(config.Workspace, "default"),
		where:     fmt.Sprintf("database %q on %q", cmp.Or(server.Database, server.User), host),
		config:    server,
		patience:  patience{attempt: 30 * time.Second, all: time.Minute, notice: 5 * time.Second},
	}
	s.blobs = &blobs{store: s, turn: make(chan struct{}, 1)}
	if s.pool, err = pgxpool.NewWithConfig(ctx, c); err == nil {
		err = s.makeTables(ctx, config.Existing)
	}
	if err != nil {
		s.Close()
		return nil, s.failed(ctx, "open", err)
	}
	return s, nil
}

// Close releases the connections. Logs that are open have connections of their
// own, and are closed before. Contents that were not synced may be lost.
func (s *Store) Close() {
	if s.pool != nil {
		s.pool.Close()
	}
}

// Blobs keeps the contents of all workspaces.
func (s *Store) Blobs() checkpoint.Blobs { return s.blobs }

// Runs keeps the journals of the workspace. Its logs are
// [checkpoint.LogWriter]s.
func (s *Store) Runs() checkpoint.Runs { return runs{s} }

// Papers keeps the questions, answers and requests of the workspace.
func (s *Store) Papers() checkpoint.Papers { return papers{s} }

// settle has a new connection keep to what this package promises, whatever the
// server does by itself. That a client is gone the server sees within half a
// minute, so that its locks are free.
func settle(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, `SELECT set_config('default_transaction_isolation', 'read committed', false),
		set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
			ELSE current_setting('synchronous_commit') END, false),
		set_config('tcp_keepalives_idle', '15', false), set_config('tcp_keepalives_interval', '5', false),
		set_config('tcp_keepalives_count', '3', false)`)
	return err
}

// connect makes a connection of one's own.
func (s *Store) connect(ctx context.Context) (*pgx.Conn, error) {
	conn, err := pgx.ConnectConfig(ctx, s.config.Copy())
	if err == nil {
		if err = settle(ctx, conn); err != nil {
			_ = conn.Close(ctx) // of no use any more
		}
	}
	return conn, err
}

// version is the version of the tables that are read and made here.
const version = 2

//go:embed tables.sql
var tables string

// makeTables makes the tables where there are none, unless they must exist. Of
// many that do so at a time one does, and the others wait for it.
func (s *Store) makeTables(ctx context.Context, existing bool) error {
	there, err := tablesThere(ctx, s.pool)
	switch {
	case err != nil || there:
		return err
	case existing:
		return fmt.Errorf("%w: no runs are kept there: it has no tables of planlock: look at its name; planlock run makes them",
			checkpoint.ErrNotFound)
	}
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, lockKey("tables")); err != nil {
			return err
		}
		if there, err := tablesThere(ctx, tx); err != nil || there {
			return err
		}
		_, err := tx.Exec(ctx, tables)
		return err
	})
}

// tablesThere reports whether there are tables, of the version that is read
// here.
func tablesThere(ctx context.Context, q interface {
	QueryRow(context.Context, string, ...any) pgx.Row
}) (there bool, err error) {
	// Not by to_regclass: it may remember from before a wait that there are none.
	err = q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_catalog.pg_tables
		WHERE schemaname = 'planlock' AND tablename = 'version')`).Scan(&there)
	if err != nil || !there {
		return false, err
	}
	found := 0
	if err := q.QueryRow(ctx, `SELECT coalesce(max(version), 0) FROM planlock.version`).Scan(&found); err != nil {
		return false, err
	}
	if found != version {
		return false, fmt.Errorf("%w: the tables in schema planlock have version %d, this planlock has %d: "+
			"use the planlock that made them, or another database", checkpoint.ErrVersion, found, version)
	}
	return true, nil
}

// lockKey is the number of an advisory lock.
func lockKey(names ...string) int64 {
	h := sha256.New()
	fmt.Fprintf(h, "planlock %q", names)
	return int64(binary.BigEndian.Uint64(h.Sum(nil)))
}

// halves are the two numbers by which the server lists an advisory lock.
func halves(key int64) (high, low int64) { return int64(uint64(key) >> 32), int64(uint32(key)) }
