package hold_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/hold"
	"github.com/planlock/planlock/internal/disk"
	failing "github.com/planlock/planlock/internal/disk/faulty"
)

// holdEnv makes the test binary a holder that waits for its standard input to
// end.
const holdEnv = "PLANLOCK_TEST_HOLD"

func TestMain(m *testing.M) {
	dir := os.Getenv(holdEnv)
	if dir == "" {
		os.Exit(m.Run())
	}
	_, err := hold.Workspace(context.Background(), dir)
	fmt.Println("held:", err)
	io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

func TestHoldIsExclusiveInOneProcess(t *testing.T) {
	dir := t.TempDir()
	lock, err := hold.Workspace(t.Context(), dir)
	must(t, err)
	var held *checkpoint.HeldError
	if _, err := hold.Workspace(t.Context(), dir); !errors.As(err, &held) ||
		!strings.Contains(held.Holder, fmt.Sprint(os.Getpid())) {
		t.Errorf("the second one: %v, want the holder", err)
	}
	must(t, lock.Release(), lock.Release())
	lock, err = hold.Workspace(t.Context(), dir)
	must(t, err, lock.Release())
	if b, err := os.ReadFile(filepath.Join(dir, ".planlock", ".gitignore")); err != nil || string(b) != "*\n" {
		t.Errorf(".gitignore holds %q, %v", b, err)
	}
	if _, err := os.Stat(filepath.Join(dir, ".planlock", "lock")); err != nil {
		t.Errorf("the lock file: %v", err)
	}
}

// Who has the lock learns that its file was taken away, and nobody else gets
// in.
func TestHeldLockTakenAway(t *testing.T) {
	for name, do := range map[string]func(own string) error{
		"removed": func(own string) error { return os.Remove(own + "/lock") },
		"replaced": func(own string) error {
			return errors.Join(os.Rename(own+"/lock", own+"/old"), os.WriteFile(own+"/lock", nil, 0o644))
		},
		"folder moved":   func(own string) error { return errors.Join(os.Rename(own, own+"2"), os.Mkdir(own, 0o755)) },
		"folder removed": os.RemoveAll,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			held, err := hold.Workspace(t.Context(), dir)
			must(t, err, held.Check())
			if err := do(dir + "/.planlock"); err != nil {
				must(t, held.Release())
				t.Skip("needs files that can be taken away while they are open: ", err)
			}
			if err := held.Check(); !errors.Is(err, checkpoint.ErrReplaced) {
				t.Errorf("check: %v", err)
			}
			if runtime.GOOS != "windows" {
				must(t, os.MkdirAll(dir+"/sub", 0o755))
				for _, dir := range []string{dir, dir + "/sub", filepath.Dir(dir)} {
					var other *checkpoint.HeldError
					if _, err := hold.Workspace(t.Context(), dir); !errors.As(err, &other) {
						t.Errorf("a second controller in %s: %v", dir, err)
					}
				}
			}
			must(t, held.Release(), held.Release())
			if err := held.Check(); !errors.Is(err, checkpoint.ErrClosed) {
				t.Errorf("check after release: %v", err)
			}
			again, err := hold.Workspace(t.Context(), dir)
			must(t, err, again.Check(), again.Release())
		})
	}
}

// A process that is killed does not keep the lock, and its children do not
// either.
func TestHoldOfADeadOwner(t *testing.T) {
	dir := t.TempDir()
	owner := exec.Command(os.Args[0])
	owner.Env = append(os.Environ(), holdEnv+"="+dir)
	in, err := owner.StdinPipe()
	must(t, err)
	defer in.Close()
	out, err := owner.StdoutPipe()
	must(t, err, owner.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "held: <nil>\n" {
		t.Fatalf("the owner says %q, %v", line, err)
	}
	var held *checkpoint.HeldError
	if _, err := hold.Workspace(t.Context(), dir); !errors.As(err, &held) ||
		!strings.Contains(held.Holder, fmt.Sprint(owner.Process.Pid)) {
		t.Errorf("while it lives: %v", err)
	}
	must(t, owner.Process.Kill())
	if err := owner.Wait(); err == nil {
		t.Error("the owner ended by itself")
	}
	lock, err := hold.Workspace(t.Context(), dir)
	must(t, err)
	must(t, lock.Release())
}

func TestHoldOfWhatCannotBeHeld(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	must(t, os.WriteFile(file, nil, 0o644))
	if _, err := hold.Workspace(t.Context(), filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	if _, err := hold.Workspace(t.Context(), file); err == nil || !strings.Contains(err.Error(), "is a file") {
		t.Errorf("a file: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := hold.Workspace(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if os.Getuid() <= 0 {
		t.Skip("root may write where it is forbidden, and on Windows modes forbid nothing")
	}
	readOnly := filepath.Join(dir, "read-only")
	must(t, os.Mkdir(readOnly, 0o555))
	if _, err := hold.Workspace(t.Context(), readOnly); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("read-only: %v", err)
	}
}

func TestHoldFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, ".planlock")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if _, err := hold.Workspace(t.Context(), dir); err == nil {
		t.Error(".planlock leads outside, and was followed")
	}
	for _, name := range []string{"runs", "objects", "escalations", "lock", "later"} {
		dir, elsewhere := t.TempDir(), t.TempDir()
		must(t, os.Mkdir(filepath.Join(dir, ".planlock"), 0o755))
		must(t, os.Symlink(elsewhere, filepath.Join(dir, ".planlock", name)))
		if _, err := hold.Workspace(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "is a link") {
			t.Errorf("%s leads outside: %v", name, err)
		}
	}
}

