package postgres

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// secret is the password in all URLs of these tests: the server trusts
// everybody, and no error may have it.
const secret = "s3cr3t-w0rd"

// A testServer is a server of its own, which listens at a socket in a temporary
// folder.
type testServer struct {
	dir     string
	program string
	running *osexec.Cmd
	log     *os.File
}

// one is the server of all tests; without says why there is none.
var (
	one     *testServer
	without error
)

func TestMain(m *testing.M) {
	if url := os.Getenv("PLANLOCK_TEST_WORKER"); url != "" {
		os.Exit(work(url))
	}
	flag.Parse()
	one, without = newServer()
	code := m.Run()
	if one != nil {
		_ = one.stop(os.Interrupt)
		_ = os.RemoveAll(one.dir)
	}
	os.Exit(code)
}

// programs finds the programs of the server.
func programs() (initdb, postgres string, err error) {
	folders := append(filepath.SplitList(os.Getenv("PATH")), sorted("/usr/lib/postgresql/*/bin")...)
	for _, dir := range folders {
		initdb, postgres = filepath.Join(dir, "initdb"), filepath.Join(dir, "postgres")
		_, ierr := os.Stat(initdb)
		if _, err := os.Stat(postgres); err == nil && ierr == nil {
			return initdb, postgres, nil
		}
	}
	return "", "", errors.New("there are no programs initdb and postgres")
}

// sorted are the folders of a pattern, the last one first.
func sorted(pattern string) []string {
	found, _ := filepath.Glob(pattern) // it is well formed
	slices.Reverse(found)
	return found
}

// newServer makes a server and starts it.
func newServer() (*testServer, error) {
	initdb, program, err := programs()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "planlock-pg-")
	if err != nil {
		return nil, err
	}
	s := &testServer{dir: dir, program: program}
	if err := s.own(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if s.log, err = os.Create(filepath.Join(dir, "log")); err == nil {
		cmd := s.command(initdb, "-D", filepath.Join(dir, "data"), "-U", "postgres", "-A", "trust", "-N", "-E", "UTF8")
		if text, ierr := cmd.CombinedOutput(); ierr != nil {
			err = fmt.Errorf("initdb: %w: %s", ierr, text)
		} else {
			err = s.start()
		}
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

// start starts the server and waits until it answers. Only benchmarks wait for
// the disk of this machine: no test cuts its power.
func (s *testServer) start() error {
	s.running = s.command(s.program, "-D", filepath.Join(s.dir, "data"), "-k", s.dir, "-c", "listen_addresses=", "-c", "fsync="+strconv.FormatBool(flag.Lookup("test.bench").Value.String() != ""))
	s.running.Stdout, s.running.Stderr = s.log, s.log
	if err := s.running.Start(); err != nil {
		return err
	}
	for limit := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		conn, err := pgx.Connect(context.Background(), s.url("postgres"))
		if err == nil {
			return conn.Close(context.Background())
		}
		if time.Now().After(limit) {
			text, _ := os.ReadFile(s.log.Name())
			return errors.Join(fmt.Errorf("%w: %s", err, text), s.stop(os.Kill))
		}
	}
}

// stop stops the server.
func (s *testServer) stop(how os.Signal) error {
	return errors.Join(s.running.Process.Signal(how), ended(s.running.Wait()))
}

// ended is nil for a program that was ended by a signal.
func ended(err error) error {
	if exit := (*osexec.ExitError)(nil); errors.As(err, &exit) {
		return nil
	}
	return err
}

func (s *testServer) url(database string) string {
	return fmt.Sprintf("postgres://postgres:%s@/%s?host=%s", secret, database, s.dir)
}

// database is the URL of a database of its own.
func database(t testing.TB) string {
	t.Helper()
	if without != nil {
		t.Skip("no PostgreSQL:", without)
	}
	name := fmt.Sprintf("d%d", time.Now().UnixNano())
	admin(t, one.url("postgres"), "CREATE DATABASE "+name)
	return one.url(name)
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

// opened is a queue that is closed at the end of the test.
func opened(t testing.TB, url string) *Queue {
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
