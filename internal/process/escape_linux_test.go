//go:build linux && (amd64 || arm64)

package process_test

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
)

// An escape is something that a command may try, and that ends with 0 where it
// was possible.
type escape struct {
	name string
	run  string // a shell command, or "" for the attempt of this name
	free possible
	from process.Level // the level from which on it is held; "": filesystem
	by   means         // what holds it, where that is not Landlock or the process tree
}

// possible says who can do it where nothing is confined. A row that nobody is
// made to try proves less: it would change the machine.
type possible int

const (
	everybody possible = iota
	onlyRoot
	untried // not known, or not to be done
)

// means are abilities that a machine may lack.
type means int

const (
	landlock means = iota
	mounts
	filter
)

const strict = process.Strict

var escapes = []escape{
	// files outside
	{name: "absolute path", run: "echo x >$OUT/new"},
	{name: "dot dot", run: "echo x >../../../../../../../../..$OUT/new"},
	{name: "append", run: "echo x >>$OUT/old"},
	{name: "symbolic link to a folder", run: "ln -s $OUT link && echo x >link/new"},
	{name: "symbolic link to a file", run: "ln -s $OUT/old link && echo x >link"},
	{name: "chain of symbolic links", run: "ln -s $OUT a && ln -s a b && ln -s b/old c && echo x >c"},
	{name: "hard link to a file outside", run: "ln $OUT/old link && echo x >link"},
	{name: "move a file out", run: "echo x >f && mv f $OUT/new"},
	{name: "move a file in", run: "mv $OUT/old here"},
	{name: "move a folder in", run: "mv $OUT/folder here"},
	{name: "rename over a file outside", run: "echo x >f && mv -f f $OUT/old"},
	{name: "exchange"},
	{name: "unnamed file"},
	{name: "remove", run: "rm -f $OUT/old"},
	{name: "remove a folder", run: "rmdir $OUT/folder"},
	{name: "make a folder", run: "mkdir $OUT/new"},
	{name: "make a link", run: "ln -s x $OUT/new"},
	{name: "make a pipe", run: "mkfifo $OUT/new"},
	{name: "truncate", run: "truncate -s 0 $OUT/old"},
	{name: "working folder outside", run: "cd $OUT && echo x >new"},
	{name: "sibling of the workspace", run: "echo x >../sibling-of-the-workspace", from: process.Filesystem},
	{name: "move the workspace away", run: "mv \"$PWD\" \"$PWD-moved\"", free: untried},
	{name: "user database", run: "true >>/etc/passwd", free: onlyRoot},
	{name: "preloaded library", run: "true >>/etc/ld.so.preload", free: untried},
	{name: "kernel setting", run: "cat /proc/sys/kernel/panic >/proc/sys/kernel/panic", free: onlyRoot},
	{name: "core pattern", run: "cat /proc/sys/kernel/core_pattern >/proc/sys/kernel/core_pattern", free: onlyRoot},
	{name: "system request", run: "true >/proc/sysrq-trigger", free: untried},
	{name: "device setting", run: "true >>/sys/power/state", free: untried},

	// what is known about files
	{name: "mode", run: "chmod 600 $OUT/old", by: mounts},
	{name: "fchmod by a descriptor", by: mounts},
	{name: "owner", run: "chown 12345:12345 $OUT/old", free: onlyRoot, by: mounts},
	{name: "times", run: "touch -d 2001-02-03 $OUT/old", by: mounts},
	{name: "setxattr", by: mounts},
	{name: "file flags", by: mounts},
	{name: "setuid bit", run: "chmod u+s $OUT/old", by: mounts},

	// the repository and the controller's own, inside the workspace
	{name: "write .git", run: "echo x >.git/HEAD", by: mounts},
	{name: "plant a hook", run: "echo x >.git/hooks-pre-commit", by: mounts},
	{name: "mode in .git", run: "chmod 755 .git/HEAD", by: mounts},
	{name: "move .git", run: "mv .git elsewhere", by: mounts},
	{name: "remove .git", run: "rm -rf .git", by: mounts},
	{name: "write .planlock", run: "echo x >>.planlock/journal", by: mounts},
	{name: "remove .planlock", run: "rm -rf .planlock", by: mounts},
	{name: "link to .planlock", run: "ln .planlock/journal link && echo x >>link", by: mounts},
	{name: "write .git by another name", run: "ln -s .git g && echo x >g/HEAD", by: mounts},

	// other processes
	{name: "/proc/self/root", run: "echo x >/proc/self/root$OUT/new"},
	{name: "/proc/self/cwd", run: "cd $OUT && echo x >/proc/self/cwd/new"},
	{name: "root of another process", run: "echo x >/proc/$VICTIM/root$OUT/new"},
	{name: "folder of another process", run: "echo x >/proc/$VICTIM/cwd/new"},
	{name: "file of another process", run: "echo x >/proc/$VICTIM/fd/3"},
	{name: "environment of another process", run: "grep -q SECRET=hidden /proc/$VICTIM/environ"},
	{name: "arguments of another process", run: "grep -q . /proc/$VICTIM/cmdline", by: mounts},
	{name: "oom score of another process", run: "echo 900 >/proc/$VICTIM/oom_score_adj"},
	{name: "memory map of another process", run: "grep -q . /proc/$VICTIM/maps"},
	{name: "victim's memory, read"},
	{name: "victim's memory, write"},
	{name: "victim's memory file"},
	{name: "ptrace"},
	{name: "pidfd"},
	{name: "descriptor of another"},
	{name: "kcmp"},
	{name: "signal"},
	{name: "signal by the shell", run: "kill -KILL $VICTIM"},
	{name: "signal to the controller", run: "kill -0 $CONTROLLER"},
	{name: "stop the controller", run: "kill -STOP $CONTROLLER", free: untried},
	{name: "signal to everybody", run: "trap '' TERM; kill -TERM -1; kill -0 $VICTIM", free: untried},
	{name: "signal to the group of the controller", run: "kill -KILL -$CONTROLLER", free: untried},
	{name: "priority of another"},
	{name: "limits of another"},

	// sockets and the network
	{name: "unix socket", by: mounts},
	{name: "abstract socket", from: strict},
	{name: "tcp", from: strict},
	{name: "udp", from: strict},
	{name: "devices of the network", free: untried, from: strict},
	{name: "raw socket", free: onlyRoot, by: mounts},
	{name: "packet socket", free: onlyRoot, by: mounts},
	{name: "vsock", free: untried, by: filter},
	{name: "kernel crypto", free: untried, by: filter},
	{name: "firewall", free: onlyRoot, by: mounts},

	// privileges and the kernel
	{name: "no new privileges"},
	{name: "capabilities", free: onlyRoot, by: mounts},
	{name: "character device", free: onlyRoot},
	{name: "block device", free: onlyRoot},
	{name: "/dev/mem", free: untried},
	{name: "/dev/kmsg", free: onlyRoot},
	{name: "write a disk", free: onlyRoot},
	{name: "read a disk", free: onlyRoot, from: strict},
	{name: "mount", free: onlyRoot},
	{name: "bind mount", free: onlyRoot},
	{name: "remount", free: untried},
	{name: "unmount", free: untried},
	{name: "mount_setattr", free: untried, by: filter},
	{name: "open_tree", free: onlyRoot, by: filter},
	{name: "fsopen", free: onlyRoot, by: filter},
	{name: "pivot_root", free: untried},
	{name: "chroot", free: onlyRoot, by: filter},
	{name: "unshare user", by: filter},
	{name: "unshare mount", free: onlyRoot, by: filter},
	{name: "clone mount", free: onlyRoot, by: filter},
	{name: "clone3", free: untried, by: filter},
	{name: "setns", free: onlyRoot},
	{name: "keyctl", by: filter, free: untried},
	{name: "add_key", by: filter, free: untried},
	{name: "bpf", free: untried, by: filter},
	{name: "perf", free: untried, by: filter},
	{name: "io_uring", by: filter, free: untried},
	{name: "userfaultfd", by: filter, free: untried},
	{name: "module", free: untried, by: filter},
	{name: "kexec", free: untried, by: filter},
	{name: "reboot", free: untried, by: filter},
	{name: "clock", free: untried, by: filter},
	{name: "swap", free: untried, by: filter},
	{name: "accounting", free: untried, by: filter},
	{name: "kernel log", free: untried, by: filter},
	{name: "host name", free: onlyRoot, by: filter},
	{name: "handle", free: onlyRoot, by: filter},
	{name: "personality", by: filter},
	{name: "type into a terminal", free: untried, by: filter},
	{name: "other calling convention", free: untried, by: filter},
	{name: "32-bit program", free: foreign, by: filter},
	{name: "32-bit socketcall", free: foreign, by: filter},
	{name: "32-bit call", free: foreign, by: filter},
	{name: "socketcall of 64 bits", free: foreign, by: filter},

	// what is left lying about, and limits
	{name: "descriptors left open", free: untried},
	{name: "shared memory of another", run: "cat $SHM", by: mounts},
	{name: "shared memory, write", run: "test -e $SHM && echo x >>$SHM", by: mounts},
	{name: "message queue", by: mounts},
	{name: "control groups", free: onlyRoot},
	{name: "cores", free: untried},
	{name: "more processor time", free: untried, by: mounts},
	{name: "more priority", free: onlyRoot, by: mounts},
	{name: "real time", free: onlyRoot, by: mounts},
	{name: "smaller oom score", run: "echo -500 >/proc/self/oom_score_adj", free: untried},
	{name: "read a person's files", run: "cat $PRIVATE", from: strict},
	{name: "list a person's files", run: "ls $(dirname $PRIVATE)", from: strict},

	// a key
	{name: "read a key", run: "cat $KEYS/key", by: mounts},
	{name: "read a key in a file by itself", run: "grep -q . $KEYFILE", by: mounts},
	{name: "list keys", run: "ls $KEYS | grep -q .", by: mounts},
	{name: "read a key by a link", run: "ln -s $KEYS k && cat k/key", by: mounts},
	{name: "read a key by /proc", run: "cat /proc/self/root$KEYS/key", by: mounts},
	{name: "read a key from its folder", run: "cd $KEYS/.. && cat keys/key", by: mounts},
	{name: "uncover a key", run: "umount -l $KEYS; cat $KEYS/key", by: mounts},
	{name: "move the cover of a key", run: "mv $KEYS $KEYS.moved; cat $KEYS.moved/key $KEYS/key", free: untried, by: mounts},
	{name: "write a key", run: "echo x >$KEYS/key"},
}

