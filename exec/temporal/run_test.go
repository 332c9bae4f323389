package temporal

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/folder"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/remote"
	"github.com/planlock/planlock/exec/remote/remotetest"
	"github.com/planlock/planlock/exec/shell"
)

var (
	steps = flag.Int("steps", 24, "how many the plan of TestDose has")
	kills = flag.Int("kills", 8, "how many TestDose has, over as many runs as it takes")
)

// A telling keeps what an executor tells.
type telling struct {
	mu   sync.Mutex
	text strings.Builder
	at   map[string]func() // what is done once a text comes for the first time
}

func (l *telling) tell(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(&l.text, text)
	for part, do := range l.at {
		if strings.Contains(text, part) {
			delete(l.at, part)
			go do()
		}
	}
}

// sameAsHere carries the plan out by a queue, and compares with one machine.
func sameAsHere(t *testing.T, blobs checkpoint.Blobs, q *Queue, told *telling) {
	t.Helper()
	remotetest.SameAsHere(t, q, blobs, told.tell)
	t.Log(told.text.String())
}

// TestSameAsHere carries a plan out by four worker processes, of which one is
// killed while it has a job: tree and steps are those of one machine.
func TestSameAsHere(t *testing.T) {
	c := workspace(t, Config{})
	q := owner(t, c)
	blobs, dir := contents(t)
	var (
		killed time.Time
		start  func(i int)
	)
	start = func(i int) {
		cmd := command(t, c, dir, fmt.Sprint("PLANLOCK_TEST_HOST=worker-", i))
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Error(err)
			return
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			lines := bufio.NewScanner(out)
			for lines.Scan() {
				if lines.Text() != "stuck" {
					continue
				}
				killed = time.Now()
				_ = cmd.Process.Kill()
				for other := 1; other < 4; other++ {
					start(other)
				}
			}
		}()
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			<-ended
			_ = cmd.Wait()
		})
	}
	start(0)
	var took time.Duration
	told := &telling{at: map[string]func(){"its worker is gone": func() { took = time.Since(killed) }}}
	sameAsHere(t, blobs, q, told)
	for _, want := range []string{"its worker is gone", "carried out by worker-"} {
		if text := told.text.String(); !strings.Contains(text, want) {
			t.Errorf("told, without %q:\n%s", want, text)
		}
	}
	t.Logf("that the worker was gone was found out after %v", took)
	if took > 15*time.Second {
		t.Errorf("it took %v", took)
	}
}

// contents are those that owner and workers share, and their folder.
func contents(t *testing.T) (*folder.Blobs, string) {
	t.Helper()
	dir := t.TempDir()
	blobs, err := folder.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { blobs.Close() })
	return blobs, dir
}

// command is a worker in a process of its own.
func command(t *testing.T, c Config, blobs, env string) *osexec.Cmd {
	cmd := osexec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PLANLOCK_TEST_WORKER="+c.Client.HostPort, "PLANLOCK_TEST_WORKSPACE="+c.Workspace,
		"PLANLOCK_TEST_SILENCE="+c.Silence.String(), "PLANLOCK_TEST_BLOBS="+blobs, "TMPDIR="+t.TempDir(), env)
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil { // closed as the tests end, however they do
		t.Error(err)
	}
	return cmd
}

// workerProcess is a worker that ends with its process. The first one hangs when
// it has a job.
func workerProcess(address string) int {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	ctx, host := context.Background(), os.Getenv("PLANLOCK_TEST_HOST")
	blobs, err := folder.Open(ctx, os.Getenv("PLANLOCK_TEST_BLOBS"))
	var x exec.Executor = &shell.Executor{}
	at := 2
	if host == "worker-0" {
		x, at = stuck{}, 1
	}
	executors := exec.Default(x)
	var silence time.Duration
	if err == nil {
		silence, err = time.ParseDuration(os.Getenv("PLANLOCK_TEST_SILENCE"))
	}
	var source *Source
	if err == nil {
		config := Config{Workspace: os.Getenv("PLANLOCK_TEST_WORKSPACE"), Silence: silence,
			Client: client.Options{HostPort: address}}
		source, err = remotetest.Opened(func() (*Source, error) { return OpenSource(ctx, config, executors) })
	}
	if err == nil {
		err = (&remote.Worker{Jobs: source, Blobs: blobs, Executors: executors, Host: host, At: at}).Run(ctx)
	}
	fmt.Fprintln(os.Stderr, host, err)
	return 1
}

