package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/ledger"
)

// A Prober computes envelopes, and remembers what it has read: a file whose
// stamps have not moved is not read again, and its version is not asked for
// again. The zero value is ready. It is safe for concurrent use.
type Prober struct {
	mu    sync.Mutex
	known map[string]reading
	said  map[string]word    // by the names of components
	rules []string           // as they were last
	ruled envelope.Component // what stands for them
}

// A word is a component without a file, and the text that it was last made of.
type word struct {
	text      string
	component envelope.Component
}

// A reading is what a file was when it was read.
type reading struct {
	stamp   stamp
	digest  ledger.Digest
	version string // of programs, once asked for
	asked   bool
}

// settled is how old a file's last change must be for its stamps to tell the
// next one.
const settled = 2 * time.Second

// Compute looks at everything in spec, as the function Compute does.
func (p *Prober) Compute(ctx context.Context, spec Spec) (*envelope.Envelope, error) {
	dir, err := filepath.Abs(spec.Dir)
	if err != nil {
		return nil, fmt.Errorf("envelope: folder %q: %w", spec.Dir, err)
	}
	look := &look{p: p, ctx: ctx, dir: dir, found: make([]envelope.Component, 0, 8)}
	if err := look.enter(&spec); err != nil {
		return nil, fmt.Errorf("envelope: workspace: %w", err)
	}
	if look.root != nil {
		defer look.root.Close()
	}
	if spec.Model != "" {
		look.text("model", spec.Model)
	}
	if spec.Isolation != "" {
		look.text("isolation", spec.Isolation)
	}
	look.rules(spec.Rules)
	look.files("prompt:", spec.PromptTemplates)
	look.files("config:", spec.Config)
	for _, glob := range spec.Context {
		look.glob(glob)
	}
	look.programs("tool:", spec.Tools)
	look.programs("toolchain:", spec.Toolchain)
	for _, agent := range spec.Agents {
		look.agent(agent)
	}
	if err := errors.Join(look.errs...); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("envelope: %w", context.Cause(ctx))
	}
	return envelope.New(look.found...), nil
}

// enter opens the workspace if anything in it is to be looked at; else it only
// makes sure that there is one.
func (l *look) enter(spec *Spec) (err error) {
	if len(spec.PromptTemplates)+len(spec.Config)+len(spec.Context) > 0 {
		l.root, err = os.OpenRoot(l.dir)
		return err
	}
	info, err := os.Stat(l.dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%q is not a folder", l.dir)
	}
	return err
}

// A look is one computation.
type look struct {
	p     *Prober
	ctx   context.Context // lives as long as the call that it belongs to
	root  *os.Root        // nil where nothing in it is to be looked at
	dir   string
	found []envelope.Component
	errs  []error
}

func (l *look) add(name string, digest ledger.Digest, text string) {
	l.found = append(l.found, envelope.Component{Name: name, Digest: digest, Text: printable(text)})
}

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
		list := make([]envelope.Component, len(rules))
		for i, rule := range rules {
			list[i].Name = rule
		}
		all := envelope.New(list...)
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

var errNotPlain = errors.New("not a regular file")

// openPlain opens a regular file without waiting for anything else that has its
// name.
func openPlain(open func(string, int, fs.FileMode) (*os.File, error), path string) (*os.File, error) {
	f, err := open(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotPlain
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// read digests the file that open opens, unless its stamps are those of the
// last time.
func (p *Prober) read(ctx context.Context, key string, open func() (*os.File, error)) (reading, error) {
	f, err := open()
	if err != nil {
		return reading{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return reading{}, err
	}
	now := stampOf(info)
	p.mu.Lock()
	last, ok := p.known[key]
	p.mu.Unlock()
	if ok && last.stamp == now {
		return last, nil
	}
	digest, _, err := ledger.SumReader(stoppable{ctx, f})
	if err != nil {
		return reading{}, err
	}
	got := reading{stamp: now, digest: digest}
	p.remember(key, got)
	return got, nil
}

// remember keeps what was read, unless the file changed so lately that it could
// change again with the same stamps.
func (p *Prober) remember(key string, got reading) {
	if time.Since(got.stamp.latest()) < settled {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil {
		p.known = make(map[string]reading)
	}
	p.known[key] = got
}

// stoppable is a reader that ends with its context.
type stoppable struct {
	ctx context.Context
	r   io.Reader
}

func (s stoppable) Read(p []byte) (int, error) {
	if s.ctx.Err() != nil {
		return 0, context.Cause(s.ctx)
	}
	return s.r.Read(p)
}
