package acp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/internal/process/output"
)

// errOver is why an agent is ended that has nothing more to do.
var errOver = errors.New("acp: the agent is done")

// begin starts the agent.
func (e *Executor) begin(ctx context.Context, w *exec.Work, args []string) *conversation {
	bound := usual
	if e.bound != nil {
		bound = *e.bound
	}
	c := &conversation{e: e, w: w, bound: bound, name: e.Name(), in: newOutbox(), ended: make(chan struct{}),
		cwd: cmp.Or(w.Path, w.Dir), secrets: output.SecretsOf(e.Env, e.Hidden...)}
	for _, root := range []string{c.cwd, w.Dir} {
		c.roots = append(c.roots, root)
		if real, err := filepath.EvalSymlinks(root); err == nil {
			c.roots = append(c.roots, real)
		}
	}
	c.ctx, c.stop = context.WithCancelCause(ctx)
	c.tells = newNarrator(w.Output, w.Activity, c.roots, c.secrets, bound.shown)
	hint := fmt.Sprintf("is  %s  its command for the protocol?", strings.Join(args, " "))
	read, write := io.Pipe()
	c.guard = newGuard(c.name, hint, bound, write, c.tells, c.secrets.Replace, func(err error) { c.stop(err) })
	c.conn = sdk.NewConnection(c.handle, c.in, read)
	c.conn.SetLogger(slog.New(slog.DiscardHandler))
	go func() { // where the connection takes no more, nobody waits for it
		<-c.conn.Done()
		read.Close()
	}()
	var life context.Context
	life, c.kill = context.WithCancelCause(context.WithoutCancel(ctx))
	command := gate.Command{Args: args, Dir: w.Dir, Env: e.Env, Private: w.Home, Stdin: c.in, Stdout: c.guard}
	go func() {
		defer close(c.ended)
		shown := c.secrets.Veil(io.MultiWriter(&c.stderr, c.tells)) // before anything of it is cut off
		c.result, c.runErr = process.RunLive(life, w.Runner, command, io.MultiWriter((*sign)(c.guard), shown))
		shown.Flush()
		c.in.close()
	}()
	go c.watch()
	return c
}

// A sign takes whatever is written for a sign of life.
type sign guard

func (s *sign) Write(p []byte) (int, error) {
	(*guard)(s).alive()
	return len(p), nil
}

// A tail keeps the end of what is written.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailLimit = 1 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-tailLimit):]...)
	t.text = append(t.text[:0], t.text[max(0, len(t.text)-tailLimit):]...)
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.text), ""))
}

// watch stops an agent that shows no sign of life.
func (c *conversation) watch() {
	limit := cmp.Or(c.e.Silence, DefaultSilence)
	if limit < 0 {
		return
	}
	for {
		left := limit - time.Since(time.Unix(0, c.guard.last.Load()))
		if left <= 0 {
			_, doing, _ := c.tells.last()
			c.stop(&SilenceError{Agent: c.name, For: limit, Doing: doing})
			return
		}
		select {
		case <-time.After(left):
		case <-c.ctx.Done():
			return
		case <-c.ended:
			return
		}
	}
}

// end ends the agent, at once or once it had time to leave by itself, and waits
// for the end of all that it started, and of all that it told.
func (c *conversation) end(atOnce bool) {
	c.in.close()
	if !atOnce {
		leave := time.NewTimer(c.bound.leave)
		defer leave.Stop()
		select {
		case <-c.ended:
		case <-leave.C:
		case <-c.ctx.Done():
		}
	}
	c.kill(errOver)
	<-c.ended
	c.guard.end()
	c.guard.close()
	<-c.conn.Done()
	c.guard.drained()
	c.tells.close()
	c.stop(errOver)
}