// The number in a lock file means nothing by itself: its owner died, and the
// number belongs to somebody else now. Nobody is kept away by it, and whoever
// comes next is named from then on.
func TestHoldOfAReusedNumber(t *testing.T) {
	for name, pid := range map[string]int{"of this process": os.Getpid(), "of its parent": os.Getppid(), "of the first process": 1} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			first, err := hold.Workspace(t.Context(), dir)
			must(t, err, first.Release())
			lock := filepath.Join(dir, ".planlock", "lock")
			must(t, os.WriteFile(lock, fmt.Appendf(nil, `{"pid":%d,"host":"h","user":"u","started":"2020-01-01T00:00:00Z","what":"planlock"}`, pid), 0o644))
			held, err := hold.Workspace(t.Context(), dir)
			must(t, err, held.Check())
			defer held.Release()
			var other *checkpoint.HeldError
			if _, err := hold.Workspace(t.Context(), dir); !errors.As(err, &other) ||
				!strings.Contains(other.Holder, fmt.Sprintf("process %d ", os.Getpid())) ||
				strings.Contains(other.Holder, "2020") {
				t.Errorf("the next one: %v", err)
			}
		})
	}
}

// A holder that has just taken the lock of one who died is not mistaken for
// that one: its name is waited for.
func TestHoldNamesNoDeadOwner(t *testing.T) {
	dead := exec.Command(os.Args[0], "-test.run=^$")
	must(t, dead.Run())
	host, err := os.Hostname()
	must(t, err)
	for name, text := range map[string]string{
		"no name yet":        "",
		"that of a dead one": fmt.Sprintf(`{"pid":%d,"host":%q}`, dead.Process.Pid, host),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			held, err := hold.Workspace(t.Context(), dir)
			must(t, err)
			defer held.Release()
			lock := filepath.Join(dir, ".planlock", "lock")
			says, err := os.ReadFile(lock)
			must(t, err, os.WriteFile(lock, []byte(text), 0o644))
			named := make(chan error)
			go func() {
				_, err := hold.Workspace(context.Background(), dir)
				named <- err
			}()
			looks := 500 // the other one has looked meanwhile, as a rule
			if runtime.GOOS == "windows" {
				looks = 20 // opening a file takes long
			}
			for range looks {
				if _, err := os.ReadFile(lock); err != nil {
					t.Error(err)
				}
			}
			must(t, os.WriteFile(lock, says, 0o644))
			var other *checkpoint.HeldError
			if err := <-named; !errors.As(err, &other) ||
				!strings.Contains(other.Holder, fmt.Sprintf("process %d ", os.Getpid())) {
				t.Errorf("%v", err)
			}
		})
	}
}

// A child that an owner was just starting when it died has the lock for a
// moment longer: that is waited for.
func TestHoldWaitsForWhatADeadOwnerLeft(t *testing.T) {
	dead := exec.Command(os.Args[0], "-test.run=^$")
	must(t, dead.Run())
	host, err := os.Hostname()
	must(t, err)
	dir := t.TempDir()
	lingers, err := hold.Workspace(t.Context(), dir)
	must(t, err)
	lock := filepath.Join(dir, ".planlock", "lock")
	must(t, os.WriteFile(lock, fmt.Appendf(nil, `{"pid":%d,"host":%q}`, dead.Process.Pid, host), 0o644))
	next := make(chan error)
	go func() {
		held, err := hold.Workspace(context.Background(), dir)
		if err == nil {
			err = held.Release()
		}
		next <- err
	}()
	looks := 500 // the next one has looked meanwhile, as a rule
	if runtime.GOOS == "windows" {
		looks = 20
	}
	for range looks {
		if _, err := os.ReadFile(lock); err != nil {
			t.Error(err)
		}
	}
	must(t, lingers.Release())
	must(t, <-next)
}

// Whoever makes room has to hold the workspace first.
func TestHoldOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	h, err := hold.Workspace(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Release(); err != nil {
		t.Fatal(err)
	}
	full := &failing.Layer{Err: syscall.ENOSPC, At: 1, Forever: true,
		Only: func(op *disk.Op) bool { return op.Kind == disk.Write }}
	h, err = hold.Workspace(disk.With(t.Context(), disk.New(full)), dir)
	if err != nil || !full.Hit() {
		t.Fatalf("%v (%s)", err, full.What())
	}
	var held *checkpoint.HeldError
	if _, err := hold.Workspace(t.Context(), dir); !errors.As(err, &held) {
		t.Errorf("the second one: %v", err)
	}
	if err := h.Release(); err != nil {
		t.Error(err)
	}
}

func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// Who only asks who holds a workspace is told, takes nothing, writes nothing and
// keeps nobody away.
func TestHolder(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	if who := hold.Holder(ctx, dir); who != "" {
		t.Errorf("nobody ever held it, and it is held by %q", who)
	}
	if _, err := os.Lstat(filepath.Join(dir, ".planlock")); err == nil {
		t.Error("who asks has made a folder")
	}
	if who := hold.Holder(ctx, filepath.Join(dir, "none")); who != "" {
		t.Errorf("there is no such folder, and it is held by %q", who)
	}
	held, err := hold.Workspace(ctx, dir)
	must(t, err)
	if who := hold.Holder(ctx, dir); !strings.Contains(who, fmt.Sprintf("process %d ", os.Getpid())) {
		t.Errorf("it is held by %q", who)
	}
	must(t, held.Check(), held.Release())
	stop, asked := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(asked)
		for {
			select {
			case <-stop:
				return
			default:
				hold.Holder(ctx, dir)
			}
		}
	}()
	for range 200 {
		held, err := hold.Workspace(ctx, dir)
		must(t, err)
		must(t, held.Release())
	}
	close(stop)
	<-asked
	if who := hold.Holder(ctx, dir); who != "" {
		t.Errorf("nobody holds it any more, and it is held by %q", who)
	}
}
