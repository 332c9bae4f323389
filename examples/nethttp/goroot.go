// Package nethttp prepares the workspace of plan.toml: ten steps over Go's own
// net/http, a tree of more than a hundred files.
//
// Those sources build nowhere but in a GOROOT. [Prepare] makes one around the
// workspace: a folder of links to the GOROOT that is installed, in which
// src/net/http alone is a real folder, a copy that the plan may change. The go
// command finds it by the environment variable GOROOT.
package nethttp

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ErrNoSources says that this machine cannot have the workspace: there is no go
// command, its GOROOT came without sources, or links cannot be made.
var ErrNoSources = errors.New("nethttp: no GOROOT to make a workspace of")

// Prepare makes a GOROOT in dir, which must exist and be empty, and returns the
// workspace in it: a copy of net/http with the folder fixtures added to it.
func Prepare(dir, fixtures string) (workspace string, err error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("%w: go env GOROOT: %w", ErrNoSources, err)
	}
	goroot := strings.TrimSpace(string(out))
	source := filepath.Join(goroot, "src", "net", "http")
	if _, err := os.Stat(filepath.Join(source, "server.go")); err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoSources, err)
	}
	for _, level := range []struct{ path, own string }{{"", "src"}, {"src", "net"}, {"src/net", "http"}} {
		if err := link(filepath.Join(goroot, level.path), filepath.Join(dir, level.path), level.own); err != nil {
			return "", err
		}
	}
	workspace = filepath.Join(dir, "src", "net", "http")
	if err := os.CopyFS(workspace, os.DirFS(source)); err != nil {
		return "", fmt.Errorf("nethttp: copy the sources: %w", err)
	}
	if err := os.CopyFS(filepath.Join(workspace, "fixtures"), os.DirFS(fixtures)); err != nil {
		return "", fmt.Errorf("nethttp: copy the fixtures: %w", err)
	}
	return workspace, nil
}

// link fills the folder to with links to all that from holds, but for own, of
// which it makes a folder.
func link(from, to, own string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoSources, err)
	}
	for _, e := range entries {
		if e.Name() == own {
			continue
		}
		if err := os.Symlink(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			if errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("nethttp: the folder %q is not empty: %w", to, err)
			}
			return fmt.Errorf("%w: %w", ErrNoSources, err)
		}
	}
	return os.Mkdir(filepath.Join(to, own), 0o755)
}
