package temporal_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/planlock/planlock/checkpoint/folder"
	"github.com/planlock/planlock/exec/temporal"
)

// TestOwnerProcess is an owner in a process of its own, which TestOwnerKilled starts:
// that of the example. It ends with its input.
func TestOwnerProcess(t *testing.T) {
	shared := os.Getenv("PLANLOCK_TEST_OWNER")
	if shared == "" {
		return
	}
	ctx, end := context.WithCancel(t.Context())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		end()
	}()
	blobs, err := folder.Open(ctx, filepath.Join(shared, "contents"))
	if err != nil {
		t.Fatal(err)
	}
	h := &host{shared: shared, blobs: blobs}
	c := temporal.Config{Workspace: os.Getenv("PLANLOCK_TEST_WORKSPACE"), Silence: 2 * time.Second,
		Client: client.Options{HostPort: os.Getenv("PLANLOCK_TEST_ADDRESS")}}
	if err := h.owner(c).Run(ctx); err != nil {
		t.Error(err)
	}
}
