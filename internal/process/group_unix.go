//go:build unix

package process

import (
	"sync"
	"syscall"
)

// A group is a process group.
type group struct {
	mu   sync.Mutex
	pid  int
	gone bool
}

// terminate asks the group to end. One that is stopped goes on for that.
func (g *group) terminate() {
	g.signal(syscall.SIGTERM)
	g.signal(syscall.SIGCONT)
}

// kill ends all of it that can be found.
func (g *group) kill() { g.signal(syscall.SIGKILL) }

// signal signals the group, unless its number may belong to others by now.
func (g *group) signal(s syscall.Signal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.gone {
		syscall.Kill(-g.pid, s)
	}
}

// finish ends what is left of the group, whose number is taken as long as there
// is any of it.
func (g *group) finish() {
	g.kill()
	g.mu.Lock()
	g.gone = true
	g.mu.Unlock()
}
