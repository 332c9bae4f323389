package screen

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// beat is how often the region is redrawn, at most.
const beat = 100 * time.Millisecond

// A screen keeps a region of lines at the end of a terminal up to date, below
// lines that stay. It needs no more of the terminal than to move the cursor up,
// to clear, and to cut lines that are too long.
type screen struct {
	mu        sync.Mutex
	out       io.Writer
	draw      func() []string // what the region shows; takes no lock of the screen
	buffered  []string        // lines that stay and are not printed yet
	drawn     int             // lines of the region that are on the screen
	last      string
	suspended bool
	stop      chan struct{}
	done      chan struct{}
}

// newScreen redraws what draw returns, below whatever is written meanwhile,
// until it is closed: a goroutine does it, and draw is called from there.
func newScreen(out io.Writer, draw func() []string) *screen {
	s := &screen{out: out, draw: draw, stop: make(chan struct{}), done: make(chan struct{})}
	go s.tick()
	return s
}

// tick redraws at each beat, since times go on while nothing happens.
func (s *screen) tick() {
	defer close(s.done)
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-ticker.C:
			lines := s.draw()
			s.mu.Lock()
			if !s.suspended {
				s.paint(lines)
			}
			s.mu.Unlock()
		}
	}
}

// print adds a line that stays. It appears with the next beat.
func (s *screen) print(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buffered = append(s.buffered, line)
}

// suspend takes the region away until resume.
func (s *screen) suspend() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paint(nil)
	s.suspended = true
}

// resume draws again after a pause.
func (s *screen) resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.suspended = false
}

// close takes the region away for good.
func (s *screen) close() {
	close(s.stop)
	<-s.done
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paint(nil)
}

// paint replaces the region, in one write, so that nothing flickers.
func (s *screen) paint(lines []string) {
	region := strings.Join(lines, "\n")
	if len(s.buffered) == 0 && region == s.last {
		return
	}
	var b strings.Builder
	if s.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\r", s.drawn)
	}
	b.WriteString("\x1b[J")
	for _, line := range s.buffered {
		b.WriteString(line + "\n")
	}
	if len(lines) > 0 {
		b.WriteString("\x1b[?7l" + region + "\n\x1b[?7h") // lines are cut, not wrapped
	}
	io.WriteString(s.out, b.String())
	s.buffered, s.drawn, s.last = nil, len(lines), region
}
