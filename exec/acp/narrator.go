package acp

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/internal/process/output"
	"github.com/planlock/planlock/internal/safetext"
)

// A narrator shows what an agent tells: its messages and tool calls as lines of
// output, and what it is at as the activity. It keeps the last message.
type narrator struct {
	mu       sync.Mutex
	out      *output.Veil // a secret may come in two messages
	secrets  output.Secrets
	activity func(string)
	roots    []string // what paths are shown relative to
	left     int      // bytes of output that are still shown
	over     bool     // nobody listens any more
	midline  bool

	print  []byte // the present line of what it prints besides messages
	prints int    // bytes of that

	calls   map[string]*call
	plan    string // as it was shown last
	doing   string
	message strings.Builder // the present message
	id      string          // of it
	open    bool            // more of it may come
	worked  bool            // it did something besides talking
}

// mostCalls bounds how many tool calls are remembered, and mostMessage how much of
// a message.
const (
	mostCalls   = 4096
	mostMessage = 256 << 10
)

func newNarrator(out io.Writer, activity func(string), roots []string, secrets output.Secrets, shown int) *narrator {
	return &narrator{out: secrets.Veil(out), secrets: secrets, activity: activity, roots: roots, left: shown,
		calls: map[string]*call{}}
}

// mostPrinted bounds what is shown of what the agent prints besides messages: in
// all, and of a line. Some agents print much that means nothing to anybody.
const (
	mostPrinted     = 64 << 10
	mostPrintedLine = 300
)

// colour is how a program colours what it prints.
var colour = lazyre.New("\x1b\\[[0-9;]*m")

// Write shows what the agent prints besides messages, on lines of its own. It
// never fails.
func (n *narrator) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for part := range bytes.Lines(p) {
		room := mostPrintedLine + 100 - len(n.print)
		n.print = append(n.print, part[:min(len(part), max(room, 0))]...)
		if part[len(part)-1] == '\n' {
			n.printed()
		}
	}
	return len(p), nil
}

// printed shows the line that the agent printed.
func (n *narrator) printed() {
	line := strings.TrimSpace(clip(colour.ReplaceAllString(strings.TrimSpace(string(n.print)), ""), mostPrintedLine))
	n.print = n.print[:0]
	if line == "" || n.prints >= mostPrinted {
		return
	}
	if n.prints += len(line); n.prints >= mostPrinted {
		line = "(what else the agent prints is not shown: it is too much)"
	}
	n.line(line)
}

// line shows a line of its own.
func (n *narrator) line(text string) {
	n.out.Flush()
	if n.midline {
		n.say("\n")
	}
	n.say(text + "\n")
}

// say shows text as it is.
func (n *narrator) say(text string) {
	if n.over || n.left <= 0 || text == "" {
		return
	}
	if n.left -= len(text); n.left <= 0 {
		text = "\n(what the agent says from here on is not shown: it is too much)\n"
	}
	n.out.Write([]byte(text))
	n.midline = !strings.HasSuffix(text, "\n")
}

// close says that nobody listens any more.
func (n *narrator) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.print) > 0 {
		n.printed()
	}
	if n.midline {
		n.say("\n")
	}
	if !n.over {
		n.out.Flush()
	}
	n.over = true
}

// at shows what the agent is at.
func (n *narrator) at(text string) {
	text = safetext.Clip(safetext.Escape(n.secrets.Replace(text)), 120)
	if n.over || text == "" || text == n.doing {
		return
	}
	n.doing = text
	n.activity(text)
}

// told shows an update.
func (n *narrator) told(u *update) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch u.Kind {
	case "agent_message_chunk":
		if !u.aside() {
			n.hear(u)
			return
		}
		n.line("[note] " + n.clip(textOf(u.Content), 300))
	case "agent_thought_chunk":
		n.at("thinking")
	case "tool_call", "tool_call_update":
		n.called(u)
	case "plan":
		n.planned(u.Entries)
	default:
		return // neither begins nor ends a message
	}
	n.open = false
}

// hear is more of a message.
func (n *narrator) hear(u *update) {
	text := strings.ToValidUTF8(textOf(u.Content), "\ufffd")
	if text == "" {
		return
	}
	if !n.open || u.Message != n.id {
		n.message.Reset()
		if n.midline {
			n.say("\n")
		}
	}
	n.open, n.id = true, u.Message
	n.message.WriteString(text[:min(len(text), mostMessage-n.message.Len())])
	n.say(text)
	n.at("answering")
}

