package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/internal/process/output"
)

// A repository is a work tree as the program git sees it.
type repository struct {
	dir   string
	index string // "": that of the work tree
	env   []string
	// while a commit is made: the configuration, and the folder of the hooks
	config  settings
	hooks   string
	patient time.Duration // with hooks
	in      []byte
}

// quiet are settings that have git start nothing beside what it is asked for.
var quiet = []string{"-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false", "-c", "core.splitIndex=false",
	"-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "core.quotePath=false", "-c", "advice.ignoredHook=false"}

// patience is how long what a command of git started may hold its output open
// once it has ended.
const patience = 5 * time.Second

// most is how much is told of what a call printed that failed: mostly the end of
// it.
const most = 1 << 10

// HookLimit is how long a hook may take where a [Committer] says nothing else.
const HookLimit = 10 * time.Minute

// command is one call of git. Of the environment it has nothing that would lead
// it elsewhere, and who writes and commits.
func (r repository) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", slices.Concat(quiet, args)...)
	cmd.Dir, cmd.WaitDelay = r.dir, patience
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "GIT_") && !strings.HasPrefix(v, "GIT_AUTHOR_") && !strings.HasPrefix(v, "GIT_COMMITTER_")
	}),
		"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_EDITOR=:", "LC_ALL=C")
	if r.index != "" {
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+r.index)
	}
	cmd.Env = append(cmd.Env, r.env...)
	cmd.Stdin = bytes.NewReader(r.in)
	return cmd
}

// git is what a call of git prints.
func (r repository) git(ctx context.Context, args ...string) (string, error) {
	return call(r.command(ctx, args...), args[0])
}

// hooked is git for a call that runs a hook, and is ended, with all that it
// started, when that takes too long.
func (r repository) hooked(ctx context.Context, args ...string) (string, error) {
	late := fmt.Errorf("it took longer than %v, and was ended", r.patient)
	ctx, stop := context.WithTimeoutCause(ctx, r.patient, late)
	defer stop()
	cmd := r.command(ctx, args...)
	end := grouped(cmd)
	out, err := call(cmd, args[0])
	if failed := (*callError)(nil); ctx.Err() != nil && errors.As(err, &failed) {
		end()
		failed.err = context.Cause(ctx)
	}
	if errors.Is(err, exec.ErrWaitDelay) { // it agreed, and left something running
		err = nil
	}
	return out, err
}

// call runs a command of git. What is told of one that failed is bounded, and
// has no values of variables that are secret by their names.
func call(cmd *exec.Cmd, name string) (string, error) {
	var out bytes.Buffer
	said := output.NewTail(most)
	veil := output.SecretsOf(cmd.Env).Veil(said)
	cmd.Stdout, cmd.Stderr = &out, veil
	err := cmd.Run()
	if err == nil {
		return out.String(), nil
	}
	_, _ = veil.Write(out.Bytes()) // none of these writes fails
	_ = veil.Flush()
	return out.String(), &callError{name: name, said: strings.TrimSpace(strings.ToValidUTF8(said.String(), "")), err: err}
}

// line is the one line that a call prints.
func (r repository) line(ctx context.Context, args ...string) (string, error) {
	out, err := r.git(ctx, args...)
	return strings.TrimSuffix(out, "\n"), err
}

// given is the repository with something on standard input.
func (r repository) given(in []byte) repository {
	r.in = in
	return r
}

// A callError is a call of git that failed.
type callError struct {
	name string // of the command
	said string
	err  error
}

func (e *callError) Error() string {
	text := fmt.Sprintf("git %s: %v", e.name, e.err)
	if e.said != "" {
		text += ": " + e.said
	}
	return text
}

func (e *callError) Unwrap() error { return e.err }

// status is the exit status of a call that failed by itself; -1 if it did not.
func status(err error) int {
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return failed.ExitCode()
	}
	return -1
}

// unlock is what to do about a lock.
func unlock(path string) string {
	return fmt.Sprintf("if no git is running in the repository, one that was killed left it: remove %s", path)
}

// fields are the parts of what "git -z" prints.
func fields(text string) []string {
	if text = strings.TrimSuffix(text, "\x00"); text == "" {
		return nil
	}
	return strings.Split(text, "\x00")
}
