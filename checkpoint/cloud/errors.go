package cloud

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"regexp"
	"strings"
	"sync"

	"gocloud.dev/gcerrors"
)

// Why a bucket cannot be used.
var (
	errGone = errors.New("the bucket is not there")
	errSlow = errors.New("the upload took too long")
)

// secrets are parts of addresses that may be secret: parameters, and users with
// passwords.
var secrets = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\?[^\s"']+|//[^/\s"'@]+@`) })

// A said error is an error of a provider without what may be secret.
type said struct{ err error }

func (s said) Error() string {
	return secrets().ReplaceAllStringFunc(s.err.Error(), func(part string) string { return part[:1] + "…" })
}

func (s said) Unwrap() error { return s.err }

// explain says what was done with the bucket when err came, and what helps.
func (b *Blobs) explain(ctx context.Context, doing string, err error) error {
	if ctx.Err() != nil && !errors.Is(err, context.Cause(ctx)) { // providers have errors of their own for that
		err = errors.Join(context.Cause(ctx), err)
	}
	if help := b.help(err); help != "" {
		return fmt.Errorf("cloud: %s: %s: %w: %s", doing, b.name, said{err}, help)
	}
	return fmt.Errorf("cloud: %s: %s: %w", doing, b.name, said{err})
}

// help says what helps.
func (b *Blobs) help(err error) string {
	var refused *net.OpError
	var unknown *net.DNSError
	text := err.Error()
	switch c := gcerrors.Code(err); {
	case errors.Is(err, context.Canceled):
		return ""
	case errors.Is(err, errSlow), errors.Is(err, context.DeadlineExceeded), c == gcerrors.DeadlineExceeded:
		return "it did not answer in time: look whether it can be reached, or wait longer"
	case errors.Is(err, errGone), errors.Is(err, fs.ErrNotExist), c == gcerrors.NotFound:
		return "make the bucket, or mend its name"
	case c == gcerrors.PermissionDenied, has(text, "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "UserNotFound",
		"redential"):
		return "give the credentials of somebody who may read, write and list there"
	case errors.As(err, &refused), errors.As(err, &unknown):
		return "look whether it can be reached from here, and whether the URL is right"
	case has(text, "SlowDown", "StatusCode: 429", "Too Many Requests"):
		return "it wants fewer requests: have fewer uploads at a time"
	}
	return ""
}

// has reports whether a text has one of some parts.
func has(text string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}
