package layer_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/planlock/planlock/internal/suite"
)

// TestMain is also what plays operations in a layer, and plants attributes, as a
// command.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && (os.Args[1] == "play" || os.Args[1] == "plant") {
		suite.EndAtOnce()
	}
	if len(os.Args) == 3 && os.Args[1] == "play" {
		err := playFile(os.Args[2])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) > 2 && os.Args[1] == "plant" {
		plant(os.Args[2:])
		return
	}
	os.Exit(m.Run())
}

// An op is something that a command does to files.
type op struct {
	Do   string
	A, B string      // paths; of a link what it says
	N    int         // of bytes, and what they are
	Mode fs.FileMode // of what is made or changed
}

func (o op) String() string { return fmt.Sprintf("%s %s %s %d %v", o.Do, o.A, o.B, o.N, o.Mode) }

// doings are the operations that commands do.
var doings = []string{"create", "write", "write", "append", "truncate", "rename", "rename", "rename", "delete", "delete", "clear",
	"mkdir", "mkdir", "chmod", "symlink", "link", "fifo", "attribute"}

// anyOp is one at random, of few names, so that they meet.
func anyOp(r *rand.Rand) op {
	names := []string{"a", "b", "c", "d:,\\ é"}
	path := func() string {
		p := names[r.IntN(len(names))]
		for range r.IntN(3) {
			p = filepath.Join(p, names[r.IntN(len(names))])
		}
		return p
	}
	o := op{Do: doings[r.IntN(len(doings))], A: path(), B: path(), N: r.IntN(200),
		Mode: []fs.FileMode{0o644, 0o755, 0o600, 0o400, 0o700, 0o555, 0o640}[r.IntN(7)]}
	if r.IntN(50) == 0 {
		o.A = filepath.Join([]string{".git", ".planlock", "a/.git"}[r.IntN(3)], o.A)
	}
	return o
}

// play does an operation below a folder.
func (o op) play(dir string) error {
	a, b := filepath.Join(dir, o.A), filepath.Join(dir, o.B)
	text := make([]byte, o.N)
	for i := range text {
		text[i] = byte('a' + (o.N+i)%26)
	}
	switch o.Do {
	case "create":
		return write(a, os.O_CREATE|os.O_EXCL, o.Mode, text)
	case "write":
		return write(a, os.O_CREATE|os.O_TRUNC, 0o644, text)
	case "append":
		return write(a, os.O_APPEND, 0, text)
	case "truncate":
		return os.Truncate(a, int64(o.N))
	case "rename":
		return syscall.Rename(a, b)
	case "delete":
		return os.Remove(a)
	case "clear":
		return clear(a)
	case "mkdir":
		return os.MkdirAll(a, 0o755)
	case "chmod":
		mode := o.Mode
		if info, err := os.Lstat(a); err != nil || info.Mode()&fs.ModeSymlink != 0 {
			return err
		} else if info.IsDir() {
			mode |= 0o500
		}
		return os.Chmod(a, mode)
	case "symlink":
		return os.Symlink(o.B, a)
	case "link":
		return os.Link(a, b)
	case "fifo":
		return syscall.Mkfifo(a, 0o644)
	case "attribute":
		if info, err := os.Lstat(a); err != nil || !info.Mode().IsRegular() {
			return err
		}
		return syscall.Setxattr(a, attribute, []byte("x"), 0)
	}
	return errors.ErrUnsupported
}

// attribute is the one that operations set.
const attribute = "user.planlock-test"

func write(path string, flags int, mode fs.FileMode, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW|flags, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// clear removes a tree, always in the same order.
func clear(path string) error {
	if info, err := os.Lstat(path); err != nil || !info.IsDir() {
		return errors.Join(err, os.Remove(path))
	}
	list, err := os.ReadDir(path)
	for _, e := range list {
		if err == nil {
			err = clear(filepath.Join(path, e.Name()))
		}
	}
	return errors.Join(err, os.Remove(path))
}

// outcome is how an operation ended.
func outcome(err error) string {
	var number syscall.Errno
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &number):
		return number.Error()
	}
	return err.Error()
}

// refused reports whether an outcome is one that only an overlay of an ordinary
// user has: a folder that was there is not renamed, nor a link to a second name
// of itself, which would do nothing.
func (o op) refused(outcome, copied string) bool {
	if o.Do != "rename" {
		return false
	}
	info, err := os.Lstat(filepath.Join(copied, o.A))
	return err == nil && (outcome == syscall.EXDEV.Error() && info.IsDir() ||
		outcome == syscall.ESTALE.Error() && info.Mode()&fs.ModeSymlink != 0)
}

// playFile plays the operations of a file in the current folder, and prints how
// each ended.
func playFile(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var ops []op
	if err := json.Unmarshal(text, &ops); err != nil {
		return err
	}
	syscall.Umask(0o022)
	outcomes := make([]string, len(ops))
	for i, o := range ops {
		outcomes[i] = outcome(o.play("."))
	}
	return json.NewEncoder(os.Stdout).Encode(outcomes)
}
