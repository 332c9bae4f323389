//go:build unix

package native

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/planlock/planlock/plan/file"
)

// 5. A pipe without a writer must not hold the reader.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.toml")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := ReadFile(path); !errors.Is(err, file.ErrNotRegular) {
		t.Error(err)
	}
	if _, err := ReadFile("/dev/zero"); !errors.Is(err, file.ErrNotRegular) {
		t.Error(err)
	}
}
