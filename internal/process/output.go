package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"sync"
	"time"
	"unicode/utf8"
)

// DefaultOutputLimit is how many bytes of output are kept: the beginning (a
// sixteenth) and the tail.
const DefaultOutputLimit = 1 << 20

// minOutputLimit keeps the beginning and the tail readable.
const minOutputLimit = 1 << 10

// A capture keeps the beginning and the tail of what is written to it, in
// bounded memory. It is safe for concurrent use.
type capture struct {
	mu   sync.Mutex
	head []byte
	tail []byte // a ring once it is full
	next int    // where the ring's oldest byte is, and its next one goes
	hmax int
	tmax int
	all  int64 // bytes written
}

func newCapture(limit int64) *capture {
	if limit <= 0 {
		limit = DefaultOutputLimit
	}
	limit = max(limit, minOutputLimit)
	head := limit / 16
	return &capture{hmax: int(head), tmax: int(limit - head)}
}

// Write keeps p as far as there is room. It never fails.
func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(p)
	c.all += int64(n)
	if room := c.hmax - len(c.head); room > 0 {
		room = min(room, len(p))
		c.head = append(c.head, p[:room]...)
		p = p[room:]
	}
	if len(p) > c.tmax {
		p = p[len(p)-c.tmax:]
	}
	if room := c.tmax - len(c.tail); room > 0 {
		room = min(room, len(p))
		c.tail = append(c.tail, p[:room]...)
		p = p[room:]
	}
	for len(p) > 0 {
		k := copy(c.tail[c.next:], p)
		c.next = (c.next + k) % c.tmax
		p = p[k:]
	}
	return n, nil
}

// String is what was kept. Where something was left out, a line says how much.
func (c *capture) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := c.all - int64(len(c.head)) - int64(len(c.tail))
	if left == 0 {
		return string(c.head) + string(c.tail)
	}
	head, tail := c.head, append(append(make([]byte, 0, len(c.tail)), c.tail[c.next:]...), c.tail[:c.next]...)
	cut := wholeEnd(head)
	left += int64(len(head) - cut)
	head = head[:cut]
	cut = wholeStart(tail)
	left += int64(cut)
	tail = tail[cut:]
	return fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", head, left, tail)
}

// wholeEnd is the length of b without a character that was cut at its end.
func wholeEnd(b []byte) int {
	for back := 1; back <= utf8.UTFMax && back <= len(b); back++ {
		if at := len(b) - back; utf8.RuneStart(b[at]) {
			if !utf8.FullRune(b[at:]) {
				return at
			}
			break
		}
	}
	return len(b)
}

// wholeStart is where the first whole character of b starts.
func wholeStart(b []byte) int {
	for at := 0; at < utf8.UTFMax && at < len(b); at++ {
		if utf8.RuneStart(b[at]) {
			return at
		}
	}
	return 0
}

// streams are the pipes of a command and what is read from them.
type streams struct {
	all, out *capture
	live     [2]*lively // get standard output, standard error
	reads    []*os.File
	writes   []*os.File
	readers  sync.WaitGroup
	one      sync.Mutex // one live write at a time
	secrets  []secret   // what nobody gets to see
}

func newStreams(limit int64, stdout, stderr io.Writer, secrets []secret) (*streams, error) {
	s := &streams{all: newCapture(limit), out: newCapture(limit), secrets: secrets}
	s.live = [2]*lively{{one: &s.one, to: stdout}, {one: &s.one, to: stderr}}
	for range 2 {
		r, w, err := os.Pipe()
		if err != nil {
			s.close()
			return nil, fmt.Errorf("process: pipe for the output: %w", err)
		}
		s.reads, s.writes = append(s.reads, r), append(s.writes, w)
	}
	return s, nil
}

// attach makes the pipes the standard output and error of cmd. Being files,
// they are inherited as they are, so that waiting for cmd does not wait for
// others that hold them.
func (s *streams) attach(cmd *osexec.Cmd) { cmd.Stdout, cmd.Stderr = s.writes[0], s.writes[1] }

// started closes this process's copies of the writing ends and begins to read.
func (s *streams) started() {
	for _, w := range s.writes {
		w.Close()
	}
	s.writes = nil
	s.readers.Go(func() { s.read(s.reads[0], s.all, s.out, s.live[0]) })
	s.readers.Go(func() { s.read(s.reads[1], s.all, s.live[1]) })
}

// read copies until the end, or until drain gives up. The writers given never
// fail.
func (s *streams) read(from *os.File, to ...io.Writer) {
	v := &veil{secrets: s.secrets, to: io.MultiWriter(to...)}
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		v.Write(buf[:n])
		if err != nil {
			v.flush()
			return
		}
	}
}

// drain waits until everything was read, for at most limit if something that
// could not be ended holds a pipe open, and says why the live output is not
// whole.
func (s *streams) drain(limit time.Duration) error {
	read := make(chan struct{})
	go func() { s.readers.Wait(); close(read) }()
	force := time.NewTimer(limit)
	defer force.Stop()
	select {
	case <-read:
	case <-force.C:
		for _, r := range s.reads {
			r.SetReadDeadline(time.Unix(1, 0))
		}
		<-read
	}
	s.close()
	return errors.Join(s.live[0].err, s.live[1].err)
}

func (s *streams) close() {
	for _, f := range append(s.reads, s.writes...) {
		f.Close()
	}
}

// lively passes everything on until that fails, and keeps the failure.
type lively struct {
	one *sync.Mutex
	to  io.Writer
	err error
}

func (l *lively) Write(p []byte) (int, error) {
	l.one.Lock()
	defer l.one.Unlock()
	if l.to == nil || l.err != nil || len(p) == 0 {
		return len(p), nil
	}
	n, err := l.to.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	if err != nil {
		l.err = fmt.Errorf("process: pass on the output: %w", err)
	}
	return len(p), nil
}
