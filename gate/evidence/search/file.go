package search

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/evidence"
	"github.com/planlock/planlock/gate/internal/command"
)

// lookForFile looks for something that is not empty, and where a content is
// asked for, for that content.
func lookForFile(ctx context.Context, dir string, n evidence.Need) evidence.Item {
	path := filepath.FromSlash(n.Name)
	if !filepath.IsLocal(path) {
		return n.Missing("%q does not lie in the workspace", n.Name)
	}
	path = filepath.Clean(path) // "plots/" is a folder
	root, err := os.OpenRoot(dir)
	if err != nil {
		return n.Unverifiable("the workspace cannot be opened: %v", err)
	}
	defer root.Close()
	info, err := root.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return n.Missing("%q is not there", n.Name)
	case err != nil && strings.Contains(err.Error(), "escapes"):
		return n.Missing("%q leads out of the workspace", n.Name)
	case err != nil:
		return n.Unverifiable("%q cannot be looked at: %v", n.Name, err)
	case info.IsDir() && n.Kind == evidence.File:
		entries, err := fs.ReadDir(root.FS(), filepath.ToSlash(path))
		if err != nil {
			return n.Unverifiable("%q cannot be read: %v", n.Name, err)
		}
		if len(entries) == 0 {
			return n.Missing("%q is an empty folder", n.Name)
		}
		return evidence.Item{Need: n, State: evidence.Found}
	case !info.Mode().IsRegular():
		return n.Missing("%q is no file", n.Name)
	case info.Size() == 0:
		return n.Missing("%q is empty", n.Name)
	case n.Kind == evidence.File:
		return evidence.Item{Need: n, State: evidence.Found, Size: info.Size()}
	}
	return checksum(ctx, root, path, n)
}

// checksum compares the content of a file with what was promised, until ctx
// ends.
func checksum(ctx context.Context, root *os.Root, path string, n evidence.Need) evidence.Item {
	if err := validChecksum(n.Want); err != nil {
		return n.Unverifiable("%v", err)
	}
	f, err := root.Open(path)
	if err != nil {
		return n.Unverifiable("%q cannot be read: %v", n.Name, err)
	}
	defer f.Close()
	defer context.AfterFunc(ctx, func() { f.Close() })()
	h := sha256.New()
	size, err := io.Copy(h, f)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return n.Unverifiable("%q cannot be read: %v", n.Name, err)
	}
	item := evidence.Item{Need: n, State: evidence.Found, Size: size, Digest: "sha256:" +
		hex.EncodeToString(h.Sum(nil))}
	if !strings.EqualFold(item.Digest, n.Want) {
		item.State, item.Why = evidence.Missing, fmt.Sprintf("%q has another content", n.Name)
	}
	return item
}

// errChecksum is wrapped where a checksum is not written as it must be.
var errChecksum = errors.New("evidence: a checksum is \"sha256:\" and 64 hexadecimal digits")

// validChecksum refuses what is no checksum.
func validChecksum(text string) error {
	digits, ok := strings.CutPrefix(strings.ToLower(text), "sha256:")
	if raw, err := hex.DecodeString(digits); !ok || err != nil || len(raw) != sha256.Size {
		return fmt.Errorf("%w: %q is none", errChecksum, text)
	}
	return nil
}

// lookForCommand runs a command in the sandbox of the plan.
func lookForCommand(ctx context.Context, dir string, run gate.CommandRunner, n evidence.Need) evidence.Item {
	if run == nil {
		return n.Unverifiable("there is nothing that could run %q", n.Name)
	}
	result, err := run.Run(ctx, gate.Command{Run: n.Name, Dir: dir, Env: command.Environment()})
	if err == nil {
		err = context.Cause(ctx)
	}
	switch {
	case err != nil:
		return n.Unverifiable("%q cannot be run: %v", n.Name, err)
	case result.Exit != 0:
		return n.Missing("%q ended with status %d", n.Name, result.Exit)
	}
	return evidence.Item{Need: n, State: evidence.Found}
}
