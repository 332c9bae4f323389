package exec

import (
	"context"

	"github.com/planlock/planlock/exec/commit"
	"github.com/planlock/planlock/exec/internal/home"
	"github.com/planlock/planlock/ledger"
)

// A namedCommitter is one of the host whose panics say so.
type namedCommitter struct{ inner commit.Committer }

const committerPort = "the committer"

func (c namedCommitter) Settings(ctx context.Context, dir string) (ledger.GitState, error) {
	defer home.InPort(committerPort)
	return c.inner.Settings(ctx, dir)
}

func (c namedCommitter) Find(ctx context.Context, w commit.Work) (*commit.Made, error) {
	defer home.InPort(committerPort)
	return c.inner.Find(ctx, w)
}

func (c namedCommitter) Commit(ctx context.Context, w commit.Work) (*commit.Made, error) {
	defer home.InPort(committerPort)
	return c.inner.Commit(ctx, w)
}
