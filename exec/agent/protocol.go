package agent

import (
	"context"
	"errors"

	"github.com/planlock/planlock/exec"
)

var errNotYet = errors.New("agent: not yet")

func (e *Executor) byProtocol(ctx context.Context, w exec.Work, p program, h *home) (exec.Outcome, error) {
	return exec.Outcome{}, errNotYet
}
