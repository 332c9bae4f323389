package filelog_test

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/planlock/planlock/checkpoint/filelog"
)

// TestFileLogIsFreeOnceItIsClosed: also where a child that is just being
// started, which is a second descriptor of the same open file, has it still.
func TestFileLogIsFreeOnceItIsClosed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	log, err := filelog.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	fds, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	child := -1
	for _, name := range fds {
		if to, err := os.Readlink(name); err == nil && to == path {
			fd, err := strconv.Atoi(filepath.Base(name))
			if err == nil {
				child, err = syscall.Dup(fd)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if child < 0 {
		t.Fatal("the log is no open file of this process")
	}
	defer syscall.Close(child)
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := filelog.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}
