package process_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
)

// asForker makes this test binary a controller that runs one command after
// another in a folder.
const asForker = "PLANLOCK_TEST_FORKER"

// fork runs command after command in dir, until it is killed.
func fork(dir string) {
	r := &process.Runner{Dir: dir}
	for {
		result, err := r.Run(context.Background(),
			gate.Command{Run: "true", Env: []string{"PLANLOCK_TEST_MARK=" + os.Getenv("PLANLOCK_TEST_MARK")}})
		if err != nil || result.Exit != 0 {
			fmt.Println(result, err)
			os.Exit(1)
		}
		fmt.Println("begun")
	}
}

// TestCommandsDieWithAControllerThatDiesWhileItForks kills controllers at
// moments when a child is forked, and is not yet bound to their life. The child
// is kept there for a while: the way to its folder is a long one.
func TestCommandsDieWithAControllerThatDiesWhileItForks(t *testing.T) {
	if reached, _ := process.Reach(process.Sandbox{}); reached.Tree == "process group" {
		t.Skip("without a PID namespace a child finds out by itself that its parent died")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	mark, dir := marked(t), far(t)
	kills := 60
	if testing.Short() {
		kills = 20
	}
	for range kills {
		controller := osexec.Command(self)
		controller.Env = append(os.Environ(), asForker+"="+dir, mark)
		out, err := controller.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := controller.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "begun\n" {
			t.Fatalf("a controller says %q, %v", line, err)
		}
		time.Sleep(time.Duration(rand.Int64N(int64(6 * time.Millisecond))))
		if err := controller.Process.Kill(); err != nil {
			t.Error(err)
		}
		controller.Wait()
	}
	limit := time.Now().Add(10 * time.Second)
	for len(alive(t, mark)) > 0 && time.Now().Before(limit) {
		awaitScheduler()
	}
	noneLeft(t, mark)
	for _, pid := range alive(t, mark) { // nobody else ends them
		if number, err := strconv.Atoi(pid); err == nil {
			syscall.Kill(number, syscall.SIGKILL)
		}
	}
}

// far is a folder whose path takes the kernel some time: each link of it leads
// to and fro before it leads to the next.
func far(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "w"), 0o755); err != nil {
		t.Fatal(err)
	}
	dir := "w"
	for i := range 18 { // the kernel follows 40, and counts twice those of a path that changes on its way
		link := fmt.Sprint("l", i)
		if err := os.Symlink(strings.Repeat("w/../", 800)+dir, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
		dir = link
	}
	return filepath.Join(root, dir)
}
