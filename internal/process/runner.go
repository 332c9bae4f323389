package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process/environ"
	"github.com/planlock/planlock/internal/process/output"
	"github.com/planlock/planlock/internal/process/view"
)

// DefaultGrace is how long a tree of processes has between the request to end
// and its end by force.
const DefaultGrace = 2 * time.Second

// endTime bounds the wait for a tree that was ended by force, and againTime is
// how often it is ended again meanwhile.
const (
	endTime   = 10 * time.Second
	againTime = 50 * time.Millisecond
)

// drainTime bounds the wait for output after every process that could be
// reached has ended.
const drainTime = time.Second

// A Runner runs commands that do not outlive the call. It implements
// [gate.CommandRunner]. The zero value runs in the current folder, with the
// environment of environ.For, confined as far as the machine can. Calls may
// be concurrent; the fields must not change meanwhile.
type Runner struct {
	// where commands run, and what a relative Command.Dir is relative to; "":
	// the current folder
	Dir string
	// what runs shell commands where the system has no sh: a program, and the
	// arguments before the text; see environ.Shell
	Shell       []string
	Env         []string      // the complete NAME=value list of the child; nil: environ.For(nil)
	Sandbox     Sandbox       // the zero value: as much as the machine can, see [Sandbox]
	Grace       time.Duration // from the polite signal to the end by force; 0: [DefaultGrace]
	OutputLimit int64         // bytes kept of each of Output and Stdout; 0: output.DefaultLimit
}

// Run runs a command and everything it starts, and returns when all of it has
// ended.
//
// A command that fails is not an error: its status is in Exit, and 128 plus the
// signal's number if a signal ended it. The error is for a command that could
// not be started, and wraps context.Cause(ctx) where ctx ended first: then the
// whole tree was ended, and the result holds the output so far; unless the error
// wraps [ErrNotEnded] too, which some tens of seconds later says that something
// keeps it from ending. It is a *[LimitError]
// where the command failed for want of memory, processor time or disk; then the
// result is that of the command. If writing to c.Stdout fails, the command goes on, and the failure
// is returned at its end.
//
// Where a variable of the child is a secret by its name (output.Secret) and its
// value has eight bytes or more, all that is kept or passed on of the output
// shows [NAME] in place of the value. What a command writes in another
// spelling, or into a file, is not looked through.
func (r *Runner) Run(ctx context.Context, c gate.Command) (gate.CommandResult, error) {
	return r.RunLive(ctx, c, nil)
}

// RunLive is Run with a writer that gets standard error as it comes, whole. It
// may be the same as c.Stdout: there is one write at a time to the two.
func (r *Runner) RunLive(ctx context.Context, c gate.Command, stderr io.Writer) (gate.CommandResult, error) {
	if ctx.Err() != nil {
		return gate.CommandResult{Exit: -1}, fmt.Errorf("process: not started: %w", context.Cause(ctx))
	}
	cmd, err := r.command(c)
	if err != nil {
		return gate.CommandResult{Exit: -1}, err
	}
	box, err := r.Sandbox.resolve(cmd.Dir)
	if err != nil {
		return gate.CommandResult{Exit: -1}, err
	}
	in, err := openInput(c.Stdin)
	if err != nil {
		return gate.CommandResult{Exit: -1}, err
	}
	defer in.close()
	if in.file != nil {
		cmd.Stdin = in.file
	}
	streams, err := output.Open(r.OutputLimit, c.Stdout, stderr, cmd.Env)
	if err != nil {
		return gate.CommandResult{Exit: -1}, err
	}
	streams.Attach(cmd)
	if box.View != nil {
		cmd.Dir = "/" // until there is the view, in which its folder may be another one
	}

	begin := time.Now()
	// The watch runs from the moment there is a tree until it has ended, so
	// that the context cannot end unseen in between.
	watch := newWatch(ctx, r.grace())
	launched := make(chan error, 1)
	go func() {
		launched <- launch(cmd, box, func(t tree) {
			streams.Started()
			in.started()
			watch.began = true
			go watch.run(t)
		})
	}()
	select {
	case err = <-launched:
	case <-watch.lost: // whoever waits for it goes on waiting
		result := gate.CommandResult{Exit: -1, Took: time.Since(begin)}
		streams.Drain(0)
		result.Output, result.Stdout = streams.Texts()
		return result, fmt.Errorf("process: %q: %w: %w", name(c), ErrNotEnded, context.Cause(ctx))
	}
	ended := watch.stop()
	// Whatever could be ended has ended. A pipe that is still open belongs to
	// something that could not be found, and is not waited for longer than a
	// moment.
	late := streams.Drain(drainTime)
	result := gate.CommandResult{Exit: -1, Took: time.Since(begin)}
	result.Output, result.Stdout = streams.Texts()
	if cmd.ProcessState != nil {
		result.Exit = exitStatus(cmd.ProcessState)
	}
	var over *LimitError
	switch {
	case err == nil:
		if over = box.exhausted(cmd.ProcessState, result.Exit); over == nil && result.Exit != 0 {
			over = box.refused(result.Output)
		}
		if over != nil && !ended {
			over.Command = name(c)
			return result, over
		}
	case errors.As(err, &over) && cmd.ProcessState != nil:
		if over.Command = name(c); result.Exit != 0 && !ended {
			return result, over
		}
	case cmd.ProcessState == nil:
		return result, fmt.Errorf("process: start %q: %w", cmd.Args[0], err)
	default: // it ran, and could not be ended or awaited
		result.Exit = -1
		return result, fmt.Errorf("process: %q: %w", cmd.Args[0], err)
	}
	if ended {
		return result, fmt.Errorf("process: %q was ended: %w", name(c), context.Cause(ctx))
	}
	return result, late
}

