// Jobservice is a host of planlock that keeps everything in PostgreSQL, and
// is answered over HTTP:
//
//	POST /jobs              a plan, in TOML                              a run begins; answers with its id
//	GET  /jobs/{id}                                                      its state, its steps, its open questions
//	POST /jobs/{id}/answers {"question", "choice", "by", "reason", "acknowledged"}   an answer; the run goes on
//
// The database is that of DATABASE_URL. An id that was answered is that of a run in it. A service that was
// killed, or one on another machine, goes on with all runs that have not ended
// when it starts: their folders are made anew where they are gone. One service
// uses a database at a time.
//
// Whoever reaches it has commands carried out: it listens at this machine alone
// unless it is told otherwise, and knows no users.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/postgres"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

func main() {
	address := flag.String("address", "localhost:8080", "where to listen")
	dir := flag.String("dir", "jobs", "where the folders are in which runs work")
	flag.Parse()
	if err := serve(*address, *dir); err != nil {
		slog.Error("the service ended", "err", err)
		os.Exit(1)
	}
}

// serve goes on with what is in the database, and takes requests until it is told to end.
func serve(address, dir string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	store, err := postgres.Open(ctx, os.Getenv("DATABASE_URL"), postgres.Config{Workspace: "jobs"})
	if err != nil {
		return err
	}
	defer store.Close()
	s := &service{ctx: ctx, store: store, dir: dir}
	defer func() {
		stop()
		s.begin.Lock() // nothing begins any more
		s.all.Wait()   // each run stands at a checkpoint then
	}()
	if err := s.resumeAll(); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: s.handler(), ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	fmt.Printf("listening at http://%s\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// A service carries out runs, each in a folder of its own that is called as it is.
type service struct {
	ctx   context.Context // of all runs
	store *postgres.Store
	dir   string
	all   sync.WaitGroup
	begin sync.Mutex // the id of a run is later than all others: one begins at a time
	says  sync.Map   // of a run: why this process does not go on with it
}

// workspace is the folder of a run, seen from outside.
func (s *service) workspace(run string) exec.Workspace {
	return exec.Workspace{Dir: filepath.Join(s.dir, run), Blobs: s.store.Blobs(), Runs: s.store.Runs(),
		Papers: s.store.Papers()}
}

// controller is the one of a run. Executors and gates of the host's own go here.
func (s *service) controller(run string) *exec.Controller {
	ws := s.workspace(run)
	asks := ws.Questions()
	asks.Wait = true // until the answer is in the store; the run keeps its connection meanwhile
	return &exec.Controller{Dir: ws.Dir, RunID: run, Executors: exec.Default(&shell.Executor{}), Gates: builtin.Gates(),
		Escalator: asks, Blobs: ws.Blobs, Runs: ws.Runs, Papers: ws.Papers}
}

// lock reads the plan in the folder of a run, which the store keeps with the rest.
func lock(c *exec.Controller, acknowledged []string) (*plan.Locked, error) {
	draft, err := native.ReadFile(filepath.Join(c.Dir, "plan.toml"))
	if err != nil {
		return nil, err
	}
	return plan.Lock(draft, plan.LockOptions{Check: c.Options(), Acknowledged: acknowledged})
}

// submit begins a run of a plan, and returns its id once it is in the store.
func (s *service) submit(text []byte) (job, error) {
	s.begin.Lock()
	defer s.begin.Unlock()
	run, err := s.controller("").NewRun(s.ctx)
	if err != nil {
		return job{}, err
	}
	c := s.controller(run)
	err = errors.Join(os.MkdirAll(c.Dir, 0o755), os.WriteFile(filepath.Join(c.Dir, "plan.toml"), text, 0o644))
	var locked *plan.Locked
	if err == nil {
		locked, err = lock(c, nil)
	}
	if err != nil {
		return job{}, errors.Join(err, os.RemoveAll(c.Dir))
	}
	began := make(chan error, 1)
	var once sync.Once
	tell := func(err error) { once.Do(func() { began <- err }) }
	c.Observe = func(_ context.Context, e event.Event) {
		if e.Fact != nil { // whoever reads the store finds it
			tell(nil)
		}
	}
	s.all.Go(func() {
		_, err := c.Run(s.ctx, locked)
		s.settle(run, err)
		tell(err)
	})
	if err := <-began; err != nil {
		return job{}, errors.Join(err, os.RemoveAll(c.Dir))
	}
	return job{ID: run}, nil
}

// resumeAll goes on with every run in the store that has not ended.
func (s *service) resumeAll() error {
	for l, err := range s.workspace("").List(s.ctx, checkpoint.Which{}) {
		if err != nil {
			return err
		}
		if l.State == checkpoint.Sealed || l.State == checkpoint.SetBack {
			continue
		}
		s.all.Go(func() {
			for ; s.ctx.Err() == nil; time.Sleep(time.Second) {
				err := s.resume(l.Run)
				s.settle(l.Run, err)
				if !errors.As(err, new(*checkpoint.HeldError)) { // else the last service was gone just now
					return
				}
			}
		})
	}
	return nil
}

// resume goes on with a run, in a folder that is made anew where it is gone.
func (s *service) resume(run string) error {
	ws := s.workspace(run)
	if _, err := os.Stat(ws.RunDir(run)); errors.Is(err, fs.ErrNotExist) {
		// What is there was never finished, and the store has all of it.
		if err := errors.Join(os.RemoveAll(ws.Dir), ws.Rebuild(s.ctx, run)); err != nil {
			return err
		}
	}
	h, err := ws.History(s.ctx, run)
	if err != nil {
		return err
	}
	c := s.controller(run)
	locked, err := lock(c, h.Started.Acknowledged)
	if err != nil {
		return err
	}
	_, err = c.Resume(s.ctx, locked, run)
	return err
}

// settle keeps why a run does not go on, for whoever asks.
func (s *service) settle(run string, err error) {
	s.says.Delete(run)
	if err != nil && !errors.Is(err, exec.ErrNoRun) { // cut off before its first record: nobody was told its id
		s.says.Store(run, err.Error())
		slog.Warn("a run does not go on", "run", run, "err", err)
	}
}

// A job is how a run stands.
type job struct {
	ID        string                              `json:"id"`
	State     history.Status                      `json:"state,omitempty"`
	Says      string                              `json:"says,omitempty"` // why it does not go on
	Steps     map[plan.Address]history.StepStatus `json:"steps,omitempty"`
	Questions []*ask.Question                     `json:"questions,omitempty"`
}

// handler answers requests.
func (s *service) handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, do := range map[string]func(*http.Request, []byte) (job, error){
		"POST /jobs":              func(_ *http.Request, text []byte) (job, error) { return s.submit(text) },
		"GET /jobs/{id}":          s.show,
		"POST /jobs/{id}/answers": s.answer,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
			var j job
			if err == nil {
				j, err = do(r, text)
			}
			if err != nil {
				http.Error(w, err.Error(), status(err))
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(j) // who is gone needs no answer
		})
	}
	return mux
}

