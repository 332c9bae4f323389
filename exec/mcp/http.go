package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mostAnswer is how many bytes a server that is reached by HTTP may answer to one
// request.
const mostAnswer = 32 << 20

// visit is how a server is reached by HTTP: with the headers of its file, which
// go nowhere else, and with bounds to what it answers.
type visit struct {
	headers map[string]string
	to      *url.URL
	grace   time.Duration // that it has to hear that nothing more is wanted of it
	status  atomic.Int32  // the latest that says no, or sends elsewhere; 0: none did
}

// visiting is a transport that visits a server.
func visiting(c configured, grace time.Duration) (*visit, sdk.Transport, error) {
	at, err := url.Parse(expanded(c.URL))
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, nil, errors.New("its url is no address: write  https://HOST/PATH") // which may hold a secret
	}
	v := &visit{headers: c.Headers, to: at, grace: grace}
	client := &http.Client{Transport: v,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return v, &sdk.StreamableClientTransport{Endpoint: at.String(), MaxRetries: -1, DisableStandaloneSSE: true,
		HTTPClient: client}, nil
}

// RoundTrip is of [http.RoundTripper].
func (v *visit) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := r.Context(), context.CancelFunc(func() {})
	if r.Method == http.MethodDelete {
		ctx, cancel = context.WithTimeout(ctx, v.grace)
	}
	r = r.Clone(ctx)
	if r.URL.Host != v.to.Host || r.URL.Scheme != v.to.Scheme {
		cancel()
		return nil, errors.New("it sends elsewhere")
	}
	for name, value := range v.headers {
		r.Header.Set(name, expanded(value))
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		cancel()
		return nil, err
	}
	if answer.StatusCode >= 300 && answer.StatusCode != http.StatusMethodNotAllowed {
		v.status.Store(int32(answer.StatusCode))
	}
	answer.Body = &bounded{answer.Body, mostAnswer, cancel}
	return answer, nil
}

// bounded is the body of an answer that ends with an error where it is too long.
type bounded struct {
	io.ReadCloser
	left int
	end  func()
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= n; b.left < 0 {
		return 0, fmt.Errorf("it answers with more than %d MiB", mostAnswer>>20)
	}
	return n, err
}

func (b *bounded) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}

// fault says what is wrong with a server that did not answer as it must.
func (v *visit) fault(name string, err error) *ServerError {
	status := int(v.status.Load())
	said := fmt.Sprintf("it answers with HTTP status %d %s", status, http.StatusText(status))
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusProxyAuthRequired:
		return &ServerError{name, Refused, said + ": see to its headers, and the variables that they name"}
	case status == http.StatusNotFound || status == http.StatusGone:
		return &ServerError{name, Missing, said}
	case status >= 500:
		return &ServerError{name, Dead, said}
	case status >= 300 && status < 400:
		return &ServerError{name, Refused, said + ", which sends elsewhere: write the address itself"}
	case strings.Contains(err.Error(), "connection refused"), strings.Contains(err.Error(), "no such host"),
		strings.Contains(err.Error(), "no route to host"), strings.Contains(err.Error(), "network is unreachable"):
		return &ServerError{name, Missing, "nobody answers at " + v.to.Host}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), strings.Contains(err.Error(), "connection reset"):
		return &ServerError{name, Dead, "it ended the connection before it said anything"}
	}
	return &ServerError{name, Garbage, "what it says is not the protocol: " + err.Error()}
}
