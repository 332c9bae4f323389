package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/cmd/internal/paint"
	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/plan"
)

// escaped is hostile text as a terminal may show it.
func escaped(text string) string { return safetext.Escape(text) }

// plural is a number of things, as in "1 step" and "2 steps".
func plural[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// oneOrMany is the word that goes with a number of things.
func oneOrMany(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// orElse is a text, or another where there is none.
func orElse(text, other string) string {
	if text != "" {
		return text
	}
	return other
}

// orOpen is a status; a task or step without one is open.
func orOpen(s plan.Status) plan.Status {
	if s == "" {
		return plan.Open
	}
	return s
}

// writeJSON writes one indented document. What does not show itself in it is
// escaped, here and in lines.
func writeJSON(w io.Writer, v any) error { return encodeJSON(w, v, "  ") }

// writeLine writes one document on one line.
func writeLine(w io.Writer, v any) error { return encodeJSON(w, v, "") }

// encodeJSON writes v, with nothing in it that a terminal would act on.
func encodeJSON(w io.Writer, v any, indent string) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(safetext.JSON(text.Bytes()))
	return err
}

// quoted is a word as it can be typed into a shell.
func quoted(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("-_./:=,+@%", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(escaped(word), "'", `'\''`) + "'"
}

// writeFile replaces the file at name by one that holds text. It is there whole
// or not at all, also after a power cut; after an error the old file is
// untouched.
func writeFile(name string, text []byte) error { return replaceFile(name, writing(text)) }

// writing writes a text.
func writing(text []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}
}

// streamFile writes what write writes to what a person named: into it, where that
// is a device or a pipe, as /dev/null and /dev/stdout are; else it is
// [replaceFile].
func streamFile(name string, write func(io.Writer) error) error {
	if info, err := os.Stat(name); err != nil || info.Mode().IsRegular() {
		return replaceFile(name, write)
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// replaceFile is writeFile of what write writes.
//
// What is written goes to a file beside it that takes the name at the end, so a
// reader never sees half of it.
func replaceFile(name string, write func(io.Writer) error) (err error) {
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0 {
		return fmt.Errorf("write %s: what stands there is no file: name another one", name)
	}
	folder, base := filepath.Split(name)
	temp := filepath.Join(folder, fmt.Sprintf(".planlock-%d-%s", os.Getpid(), base))
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(temp) // the error that is returned matters more
		}
	}()
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return os.Rename(temp, name)
}

// displayPath is a path as short as it can be from here.
func displayPath(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// within reports whether a file lies, or would lie, in the tree of a workspace.
func within(dir, file string) bool {
	root, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	folder, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return false
	}
	for _, p := range []*string{&root, &folder} {
		if real, err := filepath.EvalSymlinks(*p); err == nil {
			*p = real
		}
	}
	rel, err := filepath.Rel(root, folder)
	return err == nil && filepath.IsLocal(rel) && rel != ".planlock" &&
		!strings.HasPrefix(rel, ".planlock"+string(filepath.Separator))
}

// fileBehind is the path of the regular file that a stream writes to; "" where
// it is none, or where the system (any but Linux) does not tell.
func fileBehind(stream any) string {
	if s, ok := stream.(*sink); ok {
		stream = s.out
	}
	f, ok := stream.(*os.File)
	if !ok {
		return ""
	}
	opened, err := f.Stat()
	if err != nil || !opened.Mode().IsRegular() {
		return ""
	}
	path, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		return ""
	}
	if there, err := os.Stat(path); err != nil || !os.SameFile(opened, there) { // it was removed since, or moved
		return ""
	}
	return path
}

// apart refuses a workspace that holds the file which standard output or
// standard error is sent to: each line written there would be a change.
//
// It is asked before anything is done. Only Linux tells which file stands
// behind a stream; elsewhere the run would find the change itself, and refuse
// it.
func (p *cli) apart(dir string) error {
	for _, to := range []struct {
		name   string
		stream any
	}{{"standard output", p.out}, {"standard error", p.err}} {
		if file := fileBehind(to.stream); file != "" && within(dir, file) {
			return &usageError{fmt.Sprintf("%s goes to %s in the workspace, where each line would be a change that nobody declared: write it to a file elsewhere",
				to.name, quoted(displayPath(file)))}
		}
	}
	return nil
}

// brush sets off what is written to a stream, where a person sees it there.
func (p *cli) brush(stream any) paint.Brush {
	return paint.For(p.color, p.isTerminal(stream), os.Getenv)
}

// draw writes a text for people, set off by the rule of what it is.
func (p *cli) draw(w io.Writer, rule paint.Rule, draw func(io.Writer) error) error {
	return p.brush(w).Draw(w, rule, draw)
}

// warn says what has no consequences for the call.
func (p *cli) warn(format string, args ...any) {
	text := fmt.Sprintf("planlock: warning: "+format, args...)
	fmt.Fprintln(p.err, p.brush(p.err).Text(text, paint.Error))
}

// redraws reports whether what is written to a stream can be replaced there.
func (p *cli) redraws(stream any) bool { return p.isTerminal(stream) && os.Getenv("TERM") != "dumb" }

// isTerminal reports whether a person sees what is written there, or types what
// is read there.
func (p *cli) isTerminal(stream any) bool {
	if s, ok := stream.(*sink); ok {
		stream = s.out
	}
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
