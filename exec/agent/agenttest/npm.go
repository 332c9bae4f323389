package agenttest

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// pinned are the versions of the programs.
//
//go:embed npm/package.json
var pinned string

// Programs is the folder with the programs of npm that tests play with (claude,
// codex, gemini, opencode, and the adapters of the first two for the Agent Client
// Protocol), or why there is none. They are installed once, into a folder of the
// user's cache, unless PLANLOCK_AGENTS names a folder that has them.
var Programs = sync.OnceValues(func() (string, error) {
	if dir := os.Getenv("PLANLOCK_AGENTS"); dir != "" {
		return dir, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "planlock-ci", "agents")
	bin := filepath.Join(dir, "node_modules", ".bin")
	if have, err := os.ReadFile(filepath.Join(dir, "installed.json")); err == nil && string(have) == pinned {
		return bin, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(pinned), 0o644); err != nil {
		return "", err
	}
	npm := exec.Command("timeout", "600", "npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", dir)
	if err := npm.Run(); err != nil {
		return "", fmt.Errorf("npm install: %w", err)
	}
	for _, script := range []string{"@anthropic-ai/claude-code/install.cjs", "opencode-ai/postinstall.mjs"} {
		node := exec.Command("node", filepath.Join(dir, "node_modules", filepath.FromSlash(script)))
		node.Dir = filepath.Join(dir, "node_modules", filepath.Dir(filepath.FromSlash(script)))
		if err := node.Run(); err != nil {
			return "", fmt.Errorf("%s: %w", script, err)
		}
	}
	return bin, os.WriteFile(filepath.Join(dir, "installed.json"), []byte(pinned), 0o644)
})

// Only is a folder with nothing but some of the [Programs], so that none is taken
// for another. Where one of them cannot be had, the test is skipped by its name.
func Only(t testing.TB, names ...string) string {
	t.Helper()
	bin, err := Programs()
	if err != nil {
		t.Skipf("%s cannot be had: %v", names[0], err)
	}
	dir := t.TempDir()
	for _, name := range names {
		program := filepath.Join(bin, name)
		if _, err := os.Stat(program); err != nil {
			t.Skipf("%s is not there: %v", name, err)
		}
		if err := os.Symlink(program, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
