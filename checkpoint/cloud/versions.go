package cloud

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"regexp"
	"sync"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/planlock/planlock/checkpoint"
)

// A content lies under keys that begin alike, one for each time that it was put, or
// found when it was old: "sha256/ab/cdef…" and a random name behind it. No key is written twice.
// So a request to remove one, however late it comes, takes nothing away that was
// put or found since: that lies under another key.

// isKey is what keys of contents are; others are being written by a bucket in a folder.
var isKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^sha256/[0-9a-f]{2}/[0-9a-f]{62}(\.[A-Z2-7]{26})?$`)
})

// anew is a key for a content under which none was ever written.
func anew(at string) string { return at + "." + rand.Text() }

// later reports whether a key counts before another one of the same content:
// of those of one second, all have to agree on one.
func later(a, b *blob.ListObject) bool {
	if !a.ModTime.Equal(b.ModTime) {
		return a.ModTime.After(b.ModTime)
	}
	return a.Key > b.Key
}

// list are the keys of contents that begin with a prefix, in their order.
func (b *Blobs) list(ctx context.Context, prefix string) (list []*blob.ListObject, err error) {
	for range 100 { // in a folder, a file that goes meanwhile ends a listing
		if list, err = b.listed(ctx, prefix); gcerrors.Code(err) != gcerrors.NotFound || b.look(ctx) != nil {
			break
		}
	}
	return list, err
}

func (b *Blobs) listed(ctx context.Context, prefix string) (list []*blob.ListObject, err error) {
	for all := b.bucket.List(&blob.ListOptions{Prefix: prefix}); ; {
		o, err := all.Next(ctx)
		switch {
		case err == io.EOF:
			return list, nil
		case err != nil:
			return nil, err
		case isKey().MatchString(o.Key):
			list = append(list, o)
		}
	}
}

// latest is the key under which a content was put last, nil if it is not there.
func (b *Blobs) latest(ctx context.Context, at string) (last *blob.ListObject, err error) {
	list, err := b.list(ctx, at)
	for _, o := range list {
		if last == nil || later(o, last) {
			last = o
		}
	}
	return last, err
}

// there reports whether a content is there, and puts it anew where it is that for
// longer than checkpoint.RenewAfter.
func (b *Blobs) there(ctx context.Context, at string) (bool, error) {
	o, err := b.latest(ctx, at)
	if err != nil || o == nil {
		return false, err
	}
	if noted, err := b.refers(ctx); err != nil {
		return false, err
	} else if noted { // a collection may have begun before
		return b.there(ctx, at)
	}
	now, err := b.clock.now(ctx, b.bucket)
	if err != nil || now.Sub(o.ModTime) <= checkpoint.RenewAfter {
		return err == nil, err
	}
	err = b.copy(ctx, o.Key, anew(at))
	if gcerrors.Code(err) == gcerrors.NotFound { // it was collected meanwhile
		return false, b.look(ctx)
	}
	return err == nil, err
}

// copy copies an object. Where the bucket does not do that (S3 refuses to with
// more than 5 GB), it is read and written.
func (b *Blobs) copy(ctx context.Context, from, to string) error {
	err := b.bucket.Copy(ctx, to, from, nil)
	if err == nil || ctx.Err() != nil || gcerrors.Code(err) == gcerrors.NotFound {
		return err
	}
	r, err := b.bucket.NewReader(ctx, from, nil)
	if err != nil {
		return err
	}
	return errors.Join(b.upload(ctx, to, r), r.Close())
}

// A clock is that of the bucket, by which its objects have times.
type clock struct {
	mu    sync.Mutex
	asked time.Time // here, when it said
	said  time.Time
}

// timeOf is the time of a bucket between the call and its return.
func timeOf(ctx context.Context, bucket *blob.Bucket) (time.Time, error) {
	if err := bucket.WriteAll(ctx, "clock", nil, nil); err != nil {
		return time.Time{}, err
	}
	a, err := bucket.Attributes(ctx, "clock")
	if err != nil {
		return time.Time{}, err
	}
	return a.ModTime, nil
}

// now is the time there, or later, by as long as it took to ask: so what is old is never
// taken for young.
func (c *clock) now(ctx context.Context, bucket *blob.Bucket) (time.Time, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.said.IsZero() || !checkpoint.Lately(c.asked) {
		asked := time.Now()
		said, err := timeOf(ctx, bucket)
		if err != nil {
			return time.Time{}, err
		}
		c.asked, c.said = asked, said
	}
	// One clock stands still while the machine sleeps, and the other one is set by people.
	here := time.Now()
	return c.said.Add(max(here.Sub(c.asked), here.Round(0).Sub(c.asked.Round(0)))), nil
}
