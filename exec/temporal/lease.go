package temporal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/planlock/planlock/exec/remote"
)

// errCancelled is why the work of a job ends that was called back.
var errCancelled = errors.New("temporal: the job was called back")

// A lease is a job that was taken: an activity that the service has begun.
type lease struct {
	source  *Source
	token   []byte
	id      string // of the workflow
	silence time.Duration
	job     remote.Job
	ctx     context.Context
	stop    context.CancelCauseFunc
}

func (l *lease) Job() remote.Job { return l.job }

func (l *lease) Context() context.Context { return l.ctx }

// alive says that the worker is there, until the job is not its any more. Where
// that cannot be said for so long that the service takes the worker for gone, the
// work ends, since another one begins it.
func (l *lease) alive() {
	every := time.NewTicker(max(l.silence/5, time.Millisecond))
	defer every.Stop()
	for heard := time.Now(); ; {
		select {
		case <-l.ctx.Done():
			return
		case <-every.C:
		}
		said := time.Now()
		ctx, end := context.WithDeadline(l.ctx, heard.Add(l.silence))
		err := l.source.client.RecordActivityHeartbeat(ctx, l.token)
		end()
		var cancelled *temporal.CanceledError
		switch {
		case err == nil:
			heard = said
		case errors.As(err, &cancelled):
			l.stop(errCancelled)
		case notFound(err):
			l.stop(fmt.Errorf("%w, or was called back", remote.ErrLost))
		case time.Since(heard) >= l.silence:
			l.stop(l.source.lost(heard, err))
		}
	}
}

// lost says that a worker gives a job up which the service takes for lost by now.
func (s *Source) lost(heard time.Time, err error) error {
	return fmt.Errorf("%w: the service at %s has not answered for %v (%v)", remote.ErrLost, s.Client.HostPort,
		time.Since(heard).Round(time.Second), err)
}

// Done gives the result back; see [remote.Lease].
func (l *lease) Done(ctx context.Context, r remote.Result) error {
	r.Host, r.Broken = short(r.Host), short(r.Broken)
	return l.complete(ctx, r, nil)
}

// Return gives the job back undone; see [remote.Lease].
func (l *lease) Return(ctx context.Context) error { return l.back(ctx, "it ends", time.Millisecond) }

// back hands a job back, to be taken again after a while; 0: after longer each time.
func (l *lease) back(ctx context.Context, why string, after time.Duration) error {
	return l.complete(ctx, nil, temporal.NewApplicationErrorWithOptions("the worker hands it back: "+why, returned,
		temporal.ApplicationErrorOptions{NextRetryDelay: after}))
}

// unreadable ends a job that nobody can carry out.
func (l *lease) unreadable(ctx context.Context, err error) error {
	return l.complete(ctx, nil, temporal.NewNonRetryableApplicationError(
		fmt.Sprintf("worker %s cannot read the job: %v", l.source.identity(), err), notReadable, nil))
}

// complete tells the service what came of the job.
func (l *lease) complete(ctx context.Context, result any, failed error) error {
	tries := 0
	err := l.source.try(ctx, moment, func(ctx context.Context) error {
		tries++
		return l.source.client.CompleteActivity(ctx, l.token, result, failed)
	})
	switch {
	case err == nil, notFound(err) && tries > 1 && l.came(ctx, result):
		l.stop(nil)
		return nil
	case notFound(err):
		l.stop(remote.ErrLost)
		return fmt.Errorf("%w: %q", remote.ErrLost, l.job.Key)
	}
	return l.source.said(ctx, err)
}

// came reports whether a result was taken whose answer was lost.
func (l *lease) came(ctx context.Context, result any) bool {
	ctx, end := context.WithTimeout(ctx, moment/5)
	defer end()
	have, err := l.source.result(ctx, l.job.Key, l.id)
	return err == nil && result == any(have)
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