// ErrNotEnded says of a command whose context ended that it could not be ended,
// even by force: something may go on.
var ErrNotEnded = errors.New("it was to be ended, and something keeps it from ending; look for its processes")

// grace is the time between asking and ending by force.
func (r *Runner) grace() time.Duration {
	if r.Grace > 0 {
		return r.Grace
	}
	return DefaultGrace
}

// name is what a message calls the command.
func name(c gate.Command) string {
	text := c.Run
	if text == "" {
		text = strings.Join(c.Args, " ")
	}
	if len(text) > 80 {
		text = strings.ToValidUTF8(text[:80], "") + "…"
	}
	return text
}

// command prepares c, and finds its program in the environment that it will
// have.
func (r *Runner) command(c gate.Command) (*osexec.Cmd, error) {
	if (c.Run == "") == (len(c.Args) == 0) {
		return nil, errors.New("process: a command needs either a shell command or a program with arguments")
	}
	dir, err := r.dir(c.Dir)
	if err != nil {
		return nil, err
	}
	viewed := func(path string) bool { return r.Sandbox.View != nil && view.Within(r.Sandbox.View.At, path) }
	if err := folder(dir); err != nil && !viewed(dir) {
		return nil, err
	}
	env := r.Env
	if env == nil {
		env = environ.For(nil)
	}
	env = environ.Merge(env, c.Env)
	if n := r.Sandbox.Graphics; n != nil {
		env = withGraphics(env, *n)
	}
	args := c.Args
	if c.Run != "" {
		if args, err = environ.Shell(env, r.Shell, c.Run); err != nil {
			return nil, err
		}
	}
	for _, text := range append(args[:len(args):len(args)], env...) {
		if strings.ContainsRune(text, 0) {
			return nil, fmt.Errorf("process: %q holds a NUL, which no program can receive", text)
		}
	}
	path := args[0]
	if filepath.Base(path) != path && !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if !viewed(path) {
		if path, err = environ.Look(args[0], dir, env); err != nil {
			return nil, err
		}
	}
	cmd := &osexec.Cmd{Path: path, Args: args, Dir: dir, Env: env}
	return cmd, nil
}

// dir is the absolute folder of a command.
func (r *Runner) dir(sub string) (string, error) {
	dir := r.Dir
	switch {
	case filepath.IsAbs(sub):
		dir = sub
	case sub != "":
		dir = filepath.Join(r.Dir, sub)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("process: folder %q: %w", sub, err)
	}
	return dir, nil
}

// folder says why a command cannot run in dir, or nothing.
func folder(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("process: folder of the command: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("process: folder of the command: %q is not a folder", dir)
	}
	return nil
}

// A tree is a started command with everything that it started.
// Both methods may be called at any time until launch returns, and after.
type tree interface {
	terminate() // asks all of it to end
	kill()      // ends all of it by force
}

// A watch ends a tree when its context ends.
type watch struct {
	ctx   context.Context
	grace time.Duration
	ended chan struct{} // closed: the tree has ended
	lost  chan struct{} // closed: the tree cannot be ended
	done  chan struct{} // closed: run has returned
	began bool
	acted bool
}

func newWatch(ctx context.Context, grace time.Duration) *watch {
	return &watch{ctx: ctx, grace: grace, ended: make(chan struct{}), lost: make(chan struct{}),
		done: make(chan struct{})}
}

// run waits for the end of the tree or of its context, and ends the tree in the
// second case: politely, and by force after the grace, until it has ended or
// that is lost.
func (w *watch) run(t tree) {
	defer close(w.done)
	select {
	case <-w.ended:
		return
	case <-w.ctx.Done():
	}
	w.acted = true
	t.terminate()
	force := time.NewTimer(w.grace)
	defer force.Stop()
	select {
	case <-w.ended:
		return
	case <-force.C:
	}
	limit := time.NewTimer(endTime)
	defer limit.Stop()
	again := time.NewTicker(againTime)
	defer again.Stop()
	for {
		t.kill()
		select {
		case <-w.ended:
			return
		case <-again.C:
		case <-limit.C:
			close(w.lost)
			return
		}
	}
}

// stop ends the watch and reports whether it ended the tree.
func (w *watch) stop() bool {
	close(w.ended)
	if !w.began {
		return false
	}
	<-w.done
	return w.acted
}
