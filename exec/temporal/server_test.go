package temporal

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/remote"
	"github.com/planlock/planlock/exec/remote/remotetest"
)

// A testServer is a Temporal service of its own: the development server, as a
// process.
type testServer struct {
	program string
	dir     string
	port    int
	running *osexec.Cmd
	input   io.Closer // which it ends with
}

// one is the server of all tests, begun by the first that needs it.
var one = sync.OnceValues(newServer)

var asked atomic.Bool // for the server

func TestMain(m *testing.M) {
	if address := os.Getenv("PLANLOCK_TEST_WORKER"); address != "" {
		os.Exit(workerProcess(address))
	}
	flag.Parse()
	code := m.Run()
	if asked.Load() {
		if s, err := one(); err == nil {
			s.kill()
			os.RemoveAll(s.dir)
		}
	}
	os.Exit(code)
}

// server is the server of all tests; without its program the test is skipped.
func server(t testing.TB) *testServer {
	t.Helper()
	asked.Store(true)
	s, err := one()
	return needed(t, s, err)
}

// ownServer is one for a test alone, which may kill it.
func ownServer(t testing.TB) *testServer {
	t.Helper()
	s, err := newServer()
	s = needed(t, s, err)
	t.Cleanup(func() {
		s.kill()
		os.RemoveAll(s.dir)
	})
	return s
}

var errNoProgram = errors.New("the program temporal is neither on PATH nor in $(go env GOPATH)/bin; " +
	"PLANLOCK_TEMPORAL=1 installs it (minutes)")

func needed(t testing.TB, s *testServer, err error) *testServer {
	t.Helper()
	if errors.Is(err, errNoProgram) {
		t.Skip("skipped: temporal: " + err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// program finds the development server, or installs it.
func program() (string, error) {
	if path, err := osexec.LookPath("temporal"); err == nil {
		return path, nil
	}
	text, err := osexec.Command("go", "env", "GOPATH").Output()
	if err != nil {
		return "", err
	}
	if path, err := osexec.LookPath(filepath.Join(strings.TrimSpace(string(text)), "bin", "temporal")); err == nil {
		return path, nil
	}
	if os.Getenv("PLANLOCK_TEMPORAL") == "" {
		return "", errNoProgram
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "planlock-ci", "temporal-1.5.1")
	path := filepath.Join(dir, "temporal")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	install := osexec.Command("go", "install", "github.com/temporalio/cli/cmd/temporal@v1.5.1")
	install.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=", "GOWORK=off")
	if text, err := install.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go install temporal: %w: %s", err, text)
	}
	return path, nil
}

func newServer() (*testServer, error) {
	path, err := program()
	if err != nil {
		return nil, err
	}
	s := &testServer{program: path, port: freePort()}
	if s.dir, err = os.MkdirTemp("", "planlock-temporal-"); err != nil {
		return nil, err
	}
	return s, s.start()
}

// freePort is a port that nobody has, and that the system gives no connection by
// itself: one which tries to reach a server that is gone would be given the port of
// that in the end, reach itself, and keep the server from coming back.
func freePort() int {
	for {
		port := 10_000 + rand.IntN(20_000)
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			_ = l.Close()
			return port
		}
	}
}

// start starts it, with the database that it had.
func (s *testServer) start() error {
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	args := []string{"server", "start-dev", "--headless", "--ip", "127.0.0.1", "--port", strconv.Itoa(s.port),
		"--db-filename", filepath.Join(s.dir, "db"), "--log-level", "error"}
	for _, value := range []string{"matching.numTaskqueueReadPartitions=1", "matching.numTaskqueueWritePartitions=1",
		"matching.minTaskThrottlingBurstSize=1000"} {
		args = append(args, "--dynamic-config-value", value)
	}
	// The shell ends it with the tests, however these end: its input is closed then.
	script := `"$@" </dev/null & cat; kill -9 $!; wait $!`
	s.running = osexec.Command("sh", append([]string{"-c", script, "sh", s.program}, args...)...)
	s.running.Stdout, s.running.Stderr = log, log
	if s.input, err = s.running.StdinPipe(); err != nil {
		return err
	}
	if err := s.running.Start(); err != nil {
		return err
	}
	for until := time.Now().Add(90 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		ctx, end := context.WithTimeout(context.Background(), 5*time.Second)
		up, err := open(ctx, Config{Workspace: "up", Client: client.Options{HostPort: s.address()}})
		end()
		if err == nil {
			up.client.Close()
			return nil
		}
		if time.Now().After(until) {
			text, _ := os.ReadFile(log.Name())
			return fmt.Errorf("the server does not come up: %w\n%s", err, text)
		}
	}
}

// kill kills it, as a power cut would, and returns once it is gone: its port is free
// then.
func (s *testServer) kill() {
	_ = s.input.Close()
	_ = s.running.Wait()
}

func (s *testServer) address() string { return fmt.Sprintf("127.0.0.1:%d", s.port) }

var workspaces atomic.Int64

// workspace is c with a workspace of its own on the server of all tests, where it
// names none.
func workspace(t testing.TB, c Config) Config {
	t.Helper()
	if c.Client.HostPort == "" {
		c.Client.HostPort = server(t).address()
	}
	if c.Workspace == "" {
		c.Workspace = fmt.Sprintf("%s/%d", t.Name(), workspaces.Add(1))
	}
	return c
}

// known is an executor with an identity, which does nothing.
type known string

func (k known) Identity(context.Context) (string, error) { return string(k), nil }
func (k known) Execute(context.Context, exec.Work) (exec.Outcome, error) {
	return exec.Outcome{}, errors.New("it is not to be called")
}

// sides are an owner and a worker of a queue of their own.
func sides(t testing.TB, c Config) (*Queue, *Source) {
	t.Helper()
	c = workspace(t, c)
	return owner(t, c), source(t, c, exec.Executors{"shell": known("v1")})
}

func owner(t testing.TB, c Config) *Queue {
	t.Helper()
	q, err := OpenQueue(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return q
}

func source(t testing.TB, c Config, x exec.Executors) *Source {
	t.Helper()
	s, err := OpenSource(context.Background(), c, x)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// taken is the next job.
func taken(t testing.TB, s *Source) remote.Lease {
	t.Helper()
	ctx, end := context.WithTimeout(context.Background(), 30*time.Second)
	defer end()
	l, err := s.Take(ctx, func(remote.Job) remote.Fit { return remote.Able })
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestQueue: the rules of every queue hold.
func TestQueue(t *testing.T) {
	server(t)
	remotetest.Run(t, func(t testing.TB) remotetest.Queue {
		all := exec.Executors{"shell": known(remotetest.Identity), "agent": known(remotetest.Identity)}
		c := workspace(t, Config{Silence: 3 * time.Second}) // a busy machine is no worker that is gone
		q := owner(t, c)
		cut := &silent{}
		c.Client.ConnectionOptions.DialOptions = cut.options()
		return remotetest.Queue{Owner: q, Worker: source(t, c, all), Another: source(t, c, all),
			Lose: func(string) { cut.off.Store(true) }, Patience: 30 * time.Second}
	})
}
