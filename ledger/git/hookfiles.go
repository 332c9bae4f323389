package git

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger"
)

// hookNames are the names under which git looks for hooks.
var hookNames = []string{"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit",
	"prepare-commit-msg", "commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push",
	"pre-receive", "update", "proc-receive", "post-receive", "post-update", "reference-transaction",
	"push-to-checkout", "pre-auto-gc", "post-rewrite", "sendemail-validate", "fsmonitor-watchman", "post-index-change"}

// HookFiles are files of a work tree, with slashes, that git runs as hooks, whether
// they are there or not: those below core.hooksPath where that leads into the work
// tree, whatever else lies in that folder, and hooks in the folder above it, which
// such hooks start (as husky has it). Who sets that is read of the configuration of
// the repository, the user and the system, and of what these include, without
// running git.
func HookFiles(dir string) (files []string) {
	g := &reader{state: ledger.GitState{}}
	if found, err := g.locate(filepath.Join(dir, gitDir)); err != nil || !found {
		return nil
	}
	configs := []string{filepath.Join(g.common, "config"), filepath.Join(g.dir, "config.worktree"), "/etc/gitconfig"}
	if global := os.Getenv("GIT_CONFIG_GLOBAL"); global != "" {
		configs = append(configs, global)
	} else {
		configs = append(configs, inHome("~/.gitconfig"), inHome("~/.config/git/config"))
		if own := os.Getenv("XDG_CONFIG_HOME"); own != "" {
			configs = append(configs, filepath.Join(own, "git", "config"))
		}
	}
	for _, folder := range hookFolders(configs) {
		if filepath.IsAbs(folder) {
			rel, err := filepath.Rel(dir, folder)
			if err != nil {
				continue
			}
			folder = rel
		}
		if folder = filepath.Clean(folder); !filepath.IsLocal(folder) {
			continue
		}
		names := hookNames
		entries, _ := os.ReadDir(filepath.Join(dir, folder)) // of none there are the names
		for _, e := range entries {
			names = append(slices.Clip(names), e.Name())
		}
		for _, name := range names {
			files = append(files, filepath.ToSlash(filepath.Join(folder, name)))
			if above := filepath.Dir(folder); above != "." {
				files = append(files, filepath.ToSlash(filepath.Join(above, name)))
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// hookFolders are all that configurations, and what they include, say of
// core.hooksPath. Of a section no more is looked at than the names of its keys: a
// folder too many is none too few.
func hookFolders(configs []string) (folders []string) {
	for i := 0; i < len(configs) && i < maxConfigs; i++ {
		text, err := readBounded(configs[i], maxConfig)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "[") {
				_, line, _ = strings.Cut(line, "]")
			}
			key, value, _ := strings.Cut(line, "=")
			value = inHome(strings.Trim(strings.TrimSpace(value), `"`))
			switch strings.ToLower(strings.TrimSpace(key)) {
			case "hookspath":
				folders = append(folders, value)
			case "path":
				configs = append(configs, resolve(filepath.Dir(configs[i]), value))
			}
		}
	}
	return folders
}

// Bounds of what is read of configurations.
const (
	maxConfigs = 50
	maxConfig  = 1 << 20
)

// inHome is a path that may begin with the home folder.
func inHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return filepath.FromSlash(path)
}
