package checkpoint

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"github.com/planlock/planlock/checkpoint/internal/format"
	"github.com/planlock/planlock/ledger"
)

var errManifest = errors.New("checkpoint: damaged manifest")

// A reading is a manifest that is being read: all but its entries is known.
type reading struct {
	manifest
	decoder
	left uint64 // entries
}

// openManifest begins to read a manifest, which is to be closed.
func (s *Store) openManifest(ctx context.Context, d ledger.Digest) (*reading, error) {
	in, err := s.open(ctx, d, -1)
	if err != nil {
		return nil, err
	}
	r, err := readHead(in)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return r, nil
}

// readHead reads what stands before the entries of a manifest. It does not close
// in after an error.
func readHead(in io.ReadCloser) (*reading, error) {
	r := &reading{decoder: decoder{in: bufio.NewReaderSize(in, 32<<10), close: in.Close}}
	old := []byte(format.OldMagic + "manifest")
	if begins, _ := r.in.Peek(len(old)); bytes.Equal(begins, old) {
		return nil, format.Old()
	}
	if !bytes.Equal(r.take(uint64(len(manifestMagic))), []byte(manifestMagic)) {
		return nil, r.damaged("it does not begin as a manifest")
	}
	switch version := r.byte(); {
	case r.bad:
		return nil, r.damaged("it does not begin as a manifest")
	case version != manifestVersion:
		return nil, fmt.Errorf("checkpoint: manifest: %w", format.Later(uint32(version)))
	}
	m := &r.manifest
	m.tree, m.base = r.digest(), r.digest()
	m.depth, m.weight, m.full = r.number(), r.number(), r.number()
	for n := r.number(); n > 0 && !r.bad; n-- {
		m.removed = append(m.removed, r.text())
	}
	r.left = r.number()
	switch {
	case r.bad:
		return nil, r.damaged(cutOff)
	case m.base == "" && (m.depth > 0 || len(m.removed) > 0), m.base != "" && (m.depth == 0 || m.depth > maxDepth):
		return nil, r.damaged("its depth does not fit its base")
	case !slices.IsSorted(m.removed):
		return nil, r.damaged("it is not sorted")
	}
	return r, nil
}

const cutOff = "it is cut off or has a value that is out of range"

// damaged says what is wrong with a manifest; first of all, if it is so, that it
// has another digest.
func (r *reading) damaged(what string) error {
	if r.err == nil {
		_, r.err = io.Copy(io.Discard, r.in)
	}
	if r.err != nil {
		return r.err
	}
	return fmt.Errorf("%w: %s", errManifest, what)
}

// each yields the entries that are left, and closes the manifest. An error is
// the last pair. That of a content which has another digest may come last.
func (r *reading) each() iter.Seq2[ledger.Entry, error] {
	return func(yield func(ledger.Entry, error) bool) {
		defer r.close()
		before := ""
		for ; r.left > 0; r.left-- {
			e := r.entry()
			switch {
			case r.bad:
				yield(e, r.damaged(cutOff))
				return
			case e.Path < before:
				yield(e, r.damaged("it is not sorted"))
				return
			case !yield(e, nil):
				return
			}
			before = e.Path
		}
		if _, err := r.in.Peek(1); err == nil {
			yield(ledger.Entry{}, r.damaged("something follows its last entry"))
		} else if !errors.Is(err, io.EOF) {
			yield(ledger.Entry{}, err)
		}
	}
}

// all reads the entries that are left, and closes the manifest.
func (r *reading) all() (*manifest, error) {
	for e, err := range r.each() {
		if err != nil {
			return nil, err
		}
		r.entries = append(r.entries, e)
	}
	return &r.manifest, nil
}

// A decoder takes values off the front of what it reads, until one is wrong.
type decoder struct {
	in    *bufio.Reader
	close func() error
	bad   bool
	err   error  // of reading
	taken uint64 // bytes
	long  bytes.Buffer
}

// byte takes one byte.
func (d *decoder) byte() byte {
	if d.bad {
		return 0
	}
	b, err := d.in.ReadByte()
	if d.fail(err); d.bad {
		return 0
	}
	d.taken++
	return b
}

// number takes an unsigned number of variable length. Like all that a decoder
// takes it is zero from the first fault on, so that callers check once, at the
// end.
func (d *decoder) number() (n uint64) {
	for shift := 0; ; shift += 7 {
		b := d.byte()
		if d.bad = d.bad || shift > 63 || shift == 63 && b > 1; d.bad {
			return 0
		}
		if n |= uint64(b&0x7f) << shift; b < 0x80 {
			return n
		}
	}
}

// signed takes a number that may be negative: times before 1970 are.
func (d *decoder) signed() int64 {
	n := d.number()
	return int64(n>>1) ^ -int64(n&1)
}

// fail notes a fault; that nothing is left is none of reading.
func (d *decoder) fail(err error) {
	if err != nil {
		d.bad, d.err = true, format.AtEnd(err)
	}
}

// take takes bytes as they are, which are good until the next call.
func (d *decoder) take(n uint64) []byte {
	if d.bad {
		return nil
	}
	b, err := d.in.Peek(int(min(n, uint64(d.in.Size()))))
	if n > uint64(d.in.Size()) && err == nil { // no memory for what is only promised
		d.long.Reset()
		_, err = io.CopyN(&d.long, d.in, int64(min(n, 1<<62)))
		b = d.long.Bytes()
	} else if err == nil {
		_, err = d.in.Discard(len(b))
	}
	if d.fail(err); d.bad {
		return nil
	}
	d.taken += n
	return b
}

func (d *decoder) text() string { return string(d.take(d.number())) }

// digest takes a digest that may be left out.
func (d *decoder) digest() ledger.Digest {
	text := d.text()
	if text == "" {
		return ""
	}
	digest, err := ledger.ParseDigest(text)
	d.bad = d.bad || err != nil
	return digest
}

// entry takes what appendEntry wrote. What no entry can be, such as a mode with
// unknown bits, is a fault.
func (d *decoder) entry() (e ledger.Entry) {
	e.Path = d.text()
	kind := d.byte()
	mode, seconds, nanos := d.number(), d.signed(), d.number()
	if d.bad = d.bad || int(kind) >= len(entryKinds) || mode > 0o7777 || nanos >= 1e9; d.bad {
		return e
	}
	e.Kind, e.Mode, e.ModTime = entryKinds[kind], ledger.FileMode(uint32(mode)), time.Unix(seconds, int64(nanos))
	switch e.Kind {
	case ledger.File:
		size := d.number()
		digest := d.take(uint64(len(format.Sum{})))
		if d.bad = d.bad || size > 1<<62; d.bad {
			return e
		}
		e.Size, e.Digest = int64(size), ledger.DigestOf(format.Sum(digest))
	case ledger.Link:
		e.Target = d.text()
	case ledger.Special:
		if kind == fifoKind {
			e.Target = ledger.FIFO
		}
	}
	return e
}