// status is what an error is in HTTP.
func status(err error) int {
	switch {
	case errors.Is(err, exec.ErrNoRun):
		return http.StatusNotFound
	case errors.As(err, new(*ask.RefusedError)), errors.As(err, new(*http.MaxBytesError)):
		return http.StatusBadRequest
	case errors.As(err, new(*plan.CheckError)):
		return http.StatusUnprocessableEntity
	case errors.As(err, new(*exec.RefusedError)):
		return http.StatusConflict
	}
	return http.StatusInternalServerError
}

// show reads from the database how a run stands.
func (s *service) show(r *http.Request, _ []byte) (job, error) {
	run, err := s.workspace(r.PathValue("id")).History(r.Context(), r.PathValue("id"))
	if err != nil {
		return job{}, err
	}
	j := job{ID: run.Started.Run, State: run.Status, Questions: run.Questions(),
		Steps: map[plan.Address]history.StepStatus{}}
	for _, st := range run.Steps {
		j.Steps[st.Address] = st.Status
	}
	if says, ok := s.says.Load(j.ID); ok {
		j.Says = says.(string)
	}
	return j, nil
}

// answer keeps an answer to an open question; the run looks for it.
func (s *service) answer(r *http.Request, text []byte) (job, error) {
	var a ask.Answer
	if err := json.Unmarshal(text, &a); err != nil || a.By == "" {
		return job{}, &ask.RefusedError{Why: `it is no JSON with "question", "choice" and "by", who answers`}
	}
	j, err := s.show(r, nil)
	if err != nil {
		return j, err
	}
	a.Run = j.ID
	for _, q := range j.Questions {
		if q.ID == a.Question {
			a.Attempt = q.Attempt
		}
	}
	return j, s.workspace(j.ID).Questions().Answer(a)
}
