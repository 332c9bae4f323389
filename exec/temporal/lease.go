package temporal

import (
	"context"
	"errors"
	"strings"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/planlock/planlock/exec/remote"
)

// errCancelled is why the work of a job ends that was called back.
var errCancelled = errors.New("temporal: the job was called back")

// A lease is a job that was taken.
type lease struct {
	*hold
	job remote.Job
}

func (l *lease) Job() remote.Job { return l.job }

func (l *lease) Context() context.Context { return l.ctx }

// Done gives the result back; see [remote.Lease].
func (l *lease) Done(ctx context.Context, r remote.Result) error {
	r.Host, r.Broken = short(r.Host), short(r.Broken)
	return l.complete(ctx, r, nil, func() bool { return l.came(ctx, r) })
}

// Return gives the job back undone; see [remote.Lease].
func (l *lease) Return(ctx context.Context) error {
	return l.giveBack(ctx, "it ends", time.Millisecond)
}

// giveBack hands a job back, to be taken again after a while; 0: after longer each time.
func (l *lease) giveBack(ctx context.Context, why string, after time.Duration) error {
	return l.complete(ctx, nil, temporal.NewApplicationErrorWithOptions("the worker hands it back: "+why, returned,
		temporal.ApplicationErrorOptions{NextRetryDelay: after}), func() bool { return false })
}

// came reports whether a result was taken whose answer was lost.
func (l *lease) came(ctx context.Context, result remote.Result) bool {
	ctx, end := context.WithTimeout(ctx, moment/5)
	defer end()
	have, err := l.result(ctx, l.job.Key, l.id)
	return err == nil && result == have
}

// maxText is how long what a result says for people may be.
const maxText = 8 << 10

// short is a text for people, of a bounded length.
func short(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "…"
}
