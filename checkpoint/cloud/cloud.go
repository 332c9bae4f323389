package cloud

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"sync"
	"time"

	"gocloud.dev/blob"
	_ "gocloud.dev/blob/azureblob" // azblob:
	_ "gocloud.dev/blob/fileblob"  // file:
	_ "gocloud.dev/blob/gcsblob"   // gs:
	_ "gocloud.dev/blob/memblob"   // mem:
	_ "gocloud.dev/blob/s3blob"    // s3:
	"gocloud.dev/gcerrors"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/ledger"
)

// small is how many bytes a content may have that is copied and uploaded in the
// background.
const small = 8 << 20

// Config says how a bucket is used. The zero value is good.
type Config struct {
	// Uploads is how many contents are uploaded at a time; 0 is 16. Each holds up
	// to 8 MiB of memory.
	Uploads int
	// Patience is how long the upload of a content of up to 8 MiB may take; 0 is 5
	// minutes. What takes longer has failed.
	Patience time.Duration
	// Runs keep the journals that refer to contents here. The bucket notes that, by
	// a name that they keep, before the first content. nil: nobody knows which
	// journals do, so nothing can ever be collected here.
	Runs checkpoint.Runs
	// Journals are those of all workspaces of the store of Runs, for Collect: what a
	// checkpoint.Collector of that store says.
	Journals func(context.Context) (map[string]checkpoint.Runs, error)
}

// Blobs are checkpoint.Blobs in a bucket. They are safe for concurrent use.
type Blobs struct {
	name   string // of the bucket, for people
	bucket *blob.Bucket
	config Config
	slots  chan struct{} // one for each upload under way
	clock  clock

	known   sync.Mutex
	isKnown bool // which journals refer to contents here

	life   context.Context // of uploads that no caller waits for
	end    context.CancelCauseFunc
	mu     sync.Mutex
	under  map[ledger.Digest]*upload // way
	failed map[ledger.Digest]*upload // and to be tried again; no more than were under way at once
}

// An upload is a content that is under way.
type upload struct {
	at      string
	content []byte
	done    chan struct{}
	err     error // once it is done
}

var _ checkpoint.Blobs = (*Blobs)(nil)

// Open opens the bucket that a URL names, and looks whether it can be had. Nothing of ctx is kept.
func Open(ctx context.Context, bucket string, config Config) (*Blobs, error) {
	if config.Uploads <= 0 {
		config.Uploads = 16
	}
	if config.Patience <= 0 {
		config.Patience = 5 * time.Minute
	}
	b := &Blobs{name: nameOf(bucket), config: config, slots: make(chan struct{}, config.Uploads),
		under: map[ledger.Digest]*upload{}, failed: map[ledger.Digest]*upload{}}
	b.life, b.end = context.WithCancelCause(context.WithoutCancel(ctx))
	var err error
	if b.bucket, err = blob.OpenBucket(ctx, unchecked(bucket)); err != nil {
		return nil, b.explain(ctx, "open", err)
	}
	if err := b.look(ctx); err != nil {
		return nil, errors.Join(b.explain(ctx, "open", err), b.Close())
	}
	return b, nil
}

// unchecked is a URL with which S3 does not compare sums of its own when it reads:
// it can for some contents only, says so on standard error, and the digest is
// compared anyway.
func unchecked(text string) string {
	const sums = "response_checksum_validation"
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "s3" || u.Query().Has(sums) {
		return text
	}
	q := u.Query()
	q.Set(sums, "when_required")
	u.RawQuery = q.Encode()
	return u.String()
}

// nameOf is a URL without what may be secret.
func nameOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "the bucket"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// look says what is wrong with the bucket.
func (b *Blobs) look(ctx context.Context) error {
	there, err := b.bucket.IsAccessible(ctx)
	if err == nil && !there {
		err = errGone
	}
	return err
}

