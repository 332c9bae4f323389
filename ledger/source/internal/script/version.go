package script

import (
	"context"
	"fmt"
	osexec "os/exec"
	"strings"
	"time"
)

// patience is how long a program may take to say its version.
const patience = 10 * time.Second

// Version is the first line of what a program says of its version.
func Version(ctx context.Context, program string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := osexec.CommandContext(ctx, program, "--version")
	cmd.Dir, cmd.Env, cmd.WaitDelay = outside(program), []string{"LC_ALL=C"}, time.Second
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("source: %s does not say its version: %w", program, err)
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return strings.TrimSpace(line), nil
}
