// Package gotool runs the go tool so that it changes nothing that is judged.
package gotool

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Command is a command of the go tool that does not rewrite go.mod and go.sum,
// though the flags of the user's environment ask for that (-mod=mod): who
// judges a tree must not change it. What else these flags say holds.
func Command(command string, args ...string) []string {
	all := []string{"go", command}
	if slices.ContainsFunc(strings.Fields(goFlags()), rewrites) {
		all = append(all, "-mod=readonly")
	}
	return append(all, args...)
}

// rewrites reports whether a flag lets the go tool change go.mod.
func rewrites(flag string) bool {
	flag = strings.Trim(flag, `'"`)
	return flag == "-mod=mod" || flag == "--mod=mod"
}

// goFlags are the flags that the go tool adds to each command: those of the
// environment, else those that `go env -w` has set.
func goFlags() string {
	if flags := os.Getenv("GOFLAGS"); flags != "" {
		return flags
	}
	file := os.Getenv("GOENV")
	if file == "" {
		folder, err := os.UserConfigDir()
		if err != nil {
			return ""
		}
		file = filepath.Join(folder, "go", "env")
	}
	text, err := os.ReadFile(file) // where it cannot be read, or is "off", the go tool does not read it either
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if flags, ok := strings.CutPrefix(strings.TrimSpace(line), "GOFLAGS="); ok {
			return flags
		}
	}
	return ""
}