// key is where a content lies.
func key(d ledger.Digest) (string, error) {
	sum, err := d.Sum()
	if err != nil {
		return "", err
	}
	text := hex.EncodeToString(sum[:])
	return "sha256/" + text[:2] + "/" + text[2:], nil
}

// Put keeps content, or begins to; see checkpoint.Blobs.
func (b *Blobs) Put(ctx context.Context, d ledger.Digest, content io.Reader) error {
	if err := b.put(ctx, d, content); err != nil {
		return b.explain(ctx, "put", err)
	}
	return nil
}

func (b *Blobs) put(ctx context.Context, d ledger.Digest, content io.Reader) error {
	at, err := key(d)
	if err != nil {
		return err
	}
	if b.underWay(d) != nil {
		return context.Cause(ctx)
	}
	if b.owes() {
		if err := b.Sync(ctx); err != nil {
			return err
		}
	}
	if err := b.slot(ctx); err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(while{ctx, content}, small+1))
	if err != nil {
		<-b.slots
		return err
	}
	if len(text) > small {
		defer func() { <-b.slots }()
		return b.write(ctx, at, io.MultiReader(bytes.NewReader(text), content)) // while the caller waits
	}
	b.begin(d, &upload{at: at, content: text, done: make(chan struct{})})
	return nil
}

// begin uploads a content behind the caller's back, unless somebody else does. It
// gives the slot back.
func (b *Blobs) begin(d ledger.Digest, u *upload) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.under[d] != nil {
		<-b.slots
		return
	}
	b.under[d] = u
	delete(b.failed, d)
	go func() {
		defer func() { <-b.slots }()
		ctx, cancel := context.WithTimeoutCause(b.life, b.config.Patience, errSlow)
		defer cancel()
		if err := b.write(ctx, u.at, bytes.NewReader(u.content)); err != nil {
			u.err = b.explain(ctx, "upload", err)
		}
		b.ended(d, u)
	}()
}

func (b *Blobs) ended(d ledger.Digest, u *upload) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.under, d)
	if u.err != nil {
		b.failed[d] = u
	}
	close(u.done)
}

// slot waits until an upload may begin.
func (b *Blobs) slot(ctx context.Context) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case b.life.Err() != nil:
		return context.Cause(b.life)
	}
	select {
	case b.slots <- struct{}{}:
		return nil
	case <-b.life.Done():
		return context.Cause(b.life)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// write writes a content, unless it is there.
func (b *Blobs) write(ctx context.Context, at string, content io.Reader) error {
	begun := time.Now()
	there, err := b.there(ctx, at)
	if !there && err == nil {
		_, err = b.refers(ctx)
	}
	if there || err != nil {
		return err
	}
	if err := b.upload(ctx, anew(at), content); err != nil || checkpoint.Lately(begun) {
		return err
	}
	_, err = b.there(ctx, at) // its time is that at which it began, for S3
	return err
}

// upload writes an object. It never leaves half of one: where reading fails, the
// upload is called off before it learns that it has ended.
func (b *Blobs) upload(ctx context.Context, at string, content io.Reader) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	in := &calling{r: while{ctx, content}, off: cancel}
	err := b.bucket.Upload(ctx, at, in, &blob.WriterOptions{ContentType: "application/octet-stream"})
	if in.failed != nil {
		return in.failed
	}
	return err
}

// underWay is the upload of a content, nil where there is none.
func (b *Blobs) underWay(d ledger.Digest) *upload {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.under[d]
}

// owes reports whether something has failed.
func (b *Blobs) owes() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.failed) > 0
}

// Get opens content; see checkpoint.Blobs.
func (b *Blobs) Get(ctx context.Context, d ledger.Digest) (io.ReadCloser, error) {
	at, err := key(d)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", checkpoint.ErrNotFound, err)
	}
	if ctx.Err() != nil {
		return nil, b.explain(ctx, "get", context.Cause(ctx))
	}
	if u := b.underWay(d); u != nil {
		return io.NopCloser(bytes.NewReader(u.content)), nil
	}
	r, err := b.read(ctx, at)
	switch {
	case errors.Is(err, checkpoint.ErrNotFound):
		return nil, fmt.Errorf("%w: %q in %s", checkpoint.ErrNotFound, string(d), b.name)
	case err != nil:
		return nil, b.explain(ctx, "get", err)
	}
	return reader{r, b, ctx}, nil
}

