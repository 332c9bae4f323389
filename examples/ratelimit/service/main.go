// Command ratelimit serves notes over HTTP.
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"time"

	"example.com/ratelimit/internal/auth"
	"example.com/ratelimit/internal/notes"
	"example.com/ratelimit/server"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "`address` to listen on")
	tokens := flag.String("tokens", "", "`tokens` that may write, separated by commas")
	flag.Parse()

	config := server.Config{
		Store: notes.NewStore(),
		Auth:  auth.New(strings.Split(*tokens, ",")...),
	}
	if err := serve(*addr, server.New(config)); err != nil {
		log.Fatal(err)
	}
}

// serve answers requests until an interrupt, then lets those in flight end.
func serve(addr string, h http.Handler) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s := &http.Server{Addr: addr, Handler: h, ReadHeaderTimeout: 5 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- s.ListenAndServe() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	patience, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := s.Shutdown(patience); err != nil {
		return err
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
