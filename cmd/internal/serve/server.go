package serve

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
)

// A Server shows the runs of a workspace.
type Server struct {
	Workspace exec.Workspace
	By        string // who answers
	Now       func() time.Time

	// Say spells what can be done next about a run.
	Say func(*history.Run) action.Speller
	// Answer leaves an answer to a question of a run for whoever takes it up, or
	// says why it does not count.
	Answer func(context.Context, *history.Run, ask.Question, ask.Answer) error
}

// Serve shows the runs to those who come by the address that it tells, until
// ctx ends; that is no error. host is what the server was told to listen at.
func (s *Server) Serve(ctx context.Context, l net.Listener, host string, tell func(address string)) error {
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return errors.Join(err, l.Close())
	}
	d := newDoor(host, port)
	server := &http.Server{Handler: s.handler(d), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second,
		IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	tell("http://" + net.JoinHostPort(shownHost(l.Addr(), host), port) + "/?token=" + d.token)
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return server.Close()
	}
}

// shownHost is the name by which a browser of the same machine finds the server.
func shownHost(addr net.Addr, host string) string {
	tcp, ok := addr.(*net.TCPAddr)
	switch {
	case !ok:
		return host
	case tcp.IP.IsUnspecified():
		return "127.0.0.1"
	}
	return tcp.IP.String()
}

// handler shows everything there is to see.
func (s *Server) handler(d *door) http.Handler {
	site := &site{Server: s, door: d, streams: make(chan struct{}, mostStreams)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", site.overview)
	mux.HandleFunc("GET /runs/{run}", site.run)
	mux.HandleFunc("GET /runs/{run}/steps/{step}", site.step)
	mux.HandleFunc("GET /runs/{run}/changes", site.changes)
	mux.HandleFunc("POST /runs/{run}", site.answer)
	mux.HandleFunc("GET /style.css", static("text/css; charset=utf-8", styles()))
	mux.HandleFunc("GET /live.js", static("text/javascript; charset=utf-8", script))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusNotFound, "There is no such page.")
	})
	return d.guarded(mux)
}

// static serves a text that is part of the program.
func static(kind, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Write([]byte(text))
	}
}

// A site is a server with its door.
type site struct {
	*Server
	door    *door
	streams chan struct{} // a place for each page that is kept up to date
	folded  folds
}
