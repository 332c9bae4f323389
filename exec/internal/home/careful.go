package home

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/ledger"
)

// A PanicError says that code of the host panicked, in whichever port: the
// workspace was let go, and what was under way is undone when the run is
// resumed.
type PanicError struct {
	Run   string // "" if none was in hand
	Port  string // as in `guard "freeze"`; "" if it is not known
	Value any
	Stack string // of the panic
}

func (e *PanicError) Error() string {
	text := "exec: " + cmp.Or(e.Port, "code of the host") + " panicked"
	if e.Run != "" {
		text += " in run " + e.Run
	}
	return fmt.Sprintf("%s: %v", text, e.Value)
}

// Unwrap returns the value, if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Panicked is the error of what recover returned.
func Panicked(value any) *PanicError {
	if e, known := value.(*PanicError); known {
		return e
	}
	return &PanicError{Value: value, Stack: string(debug.Stack())}
}

// InPort is deferred around code of the host: its panic goes on as one that
// names the port.
func InPort(port string) {
	if p := recover(); p != nil {
		e := Panicked(p)
		e.Port = cmp.Or(e.Port, port)
		panic(e)
	}
}

// careful is a store of the host whose panics are its errors: contents are kept
// by several goroutines, of which the host's caller sees none.
type careful struct{ inner checkpoint.Blobs }

// caught makes a panic of the host's store an error. It is deferred.
func caught(err *error) {
	if p := recover(); p != nil {
		e := Panicked(p)
		e.Port = cmp.Or(e.Port, "the store of contents")
		*err = e
	}
}

func (c careful) Put(ctx context.Context, d ledger.Digest, content io.Reader) (err error) {
	defer caught(&err)
	return c.inner.Put(ctx, d, content)
}

func (c careful) Get(ctx context.Context, d ledger.Digest) (_ io.ReadCloser, err error) {
	defer caught(&err)
	return c.inner.Get(ctx, d)
}

func (c careful) Has(ctx context.Context, d ledger.Digest) (_ bool, err error) {
	defer caught(&err)
	return c.inner.Has(ctx, d)
}

func (c careful) Sync(ctx context.Context) (err error) {
	defer caught(&err)
	return c.inner.Sync(ctx)
}

// WriteGathered is the ability of a store to let other processes see what was
// put.
func (c careful) WriteGathered() (err error) {
	defer caught(&err)
	if inner, can := c.inner.(interface{ WriteGathered() error }); can {
		return inner.WriteGathered()
	}
	return nil
}

// TakeBack is the ability of a store to free what was put last.
func (c careful) TakeBack(put []ledger.Digest) (_ []ledger.Digest, err error) {
	defer caught(&err)
	inner, can := c.inner.(interface {
		TakeBack([]ledger.Digest) ([]ledger.Digest, error)
	})
	if can {
		return inner.TakeBack(put)
	}
	return nil, nil
}
