// Package interrupt ends what takes long when its context ends.
package interrupt

import (
	"context"
	"io"
)

// Reader reads from r until ctx ends; then Read returns the context's cause.
func Reader(ctx context.Context, r io.Reader) io.Reader { return reader{ctx, r} }

type reader struct {
	ctx context.Context
	r   io.Reader
}

func (r reader) Read(b []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.r.Read(b)
}
