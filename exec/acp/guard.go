package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/planlock/planlock/internal/safetext"
)

// Bounds hold whatever an agent sends. All of it is read, so that the agent never
// stands still for that, and kept within these.
type bounds struct {
	line     int           // bytes of a line
	bytes    int64         // of all lines
	messages int           // of all kinds
	strange  int           // lines that are no messages
	waiting  int           // messages that were read and not yet taken in
	asks     int           // for permission, in all
	refused  int           // for permission, one after another
	shown    int           // bytes that are written to Work.Output
	answer   time.Duration // until initialize is answered
	open     time.Duration // until a session is open, or set up
	stop     time.Duration // from session/cancel to the end by force
	leave    time.Duration // from the end of its input to the end by force
	late     time.Duration // for an answer that was read to get to whoever waits for it
}

var usual = bounds{
	line: 8 << 20, bytes: 1 << 30, messages: 1_000_000, strange: 500, waiting: 256,
	asks: 5000, refused: 100, shown: 4 << 20,
	answer: time.Minute, open: 2 * time.Minute, stop: 5 * time.Second, leave: 3 * time.Second,
	late: 200 * time.Millisecond,
}

// A message is what the protocol's connection takes a line for.
type message struct {
	ID     *json.RawMessage  `json:"id"`
	Method string            `json:"method"`
	Params json.RawMessage   `json:"params"`
	Result json.RawMessage   `json:"result"`
	Error  *sdk.RequestError `json:"error"`
}

// comes reports whether the message goes to whoever handles what the agent asks
// and tells.
func (m *message) comes() bool {
	return m.Method != "" && (m.ID != nil || m.Method != "$/cancel_request")
}

// A guard stands before the protocol's connection: it takes the standard output
// of the agent apart into lines, passes on those that are messages, no faster
// than they are taken in, and finds fault with what no agent sends.
type guard struct {
	name  string
	hint  string
	bound bounds
	to    *io.PipeWriter
	log   io.Writer           // gets lines that are no messages
	shown func(string) string // is a text without secrets
	fault func(error)         // is told what is wrong, once
	begun atomic.Bool         // a message came
	last  atomic.Int64        // when there was the last sign of life, in nanoseconds
	slots chan struct{}       // one for each message that is not yet taken in
	over  chan struct{}       // closed: nobody takes messages any more
	shut  sync.Once

	line     []byte
	total    int64
	messages int
	strange  int
	broken   bool
}

func newGuard(name, hint string, bound bounds, to *io.PipeWriter, log io.Writer, shown func(string) string,
	fault func(error)) *guard {
	g := &guard{name: name, hint: hint, bound: bound, to: to, log: log, shown: shown, fault: fault,
		slots: make(chan struct{}, bound.waiting), over: make(chan struct{})}
	g.alive()
	return g
}

// alive notes a sign of life.
func (g *guard) alive() { g.last.Store(time.Now().UnixNano()) }

// Write never fails: whatever is wrong, the agent's output is read to its end.
func (g *guard) Write(p []byte) (int, error) {
	g.alive()
	if g.total += int64(len(p)); g.total > g.bound.bytes {
		g.object("it sent more than %d MiB", g.bound.bytes>>20)
	}
	for rest := p; len(rest) > 0 && !g.broken; {
		end := bytes.IndexByte(rest, '\n')
		part := rest
		if end >= 0 {
			part = rest[:end]
		}
		if len(g.line)+len(part) > g.bound.line {
			g.object("it sent a line of more than %d bytes", g.bound.line)
			break
		}
		g.line = append(g.line, part...)
		if end < 0 {
			break
		}
		g.finish()
		rest = rest[end+1:]
	}
	return len(p), nil
}

// object finds fault; what comes after it is not looked at.
func (g *guard) object(format string, args ...any) {
	if g.broken {
		return
	}
	g.broken, g.line = true, nil
	g.fault(&ProtocolError{Agent: g.name, Reason: fmt.Sprintf(format, args...), Hint: g.hint})
}

