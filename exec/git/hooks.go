package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/ledger"
)

// Bounds of what is read of the texts of hooks and filters.
const (
	maxDepth = 4       // of what one names that another names
	maxText  = 1 << 18 // of a text, in bytes
)

// hooks digests the hooks in the folder in which git looks for them, those of their
// names beside a folder that lies in the work tree (as husky has them), and the files
// of the work tree that these name.
func hooks(dir, at string, state ledger.GitState) error {
	entries, err := os.ReadDir(at)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".sample") {
			continue
		}
		path := filepath.Join(at, e.Name())
		if digest, err := fileDigest(path); err == nil {
			state["hook "+e.Name()] = digest
			namedIn(dir, path, state, 0)
		}
		if above := filepath.Dir(at); inTree(dir, above) && above != dir {
			file(dir, filepath.Join(above, e.Name()), state, 0)
		}
	}
	return nil
}

// inTree reports whether a path lies in the work tree, and in none of its folders
// that are git's own.
func inTree(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel) && rel != ".git" && !strings.HasPrefix(filepath.ToSlash(rel), ".git/")
}

// namedIn digests the files of the work tree that a script names. Remarks name none.
func namedIn(dir, script string, state ledger.GitState, depth int) {
	info, err := os.Stat(script)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxText {
		return
	}
	text, err := os.ReadFile(script)
	if err != nil || strings.ContainsRune(string(text), 0) {
		return
	}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			named(dir, filepath.Dir(script), line, state, depth)
		}
	}
}

// named digests the files of the work tree that a line of a script in the folder at
// may name: relative to the work tree, to that folder or to the one above it, also
// behind a variable or a call, as in "$(dirname "$0")/lint.sh".
func named(dir, at, line string, state ledger.GitState, depth int) {
	for _, word := range strings.FieldsFunc(line, func(c rune) bool {
		return strings.ContainsRune(" \t\r\n\"'`();&|=<>{}[],", c)
	}) {
		if _, rest, ok := strings.Cut(word, "/"); ok && strings.HasPrefix(word, "$") {
			word = rest
		}
		if filepath.IsAbs(word) {
			file(dir, word, state, depth)
		}
		if word = strings.TrimLeft(filepath.ToSlash(word), "/"); word == "" {
			continue
		}
		for _, from := range []string{dir, at, filepath.Dir(at)} {
			file(dir, filepath.Join(from, filepath.FromSlash(word)), state, depth)
		}
	}
}

// file digests a file of the work tree, and what it names itself if it is a script
// of the shell.
func file(dir, path string, state ledger.GitState, depth int) {
	rel, err := filepath.Rel(dir, path)
	if err != nil || !inTree(dir, path) {
		return
	}
	name := "program " + filepath.ToSlash(rel)
	if _, known := state[name]; known {
		return
	}
	digest, err := fileDigest(path)
	if err != nil {
		return
	}
	if state[name] = digest; depth < maxDepth && isShell(path) {
		namedIn(dir, path, state, depth+1)
	}
}

// isShell reports whether a file is a script of the shell, or may be one that
// another reads.
func isShell(path string) bool {
	switch filepath.Ext(path) {
	case ".sh", ".bash", "":
		return true
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	first := make([]byte, 64)
	n, _ := f.Read(first)
	line, _, _ := strings.Cut(string(first[:n]), "\n")
	return strings.HasPrefix(line, "#!") && strings.Contains(line, "sh")
}
