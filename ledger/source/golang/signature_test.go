package golang_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/ledger/source/golang"
)

const signatures = `package server

import (
	"context"
	clock "time"
	"net/http"
)

type Limiter struct{}
type Handler func(w http.ResponseWriter, r *http.Request) error

func (l *Limiter) Allow(ctx context.Context, key, name string, at clock.Time) (ok bool, err error) { return }
func New[T any](list []T, do func(n int) (x T), more ...interface{}) *Limiter { return nil }
func None() {}
func Both() (error, error) { return nil, nil }
`

func TestSignature(t *testing.T) {
	in := source.Input{Path: "server/limit.go", Content: []byte(signatures)}
	for symbol, want := range map[string]*source.Signature{
		"server.Limiter.Allow": {Inputs: []string{"context.Context", "string", "string", "time.Time"},
			Outputs: []string{"bool"}, Errors: true, Line: 12},
		"server.New":     {Inputs: []string{"[]T", "func(int) T", "...any"}, Outputs: []string{"*Limiter"}, Line: 13},
		"server.None":    {Line: 14},
		"server.Both":    {Outputs: []string{"error"}, Errors: true, Line: 15},
		"server.Handler": {Inputs: []string{"http.ResponseWriter", "*http.Request"}, Outputs: []string{}, Errors: true, Line: 10},
		"server.Limiter": nil,
		"other.None":     nil,
		"server.Gone":    nil,
	} {
		got, ok := golang.Language{}.Signature(in, symbol)
		if ok != (want != nil) {
			t.Errorf("%s: %v %+v", symbol, ok, got)
		}
		if want != nil {
			if diff := cmp.Diff(*want, got); diff != "" {
				t.Errorf("%s: %s", symbol, diff)
			}
		}
	}
	if _, ok := (golang.Language{}).Signature(source.Input{Path: "a.go", Content: []byte("}{")}, ".A"); ok {
		t.Error("a file that does not parse has a signature")
	}
}

func TestTypes(t *testing.T) {
	for _, tt := range []struct {
		list, want []string
		ok         bool
	}{
		{nil, nil, true},
		{[]string{"key string", "bool"}, []string{"string", "bool"}, true},
		{[]string{"a, b int", "more ...interface{}"}, []string{"int", "int", "...any"}, true},
		{[]string{"f func(n int) (ok bool)", " map[string][]T "}, []string{"func(int) bool", "map[string][]T"}, true},
		{[]string{"who asks for it"}, nil, false},
		{[]string{""}, nil, false},
		{[]string{"string", "42"}, nil, false},
		{[]string{"x)(y int"}, nil, false},
		{[]string{"string, bool"}, nil, false},
	} {
		got, ok := golang.Language{}.Types(tt.list)
		if ok != tt.ok || cmp.Diff(tt.want, got) != "" {
			t.Errorf("%q: %q %v", tt.list, got, ok)
		}
	}
}
