package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/ratelimit/internal/auth"
	"example.com/ratelimit/internal/notes"
)

func TestNotes(t *testing.T) {
	h := New(Config{Store: notes.NewStore(), Auth: auth.New("secret")})
	for _, step := range []struct {
		method, path, token, body string
		status                    int
		answer                    string
	}{
		{"GET", "/notes", "", "", http.StatusOK, "[]\n"},
		{"GET", "/notes/milk", "", "", http.StatusNotFound, "404 page not found\n"},
		{"PUT", "/notes/milk", "", "two litres", http.StatusUnauthorized, "a valid token is needed to write\n"},
		{"PUT", "/notes/milk", "guess", "two litres", http.StatusUnauthorized, "a valid token is needed to write\n"},
		{"PUT", "/notes/milk", "secret", "two litres", http.StatusNoContent, ""},
		{"GET", "/notes/milk", "", "", http.StatusOK, "two litres"},
		{"GET", "/notes", "", "", http.StatusOK, "[\"milk\"]\n"},
		{"PUT", "/notes/long", "secret", strings.Repeat("x", maxNote+1), http.StatusRequestEntityTooLarge, "the note is too large\n"},
	} {
		r := httptest.NewRequest(step.method, step.path, strings.NewReader(step.body))
		if step.token != "" {
			r.Header.Set("Authorization", "Bearer "+step.token)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != step.status || w.Body.String() != step.answer {
			t.Errorf("%s %s: %d %q, want %d %q", step.method, step.path, w.Code, w.Body, step.status, step.answer)
		}
	}
}
