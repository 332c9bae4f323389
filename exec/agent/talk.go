package agent

import (
	"bytes"
	"cmp"
	"math"
	"strings"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/internal/process/output"
)

// A talk is how an agent without a terminal is told what to do, and how what it
// prints is read. The prompt is its standard input.
type talk interface {
	// args are the arguments behind the program, with more among them.
	args(t turn, more []string) []string
	// read takes a line of what it prints. It only reads: whatever the line says.
	read(h *heard, line []byte)
}

// A turn is what an agent is told at once.
type turn struct {
	model   string
	session string // the conversation to go on with; "": a new one
	asked   bool   // it is asked for its word alone, and needs no tools
}

// mostLine bounds a line of a stream, and mostWord what an agent's last word is.
const (
	mostLine = 16 << 20
	mostWord = 1 << 20
)

// Heard is what a stream has told so far.
type heard struct {
	say   func(text string)      // something for people
	at    func(activity string)  // what it is at
	spent func(usage exec.Usage) // in all
	stop  func(why string)       // it shall not go on, as nothing can come of it
	told  string                 // the words that were said to it, of which none are its own
	veil  output.Secrets         // that stand in nothing that is told

	session string // of the conversation
	usage   exec.Usage
	before  exec.Usage // what the conversation had spent, as it says
	word    string     // its last message
	over    bool       // the stream has come to its end
	failed  string     // why it could not go on, as it says
	full    bool       // for its context is full

	insights, decisions []string

	calls   map[string]bool // messages that were counted
	pieces  strings.Builder // of a message that comes in pieces
	trouble string          // what it could not do, where it went on
	cut     bool            // a line was too long
	live    bool            // its words are said as they come, by line
	last    []string        // its last lines, where these tell why it failed
}

// tell is a message of the agent.
func (h *heard) tell(text string) {
	if text = strings.TrimSpace(h.shown(text)); text != "" {
		h.word = clip(text, mostWord)
		h.note(text)
		if !h.live {
			h.say(text)
		}
	}
}

// shown is a text without secrets.
func (h *heard) shown(text string) string { return h.veil.Replace(text) }

// piece is a part of a message, which ends where something else begins.
func (h *heard) piece(text string) {
	if h.pieces.Len() < mostWord {
		h.pieces.WriteString(text)
	}
}

// flush tells the message that came in pieces.
func (h *heard) flush() {
	text := h.pieces.String()
	h.pieces.Reset()
	h.tell(text)
}

// fail says why it could not go on. The first reason stands.
func (h *heard) fail(why string) {
	h.failed = cmp.Or(h.failed, strings.TrimSpace(h.shown(why)), "it does not say why")
}

// count adds up what was spent.
func (h *heard) count(u exec.Usage) {
	h.usage.InputTokens = plus(h.usage.InputTokens, u.InputTokens)
	h.usage.OutputTokens = plus(h.usage.OutputTokens, u.OutputTokens)
	h.usage.Calls = int(plus(int64(h.usage.Calls), int64(u.Calls)))
	h.usage.Cost = exec.Money(plus(int64(h.usage.Cost), int64(u.Cost)))
	h.spent(h.usage)
}

// plus adds what is not negative, and no more than can be counted.
func plus(a, b int64) int64 {
	if b = max(0, b); b > math.MaxInt64-a {
		return math.MaxInt64
	}
	return a + b
}

// once reports whether a message is seen for the first time.
func (h *heard) once(id string) bool {
	if h.calls[id] || len(h.calls) > 100_000 {
		return false
	}
	if h.calls == nil {
		h.calls = map[string]bool{}
	}
	h.calls[id] = true
	return true
}

// lines passes on a stream line by line, and leaves out what is too long.
type lines struct {
	to   func(line []byte)
	long func() // a line was left out
	part []byte
	skip bool
}

// Write never fails.
func (l *lines) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			l.add(rest)
			break
		}
		l.add(rest[:end])
		l.newline()
		rest = rest[end+1:]
	}
	return len(p), nil
}

func (l *lines) add(part []byte) {
	switch {
	case l.skip:
	case len(l.part)+len(part) > mostLine:
		l.skip, l.part = true, nil
		l.long()
	default:
		l.part = append(l.part, part...)
	}
}

// end is the end of all lines: the last one counts without its newline too.
func (l *lines) end() {
	if len(l.part) > 0 {
		l.newline()
	}
}

// newline is the end of a line.
func (l *lines) newline() {
	if line := bytes.TrimRight(l.part, " \t\r"); len(bytes.TrimSpace(line)) > 0 {
		l.to(line)
	}
	l.part, l.skip = l.part[:0], false
}

// clip is the beginning of a text.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// money is an amount of dollars, to the nearest millionth; 0 where it is none.
func money(dollars float64) exec.Money {
	if !(dollars > 0) || dollars > 1e9 {
		return 0
	}
	return exec.Money(math.Round(dollars * float64(history.Dollar)))
}
