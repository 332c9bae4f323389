package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"time"
)

const (
	goalVersion = "start of planlock version"
	goalCheck   = "planlock check, 10 steps"
)

// startup measures calls of the command that do little.
func (s settings) startup(ctx context.Context, all *table) error {
	if !s.wants(goalVersion, goalCheck) {
		return nil
	}
	command, err := s.command(ctx)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.work, "plan.toml"), manySteps(10, "ready"), 0o644); err != nil {
		return err
	}
	for _, call := range []struct {
		goal string
		most time.Duration
		args []string
	}{
		{goalVersion, 8 * time.Millisecond, []string{"version"}},
		{goalCheck, 20 * time.Millisecond, []string{"check", "plan.toml"}},
	} {
		var ours, theirs []time.Duration
		for range 5 * s.rounds {
			c, least := osexec.CommandContext(ctx, command, call.args...), osexec.CommandContext(ctx, "true")
			c.Dir = s.work
			var said bytes.Buffer
			c.Stdout, c.Stderr = &said, &said
			if err := timed(&ours, c.Run); err != nil {
				return fmt.Errorf("%v: %w: %s", call.args, err, said.String())
			}
			if err := timed(&theirs, least.Run); err != nil {
				return err
			}
		}
		m := median(ours)
		*all = append(*all, row{goal: call.goal, ours: shown(m), theirs: "true " + shown(median(theirs)),
			target: fmt.Sprintf("≤ %d ms", call.most.Milliseconds()), judged: true, met: m <= call.most})
	}
	return nil
}

// command builds the command.
func (s settings) command(ctx context.Context) (path string, err error) {
	path = filepath.Join(s.work, "planlock")
	build := osexec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-o", path, "github.com/planlock/planlock/cmd/planlock")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
}
