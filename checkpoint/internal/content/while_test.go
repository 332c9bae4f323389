package content_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/planlock/planlock/checkpoint/internal/content"
)

func TestWhile(t *testing.T) {
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	r := content.While(ctx, strings.NewReader("text"))
	b := make([]byte, 2)
	if n, err := r.Read(b); n != 2 || err != nil || string(b) != "te" {
		t.Fatalf("read %q, %v", b[:n], err)
	}
	cancel(stop)
	if rest, err := io.ReadAll(r); len(rest) > 0 || !errors.Is(err, stop) {
		t.Errorf("after the end of its context it read %q, %v", rest, err)
	}
}
