// Jobservice is a host of planlock: a service that takes plans as jobs, carries
// them out, each in a workspace of its own, and tells over HTTP how they go.
//
//	POST /jobs                           {"plan": "…"}               a job; answers with its id
//	GET  /jobs/{id}                                                  how it stands, with the report
//	GET  /jobs/{id}/events                                           server-sent events: what happened, then what happens
//	GET  /jobs/{id}/questions                                        what it waits for
//	POST /jobs/{id}/questions/{question} {"choice", "by", "reason"}  an answer; the job goes on
//	POST /jobs/{id}/cancel               {"by", "reason"}            stops it, to be resumed
//	POST /jobs/{id}/resume               {"by", "accept": […]}       goes on with it, although what is named moved
//	POST /jobs/{id}/abandon              {"by", "reason"}            ends it for good
//
// Jobs stand in a SQLite database. A service that was killed goes on with them
// when it starts again.
package main

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/gate/builtin"
)

func main() {
	address := flag.String("address", "localhost:8080", "where to listen")
	dir := flag.String("dir", "jobs", "where the database and the workspaces are")
	flag.Parse()
	if err := serve(*address, *dir); err != nil {
		slog.Error("the service ended", "err", err)
		os.Exit(1)
	}
}

func serve(address, dir string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// What each job is carried out with: executors and gates of the host's own
	// go here.
	with := exec.Controller{Executors: exec.Default(&shell.Executor{}), Gates: builtin.Gates()}
	s, err := open(ctx, dir, with)
	if err != nil {
		return err
	}
	server := &http.Server{Addr: address, Handler: s.handler(), ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	slog.Info("the service listens", "address", address)
	err = server.ListenAndServe()
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, s.close())
}
