package attempt

import (
	"strings"
	"sync"
	"time"

	"github.com/planlock/planlock/exec/internal/bound"
)

// activityEvery is how often it is told, at most, what an attempt is at.
const activityEvery = 300 * time.Millisecond

// activityLong bounds the text of it, in bytes.
const activityLong = 200

// An activity tells what an attempt is at: what was said last, and no more of it
// than somebody can read.
type activity struct {
	tell func(text string)

	mu    sync.Mutex
	told  time.Time
	last  string      // what was told
	next  string      // what is to be
	timer *time.Timer // that tells it; nil: there is nothing to tell
	over  bool
}

// say has a text told, now or soon, unless another one comes before.
func (a *activity) say(text string) {
	text, _, _ = strings.Cut(strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD")), "\n")
	text = bound.Text(strings.TrimSpace(text), activityLong)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.next = text; a.over || text == "" || a.timer != nil {
		return
	}
	a.timer = time.AfterFunc(max(0, activityEvery-time.Since(a.told)), a.ripe)
}

// ripe tells what was said last.
func (a *activity) ripe() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.timer = nil
	if a.over || a.next == "" || a.next == a.last {
		return
	}
	a.told, a.last = time.Now(), a.next
	a.tell(a.next)
}

// stop tells no more.
func (a *activity) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
	if a.timer != nil {
		a.timer.Stop()
	}
}
