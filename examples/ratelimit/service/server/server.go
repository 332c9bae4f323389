// Package server is the HTTP interface of the service.
package server

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"example.com/ratelimit/internal/auth"
	"example.com/ratelimit/internal/notes"
)

// maxNote is the largest note that is taken, in bytes.
const maxNote = 64 << 10

// Config is what the service is made of.
type Config struct {
	Store *notes.Store
	Auth  *auth.Tokens
}

// New makes the handler of the whole service.
func New(c Config) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /notes", c.list)
	mux.HandleFunc("GET /notes/{name}", c.read)
	mux.HandleFunc("PUT /notes/{name}", c.write)
	return mux
}

func (c Config) list(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(c.Store.Names())
}

func (c Config) read(w http.ResponseWriter, r *http.Request) {
	text, ok := c.Store.Get(r.PathValue("name"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	io.WriteString(w, text)
}

func (c Config) write(w http.ResponseWriter, r *http.Request) {
	if !c.Auth.Allows(r) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "a valid token is needed to write", http.StatusUnauthorized)
		return
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxNote))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		http.Error(w, "the note is too large", http.StatusRequestEntityTooLarge)
	case err != nil:
		http.Error(w, "the note could not be read", http.StatusBadRequest)
	default:
		c.Store.Put(r.PathValue("name"), string(text))
		w.WriteHeader(http.StatusNoContent)
	}
}
