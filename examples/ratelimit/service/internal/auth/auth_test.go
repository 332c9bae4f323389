package auth

import (
	"net/http"
	"testing"
)

func TestAllows(t *testing.T) {
	tokens := New("red", "", "blue")
	for header, want := range map[string]bool{
		"":            false,
		"red":         false,
		"Bearer ":     false,
		"Bearer red":  true,
		"Bearer blue": true,
		"Bearer RED":  false,
		"Basic red":   false,
	} {
		r := &http.Request{Header: http.Header{"Authorization": {header}}}
		if got := tokens.Allows(r); got != want {
			t.Errorf("Allows with %q = %v, want %v", header, got, want)
		}
	}
}
