package escalator

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// maxLine is how many bytes of a line are kept.
const maxLine = 4096

var errLongLine = errors.New("ask: the line is too long")

// A line is what one read brought.
type line struct {
	text string // without its end
	err  error  // errLongLine, io.EOF (also for a line without an end), or what the reader said
}

// lines reads lines on demand. A read that nobody waits for any longer stays
// under way and serves the next one who asks, so there is never more than one,
// and nothing is read ahead of need. It has one user at a time.
type lines struct {
	in      *bufio.Reader
	pending chan line // of the read under way, with room for its result; nil if there is none
}

// next returns the channel on which the next line comes. Whoever receives from
// it calls took.
func (l *lines) next(in io.Reader) <-chan line {
	if l.in == nil {
		l.in = bufio.NewReader(in)
	}
	if l.pending == nil {
		c := make(chan line, 1)
		l.pending = c
		go func() { c <- readLine(l.in) }()
	}
	return l.pending
}

func (l *lines) took() { l.pending = nil }

// stale takes a line that came after the one who wanted it had gone.
func (l *lines) stale() (line, bool) {
	select {
	case got := <-l.pending: // never ready when nil
		l.took()
		return got, true
	default:
		return line{}, false
	}
}

// readLine reads up to the end of a line. A line that is too long is read to
// its end, and is an error: half of an answer is none.
func readLine(r *bufio.Reader) line {
	var b strings.Builder
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if b.Len()+len(part) > maxLine {
			long = true
		} else {
			b.Write(part)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return line{b.String(), err}
		case long:
			return line{"", errLongLine}
		default:
			return line{strings.TrimSuffix(strings.TrimSuffix(b.String(), "\n"), "\r"), nil}
		}
	}
}
