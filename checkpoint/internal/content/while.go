package content

import (
	"context"
	"io"
)

// While reads from r until ctx ends; then Read returns the context's cause.
func While(ctx context.Context, r io.Reader) io.Reader { return while{ctx, r} }

type while struct {
	ctx context.Context
	r   io.Reader
}

func (r while) Read(b []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.r.Read(b)
}
