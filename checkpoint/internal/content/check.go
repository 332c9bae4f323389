package content

import (
	"crypto/sha256"
	"hash"
	"io"

	"github.com/planlock/planlock/checkpoint/internal/format"
)

// Small is the size up to which a content is held in memory as a whole.
const Small = 1 << 20

// Checked passes on what a reader yields, and ends with an error of its owner's
// instead of io.EOF unless that had the digest and the size. So whoever writes
// it elsewhere learns before he is done that it is something else.
type Checked struct {
	r     io.Reader
	h     hash.Hash
	want  format.Sum
	left  int64
	wrong error
}

// Check reads r, which must have the digest and the size; else the last error
// is wrong. A size of -1 is any.
func Check(r io.Reader, want format.Sum, size int64, wrong error) *Checked {
	return &Checked{r: r, h: sha256.New(), want: want, left: size, wrong: wrong}
}

// Read implements io.Reader.
func (c *Checked) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.h.Write(b[:n])
	if c.left >= 0 {
		if c.left -= int64(n); c.left < 0 {
			return 0, c.wrong // do not follow a file that grows
		}
	}
	if err == io.EOF && (format.Sum(c.h.Sum(nil)) != c.want || c.left > 0) {
		return n, c.wrong
	}
	return n, err
}

// Close closes what is read, if that can be closed.
func (c *Checked) Close() error {
	if in, ok := c.r.(io.Closer); ok {
		return in.Close()
	}
	return nil
}
