//go:build linux && (amd64 || arm64)

package process_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
)

// asHolder makes this test binary a process that holds the first process of its
// namespace: it stops it, and keeps it from ending.
const asHolder = "PLANLOCK_TEST_HOLDER"

func holdTheFirst(pid int) error {
	const seize, interrupt, atExit = 0x4206, 0x4207, 0x40
	if err := raw(syscall.SYS_PTRACE, seize, uintptr(pid), 0, atExit); err != nil {
		return err
	}
	return raw(syscall.SYS_PTRACE, interrupt, uintptr(pid))
}

// A told writer calls tell at the first write.
type told struct {
	bytes.Buffer
	tell func()
}

func (w *told) Write(b []byte) (int, error) {
	w.tell()
	return w.Buffer.Write(b)
}

// A command ends when its context does, also where it has stopped the first
// process of its namespace and holds it back when that is ended by force.
func TestTheFirstProcessIsHeldByItsCommand(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	eachLevel(t, func(t *testing.T, r *process.Runner) {
		if reached, _ := process.Reach(r.Sandbox); reached.Tree == "process group" {
			t.Skip("there is no namespace")
		}
		r.Grace = 100 * time.Millisecond
		for name, run := range map[string]string{
			"by the command":      `exec "$SELF"`,
			"from another group":  `setsid "$SELF" & sleep 100`,
			"without environment": `setsid env -i ` + asHolder + `=1 "OTHER=$MARK" "$SELF" & sleep 100`,
		} {
			t.Run(name, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				mark, done := marked(t), make(chan error)
				out := &told{tell: cancel}
				go func() {
					_, err := r.Run(ctx, gate.Command{Run: run, Stdout: out,
						Env: []string{mark, "MARK=" + mark, asHolder + "=1", "SELF=" + self}})
					done <- err
				}()
				select {
				case err := <-done:
					if !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
				case <-time.After(20 * time.Second):
					t.Error("the run hangs")
					for _, pid := range alive(t, mark) {
						number, _ := strconv.Atoi(pid)
						syscall.Kill(number, syscall.SIGKILL)
					}
					<-done
				}
				t.Log(out.String())
				noneLeft(t, mark)
			})
		}
	})
}

// A run ends even where its command does not, because somebody outside of its
// namespace keeps the first process of it: then it says so.
func TestTheFirstProcessIsHeldFromOutside(t *testing.T) {
	if reached, _ := process.Reach(process.Sandbox{}); reached.Tree == "process group" || testing.Short() {
		t.Skip("there is no namespace, or no time to wait")
	}
	ctx, cancel := context.WithCancel(t.Context())
	mark, done := marked(t), make(chan error)
	begun := make(chan bool, 1)
	r := &process.Runner{Dir: t.TempDir(), Grace: 100 * time.Millisecond}
	go func() {
		_, err := r.Run(ctx, gate.Command{Run: "echo begun; sleep 100", Env: []string{mark},
			Stdout: &told{tell: func() { begun <- true }}})
		done <- err
	}()
	<-begun
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	holder := osexec.Command(self)
	holder.Env = append(os.Environ(), fmt.Sprint(asHolder, "=", firstOf(t, mark)))
	out, err := holder.StdoutPipe()
	if err == nil {
		err = holder.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held: <nil>\n" {
		cancel()
		<-done
		t.Skip("this user may not: ", line, err)
	}
	cancel()
	select {
	case err := <-done:
		if !errors.Is(err, process.ErrNotEnded) || !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-time.After(60 * time.Second):
		t.Error("the run hangs")
	}
	holder.Process.Kill()
	holder.Wait()
	for limit := time.Now().Add(30 * time.Second); len(alive(t, mark)) > 0 && time.Now().Before(limit); {
		awaitScheduler()
	}
	noneLeft(t, mark)
}

// firstOf is the child of this process that carries mark.
func firstOf(t *testing.T, mark string) int {
	for _, pid := range alive(t, mark) {
		status, _ := os.ReadFile("/proc/" + pid + "/status")
		if bytes.Contains(status, fmt.Appendf(nil, "\nPPid:\t%d\n", os.Getpid())) {
			number, _ := strconv.Atoi(pid)
			return number
		}
	}
	return 0
}

// hold is what this process does as a holder.
func hold() {
	runtime.LockOSThread()
	signal.Ignore(syscall.SIGTERM)
	pid, err := strconv.Atoi(os.Getenv(asHolder))
	if err == nil {
		err = holdTheFirst(pid)
	}
	fmt.Println("held:", err)
	for {
		raw(syscall.SYS_PPOLL)
	}
}
