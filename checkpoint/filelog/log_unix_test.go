//go:build unix

package filelog

import (
	"context"
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
	for name, open := range map[string]func(context.Context, string) (*Log, error){"write": Open, "read": Read} {
		if _, err := open(t.Context(), path); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
