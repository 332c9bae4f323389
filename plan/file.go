package plan

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxSize is the size up to which a plan is read.
const maxSize = 16 << 20

// A SizeError refuses a plan by its size, before it is read.
type SizeError struct {
	Name      string
	Size, Max int64
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("plan: %q has %d bytes, more than the %d that a plan may have: split it up", e.Name, e.Size, e.Max)
}

// Errors of ReadFile besides those of the file system.
var (
	ErrNotRegular = errors.New("not a regular file")
	ErrNoPlan     = errors.New("no plan in this folder")
	ErrManyPlans  = errors.New("more than one plan in this folder")
)

// A stamp tells cheaply whether a file may have changed.
type stamp struct {
	size  int64
	mod   time.Time
	info  fs.FileInfo
	fresh bool // changed so shortly before it was read that a change after it might leave the same stamp
}

// settled is the age at which the time of a file tells apart what was written before from what comes after.
const settled = 2 * time.Second

// unmoved reports whether the files of a plan surely are as they were read.
func unmoved(origin string, stamps []stamp) bool {
	info, err := os.Stat(origin)
	return err == nil && len(stamps) == 1 && !stamps[0].fresh && stamps[0].same(info)
}

// stampsOf takes the stamps of files and of the folders they lie in; none where one cannot be taken.
func stampsOf(files []Source) []stamp {
	var stamps []stamp
	for _, path := range stamped(files) {
		info, err := os.Stat(path)
		if err != nil {
			return nil
		}
		stamps = append(stamps, stamp{info.Size(), info.ModTime(), info, time.Since(info.ModTime()) < settled})
	}
	return stamps
}

// stamped lists the files of a plan and their folders.
func stamped(files []Source) []string {
	var paths []string
	for _, f := range files {
		for _, path := range []string{f.Path, filepath.Dir(f.Path)} {
			if !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// stillStamped reports whether files and folders surely are as they were when the stamps were taken.
func stillStamped(files []Source, stamps []stamp) bool {
	paths := stamped(files)
	if len(stamps) == 0 || len(paths) != len(stamps) {
		return false
	}
	for i, path := range paths {
		info, err := os.Stat(path)
		if err != nil || stamps[i].fresh || !stamps[i].same(info) {
			return false
		}
	}
	return true
}

func (s stamp) same(info fs.FileInfo) bool {
	return s.size == info.Size() && s.mod.Equal(info.ModTime()) && os.SameFile(s.info, info)
}

// ReadFile reads a native plan from a file or from a folder that holds one: plan.toml, or else the only
// file *.toml that says which schema it has. A symbolic link to a file is followed.
//
// The draft is non-nil whenever something could be read; what is wrong with the content is in Found.
// The error is for what could not be read at all: that of the file system ([fs.ErrNotExist],
// [fs.ErrPermission]), [ErrNotRegular], [ErrNoPlan], [ErrManyPlans] or a *[SizeError].
func ReadFile(path string) (*Draft, error) {
	file := path
	if info, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	} else if info.IsDir() {
		if file, err = planIn(path); err != nil {
			return nil, err
		}
	}
	text, s, err := readRegular(file)
	if err != nil {
		return nil, err
	}
	d, err := Read(file, text)
	if err != nil {
		return nil, err
	}
	d.origin, d.stamps = file, []stamp{s}
	d.asRead = d.Plan.Digest()
	if abs, err := filepath.Abs(file); err == nil {
		d.origin = abs
	}
	return d, nil
}

// ReadText reads a file that a front end is to judge, with the errors of [ReadFile]: it follows a symbolic
// link, and refuses what is no regular file and what is larger than a plan may be.
func ReadText(path string) ([]byte, error) {
	text, _, err := readRegular(path)
	return text, err
}

// readRegular reads a file that is what its name says: neither a device nor a pipe, which could hold
// the reader for ever, nor larger than a plan may be.
func readRegular(path string) ([]byte, stamp, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, stamp{}, fmt.Errorf("plan: %w", err)
	}
	defer f.Close()
	for range 3 {
		before, err := f.Stat()
		switch {
		case err != nil:
			return nil, stamp{}, fmt.Errorf("plan: %w", err)
		case !before.Mode().IsRegular():
			return nil, stamp{}, fmt.Errorf("plan: %q is %w: name a file, or a folder that holds a plan", path, ErrNotRegular)
		case before.Size() > maxSize:
			return nil, stamp{}, &SizeError{Name: path, Size: before.Size(), Max: maxSize}
		}
		text, err := io.ReadAll(io.LimitReader(f, maxSize+1))
		if err != nil {
			return nil, stamp{}, fmt.Errorf("plan: %w", err)
		}
		s := stamp{before.Size(), before.ModTime(), before, time.Since(before.ModTime()) < settled}
		if after, err := f.Stat(); err == nil && s.same(after) && int64(len(text)) == after.Size() {
			return text, s, nil
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return nil, stamp{}, fmt.Errorf("plan: %w", err)
		}
	}
	return nil, stamp{}, fmt.Errorf("plan: %q changes while it is read: try again", path)
}

// planIn finds the one native plan of a folder.
func planIn(dir string) (string, error) {
	if info, err := os.Stat(filepath.Join(dir, "plan.toml")); err == nil && !info.IsDir() {
		return filepath.Join(dir, "plan.toml"), nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("plan: %w", err)
	}
	var plans []string
	for _, e := range entries {
		if !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), ".toml") {
			continue
		}
		text, _, err := readRegular(filepath.Join(dir, e.Name()))
		if err == nil && SaysSchema(text) {
			plans = append(plans, e.Name())
		}
	}
	slices.Sort(plans)
	switch len(plans) {
	case 0:
		return "", fmt.Errorf("plan: %q: %w: a plan is called plan.toml, or is a file *.toml that begins with schema = 1: %w", dir, ErrNoPlan, fs.ErrNotExist)
	case 1:
		return filepath.Join(dir, plans[0]), nil
	}
	return "", fmt.Errorf("plan: %q: %w: %s: name one of them", dir, ErrManyPlans, strings.Join(plans, ", "))
}

// SaysSchema reports whether a text has the key schema before its first table, as native plans do.
func SaysSchema(text []byte) bool {
	for line := range strings.Lines(strings.TrimPrefix(string(text), string(byteOrderMark))) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			return false
		}
		if name, _, ok := strings.Cut(line, "="); ok && strings.Trim(strings.TrimSpace(name), `"'`) == "schema" {
			return true
		}
	}
	return false
}
