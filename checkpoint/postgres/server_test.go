package postgres

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/planlock/planlock/internal/pgserver"
)

const secret = pgserver.Secret

// one is the server of all tests; without says why there is none.
var (
	one     *pgserver.Server
	without error
)

func TestMain(m *testing.M) {
	if role := os.Getenv("PLANLOCK_TEST_ROLE"); role != "" {
		os.Exit(children[role]())
	}
	flag.Parse()
	// What is committed without waiting for the disk stays in the memory of the
	// server for ten seconds. Only benchmarks wait for the disk of this machine: no
	// test cuts its power.
	one, without = pgserver.New("wal_writer_delay=10s", "wal_writer_flush_after=1GB", "max_connections=60",
		"fsync="+strconv.FormatBool(flag.Lookup("test.bench").Value.String() != ""))
	code := m.Run()
	if one != nil {
		_ = one.Remove() // nothing is lost
	}
	os.Exit(code)
}

// database is the URL of a database of its own.
func database(t testing.TB) string {
	t.Helper()
	if without != nil {
		t.Skip("no PostgreSQL:", without)
	}
	name := fmt.Sprintf("d%d", time.Now().UnixNano())
	admin(t, one.URL("postgres"), "CREATE DATABASE "+name)
	return one.URL(name)
}

// admin does something as somebody else.
func admin(t testing.TB, url, what string, args ...any) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	_, err = conn.Exec(ctx, what, args...)
	if err := errors.Join(err, conn.Close(ctx)); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// opened is a store that is closed at the end of the test.
func opened(t testing.TB, url string) *Store {
	t.Helper()
	s, err := Open(t.Context(), url, Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// says fails the test unless an error has all of these texts, and no password.
func says(t testing.TB, err error, texts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one that says %q", texts)
		return
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%q does not say %q", err, text)
		}
	}
	if text := fmt.Sprintf("%v %+v %q", err, err, err); strings.Contains(text, secret) || strings.Contains(text, "w0rd") {
		t.Errorf("the password is in %s", text)
	}
}
