// Package command runs the commands of built-in gates in an environment that
// no file of the user, no file above the workspace and no variable makes mean
// something else: a step that writes `go env -w GOFLAGS=-run=none`, or a
// go.work that nobody accounts, must not choose what judges it.
//
// What a plan's own command needs of these variables it sets itself:
// `GOFLAGS=-tags=slow go test ./...`.
package command

import (
	"context"
	"os"
	"path/filepath"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
)

// Run runs a command with the pass's runner, see [gate.Pass.Run].
func Run(ctx context.Context, pass *gate.Pass, c gate.Command) (gate.CommandResult, error) {
	c.Env = append(Environment(), c.Env...)
	if strangeWorkspace(pass) {
		c.Env = append(c.Env, "GOWORK=off")
	}
	return pass.Run(ctx, c)
}

// Version asks a program for its version. It is asked at the root of the file
// system, since tools that keep several versions choose one by files such as
// .python-version and go.mod in the folder that they are called in, or above.
func Version(ctx context.Context, pass *gate.Pass, program, question string) (gate.CommandResult, error) {
	return Run(ctx, pass, gate.Command{Args: []string{program, question}, Dir: root(pass.Dir)})
}

// Environment is what is set for each command. An empty value is none to the
// programs that read it.
func Environment() []string {
	return []string{
		// The flags of the user hold for the user, not for who judges. Without
		// this one the go tool asks git about what it builds, and git obeys the
		// repository's configuration.
		"GOFLAGS=-buildvcs=false",
		"GOENV=off",         // the file that `go env -w` writes
		"GOTOOLCHAIN=local", // not the one that a go.mod names
		"GOWORK=", "GOEXPERIMENT=",
		"PYTHONHOME=", "PYTHONPATH=", "PYTHONSTARTUP=", "PYTHONUSERBASE=", "PYTHONOPTIMIZE=", "PYTHONWARNINGS=",
		"NODE_OPTIONS=", "NODE_PATH=",
	}
}

// strangeWorkspace reports whether the go tool would find a go.work that is no
// part of what is judged: one in the workspace that the plan leaves out, or one
// above it.
func strangeWorkspace(pass *gate.Pass) bool {
	const name = "go.work"
	dir, err := filepath.Abs(pass.Dir)
	if err != nil || pass.Dir == "" {
		return true
	}
	if there(filepath.Join(dir, name)) {
		return !judged(pass.After, name)
	}
	for up := filepath.Dir(dir); up != dir; dir, up = up, filepath.Dir(up) {
		if there(filepath.Join(up, name)) {
			return true
		}
	}
	return false
}

// judged reports whether a path is part of a tree. Where there is no tree, what
// lies there is what is judged.
func judged(tree *ledger.Tree, path string) bool {
	if tree == nil {
		return true
	}
	_, ok := tree.Lookup(path)
	return ok
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// root is the root of the file system that a folder lies in.
func root(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return filepath.VolumeName(dir) + string(filepath.Separator)
}
