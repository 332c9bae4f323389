//go:build unix

package checkpoint

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A FIFO where a log should be is refused. To open one waits for somebody at
// its other end, for ever.
func TestFileLogIsNoFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Skip("no FIFO can be made here:", err)
	}
	for name, open := range map[string]func(string) (*FileLog, error){"write": OpenFileLog, "read": ReadFileLog} {
		if _, err := open(path); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
