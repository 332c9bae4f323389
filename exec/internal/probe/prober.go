package probe

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/ledger"
)

// A Prober computes envelopes, and remembers what it has read: a file whose
// stamps have not moved is not read again, and its version is not asked for
// again. The zero value is ready. It is safe for concurrent use.
type Prober struct {
	mu    sync.Mutex
	known map[string]reading
	said  map[string]word    // by the names of components
	rules []string           // as they were last
	ruled envelope.Component // what stands for them
}

// A word is a component without a file, and the text that it was last made of.
type word struct {
	text      string
	component envelope.Component
}

// A reading is what a file was when it was read.
type reading struct {
	stamp   stamp
	digest  ledger.Digest
	version string // of programs, once asked for
	asked   bool
}

// settled is how old a file's last change must be for its stamps to tell the
// next one.
const settled = 2 * time.Second

// errNotPlain is for what is there and is no file.
var errNotPlain = errors.New("not a regular file")

// openPlain opens a regular file without waiting for anything else that has its
// name.
func openPlain(open func(string, int, fs.FileMode) (*os.File, error), path string) (*os.File, error) {
	f, err := open(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotPlain
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// read digests the file that open opens, unless its stamps are those of the
// last time.
func (p *Prober) read(ctx context.Context, key string, open func() (*os.File, error)) (reading, error) {
	f, err := open()
	if err != nil {
		return reading{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return reading{}, err
	}
	now := stampOf(info)
	// The lock is not held while a file is read: others may look at other
	// files.
	p.mu.Lock()
	last, ok := p.known[key]
	p.mu.Unlock()
	if ok && last.stamp == now {
		return last, nil
	}
	digest, _, err := ledger.SumReader(stoppable{ctx, f})
	if err != nil {
		return reading{}, err
	}
	got := reading{stamp: now, digest: digest}
	p.remember(key, got)
	return got, nil
}

// remember keeps what was read, unless the file changed so lately that it could
// change again with the same stamps.
func (p *Prober) remember(key string, got reading) {
	if time.Since(got.stamp.latest()) < settled {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil {
		p.known = make(map[string]reading)
	}
	p.known[key] = got
}

// stoppable is a reader that ends with its context.
type stoppable struct {
	ctx context.Context
	r   io.Reader
}

// Read reads, unless the context has ended.
func (s stoppable) Read(p []byte) (int, error) {
	if s.ctx.Err() != nil {
		return 0, context.Cause(s.ctx)
	}
	return s.r.Read(p)
}
