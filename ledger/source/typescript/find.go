package typescript

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/ledger/source/internal/script"
)

// A Parser is a node, and the typescript package that it loads. The zero value
// reads nothing.
type Parser struct {
	// Node is the path of the program.
	Node string
	// Script is the path of lib/typescript.js, of version 4.7 or later; since
	// version 7 there is none that a script can call.
	Script string
	// Version is that of the package, as it says itself.
	Version string

	found fs.FileInfo // Script, when it was found; nil: it was not looked for
}

// Languages are those that the parser reads: TypeScript and JavaScript. Script is
// loaded as it is when the first file is read, and must be the file then that was
// found: what has changed since is not loaded.
func (p Parser) Languages() []source.Language {
	digest := &pinned{sync.OnceValues(p.sum)}
	return []source.Language{language{Parser: p, digest: digest}, language{Parser: p, digest: digest, javaScript: true}}
}

// A pinned digest is that of a parser, from the first time on that it is asked
// for.
type pinned struct{ sum func() (string, error) }

// Find is the parser of this machine, and whether there is one: the first node of
// the machine's path, and the first typescript package of version 4.7 to 6 in the
// folders of NODE_PATH, where the tsc of the machine's path is from, in the
// folder of global packages of that node, and where Debian has it.
//
// A package of a project (what is linked from node_modules/.bin) is passed over: a
// step could write it, and would be judged by what it wrote.
func Find() (Parser, bool) {
	node, ok := script.Find("node")
	if !ok {
		return Parser{}, false
	}
	for _, folder := range packages(node) {
		if p, ok := open(folder); ok {
			p.Node = node
			return p, true
		}
	}
	return Parser{}, false
}

// packages are the folders where the typescript package may be, the first that is
// asked first.
func packages(node string) []string {
	var all []string
	for _, folder := range filepath.SplitList(os.Getenv("NODE_PATH")) {
		all = append(all, filepath.Join(folder, "typescript"))
	}
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		if strings.HasSuffix(filepath.ToSlash(filepath.Clean(folder)), "node_modules/.bin") {
			continue
		}
		if tsc, err := osexec.LookPath(filepath.Join(folder, "tsc")); err == nil {
			if tsc, err = filepath.EvalSymlinks(tsc); err == nil {
				all = append(all, filepath.Dir(filepath.Dir(tsc)), filepath.Join(filepath.Dir(tsc), "node_modules", "typescript"))
			}
		}
	}
	homes := []string{node}
	if real, err := filepath.EvalSymlinks(node); err == nil {
		homes = append(homes, real)
	}
	for _, h := range homes {
		all = append(all, filepath.Join(filepath.Dir(h), "..", "lib", "node_modules", "typescript"),
			filepath.Join(filepath.Dir(h), "node_modules", "typescript"))
	}
	all = append(all, "/usr/share/nodejs/typescript")
	return slices.DeleteFunc(all, func(p string) bool { return !filepath.IsAbs(p) })
}

// open reads what a package is, and whether it has a parser that can be called.
func open(folder string) (Parser, bool) {
	text, err := os.ReadFile(filepath.Join(folder, "package.json"))
	if err != nil {
		return Parser{}, false
	}
	var about struct{ Name, Version string }
	if err := json.Unmarshal(text, &about); err != nil || about.Name != "typescript" || !callable(about.Version) {
		return Parser{}, false
	}
	p := Parser{Script: filepath.Join(folder, "lib", "typescript.js"), Version: about.Version}
	p.found, err = os.Stat(p.Script)
	return p, err == nil
}

// sum is the SHA-256 of Script, in hexadecimal digits. Its nine million bytes are
// read once a file is to be parsed, and not by each program that could do that.
func (p Parser) sum() (string, error) {
	f, err := os.Open(p.Script)
	if err != nil {
		return "", fmt.Errorf("source: %w", err)
	}
	defer f.Close()
	now, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("source: %w", err)
	}
	if was := p.found; was != nil &&
		(!os.SameFile(was, now) || was.Size() != now.Size() || !was.ModTime().Equal(now.ModTime())) {
		return "", fmt.Errorf("source: %s is another one than when it was found", p.Script)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("source: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// callable reports whether a version has a parser that a script can call, and
// that knows all extensions.
func callable(version string) bool {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	x, err := strconv.Atoi(major)
	y, err2 := strconv.Atoi(minor)
	return err == nil && err2 == nil && x < 7 && (x > 4 || x == 4 && y >= 7)
}
