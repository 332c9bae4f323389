package temporal

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/log"
	"google.golang.org/grpc/codes"
)

// A Config says which service, and what of it. Workspace is needed, and is the
// same for an owner and its workers.
type Config struct {
	// Client says where the service is, and who asks: HostPort (localhost:7233 if it
	// is ""), Namespace (default), credentials and TLS. Its Logger is made of Log if
	// there is none.
	Client client.Options
	// Workspace is the name under which owners and workers find each other.
	Workspace string
	// Silence is after how long a worker is gone that was not heard of, and how
	// long one goes on that cannot reach the service; 0: 5 seconds. Workers say
	// that they are there five times as often. Owners decide it; for owners
	// themselves, who starts the run.
	Silence time.Duration
	// Log gets what is of interest to whoever looks after it; nil discards it.
	Log *slog.Logger
}

// A service is a Temporal service, seen from one side.
type service struct {
	Config
	client client.Client
	data   converter.DataConverter
	log    *slog.Logger
}

// open reaches the service, once: whoever has written a wrong address is told.
func open(ctx context.Context, c Config) (*service, error) {
	if c.Workspace == "" {
		return nil, errors.New("temporal: set Config.Workspace, by which owners and workers find each other")
	}
	c.Silence = cmp.Or(c.Silence, 5*time.Second)
	c.Client.HostPort = cmp.Or(c.Client.HostPort, client.DefaultHostPort)
	c.Client.Namespace = cmp.Or(c.Client.Namespace, client.DefaultNamespace)
	s := &service{Config: c, data: c.Client.DataConverter, log: cmp.Or(c.Log, slog.New(slog.DiscardHandler))}
	if s.data == nil {
		s.data = converter.GetDefaultDataConverter()
	}
	if c.Client.Logger == nil {
		c.Client.Logger = log.NewStructuredLogger(s.log)
	}
	var err error
	if s.client, err = client.DialContext(ctx, c.Client); err != nil {
		return nil, s.unreachable(ctx, err)
	}
	ask, end := context.WithTimeout(ctx, moment)
	defer end()
	_, err = s.client.WorkflowService().DescribeNamespace(ask,
		&workflowservice.DescribeNamespaceRequest{Namespace: c.Client.Namespace})
	if err == nil {
		return s, nil
	}
	s.client.Close()
	if passing(err) {
		return nil, s.unreachable(ctx, err)
	}
	return nil, s.refused(err)
}

const (
	// moment is how long the service may take to answer.
	moment = 10 * time.Second
	// asking is how long it may wait for a job, or the end of one, before it answers
	// that there is none. A job that it gives to a worker that is cut off is lost:
	// so not for long.
	asking = 20 * time.Second
)

// unreachable says that the service does not answer, and why nobody waits any more.
func (s *service) unreachable(ctx context.Context, err error) error {
	text := fmt.Sprintf("temporal: the service at %s does not answer (%v): is it running, and is the address right?",
		s.Client.HostPort, err)
	if ctx.Err() != nil {
		return &waited{text, context.Cause(ctx)}
	}
	return errors.New(text)
}

// waited is an error of a context, with what was waited for.
type waited struct {
	text string
	why  error
}

func (e *waited) Error() string { return e.text + ": " + e.why.Error() }

// Unwrap returns why nobody waits any more.
func (e *waited) Unwrap() error { return e.why }

// refused says that the service answers, and does not do it.
func (s *service) refused(err error) error {
	var unknown *serviceerror.NamespaceNotFound
	if errors.As(err, &unknown) {
		return fmt.Errorf("temporal: the service at %[1]s has no namespace %[2]q: make it with "+
			"\"temporal operator namespace create --namespace %[2]s\", or name another", s.Client.HostPort, s.Client.Namespace)
	}
	return fmt.Errorf("temporal: the service at %s, namespace %q: %w", s.Client.HostPort, s.Client.Namespace, err)
}

// said is what the service answered, in words of ours.
func (s *service) said(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	return s.refused(err)
}

// try does something until the service has answered or ctx ends; within bounds
// how long one answer may take. Errors are those of the service where it has
// answered: see said.
func (s *service) try(ctx context.Context, within time.Duration, do func(context.Context) error) error {
	var last error // of a service that does not answer
	for tries := 0; ; tries++ {
		one, end := context.WithTimeout(ctx, within)
		begun := time.Now()
		err := do(one)
		end()
		if err == nil || ctx.Err() == nil && !passing(err) {
			return err
		}
		switch serviceerror.ToStatus(err).Code() {
		case codes.Canceled: // by ctx
		case codes.DeadlineExceeded: // by ctx too, where the answer may come late
			if within == moment || time.Since(begun) > within-moment/2 {
				last = err
			}
		default:
			last = err
		}
		if tries == 0 && ctx.Err() == nil && last != nil {
			s.log.Warn("the service does not answer, and is waited for", "address", s.Client.HostPort, "err", err)
		}
		if pause(ctx, tries) {
			continue
		}
		if last == nil {
			return context.Cause(ctx)
		}
		return s.unreachable(ctx, last)
	}
}

// pause waits before another try, and reports whether there is one.
func pause(ctx context.Context, tries int) bool {
	wait := time.NewTimer(min(100*time.Millisecond<<min(tries, 5), 2*time.Second))
	defer wait.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-wait.C:
		return true
	}
}

// passing reports whether an error may be gone when it is tried again.
func passing(err error) bool {
	switch serviceerror.ToStatus(err).Code() {
	case codes.Unavailable, codes.DeadlineExceeded, codes.ResourceExhausted, codes.Aborted, codes.Internal:
		return true
	}
	return false
}

// notFound reports whether a job is not there, has ended, or is another worker's.
func notFound(err error) bool {
	var e *serviceerror.NotFound
	return errors.As(err, &e)
}

// name is what something of a workspace is called at the service.
func (s *service) name(of string) string {
	return "planlock:" + url.QueryEscape(s.Workspace) + ":" + of
}

// TaskQueue is where jobs of a workspace wait for workers that have an executor of
// a name and an identity. Operators of Temporal find it by the name of both; whoever
// scales workers by what waits looks there.
func TaskQueue(workspace, executor, identity string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", workspace, executor, identity))
	return fmt.Sprintf("planlock:%s:%s:%x", url.QueryEscape(workspace), url.QueryEscape(executor), sum[:8])
}
