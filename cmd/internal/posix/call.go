package posix

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
)

// A command is one that the shell carries out itself.
type command struct {
	letters string   // flags that stand alone, or together as in -rf
	valued  []string // flags that have a value, as "-name"
	run     func(context.Context, *call) error
}

// A shell is where a text is run.
type shell struct {
	dir      string
	env      expand.Environ
	in       io.Reader
	out, err io.Writer
}

// A call is one of a command.
type call struct {
	shell
	letters string            // that were given
	values  map[string]string // that were given
	args    []string          // what is no flag
}

// errNoArgument says that a command was called without what it is about.
var errNoArgument = errors.New("there is an argument missing")

// call carries a command out, and says what is wrong.
func (s *shell) call(ctx context.Context, c command, args []string) error {
	call := &call{shell: *s, values: map[string]string{}}
	err := call.take(c, args[1:])
	if err == nil {
		err = c.run(ctx, call)
	}
	if exit := interp.ExitStatus(0); err != nil && !errors.As(err, &exit) {
		fmt.Fprintf(s.err, "%s: %v\n", args[0], err)
		return interp.ExitStatus(1)
	}
	return err
}

// take sorts flags from other arguments.
func (c *call) take(of command, args []string) error {
	for i := 0; i < len(args); i++ {
		word := args[i]
		switch {
		case word == "--":
			c.args = append(c.args, args[i+1:]...)
			return nil
		case len(word) < 2 || word[0] != '-':
			c.args = append(c.args, word)
		case slices.Contains(of.valued, word):
			if i++; i == len(args) {
				return fmt.Errorf("%s needs a value", word)
			}
			c.values[word] = args[i]
		case slices.Contains(of.valued, "-n") && strings.Trim(word[1:], "0123456789") == "": // head -3
			c.values["-n"] = word[1:]
		case strings.Trim(word[1:], of.letters) == "":
			c.letters += word[1:]
		default:
			return fmt.Errorf("planlock's own shell does not know %q here; Git for Windows does", word)
		}
	}
	return nil
}

// has reports whether one of some letters was given as a flag.
func (c *call) has(letters string) bool { return strings.ContainsAny(c.letters, letters) }

// path is one of the arguments, as a path.
func (c *call) path(arg string) string { return within(c.dir, arg) }

// each calls do with each argument as a path, and has all of their errors.
func (c *call) each(do func(path string) error) error {
	if len(c.args) == 0 {
		return errNoArgument
	}
	var errs []error
	for _, arg := range c.args {
		errs = append(errs, do(c.path(arg)))
	}
	return errors.Join(errs...)
}

// read calls do with each file that is named, or with standard input as "".
func (c *call) read(args []string, do func(name string, r io.Reader) error) error {
	if len(args) == 0 {
		return do("", c.in)
	}
	var errs []error
	for _, arg := range args {
		errs = append(errs, func() error {
			if arg == "-" {
				return do("", c.in)
			}
			f, err := os.Open(c.path(arg))
			if err != nil {
				return err
			}
			defer f.Close()
			return do(arg, f)
		}())
	}
	return errors.Join(errs...)
}

// within is a path as seen from a folder.
func within(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
