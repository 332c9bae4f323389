package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/gate/evidence"
)

// Bounds of one request.
const (
	defaultTimeout = 10 * time.Second // how long it may take
	maxBody        = 4 << 20          // bytes of its answer
	maxRedirects   = 5                // that are followed
)

// A Web asks for addresses of hosts that it lists, and of no others. It must
// not be changed once it is in use, and may be used concurrently.
type Web struct {
	Hosts []string // that may be asked, and redirected to, as in "example.org" or "127.0.0.1:8080"
	// Timeout of one request, redirects included; 0: ten seconds.
	Timeout time.Duration
	Client  http.RoundTripper // nil: http.DefaultTransport
}

// Name says which hosts are asked.
func (w *Web) Name() string {
	if w == nil {
		return "no hosts"
	}
	return "hosts " + strings.Join(w.Hosts, " ")
}

// Validate refuses nothing: an address that cannot be asked is unverifiable.
func (w *Web) Validate() error { return nil }

// allows reports whether an address may be asked.
func (w *Web) allows(u *url.URL) bool {
	return (u.Scheme == "http" || u.Scheme == "https") && u.User == nil &&
		slices.Contains(w.Hosts, strings.ToLower(u.Host))
}

// Look finds out whether an address answers.
func (w *Web) Look(ctx context.Context, n evidence.Need) evidence.Item {
	u, err := url.Parse(n.Name)
	switch {
	case err != nil || u.Host == "":
		return n.Missing("%q is no address", n.Name)
	case w == nil:
		return n.Unverifiable("addresses are not asked for: list the host %q in Web.Hosts", u.Host)
	case !w.allows(u):
		return n.Unverifiable("%q may not be asked: its host %q is not in Web.Hosts, or it is neither http nor https",
			n.Name, u.Host)
	}
	secure := u.Scheme == "https"
	status, _, err := fetch(ctx, w.Client, w.Timeout, u, http.Header{}, func(next *url.URL) bool {
		return w.allows(next) && (next.Scheme == "https" || !secure)
	})
	switch {
	case err != nil:
		return n.Unverifiable("%v", err)
	case status >= 200 && status < 300:
		return evidence.Item{Need: n, State: evidence.Found, Status: fmt.Sprint(status)}
	case status >= 400 && status < 500 && status != http.StatusUnauthorized && status != http.StatusForbidden &&
		status != http.StatusTooManyRequests:
		return n.Missing("%q answers with status %d", n.Name, status)
	case status >= 300 && status < 400:
		return n.Unverifiable("%q sends elsewhere (status %d), which may not be followed", n.Name, status)
	}
	return n.Unverifiable("%q answers with status %d", n.Name, status)
}

// fetch makes one request. follow allows a redirect; nil: none is followed.
func fetch(ctx context.Context, transport http.RoundTripper, limit time.Duration, u *url.URL, header http.Header,
	follow func(*url.URL) bool) (int, []byte, error) {
	if limit <= 0 {
		limit = defaultTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer within %v", limit))
	defer cancel()
	fault := func(err error) error {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err // without the address
		}
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return &serverError{Server: u.Host, Why: err.Error()}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return 0, nil, fault(err)
	}
	request.Header = header
	client := &http.Client{Transport: transport, CheckRedirect: func(next *http.Request, via []*http.Request) error {
		if follow == nil || len(via) > maxRedirects || !follow(next.URL) {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	answer, err := client.Do(request)
	if err != nil {
		return 0, nil, fault(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxBody+1))
	switch {
	case err != nil:
		return 0, nil, fault(err)
	case len(body) > maxBody:
		return 0, nil, &serverError{Server: u.Host, Why: fmt.Sprintf("its answer has more than %d bytes", maxBody)}
	}
	return answer.StatusCode, body, nil
}

// A serverError says why a server could not be asked, or what it answered
// instead.
type serverError struct {
	Server string // host
	Status int    // of HTTP; 0 where there was no answer
	Why    string
}

func (e *serverError) Error() string {
	if e.Status == 0 {
		return fmt.Sprintf("remote: %s could not be asked: %s", e.Server, e.Why)
	}
	return fmt.Sprintf("remote: %s answered with status %d%s", e.Server, e.Status, e.Why)
}
