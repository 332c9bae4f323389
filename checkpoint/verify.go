package checkpoint

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"io"

	"github.com/planlock/planlock/ledger"
)

// A DamagedError says that what is kept under a digest is something else.
type DamagedError struct {
	Digest ledger.Digest
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("checkpoint: the content kept as %q is damaged", string(e.Digest))
}

// A ChangedError says that a file is no longer what the scan saw. Scan again.
type ChangedError struct {
	Path string
	Err  error // what it is instead, if something stood in the way; may be nil
}

func (e *ChangedError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("checkpoint: %q changed while it was being kept: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("checkpoint: %q changed while it was being kept", e.Path)
}

func (e *ChangedError) Unwrap() error { return e.Err }

// A TooLargeError says that a file is larger than Store.MaxContent.
type TooLargeError struct {
	Path string
	Size int64 // in bytes, as the system gives it: holes count
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("checkpoint: %q has %d bytes, more than are kept", e.Path, e.Size)
}

// checked passes on what r yields, and ends with wrong instead of io.EOF unless
// that had the digest and the size. A size of -1 is any.
type checked struct {
	r     io.Reader
	h     hash.Hash
	want  sum
	left  int64
	wrong error
}

func check(r io.Reader, want sum, size int64, wrong error) *checked {
	return &checked{r: r, h: sha256.New(), want: want, left: size, wrong: wrong}
}

func (c *checked) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.h.Write(b[:n])
	if c.left >= 0 {
		if c.left -= int64(n); c.left < 0 {
			return 0, c.wrong // do not follow a file that grows
		}
	}
	if err == io.EOF && (sum(c.h.Sum(nil)) != c.want || c.left > 0) {
		return n, c.wrong
	}
	return n, err
}

// checkedCloser is a checked that closes what it reads.
type checkedCloser struct {
	*checked
	io.Closer
}
