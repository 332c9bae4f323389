package main

import (
	"fmt"
	"os"
	"os/exec"
)

// repository makes a repository of dir, kept elsewhere, and returns git. It is
// nil where there is no git.
func repository(dir, keep string) (func(args ...string) error, error) {
	if _, err := exec.LookPath("git"); err != nil {
		fmt.Fprintln(os.Stderr, "limits: no git here, its rows are left out")
		return nil, nil
	}
	git := func(args ...string) error {
		c := exec.Command("git", args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GIT_DIR="+keep, "GIT_WORK_TREE="+dir, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("git %v: %w: %s", args, err, out)
		}
		return nil
	}
	for _, args := range [][]string{
		{"init", "-q"}, {"config", "gc.auto", "0"}, {"add", "-A"},
		{"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "all"},
	} {
		if err := git(args...); err != nil {
			return nil, err
		}
	}
	return git, nil
}
