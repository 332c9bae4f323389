package acp

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/internal/identity"
	"github.com/planlock/planlock/internal/process"
)

// Version asks the agent for its name and version, as in "gemini 0.61.0", in an
// empty folder that is its home, too.
func (e *Executor) Version(ctx context.Context) (string, error) {
	args, err := e.command()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "planlock-version-")
	if err != nil {
		return "", fmt.Errorf("acp: version of %s: %w", e.Name(), err)
	}
	defer os.RemoveAll(dir)
	asked := *e
	if !strings.Contains("\n"+strings.Join(e.Env, "\n"), "\nHOME=") {
		asked.Env = append([]string{"HOME=" + dir}, e.Env...)
	}
	w := exec.Work{Dir: dir, Runner: &process.Runner{Dir: dir, OutputLimit: 64 << 10}}
	var shown tail
	w.Output, w.Activity = &shown, func(string) {}
	c := asked.begin(ctx, &w, args)
	err = c.initialize()
	c.end(err != nil)
	if err != nil {
		return "", fmt.Errorf("acp: version of %s: %w", e.Name(), err)
	}
	info := c.agent.Info
	if info == nil || info.Name+info.Version == "" {
		return e.Name() + ", which does not say its version", nil
	}
	says := func(text string) string { return clip(c.secrets.Replace(text), 200) }
	return strings.TrimSpace(says(info.Name) + " " + says(info.Version)), nil
}

// Identity is the digest of the program and its arguments: of the content of
// those that are absolute paths of files.
func (e *Executor) Identity(context.Context) (string, error) {
	args, err := e.command()
	if err != nil {
		return "", err
	}
	digest, err := identity.OfProgram(args)
	if err != nil {
		return "", fmt.Errorf("acp: %s: %w", e.Name(), err)
	}
	return string(digest), nil
}
