package main

import (
	"context"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
)

// The rows of what the command takes of memory, on a run of many steps that do
// nothing. They take minutes, so they are measured where they are asked for:
// -rows memory.
const (
	goalRunMemory    = "memory of a run"
	goalStatusMemory = "memory of status"
	goalResumeMemory = "memory of resume, with all documents"
	goalVerifyMemory = "memory of verify"
)

// mib is the unit of what is shown.
const mib = 1 << 20

// Exit statuses of a run that waits for an answer, and of one whose steps nobody
// looked at.
const (
	waiting = 5
	partial = 3
)

// memory builds the command and has it carry out a plan whose last step fails
// until a person says that it is tried again. What a call took is the most that
// its process had in memory at a time.
func (s settings) memory(ctx context.Context, all *table) error {
	if s.rows.String() == "" || !s.wants(goalRunMemory, goalStatusMemory, goalResumeMemory, goalVerifyMemory) {
		return nil
	}
	dir := filepath.Join(s.work, "tree")
	command, err := s.command(ctx)
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	ready := filepath.Join(s.work, "ready") // outside of the tree, which must not change between two calls
	if err := os.WriteFile(filepath.Join(dir, "plan.toml"), manySteps(s.steps, ready), 0o644); err != nil {
		return err
	}
	for _, call := range []struct {
		goal string
		most int64 // MiB
		ends int   // its exit status
		args []string
	}{
		{goalRunMemory, 200, waiting, []string{"run", "plan.toml", "--no-sandbox", "--answers", "wait"}},
		{goalStatusMemory, 100, 0, []string{"status"}},
		{"", 0, 0, []string{"answer", "q1", "r"}},
		{goalResumeMemory, 100, partial, []string{"resume"}},
		{goalVerifyMemory, 100, 0, []string{"verify"}},
	} {
		c := osexec.CommandContext(ctx, command, call.args...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if c.ProcessState.ExitCode() != call.ends {
			return fmt.Errorf("%s: %w: %s", strings.Join(call.args, " "), err, out[max(0, len(out)-500):])
		}
		if call.goal == goalRunMemory {
			if err := os.WriteFile(ready, nil, 0o644); err != nil {
				return err
			}
		}
		if took := peak(c.ProcessState); call.goal != "" {
			*all = append(*all, row{goal: call.goal, tree: fmt.Sprintf("%d steps", s.steps),
				ours: fmt.Sprintf("%d MiB", took/mib), target: fmt.Sprintf("≤ %d MiB", call.most), judged: true,
				met: took <= call.most*mib})
		}
	}
	return nil
}

// manySteps is a plan of n steps that do nothing, of which the last one fails
// until a file is there.
func manySteps(n int, ready string) []byte {
	var b strings.Builder
	b.WriteString(`schema = 1
non_goals = []
invariants = []
requirements = [{ id = "R1", text = "nothing" }]
goal = { description = "Do nothing, many times" }
[defaults]
requirements = ["R1"]
rollback = "reversible"
on_failure = "ask"
semantic_change = "preserving"
artifacts = {}
postconditions = [{ kind = "file_exists", path = "plan.toml" }]
[[tasks]]
id = 1
description = "Nothing"
`)
	for i := range n - 1 {
		fmt.Fprintf(&b, "[[tasks.steps]]\nid = %d\ndescription = \"nothing\"\nrun = \"true\"\n", i+1)
	}
	fmt.Fprintf(&b, "[[tasks.steps]]\nid = %d\ndescription = \"nothing\"\nrun = %q\n", n, "test -e "+ready)
	return []byte(b.String())
}
