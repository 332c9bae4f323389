package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/planlock/planlock/internal/atomicfile"
	"github.com/planlock/planlock/internal/process/environ"
)

// Bounds of what is copied of a user.
const (
	mostFile   = 4 << 20 // bytes of one file
	mostCopied = 2000    // files
)

// source is where the file of the user lies.
func (f File) source() (string, error) {
	if f.Variable != "" {
		if dir := os.Getenv(f.Variable); filepath.IsAbs(dir) {
			return filepath.Join(dir, filepath.FromSlash(f.Name)), nil
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, filepath.FromSlash(f.below())), nil
}

// below is where it lies in the agent's home.
func (f File) below() string { return path.Join(f.Folder, f.Name) }

// shown is its path as people write it.
func (f File) shown() string {
	if f.Variable != "" && filepath.IsAbs(os.Getenv(f.Variable)) {
		return "$" + f.Variable + "/" + f.Name
	}
	return "~/" + f.below()
}

// A home is what is known of the folder that an agent has for its home in a run.
type home struct {
	dir string

	once    sync.Once
	failed  error
	one     sync.Mutex
	copied  int // files
	logins  []login
	secrets []string // that stand in the copies
}

// A login is a file of the user, as it was when it was copied last.
type login struct {
	File
	from string
	perm fs.FileMode
	text []byte
}

// seed puts copies of the user's files into a home, once. What is there already
// stays, as where two executors have one home.
func (h *home) seed(files []File) error {
	h.once.Do(func() { h.failed = h.copies(files) })
	return h.failed
}

func (h *home) copies(files []File) error {
	root, err := os.OpenRoot(h.dir)
	if err != nil {
		return fmt.Errorf("agent: home: %w", err)
	}
	defer root.Close()
	for _, f := range files {
		from, err := f.source()
		if err != nil {
			return fmt.Errorf("agent: home: %w", err)
		}
		err = h.copy(root, f, from)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("agent: home: copy of %s: %w", f.shown(), err)
		}
	}
	return nil
}

// copy puts a file, or a folder with all that is in it, into a home.
func (h *home) copy(root *os.Root, f File, from string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		entries, err := os.ReadDir(from)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if at, err := os.Stat(filepath.Join(from, e.Name())); err == nil && at.IsDir() && !e.IsDir() {
				continue // a link to a folder, which may be one around it
			}
			below := f
			below.Name = path.Join(f.Name, e.Name())
			if err := h.copy(root, below, filepath.Join(from, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	}
	if !info.Mode().IsRegular() {
		return nil // a socket, a device: no setting
	}
	if h.copied++; h.copied > mostCopied {
		return fmt.Errorf("there are more than %d files", mostCopied)
	}
	if info.Size() > mostFile {
		return fmt.Errorf("it is larger than %d bytes", mostFile)
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if f.Login {
		h.logins = append(h.logins, login{f, from, info.Mode().Perm(), text})
	}
	if f.Login || f.veiled {
		h.secrets = append(h.secrets, secretsIn(text)...)
	}
	if err := root.MkdirAll(filepath.Dir(filepath.FromSlash(f.below())), 0o700); err != nil {
		return err
	}
	to, err := root.OpenFile(filepath.FromSlash(f.below()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = to.Write(text)
	return errors.Join(err, to.Close())
}

// back writes logins back that the agent has refreshed, unless somebody else did
// so meanwhile. It reports those that it does not take for one.
func (h *home) back() error {
	h.one.Lock()
	defer h.one.Unlock()
	var errs []error
	for i := range h.logins {
		if err := h.refresh(&h.logins[i]); err != nil {
			errs = append(errs, fmt.Errorf("agent: %s is not written back: %w", h.logins[i].shown(), err))
		}
	}
	return errors.Join(errs...)
}

func (h *home) refresh(l *login) error {
	text, err := h.read(l.below())
	if errors.Is(err, fs.ErrNotExist) || err == nil && bytes.Equal(text, l.text) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := alike(l.text, text); err != nil {
		return err
	}
	theirs, err := os.ReadFile(l.from)
	if err != nil || !bytes.Equal(theirs, l.text) {
		return nil // the user logged out, or in once more: that stands
	}
	to, err := filepath.EvalSymlinks(l.from)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(nil, to, text, l.perm); err != nil {
		return err
	}
	l.text = text
	h.secrets = append(h.secrets, secretsIn(text)...)
	return nil
}

// read reads a file of the home, which no link can lead out of.
func (h *home) read(name string) ([]byte, error) {
	root, err := os.OpenRoot(h.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Lstat(filepath.FromSlash(name))
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no file any more")
	case info.Size() > mostFile:
		return nil, fmt.Errorf("it is larger than %d bytes", mostFile)
	}
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, mostFile))
}

// alike says why a text is not the same login, refreshed: it must be an object
// that has what the other had.
func alike(was, is []byte) error {
	var before, after map[string]json.RawMessage
	if json.Unmarshal(is, &after) != nil || len(after) == 0 {
		return errors.New("what the agent left is no JSON object")
	}
	if json.Unmarshal(was, &before) != nil {
		return nil
	}
	for name := range before {
		if after[name] == nil {
			return fmt.Errorf("what the agent left has no %q any more", name)
		}
	}
	return nil
}

// veil puts out of a text the tokens of logins, and the values of variables that
// are secrets by their names: what a program prints has been looked through for
// these, and what was put together of its lines has not.
func (h *home) veil(env []string) *strings.Replacer {
	h.one.Lock()
	defer h.one.Unlock()
	type secret struct{ value, instead string }
	var all []secret
	for _, value := range h.secrets {
		all = append(all, secret{value, "[login]"})
	}
	for _, assignment := range env {
		name, value, _ := strings.Cut(assignment, "=")
		if environ.Secret(name) && len(value) >= 8 {
			all = append(all, secret{value, "[" + name + "]"})
		}
	}
	slices.SortStableFunc(all, func(a, b secret) int { return len(b.value) - len(a.value) }) // the longest first
	var pairs []string
	for _, s := range all {
		pairs = append(pairs, s.value, s.instead)
	}
	return strings.NewReplacer(pairs...)
}

// secretsIn are the long texts of a login: tokens and keys.
func secretsIn(text []byte) []string {
	var all []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			if len(v) >= 20 {
				all = append(all, v)
			}
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			for _, x := range v {
				walk(x)
			}
		}
	}
	var v any
	if json.Unmarshal(text, &v) == nil {
		walk(v)
	}
	return all
}