// finish is the end of the present line.
func (g *guard) finish() {
	line := bytes.TrimSpace(g.line)
	defer func() { g.line = g.line[:0] }()
	if len(line) == 0 {
		return
	}
	var m message
	if line[0] != '{' || json.Unmarshal(line, &m) != nil || m.Method == "" && m.ID == nil {
		g.odd(line)
		return
	}
	g.begun.Store(true)
	if g.messages++; g.messages > g.bound.messages {
		g.object("it sent more than %d messages", g.bound.messages)
		return
	}
	if m.comes() && !g.ready(m.ID != nil) {
		return
	}
	g.to.Write(append(line, '\n')) // fails where nobody takes messages any more
	if m.comes() && m.ID != nil {
		g.idle(g.over)
	}
}

// ready waits until another message may be passed on. The connection takes in
// requests beside what it was told before them, so that they wait for that: what
// is asked about a tool call is known only when the call is. It reports whether
// anybody still takes messages.
func (g *guard) ready(request bool) bool {
	if request && !g.idle(g.over) {
		return false
	}
	select {
	case g.slots <- struct{}{}:
		return true
	case <-g.over:
		return false
	}
}

// idle waits until all that was passed on was taken in, or something else
// happens.
func (g *guard) idle(or <-chan struct{}) bool {
	n := 0
	defer func() {
		for range n {
			<-g.slots
		}
	}()
	for n < cap(g.slots) {
		select {
		case g.slots <- struct{}{}:
			n++
		case <-or:
			return false
		}
	}
	return true
}

// odd is a line that is no message.
func (g *guard) odd(line []byte) {
	if bytes.IndexByte(line, 0) >= 0 || !utf8.Valid(line) {
		g.object("it writes bytes that are no text to its standard output, as in %q", clip(g.shown(string(line)), 60))
		return
	}
	if g.strange++; g.strange > g.bound.strange {
		g.object("it writes lines that are no messages to its standard output, as in %q", clip(g.shown(string(line)), 200))
		return
	}
	fmt.Fprintf(g.log, "%s\n", g.shown(string(line)))
}

// taken says that a message was taken in.
func (g *guard) taken() { <-g.slots }

// end is the end of the agent's output. The last line counts without its newline
// too. It returns once the connection has read all that was passed on.
func (g *guard) end() {
	if !g.broken && len(g.line) > 0 {
		g.finish()
	}
	g.to.Write([]byte("\n")) // is read when all before it has been taken apart
}

// close lets nobody wait any more.
func (g *guard) close() {
	g.shut.Do(func() { close(g.over); g.to.Close() })
}

// drained waits until all that was passed on was taken in. Nothing more comes
// then.
func (g *guard) drained() {
	limit, stop := context.WithTimeout(context.Background(), g.bound.stop)
	defer stop()
	g.idle(limit.Done())
}

// clip is the beginning of an untrusted text, for a message, on one line.
func clip(text string, limit int) string {
	if len(text) > limit {
		text = text[:limit]
		for len(text) > 0 && !utf8.RuneStart(text[len(text)-1]) {
			text = text[:len(text)-1]
		}
		text += "…"
	}
	return safetext.Escape(text)
}

// An outbox is the standard input of the agent. Writing to it never waits, so
// that an agent that does not read makes nobody stand still.
type outbox struct {
	mu     sync.Mutex
	more   *sync.Cond
	text   []byte
	closed bool
}

const outboxLimit = 32 << 20

func newOutbox() *outbox {
	o := &outbox{}
	o.more = sync.NewCond(&o.mu)
	return o
}

// Write keeps p until it is read.
func (o *outbox) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.closed: // whoever waits for an answer is told why there is none
		return len(p), nil
	case len(o.text)+len(p) > outboxLimit:
		return 0, io.ErrShortBuffer
	}
	o.text = append(o.text, p...)
	o.more.Broadcast()
	return len(p), nil
}

// Read waits until there is something to read.
func (o *outbox) Read(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.text) == 0 && !o.closed {
		o.more.Wait()
	}
	if len(o.text) == 0 {
		return 0, io.EOF
	}
	n := copy(p, o.text)
	o.text = o.text[n:]
	return n, nil
}

// close is the end of the input, once all of it is read.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.more.Broadcast()
}
