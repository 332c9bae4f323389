// Package output reads what a command writes: bounded, without the secrets of
// its environment, and passed on as it comes.
package output

import (
	"errors"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"sync"
	"time"
)

// Streams are the pipes of a command and what is read from them.
type Streams struct {
	all, out *Tail
	live     [2]*lively // get standard output, standard error
	reads    []*os.File
	writes   []*os.File
	readers  sync.WaitGroup
	one      sync.Mutex // one live write at a time
	secrets  []secret   // what nobody gets to see
}

// Open makes pipes for a command with the environment env. Of each stream limit
// bytes are kept; stdout and stderr, which may be nil, get all of it as it
// comes, one write at a time. Values of env that are secrets are shown to
// nobody.
func Open(limit int64, stdout, stderr io.Writer, env []string) (*Streams, error) {
	s := &Streams{all: NewTail(limit), out: NewTail(limit), secrets: SecretsOf(env).all}
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

// Attach makes the pipes the standard output and error of cmd. Being files,
// they are inherited as they are, so that waiting for cmd does not wait for
// others that hold them.
func (s *Streams) Attach(cmd *osexec.Cmd) { cmd.Stdout, cmd.Stderr = s.writes[0], s.writes[1] }

// Started closes this process's copies of the writing ends and begins to read.
func (s *Streams) Started() {
	for _, w := range s.writes {
		w.Close()
	}
	s.writes = nil
	s.readers.Go(func() { s.read(s.reads[0], s.all, s.out, s.live[0]) })
	s.readers.Go(func() { s.read(s.reads[1], s.all, s.live[1]) })
}

// read copies until the end, or until Drain gives up. The writers given never
// fail.
func (s *Streams) read(from *os.File, to ...io.Writer) {
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

// Drain waits until everything was read, for at most limit if something that
// could not be ended holds a pipe open, and says why the live output is not
// whole.
func (s *Streams) Drain(limit time.Duration) error {
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

// close closes what is still open of the pipes; closing again does nothing.
func (s *Streams) close() {
	for _, f := range append(s.reads, s.writes...) {
		f.Close()
	}
}

// Texts are what was kept of both streams, in the order in which it came, and of
// standard output.
func (s *Streams) Texts() (all, out string) { return s.all.String(), s.out.String() }

// lively passes everything on until that fails, and keeps the failure.
type lively struct {
	one *sync.Mutex
	to  io.Writer
	err error
}

// Write never fails: whoever reads the stream must go on when the writer behind
// breaks, or the command would stand still.
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