// TestEscapes tries everything at level none, to see that the attempt is a real
// one, and at the levels that hold it.
func TestEscapes(t *testing.T) {
	names := make(map[string]bool)
	for _, e := range escapes {
		if names[e.name] {
			t.Errorf("%s is there twice", e.name)
		}
		names[e.name] = true
	}
	if len(escapes) < 60 {
		t.Errorf("only %d attempts", len(escapes))
	}
	for _, level := range []process.Level{process.None, process.Filesystem, strict} {
		t.Run(string(level), func(t *testing.T) {
			reached, err := process.Reach(process.Sandbox{Level: level})
			if err != nil {
				t.Skip(err)
			}
			for i, e := range escapes {
				if testing.Short() && i%8 != 0 {
					continue
				}
				t.Run(e.name, func(t *testing.T) { try(t, e, level, reached) })
			}
		})
	}
}

func try(t *testing.T, e escape, level process.Level, reached process.Reached) {
	switch {
	case level == process.None && (e.free == untried || e.free == onlyRoot && os.Geteuid() != 0):
		t.Skip("not to be done where nothing holds it")
	case level == process.Filesystem && e.from == strict:
		t.Skip("possible at this level")
	case level != process.None && (e.by == mounts && !reached.Mounts || e.by == filter && !reached.Filter):
		t.Skip("not held on this machine:", reached.Reasons)
	}
	p := newPrey(t)
	before := p.look(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := gate.Command{Run: e.run, Env: p.env}
	if e.run == "" {
		// Under the race detector a program would wait for a second before it
		// ends.
		c.Args, c.Env = []string{self}, append(c.Env, asAttempt+"="+e.name, "GORACE=atexit_sleep_ms=0")
	}
	r := &process.Runner{Dir: p.workspace, Sandbox: process.Sandbox{Level: level, Writable: []string{},
		Hidden: p.hidden, CPU: 100 * time.Second}}
	result, err := r.Run(t.Context(), c)
	if err != nil || result.Exit == 99 || strings.Contains(result.Output, "not found") ||
		strings.Contains(result.Output, "goroutine ") {
		t.Fatalf("not tried: %v, %+v", err, result)
	}
	if result.Exit == 98 {
		t.Skip(result.Output)
	}
	if level == process.None {
		if result.Exit != 0 {
			t.Errorf("not even free commands can do it: %+v", result)
		}
		return
	}
	if result.Exit == 0 {
		t.Errorf("it was possible: %s", result.Output)
	}
	t.Logf("exit %d: %s", result.Exit, strings.TrimSpace(result.Output))
	if diff := cmp.Diff(before, p.look(t)); diff != "" {
		t.Errorf("something has changed (-before +after):\n%s", diff)
	}
	if err := p.process.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the other process: %v", err)
	}
}

