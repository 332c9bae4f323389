package probe

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/ledger"
)

// textLimit bounds texts of components, in bytes.
const textLimit = 200

// A look is one computation.
type look struct {
	p     *Prober
	ctx   context.Context // lives as long as the call that it belongs to
	root  *os.Root        // nil where nothing in it is to be looked at
	dir   string
	found []envelope.Component
	errs  []error
}

// add notes a component.
func (l *look) add(name string, digest ledger.Digest, text string) {
	l.found = append(l.found, envelope.Component{Name: name, Digest: digest, Text: printable(text)})
}

// fail notes what could not be read; all of it is reported together.
func (l *look) fail(name string, err error) {
	l.errs = append(l.errs, fmt.Errorf("envelope: %s: %w", strings.Replace(name, ":", " ", 1), err))
}

// text is a component that is a word.
func (l *look) text(name, text string) { l.word("", name, text, func() string { return text }) }

// word is a component that follows from its name and a text: of what content
// says.
func (l *look) word(kind, name, text string, content func() string) {
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	last, ok := l.p.said[kind+name]
	if !ok || last.text != text {
		if l.p.said == nil {
			l.p.said = make(map[string]word)
		}
		last = word{text, envelope.Component{Name: kind + name, Digest: ledger.Sum([]byte(content())),
			Text: printable(text)}}
		l.p.said[last.component.Name] = last
	}
	l.found = append(l.found, last.component)
}

// rules is one component of all rules, whatever their order.
func (l *look) rules(rules []string) {
	if len(rules) == 0 {
		return
	}
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	if !slices.Equal(rules, l.p.rules) {
		all := &envelope.Envelope{Components: make([]envelope.Component, len(rules))}
		for i, rule := range rules {
			all.Components[i].Name = rule
		}
		all.Add() // in order
		l.p.rules = slices.Clone(rules)
		l.p.ruled = envelope.Component{Name: "rules", Digest: all.Digest(),
			Text: fmt.Sprintf("%d rules", len(all.Components))}
	}
	l.found = append(l.found, l.p.ruled)
}

// files are components of files that are named one by one.
func (l *look) files(prefix string, names []string) {
	for _, name := range names {
		l.file(prefix+filepath.ToSlash(name), name)
	}
}

// file digests one file: a relative one within the workspace, an absolute one
// wherever it is.
func (l *look) file(name, path string) {
	// What is remembered goes by the absolute path, so that two workspaces do
	// not share it.
	key, opener := path, os.OpenFile
	if !filepath.IsAbs(path) {
		key, opener = filepath.Join(l.dir, path), l.root.OpenFile
	}
	got, err := l.p.read(l.ctx, key, func() (*os.File, error) { return openPlain(opener, path) })
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.add(name, "", "no such file")
	case errors.Is(err, errNotPlain):
		l.add(name, "", "no regular file")
	case err != nil:
		l.fail(name, err)
	default:
		l.add(name, got.digest, "")
	}
}

// glob is a component for each file that matches. Links are digested as what
// they say, and not followed.
func (l *look) glob(glob string) {
	pattern := filepath.ToSlash(filepath.Clean(glob))
	if !filepath.IsLocal(filepath.FromSlash(pattern)) || !doublestar.ValidatePattern(pattern) {
		l.fail("context:"+glob, errors.New("not a glob of paths inside the workspace"))
		return
	}
	// What is named by a glob and not there is a component too: that it appears
	// is a move.
	matched := false
	err := doublestar.GlobWalk(l.root.FS(), pattern, func(path string, entry fs.DirEntry) error {
		if l.ctx.Err() != nil {
			return context.Cause(l.ctx)
		}
		if first, _, _ := strings.Cut(path, "/"); first == ".git" || first == ".planlock" {
			return nil
		}
		switch {
		case entry.IsDir():
			return nil
		case entry.Type()&fs.ModeSymlink != 0:
			target, err := l.root.Readlink(filepath.FromSlash(path))
			if err != nil {
				return err
			}
			l.add("context:"+path, ledger.Sum([]byte("link to "+target)), "link to "+target)
		default:
			l.file("context:"+path, filepath.FromSlash(path))
		}
		matched = true
		return nil
	}, doublestar.WithNoFollow(), doublestar.WithFailOnIOErrors())
	if err != nil {
		l.fail("context:"+glob, err)
		return
	}
	if !matched {
		l.add("context:"+glob, "", "no file matches")
	}
}

// printable is text on one line, without what steers a terminal, bounded.
func printable(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r) || r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, text)
	text = strings.TrimSpace(text)
	if len(text) <= textLimit {
		return text
	}
	cut := textLimit
	for text[cut]&0xC0 == 0x80 {
		cut--
	}
	return strings.TrimSpace(text[:cut])
}
