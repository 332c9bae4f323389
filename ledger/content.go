package ledger

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Content opens the content of a file of some tree; the caller closes it. It is
// how functions that compare two trees reach what only a store still holds.
type Content func(ctx context.Context, e Entry) (io.ReadCloser, error)

// ErrContent is in the chain of the errors of functions that read what changed,
// when a content cannot be had or is not what its entry says.
var ErrContent = errors.New("ledger: content does not match its entry")

// Read is the whole content of a file, checked against its entry. No entry, or
// one that is no file, has no content. It takes as much memory as the entry
// says, so look at that first. The error has [ErrContent] in its chain where
// the content is not what the entry says.
func (open Content) Read(ctx context.Context, e *Entry) ([]byte, error) {
	if e == nil || e.Kind != File || e.Size == 0 {
		return nil, nil
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	r, err := open(ctx, *e)
	if err != nil {
		return nil, fmt.Errorf("ledger: cannot open %q: %w", e.Path, err)
	}
	defer r.Close()
	content := make([]byte, e.Size)
	if _, err := io.ReadFull(r, content); err != nil {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil, fmt.Errorf("%w: %q is shorter than %d bytes", ErrContent, e.Path, e.Size)
		}
		return nil, fmt.Errorf("ledger: cannot read %q: %w", e.Path, err)
	}
	if n, err := r.Read(make([]byte, 1)); n != 0 {
		return nil, fmt.Errorf("%w: %q is longer than %d bytes", ErrContent, e.Path, e.Size)
	} else if err != nil && err != io.EOF {
		return nil, fmt.Errorf("ledger: cannot read %q: %w", e.Path, err)
	}
	if e.Digest != "" && Sum(content) != e.Digest {
		return nil, fmt.Errorf("%w: %q has another digest than %s", ErrContent, e.Path, e.Digest)
	}
	return content, nil
}

// sameContent reports whether a change left the content of a file as it was.
func (c Change) sameContent() bool {
	return c.Before != nil && c.After != nil && c.Before.Kind == File && c.After.Kind == File &&
		c.Before.Digest == c.After.Digest
}

// ChangesContent reports whether the change is one of a file's content: at
// least one side is a file, and the other has not the same content.
func (c Change) ChangesContent() bool {
	return !c.sameContent() && (c.Before != nil && c.Before.Kind == File || c.After != nil && c.After.Kind == File)
}