// prey is what attempts are after.
type prey struct {
	workspace, outside string
	process            *osexec.Cmd
	env                []string
	hidden             []string
}

func newPrey(t *testing.T) *prey {
	t.Helper()
	p := &prey{workspace: filepath.Join(t.TempDir(), "workspace"), outside: t.TempDir()}
	write(t, filepath.Join(p.outside, "old"), "old")
	if err := os.Mkdir(filepath.Join(p.outside, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".git/HEAD", ".planlock/journal"} {
		write(t, filepath.Join(p.workspace, name), "old")
	}
	p.env = []string{"OUT=" + p.outside, fmt.Sprint("CONTROLLER=", os.Getpid())}
	keys := t.TempDir()
	write(t, filepath.Join(keys, "keys", "key"), "key")
	write(t, filepath.Join(keys, "keyfile"), "key")
	p.hidden = []string{filepath.Join(keys, "keys"), filepath.Join(keys, "keyfile"), filepath.Join(keys, "no keys")}
	p.env = append(p.env, "KEYS="+p.hidden[0], "KEYFILE="+p.hidden[1])
	p.startVictim(t)
	p.openSockets(t)
	p.leaveThings(t)
	return p
}

// look is the state of what must not change.
func (p *prey) look(t *testing.T) map[string]string {
	t.Helper()
	state := make(map[string]string)
	for _, root := range []string{p.outside, filepath.Join(p.workspace, ".git"),
		filepath.Join(p.workspace, ".planlock")} {
		err := filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
			if err != nil {
				return err
			}
			var content []byte
			if info.Mode().IsRegular() {
				content, _ = os.ReadFile(path)
			}
			xattrs := make([]byte, 1024)
			n, _ := syscall.Listxattr(path, xattrs)
			own := info.Sys().(*syscall.Stat_t)
			state[path] = fmt.Sprintf("%v %d:%d %v %q %q", info.Mode(), own.Uid, own.Gid, info.ModTime(), content,
				xattrs[:max(n, 0)])
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	return state
}

// startVictim starts a process of the same user.
func (p *prey) startVictim(t *testing.T) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(filepath.Join(p.outside, "old"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p.process = osexec.Command(self)
	p.process.Dir, p.process.ExtraFiles = p.outside, []*os.File{file}
	p.process.Env = append(os.Environ(), asVictim+"=1", "SECRET=hidden")
	p.process.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	output, err := p.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.process.Process.Kill()
		p.process.Wait()
	})
	at, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	p.env = append(p.env, fmt.Sprint("VICTIM=", p.process.Process.Pid), "VICTIM_AT="+strings.TrimSpace(at))
}

// openSockets listens on everything that a command should not reach without a
// network.
func (p *prey) openSockets(t *testing.T) {
	t.Helper()
	short, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(short) })
	abstract := "planlock-" + rand.Text()
	for name, address := range map[string][2]string{
		"SOCKET": {"unix", filepath.Join(short, "s")}, "ABSTRACT": {"unix", "@" + abstract}, "TCP": {"tcp", "127.0.0.1:0"},
	} {
		listener, err := net.Listen(address[0], address[1])
		if err != nil {
			t.Skip(err)
		}
		t.Cleanup(func() { listener.Close() })
		p.env = append(p.env, name+"="+strings.TrimPrefix(listener.Addr().String(), "@"))
	}
	answering, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { answering.Close() })
	go func() {
		for b := make([]byte, 8); ; {
			n, from, err := answering.ReadFrom(b)
			if err != nil {
				return
			}
			answering.WriteTo(b[:n], from)
		}
	}()
	p.env = append(p.env, "UDP="+answering.LocalAddr().String())
}

