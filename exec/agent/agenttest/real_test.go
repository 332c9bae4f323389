//go:build agents

package agenttest_test

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/planlock/planlock/exec/agent"
)

// pinned are the versions of the programs.
//
//go:embed testdata/package.json
var pinned string

// programs is the folder with the programs of npm, or why there is none. They
// are installed once, into a folder of the user's cache, unless
// PLANLOCK_AGENTS names a folder that has them.
var programs = sync.OnceValues(func() (string, error) {
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

// real are the agents of npm, by both ways.
func real() []kind {
	bin, err := programs() // before a test has a home of its own
	of := func(program string) func(t *testing.T) string {
		return func(t *testing.T) string {
			if err != nil {
				t.Skipf("%s cannot be had: %v", program, err)
			}
			if _, err := os.Stat(filepath.Join(bin, program)); err != nil {
				t.Skipf("%s is not there: %v", program, err)
			}
			return bin
		}
	}
	const sonnet = "anthropic/claude-sonnet-4-5"
	return []kind{
		{label: "claude headless", name: "claude", how: agent.Headless, costs: true, path: of("claude"), slow: 20 * time.Second},
		{label: "claude by acp", name: "claude", how: agent.ACP, asks: true, costs: true, path: of("claude-agent-acp"), slow: 40 * time.Second},
		{label: "codex headless", name: "codex", how: agent.Headless, path: of("codex"), slow: 20 * time.Second},
		{label: "codex by acp", name: "codex", how: agent.ACP, asks: true, stops: true, path: of("codex-acp"), slow: 20 * time.Second},
		{label: "gemini headless", name: "gemini", how: agent.Headless, path: of("gemini"), slow: 60 * time.Second},
		{label: "gemini by acp", name: "gemini", how: agent.ACP, asks: true, path: of("gemini"), slow: 60 * time.Second},
		{label: "opencode headless", name: "opencode", how: agent.Headless, model: sonnet, costs: true, silent: true, path: of("opencode"), slow: 60 * time.Second},
		{label: "opencode by acp", name: "opencode", how: agent.ACP, model: sonnet, asks: true, stops: true, costs: true, silent: true, path: of("opencode"), slow: 60 * time.Second},
	}
}

// TestRealAgents has what each does that people have. Without -short all cases
// are played; with it, the first ones.
func TestRealAgents(t *testing.T) {
	for _, k := range real() {
		t.Run(k.label, func(t *testing.T) {
			for _, p := range plays {
				t.Run(p.name, func(t *testing.T) {
					if p.full && testing.Short() {
						t.Skip("one of those that take their time")
					}
					p.run(t, k)
				})
			}
		})
	}
}
