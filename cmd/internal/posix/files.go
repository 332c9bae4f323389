package posix

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// chmod takes a number, or letters with + or -. What Windows keeps of it is
// whether a file may be written.
func chmod(_ context.Context, c *call) error {
	if len(c.args) < 2 {
		return errNoArgument
	}
	word := c.args[0]
	c.args = c.args[1:]
	number, err := strconv.ParseUint(word, 8, 9)
	if err == nil {
		return c.each(func(path string) error { return os.Chmod(path, fs.FileMode(number)) })
	}
	who, what, plus := strings.Cut(word, "+")
	if !plus {
		who, what, _ = strings.Cut(word, "-")
	}
	if what == "" || strings.Trim(who, "augo") != "" || strings.Trim(what, "rwx") != "" {
		return fmt.Errorf("mode %q is neither a number nor as a+x or u-w", word)
	}
	var bits fs.FileMode
	for i, letter := range "xwr" {
		if strings.ContainsRune(what, letter) {
			bits |= 1 << i
		}
	}
	var mask fs.FileMode
	for i, letter := range "ogu" {
		if who == "" || strings.ContainsAny(who, "a"+string(letter)) {
			mask |= bits << (3 * i)
		}
	}
	return c.each(func(path string) error {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		mode := info.Mode().Perm() &^ mask
		if plus {
			mode |= mask
		}
		return os.Chmod(path, mode)
	})
}

// cp copies into a folder, or one file or folder to another name.
func cp(_ context.Context, c *call) error {
	return c.pair(func(from, to string) error {
		info, err := os.Stat(from)
		if err != nil {
			return err
		}
		if info.IsDir() && !c.has("rR") {
			return fmt.Errorf("%s is a folder: say -r", from)
		}
		if rel, err := filepath.Rel(from, to); err == nil && filepath.IsLocal(rel) {
			return fmt.Errorf("%s cannot be copied into or onto itself", from)
		}
		return filepath.WalkDir(from, func(at string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(from, at)
			if err != nil {
				return err
			}
			if entry.IsDir() {
				return os.MkdirAll(filepath.Join(to, rel), 0o777)
			}
			return c.copy(at, filepath.Join(to, rel))
		})
	})
}

// copy copies one file.
func (c *call) copy(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err == nil && c.has("p") {
		err = os.Chtimes(to, info.ModTime(), info.ModTime())
	}
	return err
}

// pair calls do for each argument but the last, with what it becomes there.
func (c *call) pair(do func(from, to string) error) error {
	if len(c.args) < 2 {
		return errNoArgument
	}
	to := c.path(c.args[len(c.args)-1])
	info, err := os.Stat(to)
	into := err == nil && info.IsDir()
	if c.args = c.args[:len(c.args)-1]; len(c.args) > 1 && !into {
		return fmt.Errorf("%s is no folder", to)
	}
	return c.each(func(from string) error {
		if into {
			return do(from, filepath.Join(to, filepath.Base(from)))
		}
		return do(from, to)
	})
}

// find lists what is in folders, by name and type.
func find(_ context.Context, c *call) error {
	kind, name := c.values["-type"], c.values["-name"]
	if _, err := path.Match(name, ""); err != nil || !slices.Contains([]string{"", "f", "d"}, kind) {
		return fmt.Errorf("-type is f or d, -name a pattern, and not %q and %q", kind, name)
	}
	if len(c.args) == 0 {
		c.args = []string{"."}
	}
	var errs []error
	for _, arg := range c.args {
		top := c.path(arg)
		errs = append(errs, filepath.WalkDir(top, func(at string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(top, at)
			if err != nil {
				return err
			}
			shown := arg
			if rel != "." {
				shown = strings.TrimSuffix(arg, "/") + "/" + filepath.ToSlash(rel)
			}
			matches, _ := path.Match(name, path.Base(filepath.ToSlash(shown)))
			if name != "" && !matches || kind == "d" && !entry.IsDir() || kind == "f" && !entry.Type().IsRegular() {
				return nil
			}
			_, err = fmt.Fprintln(c.out, shown)
			return err
		}))
	}
	return errors.Join(errs...)
}

// ls lists names, each on a line.
func ls(_ context.Context, c *call) error {
	if len(c.args) == 0 {
		c.args = []string{"."}
	}
	var errs []error
	for _, arg := range c.args {
		info, err := os.Stat(c.path(arg))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if !info.IsDir() {
			fmt.Fprintln(c.out, arg)
			continue
		}
		if len(c.args) > 1 {
			fmt.Fprintln(c.out, arg+":")
		}
		entries, err := os.ReadDir(c.path(arg))
		errs = append(errs, err)
		if c.has("a") {
			fmt.Fprint(c.out, ".\n..\n")
		}
		for _, entry := range entries {
			if c.has("aA") || !strings.HasPrefix(entry.Name(), ".") {
				fmt.Fprintln(c.out, entry.Name())
			}
		}
	}
	return errors.Join(errs...)
}

// mkdir makes folders, and with -p those above them.
func mkdir(_ context.Context, c *call) error {
	return c.each(func(path string) error {
		if c.has("p") {
			return os.MkdirAll(path, 0o777)
		}
		return os.Mkdir(path, 0o777)
	})
}

func mv(_ context.Context, c *call) error { return c.pair(os.Rename) }

// rm removes files, and with -r folders, but none that the shell is in.
func rm(_ context.Context, c *call) error {
	if c.has("f") && len(c.args) == 0 {
		return nil
	}
	return c.each(func(path string) error {
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist) && c.has("f"):
			return nil
		case err != nil:
			return err
		case !info.IsDir():
			return os.Remove(path)
		case !c.has("rR"):
			return fmt.Errorf("%s is a folder: say -r", path)
		}
		if rel, err := filepath.Rel(path, c.dir); err == nil && filepath.IsLocal(rel) {
			return fmt.Errorf("%s holds the folder that the shell is in", path)
		}
		return os.RemoveAll(path)
	})
}

// rmdir removes folders that are empty, and no file.
func rmdir(_ context.Context, c *call) error {
	return c.each(func(path string) error {
		if info, err := os.Lstat(path); err == nil && !info.IsDir() {
			return fmt.Errorf("%s is no folder", path)
		}
		return os.Remove(path)
	})
}

// touch makes files that are not there, and the others new.
func touch(_ context.Context, c *call) error {
	return c.each(func(path string) error {
		now := time.Now()
		err := os.Chtimes(path, now, now)
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
		if err != nil {
			return err
		}
		return f.Close()
	})
}