// leaveThings leaves shared memory, a message queue and a person's file about.
func (p *prey) leaveThings(t *testing.T) {
	t.Helper()
	shm, err := os.CreateTemp("/dev/shm", "planlock-test-")
	if err != nil {
		t.Skip(err)
	}
	shm.Close()
	t.Cleanup(func() { os.Remove(shm.Name()) })
	key := 0x10000000 + os.Getpid()
	queue, _, errno := syscall.Syscall(syscall.SYS_MSGGET, uintptr(key), 0o1600, 0)
	if errno != 0 {
		t.Skip(errno)
	}
	t.Cleanup(func() { syscall.Syscall(syscall.SYS_MSGCTL, queue, 0, 0) })
	home, err := os.UserHomeDir()
	if err != nil {
		t.Skip(err)
	}
	folder, err := os.MkdirTemp(home, "planlock-test-")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	write(t, filepath.Join(folder, "secret"), "hidden")
	p.env = append(p.env, "SHM="+shm.Name(), fmt.Sprint("QUEUE=", key), "PRIVATE="+filepath.Join(folder, "secret"))
}

// TestStrictIsRefusedWithoutItsMeans asks for what this machine may lack.
func TestStrictIsRefusedWithoutItsMeans(t *testing.T) {
	reached, err := process.Reach(process.Sandbox{Level: strict})
	var refused *process.LevelError
	if complete := reached.Mounts && reached.Filter && reached.NoNetwork &&
		reached.Landlock > 0; complete != (err == nil) {
		t.Errorf("reached %v, error %v", reached, err)
	}
	if err != nil && (!errors.As(err, &refused) || len(refused.Reasons) == 0) {
		t.Errorf("refused without a reason: %v", err)
	}
}