// known is a tool call that was told of, or is now.
func (n *narrator) known(id string) *call {
	c := n.calls[id]
	if c == nil {
		if len(n.calls) >= mostCalls {
			clear(n.calls)
		}
		c = &call{}
		n.calls[id] = c
	}
	return c
}

// called shows a tool call: once, when it is known what it is about, and again
// if it fails.
func (n *narrator) called(u *update) {
	n.worked = true
	c := n.known(u.ID)
	c.add(u.toolCall, u.Content)
	over := c.status == sdk.ToolCallStatusCompleted || c.status == sdk.ToolCallStatusFailed
	if !over {
		n.at(doing(c, n.roots))
	}
	if !c.shown && (over || len(c.paths) > 0 || c.status == sdk.ToolCallStatusInProgress) {
		c.shown = true
		n.line("[" + safetext.Escape(string(kindOf(c))) + "] " + n.about(c))
	}
	if c.status == sdk.ToolCallStatusFailed {
		n.line("[" + safetext.Escape(string(kindOf(c))) + "] failed: " + n.about(c))
	}
}

// asked is the call that permission is asked for, as far as anything is known of
// it.
func (n *narrator) asked(p *permission) call {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.worked, n.open = true, false
	c := n.known(p.Call.ID)
	c.add(p.Call.toolCall, p.Call.Content)
	return *c
}

// refused shows why the agent may not do what it asked for.
func (n *narrator) refused(c call, reason string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.line("[" + safetext.Escape(string(kindOf(&c))) + "] refused: " + safetext.Escape(reason))
}

// clip is the beginning of a text without secrets: what is cut is none any more that
// would be found.
func (n *narrator) clip(text string, limit int) string { return clip(n.secrets.Replace(text), limit) }

// note shows a line about the conversation.
func (n *narrator) note(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.line(safetext.Escape(text))
}

// planned shows the agent's own list of what it wants to do, where it moved.
func (n *narrator) planned(entries []planEntry) {
	var lines []string
	for i, e := range entries {
		if i == 50 {
			lines = append(lines, fmt.Sprintf("  and %d more", len(entries)-i))
			break
		}
		mark := " "
		switch e.Status {
		case "completed":
			mark = "x"
		case "in_progress":
			mark = ">"
			n.at(e.Content)
		}
		lines = append(lines, "  ["+mark+"] "+n.clip(e.Content, 200))
	}
	if text := strings.Join(lines, "\n"); len(lines) > 0 && text != n.plan {
		n.plan = text
		n.line("its plan:\n" + text)
	}
}

// last is the last message, what the agent was at, and whether it did anything.
func (n *narrator) last() (message, doing string, worked bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.TrimSpace(n.secrets.Replace(n.message.String())), n.doing, n.worked
}

// begin forgets what was said before: it was told again, or is of another turn.
func (n *narrator) begin() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.message.Reset()
	n.open, n.worked, n.doing, n.plan = false, false, "", ""
	clear(n.calls)
}

// about is what a call is about.
func (n *narrator) about(c *call) string {
	var names []string
	for _, p := range c.paths[:min(len(c.paths), 5)] {
		names = append(names, n.clip(relative(n.roots, p), 200))
	}
	if more := len(c.paths) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	about := strings.Join(names, ", ")
	switch title := n.clip(c.title, 300); {
	case about == "":
		about = title
	case title != "" && !slices.Contains(names, title) && kindOf(c) != sdk.ToolKindRead:
		about += " (" + title + ")"
	}
	return about
}

// kindOf is the kind of a call.
func kindOf(c *call) sdk.ToolKind {
	if c.tool == "" {
		return sdk.ToolKindOther
	}
	return c.tool
}

// doing is what the agent is at, in a few words.
func doing(c *call, roots []string) string {
	verb := map[sdk.ToolKind]string{
		sdk.ToolKindRead: "reading", sdk.ToolKindEdit: "editing", sdk.ToolKindDelete: "deleting",
		sdk.ToolKindMove: "moving", sdk.ToolKindSearch: "searching", sdk.ToolKindExecute: "running",
		sdk.ToolKindThink: "thinking", sdk.ToolKindFetch: "fetching",
	}[c.tool]
	about := c.title
	if len(c.paths) > 0 && c.tool != sdk.ToolKindExecute && c.tool != sdk.ToolKindSearch {
		about = relative(roots, c.paths[0])
	}
	return strings.TrimSpace(verb + " " + about)
}

// relative is a path as it is shown.
func relative(roots []string, p string) string {
	if rel, inside := within(roots, p); inside {
		return rel
	}
	return p
}