// stuck is a shell that hangs.
type stuck struct{ shell.Executor }

func (stuck) Name() string { return "shell" }
func (stuck) Execute(ctx context.Context, _ exec.Work) (exec.Outcome, error) {
	fmt.Println("stuck")
	<-ctx.Done()
	return exec.Outcome{}, context.Cause(ctx)
}

// TestServerKilled kills the service while jobs are carried out, and starts it
// again: the run goes on, and ends as on one machine.
func TestServerKilled(t *testing.T) {
	server := ownServer(t)
	c := workspace(t, Config{Client: client.Options{HostPort: server.address()}})
	q := owner(t, c)
	blobs := &checkpoint.Memory{}
	ctx, end := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	executors := exec.Default(&shell.Executor{})
	for i := range 2 {
		w := &remote.Worker{Jobs: source(t, c, executors), Blobs: blobs, Executors: executors, At: 2,
			Host: fmt.Sprint("worker-", i), Dir: t.TempDir()}
		wait.Go(func() {
			if err := w.Run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	again := make(chan error, 1)
	told := &telling{at: map[string]func(){"was carried out by": func() {
		server.kill()
		time.Sleep(time.Second)
		err := server.start()
		if err != nil {
			t.Error(err)
		}
		again <- err
	}}}
	sameAsHere(t, blobs, q, told)
	end()
	wait.Wait()
	if err := <-again; err != nil {
		t.Error(err)
	}
}

// TestStopped: a worker that is told to end gives its job back.
func TestStopped(t *testing.T) {
	c := workspace(t, Config{})
	q, blobs := owner(t, c), &checkpoint.Memory{}
	stubborn, hangs := exec.Executors{"": stuck{}}, make(chan struct{})
	ctx, end := context.WithCancel(t.Context())
	w := &remote.Worker{Jobs: source(t, c, stubborn), Blobs: blobs, Executors: stubborn}
	go func() {
		defer close(hangs)
		if err := w.Run(ctx); err != nil {
			t.Error(err)
		}
	}()
	executors := exec.Default(&shell.Executor{})
	told := &telling{}
	go func() {
		time.Sleep(3 * time.Second)
		end()
		<-hangs
		second := &remote.Worker{Jobs: source(t, c, executors), Blobs: blobs, Executors: executors, Host: "second"}
		_ = second.Run(t.Context())
	}()
	sameAsHere(t, blobs, q, told)
	if strings.Contains(told.text.String(), "is gone") {
		t.Error("the job that was given back was lost")
	}
}

// TestDose kills workers, and now and then the service, at random moments: the
// plan ends as on one machine.
//
//	go test -run TestDose -steps 1000 -kills 200 -v -timeout 2h .
func TestDose(t *testing.T) {
	server := ownServer(t)
	c := workspace(t, Config{Client: client.Options{HostPort: server.address()}, Silence: time.Second})
	blobs, dir := contents(t)
	d := remotetest.Dose{Steps: *steps, Kills: *kills, Jobs: owner(t, c), Blobs: blobs}
	d.Start = func(env string) *osexec.Cmd {
		w := command(t, c, dir, env)
		if err := w.Start(); err != nil {
			t.Error(err)
		}
		return w
	}
	d.Crash = func() error {
		server.kill()
		return server.start()
	}
	d.Run(t)
}
