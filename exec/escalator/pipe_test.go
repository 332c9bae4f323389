//go:build unix

package escalator

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/internal/asktest"
)

// A pipe in the place of an answer, a question or the rules is refused and not
// waited for.
func TestPipesAreNotOpened(t *testing.T) {
	f := inbox(t)
	if err := syscall.Mkfifo(filepath.Join(f.Dir, answerName), 0o644); err != nil {
		t.Skip("no pipes here:", err)
	}
	if a, err := f.Ask(t.Context(), asktest.Failed()); !errors.Is(err, ask.ErrLater) || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("%+v, %v", a, err)
	}
	if r, err := ReadRules(filepath.Join(f.Dir, answerName)); err == nil {
		t.Errorf("%+v", r)
	}
}
