package cloud

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"sync"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/ledger"
)

var _ checkpoint.Collector = (*Blobs)(nil)

// An object "journals/NAME" says that journals refer to what is kept here: those
// which know that name. It is written before the first content is.
const (
	referring = "journals/"
	unknown   = "unknown" // nobody said which journals
)

// identity is the name of journals. It is kept where they are, as what a lock is
// that they alone can have claimed.
func identity(ctx context.Context, runs checkpoint.Runs) (string, error) {
	if runs == nil {
		return unknown, nil
	}
	return runs.Claim(ctx, "planlock.bucket", rand.Text(), "")
}

// refers has the bucket know which journals refer to what is kept here, before a
// content is put, or said to be here. It reports whether it noted that just now.
func (b *Blobs) refers(ctx context.Context) (noted bool, err error) {
	b.known.Lock()
	defer b.known.Unlock()
	if b.isKnown {
		return false, nil
	}
	id, err := identity(ctx, b.config.Runs)
	if err != nil {
		return false, err
	}
	there, err := b.bucket.Exists(ctx, referring+id)
	if err == nil && !there {
		host, _ := os.Hostname() // for people
		err = b.bucket.WriteAll(ctx, referring+id, fmt.Appendf(nil, "begun at %s\n", host), nil)
	}
	b.isKnown = err == nil
	return b.isKnown, err
}

// Journals are those that Config.Journals says; see checkpoint.Collector.
func (b *Blobs) Journals(ctx context.Context) (map[string]checkpoint.Runs, error) {
	if b.config.Journals == nil {
		return nil, fmt.Errorf("cloud: collect: %s: %w: nobody said which journals refer to them", b.name,
			checkpoint.ErrNotCollected)
	}
	return b.config.Journals(ctx)
}

// alone looks whether all that refer to contents here are among Journals.
func (b *Blobs) alone(ctx context.Context) error {
	journals, err := b.Journals(ctx)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, runs := range journals {
		id, err := identity(ctx, runs)
		if err != nil {
			return err
		}
		known[id] = true
	}
	for all := b.bucket.List(&blob.ListOptions{Prefix: referring}); ; {
		o, err := all.Next(ctx)
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return b.explain(ctx, "collect", err)
		case !known[strings.TrimPrefix(o.Key, referring)]:
			const text = "cloud: collect: %s: %w: journals that are kept elsewhere refer to them, as the object %q says (of %s)"
			return fmt.Errorf(text, b.name, checkpoint.ErrNotCollected, o.Key, o.ModTime.UTC().Format(time.RFC3339))
		}
	}
}

// Collect removes contents; see checkpoint.Collector. Of a content that is needed
// the key under which it was put last stays.
func (b *Blobs) Collect(ctx context.Context, needed iter.Seq2[ledger.Digest, error], grace time.Duration,
	dryRun bool) (freed checkpoint.Collected, err error) {
	if ctx.Err() != nil {
		return freed, b.explain(ctx, "collect", context.Cause(ctx))
	}
	now, err := timeOf(ctx, b.bucket) // or before: so what is young is never taken for old
	if err != nil {
		return freed, b.explain(ctx, "collect", err)
	}
	if err := b.alone(ctx); err != nil {
		return freed, err
	}
	keep, err := checkpoint.NeededFor(ctx, needed, grace)
	if err != nil {
		return freed, err
	}
	for part := range 256 {
		list, err := b.list(ctx, fmt.Sprintf("sha256/%02x/", part))
		if err != nil {
			return freed, b.explain(ctx, "collect", err)
		}
		gone := sorted(list, keep, now.Add(-grace), &freed)
		if dryRun {
			continue
		}
		if err := b.remove(ctx, gone); err != nil {
			return freed, b.explain(ctx, "collect", err)
		}
	}
	return freed, nil
}

// sorted are the keys of a list that go: those from before a time, but for the last
// one of each content that is needed. It counts them.
func sorted(list []*blob.ListObject, keep map[[32]byte]bool, before time.Time,
	freed *checkpoint.Collected) (gone []*blob.ListObject) {
	last := map[[32]byte]*blob.ListObject{}
	for _, o := range list {
		if key := sum(o); last[key] == nil || later(o, last[key]) {
			last[key] = o
		}
	}
	for _, o := range list {
		switch key := sum(o); {
		case !o.ModTime.Before(before), keep[key] && last[key] == o:
		default:
			gone = append(gone, o)
			freed.Bytes += o.Size
		}
	}
	for key, o := range last {
		switch {
		case keep[key]:
			freed.Kept++
		case o.ModTime.Before(before):
			freed.Contents++
		default:
			freed.Young++
		}
	}
	return gone
}

// sum is the digest of the content that lies under a key.
func sum(o *blob.ListObject) (key [32]byte) {
	text := strings.ReplaceAll(strings.TrimPrefix(o.Key, "sha256/"), "/", "")
	_, _ = hex.Decode(key[:], []byte(text[:64])) // isKey
	return key
}

// remove removes objects, some at a time.
func (b *Blobs) remove(ctx context.Context, gone []*blob.ListObject) error {
	var wait sync.WaitGroup
	errs := make([]error, len(gone))
	for i, o := range gone {
		if errs[i] = b.slot(ctx); errs[i] != nil {
			break
		}
		wait.Go(func() {
			defer func() { <-b.slots }()
			if errs[i] = b.bucket.Delete(ctx, o.Key); gcerrors.Code(errs[i]) == gcerrors.NotFound {
				errs[i] = nil // another collection has removed it
			}
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}
