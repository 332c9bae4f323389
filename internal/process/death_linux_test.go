package process_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
)

// asController makes this test binary a controller that runs one command.
const asController = "PLANLOCK_TEST_CONTROLLER"

// asVictim makes it a process that does nothing, and that others are after.
const asVictim = "PLANLOCK_TEST_VICTIM"

// TestMain is a controller in the process that a test is about to kill.
func TestMain(m *testing.M) {
	if name, ok := os.LookupEnv(asAttempt); ok {
		attempt(name)
	}
	if _, ok := os.LookupEnv(asHolder); ok {
		hold()
	}
	if _, ok := os.LookupEnv(asVictim); ok {
		target := new([8]byte)
		fmt.Println(uintptr(unsafe.Pointer(target)))
		os.Stdin.Read(target[:0:0])
		select {}
	}
	if dir, ok := os.LookupEnv(asForker); ok {
		fork(dir)
	}
	if level, ok := os.LookupEnv(asController); ok {
		r := &process.Runner{Dir: os.TempDir(), Sandbox: process.Sandbox{Level: process.Level(level)}}
		mark := "PLANLOCK_TEST_MARK=" + os.Getenv("PLANLOCK_TEST_MARK")
		script := "trap '' TERM; (setsid sh -c 'while :; do sleep 1; done' &) ; echo begun; while :; do sleep 1; done"
		if level == string(process.None) {
			// without a namespace only the command itself ends with its
			// controller
			script = "echo begun; while :; do :; done"
		}
		r.Run(context.Background(), gate.Command{Run: script, Env: []string{mark}, Stdout: os.Stdout})
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// TestCommandsDieWithTheController kills a controller that cannot do anything
// about it.
func TestCommandsDieWithTheController(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range levels(t) {
		t.Run(string(level), func(t *testing.T) {
			if reached, _ := process.Reach(process.Sandbox{Level: level}); level != process.None && reached.Tree == "process group" {
				t.Skip("without a PID namespace only the command itself is sure to end with its controller")
			}
			mark := marked(t)
			controller := osexec.Command(self)
			controller.Env = append(os.Environ(), asController+"="+string(level), mark)
			out, err := controller.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := controller.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			if line != "begun\n" {
				t.Errorf("controller said %q, %v", line, err)
			}
			if err := controller.Process.Kill(); err != nil {
				t.Error(err)
			}
			controller.Wait()
			limit := time.Now().Add(30 * time.Second)
			for len(alive(t, mark)) > 0 && time.Now().Before(limit) {
				awaitScheduler()
			}
			noneLeft(t, mark)
		})
	}
}

// awaitScheduler lets others run: it waits for a command that does nothing.
func awaitScheduler() { osexec.Command("/bin/true").Run() }

// TestAsOrdinaryUser runs the tests of this package again without privileges;
// those that take seconds only in a short form, but for the tag torture.
func TestAsOrdinaryUser(t *testing.T) {
	const nobody = 65534
	if os.Geteuid() != 0 {
		t.Skip("these tests are already those of an ordinary user")
	}
	if testing.Short() {
		t.Skip("runs all tests again")
	}
	dir, err := os.MkdirTemp("/tmp", "planlock-user-")
	if err != nil {
		t.Skip(err)
	}
	defer os.RemoveAll(dir)
	for _, path := range []string{dir, filepath.Join(dir, "home"), filepath.Join(dir, "tmp")} {
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(path, nobody, nobody); err != nil {
			t.Skip(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "process.test")
	if err := copyFile(self, binary); err != nil {
		t.Fatal(err)
	}
	cmd := osexec.Command(binary, "-test.v", "-test.skip=AsOrdinaryUser|Golden", fmt.Sprint("-test.short=", !whole))
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir + "/home", "TMPDIR=" + dir + "/tmp", "GOTOOLCHAIN=local", "GOFLAGS=-mod=mod"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("as user %d: %v\n%s", nobody, err, output)
	}
	for line := range strings.Lines(string(output)) {
		if strings.Contains(line, "SKIP") || strings.Contains(line, "not reached") ||
			strings.Contains(line, "landlock") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	return err
}
