package search_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/gate/evidence"
	"github.com/planlock/planlock/gate/evidence/search"
)

// The checksum of a file of any size ends with the context: this one would take
// minutes.
func TestChecksumEndsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	huge := filepath.Join(dir, "huge")
	if err := errors.Join(os.WriteFile(huge, nil, 0o644), os.Truncate(huge, 1<<40)); err != nil {
		t.Skip("needs a sparse file:", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("somebody pressed ctrl-c"))
	need := evidence.Need{Kind: evidence.Checksum, Name: "huge", Want: "sha256:" + strings.Repeat("0", 64)}
	item := new(search.Policy).Look(ctx, dir, nil, []evidence.Need{need})[0]
	if item.State != evidence.Unverifiable || !strings.Contains(item.Why, "ctrl-c") {
		t.Errorf("%+v", item)
	}
}
