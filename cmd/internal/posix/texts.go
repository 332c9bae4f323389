package posix

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mvdan.cc/sh/v3/interp"
)

func cat(_ context.Context, c *call) error {
	return c.read(c.args, func(_ string, r io.Reader) error {
		_, err := io.Copy(c.out, r)
		return err
	})
}

// lines calls do with each line, the last one perhaps without its end, until it
// says false.
func lines(r io.Reader, do func(line string) bool) error {
	for in := bufio.NewReader(r); ; {
		line, err := in.ReadString('\n')
		if line != "" && !do(line) || errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// number is how many lines are wanted.
func (c *call) number() (int, error) { return strconv.Atoi(cmp.Or(c.values["-n"], "10")) }

// head writes the first lines of each file, and reads no further.
func head(_ context.Context, c *call) error {
	n, err := c.number()
	if err != nil {
		return err
	}
	return c.read(c.args, func(_ string, r io.Reader) error {
		left := n
		if left < 1 {
			return nil
		}
		return lines(r, func(line string) bool {
			io.WriteString(c.out, line)
			left--
			return left > 0
		})
	})
}

// tail writes the last lines of each file, and keeps no others in memory.
func tail(_ context.Context, c *call) error {
	n, err := c.number()
	if err != nil {
		return err
	}
	return c.read(c.args, func(_ string, r io.Reader) error {
		var last []string
		err := lines(r, func(line string) bool {
			if last = append(last, line); len(last) > n {
				last = last[1:]
			}
			return true
		})
		io.WriteString(c.out, strings.Join(last, ""))
		return err
	})
}

// wc counts lines, words and bytes.
func wc(_ context.Context, c *call) error {
	return c.read(c.args, func(name string, r io.Reader) error {
		text, err := io.ReadAll(r)
		var said []string
		for _, count := range []struct {
			letter string
			n      int
		}{{"l", bytes.Count(text, []byte("\n"))}, {"w", len(bytes.Fields(text))}, {"c", len(text)}} {
			if c.letters == "" || c.has(count.letter) {
				said = append(said, strconv.Itoa(count.n))
			}
		}
		if name != "" {
			said = append(said, name)
		}
		fmt.Fprintln(c.out, strings.Join(said, " "))
		return err
	})
}

// grep looks for lines. Its status is 0 if there is one, 1 if there is none,
// and 2 if something is wrong.
func grep(_ context.Context, c *call) error {
	found, err := c.grep()
	switch {
	case err != nil:
		fmt.Fprintln(c.err, "grep:", err)
		return interp.ExitStatus(2)
	case !found:
		return interp.ExitStatus(1)
	}
	return nil
}

// grep writes the lines that match, or how many there are in each file, and
// reports whether there are any. Where only that is asked it ends at the first
// one.
func (c *call) grep() (found bool, err error) {
	if len(c.args) == 0 {
		return false, errNoArgument
	}
	pattern, err := c.pattern(c.args[0])
	if err != nil {
		return false, err
	}
	files := c.args[1:]
	named := len(files) > 1 || c.has("r")
	if c.has("r") {
		if files, err = c.below(files); err != nil || len(files) == 0 {
			return false, err
		}
	}
	err = c.read(files, func(name string, r io.Reader) error {
		count, at := 0, 0
		prefix := ""
		if named {
			prefix = name + ":"
		}
		err := lines(r, func(line string) bool {
			at++
			if pattern.MatchString(strings.TrimRight(line, "\r\n")) == c.has("v") {
				return true
			}
			count++
			found = true
			switch {
			case c.has("qc"):
			case c.has("n"):
				fmt.Fprintf(c.out, "%s%d:%s\n", prefix, at, strings.TrimSuffix(line, "\n"))
			default:
				fmt.Fprintf(c.out, "%s%s\n", prefix, strings.TrimSuffix(line, "\n"))
			}
			return !c.has("q")
		})
		if c.has("c") && !c.has("q") {
			fmt.Fprintf(c.out, "%s%d\n", prefix, count)
		}
		return err
	})
	return found, err
}

// below are the files in folders.
func (c *call) below(tops []string) (files []string, err error) {
	if len(tops) == 0 {
		tops = []string{"."}
	}
	for _, top := range tops {
		err = errors.Join(err, filepath.WalkDir(c.path(top), func(at string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				files = append(files, at)
			}
			return err
		}))
	}
	return files, err
}

// pattern is what grep looks for. In a pattern without -E, the signs that -E
// adds mean themselves, and what they do with a backslash.
func (c *call) pattern(text string) (*regexp.Regexp, error) {
	var b strings.Builder
	if c.has("i") {
		b.WriteString("(?i)")
	}
	switch {
	case c.has("F"):
		b.WriteString(regexp.QuoteMeta(text))
	case c.has("E"):
		b.WriteString(text)
	default:
		signs := []rune("(){}|+?")
		escaped := false
		for _, r := range text {
			switch {
			case !escaped && r == '\\':
				escaped = true
				continue
			case slices.Contains(signs, r) != escaped: // one that means itself, or an escaped letter
				b.WriteRune('\\')
			}
			b.WriteRune(r)
			escaped = false
		}
		if escaped {
			return nil, errors.New("the pattern ends with a backslash")
		}
	}
	return regexp.Compile(b.String())
}

// sleep waits for a number of seconds, or for a duration as Go writes it.
func sleep(ctx context.Context, c *call) error {
	if len(c.args) != 1 {
		return errNoArgument
	}
	d, err := time.ParseDuration(c.args[0])
	if err != nil {
		d, err = time.ParseDuration(c.args[0] + "s")
	}
	if err != nil {
		return err
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
