package process

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	osexec "os/exec"
	"syscall"
	"unsafe"

	"github.com/planlock/planlock/internal/process/environ"
	"github.com/planlock/planlock/internal/process/tracee"
)

// launch starts cmd as box says, hands its tree to started, waits until cmd has
// ended, and ends what it left behind.
//
// All of it happens on one thread: the thread's own restrictions are what the
// child inherits, it alone may hold the child, and the signal that ends the
// child when this process dies follows the thread that forked it, which
// therefore waits.
func launch(cmd *osexec.Cmd, box confinement, started func(tree)) error {
	groups, err := box.controlGroup()
	if err != nil {
		return err
	}
	result := make(chan error, 1)
	onThread(func() (spoiled bool) {
		spoiled, err := restrict(box)
		if err == nil {
			err = carry(cmd, box, groups, started)
		}
		result <- err
		return spoiled
	})
	return errors.Join(<-result, groups.end())
}

// carry starts and awaits cmd on the present thread.
func carry(cmd *osexec.Cmd, box confinement, groups *controlGroup, started func(tree)) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	t := &everything{}
	isolate(cmd.SysProcAttr, box)
	if box.reached.Tree == groupTree {
		t.cookie = environ.Cookie + "=" + rand.Text()
		cmd.Env = append(cmd.Env, t.cookie)
	}
	args := wrap(cmd.Args, box)
	if len(args) > len(cmd.Args) {
		args[len(args)-len(cmd.Args)] = cmd.Path
		cmd.Path, cmd.Args = args[0], args
	}
	program := cmd.Path
	if box.reached.tethered {
		cmd.Path = tether(program)
	}
	if err := begin(cmd, box, groups); err != nil {
		var about *fs.PathError
		if errors.As(err, &about) && about.Path == cmd.Path {
			about.Path = program // the other one holds numbers
		}
		return err
	}
	t.pid = cmd.Process.Pid
	started(t)
	await(t.pid)
	left := t.finish()
	if err := cmd.Wait(); cmd.ProcessState == nil {
		return err // the status says whether it failed; other errors are about a Stdin that nobody read
	}
	return left
}

// rulesFile is where a staged child finds the ruleset of Landlock.
const rulesFile = 3

// firstMount is where it finds the first of the mounts that were made aside.
func (c confinement) firstMount() uintptr {
	if c.reached.staged && c.confines() {
		return rulesFile + 1
	}
	return rulesFile
}

// mounted are the copies that were mounted aside, if the child gets mounts.
func (c confinement) mounted() (files []*os.File) {
	if c.Own == nil || !c.reached.Mounts {
		return nil
	}
	for _, each := range c.Own.Copies {
		if each.Mounted != nil {
			files = append(files, each.Mounted)
		}
	}
	return files
}

// begin starts cmd. Where something is to be done with the child before its
// program runs, it is held at its first instruction for that.
func begin(cmd *osexec.Cmd, box confinement, groups *controlGroup) error {
	if !box.stages() && groups == nil {
		return cmd.Start()
	}
	if box.reached.staged && box.confines() {
		rules, err := box.ruleset()
		if err != nil {
			return err
		}
		file := os.NewFile(uintptr(rules.fd), "ruleset")
		defer file.Close()
		cmd.ExtraFiles = []*os.File{file}
	}
	cmd.ExtraFiles = append(cmd.ExtraFiles, box.mounted()...)
	cmd.SysProcAttr.Ptrace = true
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := prepare(cmd, box, groups); err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		cmd.ProcessState = nil // the command itself never ran
		return fmt.Errorf("prepare the command: %w", err)
	}
	return nil
}

// prepare does what is to be done while the child is held.
func prepare(cmd *osexec.Cmd, box confinement, groups *controlGroup) error {
	s, err := tracee.Hold(cmd.Process.Pid)
	if err == nil {
		err = groups.join(cmd.Process.Pid)
	}
	if err == nil && box.stages() {
		err = box.stage(s, box.dir)
	}
	if err == nil {
		err = s.Release()
	}
	return err
}

// await waits until pid has ended and leaves it to be reaped, so that its
// number still belongs to it.
func await(pid int) {
	const byPID = 1
	var info [128]byte // siginfo_t
	for {
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, byPID, uintptr(pid), uintptr(unsafe.Pointer(&info)),
			syscall.WEXITED|syscall.WNOWAIT, 0, 0)
		if errno != syscall.EINTR {
			return // on any other error the reaping wait blocks instead
		}
	}
}

// everything is a process group and what left it: in a PID namespace that is
// all, else what carries the cookie.
type everything struct {
	group
	cookie string // "": a PID namespace holds the tree
}

// kill ends all of it that can be found.
func (e *everything) kill() {
	e.group.kill()
	if e.cookie != "" {
		sweep(e.cookie)
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.gone { // else its number may be another's
		endHolders(e.pid)
	}
}

// finish ends what the command left behind, while its group's number is still
// its own.
func (e *everything) finish() error {
	e.group.finish()
	if e.cookie == "" {
		return nil
	}
	if left := sweep(e.cookie); left > 0 {
		return fmt.Errorf("%d processes that it started could not be ended", left)
	}
	return nil
}

// tether names a program by way of the present thread, so that only a child of
// a living thread finds it.
//
// A child asks to be ended with the thread that forked it
// ([syscall.SysProcAttr.Pdeathsig]) some time after it was forked. Where the
// controller was killed before that, an ordinary child sees that it has another
// parent, and ends itself. The first process of a PID namespace cannot: it
// never sees a parent, and its signals to itself are void. It would go on, or,
// where it is to be held, stand still for ever, because it is then held by the
// process that inherited it, which knows nothing of it.
//
// Such a child looks for its program after it has asked. A dying thread first
// gives up its namespaces, and with them the folder of its network in /proc,
// and then sends the signals that its children asked for: a child that finds
// its program on this way gets the signal, and one that asked too late finds
// nothing to run. "" is where there is no such way.
func tether(program string) string {
	thread, err := os.Readlink("/proc/thread-self") // as this /proc counts: process/task/thread
	if err != nil {
		return ""
	}
	return "/proc/" + thread + "/net/stat/../../../../../.." + program
}