// read opens a content. Between two requests a collection may remove a key, but
// not the last one of a content that is needed.
func (b *Blobs) read(ctx context.Context, at string) (r *blob.Reader, err error) {
	for range 100 {
		var o *blob.ListObject
		if o, err = b.latest(ctx, at); err == nil && o == nil {
			err = cmp.Or(b.look(ctx), checkpoint.ErrNotFound)
		}
		if err != nil {
			return nil, err
		}
		if r, err = b.bucket.NewReader(ctx, o.Key, nil); gcerrors.Code(err) != gcerrors.NotFound {
			return r, err
		}
	}
	return nil, err
}

// Has reports whether content is kept, or under way; see checkpoint.Blobs.
func (b *Blobs) Has(ctx context.Context, d ledger.Digest) (bool, error) {
	at, err := key(d)
	if err != nil {
		return false, nil
	}
	if ctx.Err() != nil {
		return false, b.explain(ctx, "has", context.Cause(ctx))
	}
	if b.underWay(d) != nil {
		return true, nil
	}
	there, err := b.there(ctx, at)
	if err != nil {
		return false, b.explain(ctx, "has", err)
	}
	return there, nil
}

// Sync waits for what is under way, and tries again what failed before; see
// checkpoint.Blobs.
func (b *Blobs) Sync(ctx context.Context) error {
	if ctx.Err() != nil {
		return b.explain(ctx, "sync", context.Cause(ctx))
	}
	_, failed := b.all()
	for d, u := range failed {
		if err := b.slot(ctx); err != nil {
			return b.explain(ctx, "sync", err)
		}
		b.begin(d, &upload{at: u.at, content: u.content, done: make(chan struct{})})
	}
	under, _ := b.all()
	for _, u := range under {
		select {
		case <-u.done:
		case <-ctx.Done():
			return b.explain(ctx, "sync", context.Cause(ctx))
		}
	}
	_, failed = b.all()
	for _, u := range failed { // one says it for all
		return fmt.Errorf("cloud: %d contents could not be kept, they are tried again by the next sync: %w", len(failed), u.err)
	}
	return nil
}

// all are the uploads that are under way, and those that failed.
func (b *Blobs) all() (under, failed map[ledger.Digest]*upload) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.under), maps.Clone(b.failed)
}

// Close calls off what is under way, and lets go of the bucket. Closing again is
// harmless.
func (b *Blobs) Close() error {
	if b.life.Err() != nil {
		return nil
	}
	b.end(checkpoint.ErrClosed)
	under, _ := b.all()
	for _, u := range under {
		<-u.done
	}
	if err := b.bucket.Close(); err != nil {
		return b.explain(context.Background(), "close", err)
	}
	return nil
}

// while reads until its context ends.
type while struct {
	ctx context.Context
	r   io.Reader
}

func (w while) Read(b []byte) (int, error) {
	if w.ctx.Err() != nil {
		return 0, context.Cause(w.ctx)
	}
	return w.r.Read(b)
}

// calling calls an upload off when reading fails.
type calling struct {
	r      io.Reader
	off    context.CancelCauseFunc
	failed error
}

func (c *calling) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	if err != nil && err != io.EOF {
		c.failed = err
		c.off(err)
	}
	return n, err
}

// A reader explains what goes wrong while a content is read.
type reader struct {
	io.ReadCloser
	b   *Blobs
	ctx context.Context
}

func (r reader) Read(into []byte) (int, error) {
	n, err := r.ReadCloser.Read(into)
	if err != nil && err != io.EOF {
		err = r.b.explain(r.ctx, "read", err)
	}
	return n, err
}
