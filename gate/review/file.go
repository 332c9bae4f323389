package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/source"
)

// maxCited is the size of the largest file of which lines can be cited.
const maxCited = 32 << 20

// A file is what citations of a path may quote.
type file struct {
	there bool           // it is a file of the tree after the step
	large bool           // too large to be read
	lines []string       // of it
	added []bool         // those that the task added or altered
	moved *ledger.Change // what the task changed at the path; nil: nothing
}

// lacks says why a place does not stand; "" if it does.
func (f *file) lacks(p place) string {
	switch {
	case p.from == 0 && f.bare():
		return ""
	case !f.there:
		return "there is no such file"
	case p.from == 0:
		return "it names no line"
	case f.large:
		return fmt.Sprintf("the file is larger than %d bytes", maxCited)
	case p.to > len(f.lines):
		return fmt.Sprintf("lines of the file: %d", len(f.lines))
	}
	stands := strings.Join(f.lines[p.from-1:p.to], "\n")
	if !strings.Contains(spaced(stands), spaced(p.quote)) {
		return fmt.Sprintf("there stands %q", clip(strings.TrimSpace(stands)))
	}
	return ""
}

// spaced is a text in which only words count, and not how they are set.
func spaced(text string) string { return strings.Join(strings.Fields(text), " ") }

// bare reports whether the task changed the path and there is no line that
// shows it: it was deleted, is empty, a folder or a link, or has lost lines.
func (f *file) bare() bool { return f.moved != nil && !slices.Contains(f.added, true) }

// changed reports whether the task changed what stands at a place.
func (f *file) changed(p place) bool {
	if p.from == 0 {
		return f.bare()
	}
	return slices.Contains(f.added[p.from-1:p.to], true)
}

// A subject is what a review is about: what a task changed, and what it names.
type subject struct {
	pass    *gate.Pass
	changes []ledger.Change // since the task began
}

// subjectOf finds out what the task of a pass changed.
func subjectOf(ctx context.Context, pass *gate.Pass) (*subject, error) {
	s := &subject{pass: pass, changes: pass.Changes}
	if pass.Since == nil {
		return s, nil
	}
	began, err := pass.Since(ctx)
	if err != nil {
		return nil, fmt.Errorf("review: the tree before task %s: %w", pass.Task.ID, err)
	}
	s.changes = ledger.Diff(began, pass.After)
	return s, nil
}

// open reads the file at a path, and what the task did to it.
func (s *subject) open(ctx context.Context, path string) (*file, error) {
	f := &file{}
	for i := range s.changes {
		if s.changes[i].Path == path {
			f.moved = &s.changes[i]
		}
	}
	if s.pass.After == nil {
		return f, nil
	}
	entry, ok := s.pass.After.Lookup(path)
	if f.there = ok && entry.Kind == ledger.File; !f.there {
		return f, nil
	}
	if s.pass.Content == nil {
		return nil, errors.New("the pass shows no contents")
	}
	if f.large = entry.Size > maxCited; f.large {
		return f, nil
	}
	text, err := s.pass.Content.Read(ctx, &entry)
	if err != nil {
		return nil, err
	}
	f.lines = slices.Collect(strings.Lines(string(text)))
	f.added = make([]bool, len(f.lines))
	if f.moved != nil && f.moved.ChangesContent() {
		f.added, err = s.added(ctx, f.moved.Before, text)
	}
	return f, err
}

// added says which lines of a text were added to what an entry held. Where
// nobody can tell any more, none were.
func (s *subject) added(ctx context.Context, before *ledger.Entry, text []byte) ([]bool, error) {
	var was []byte
	if before != nil && before.Kind == ledger.File {
		var err error
		switch was, err = s.before(ctx, before); {
		case errors.Is(err, errNotKept):
			return make([]bool, len(source.Added(nil, text))), nil
		case err != nil:
			return nil, err
		}
	}
	return source.Added(was, text), nil
}

// errNotKept says that nobody knows any more what a file held.
var errNotKept = errors.New("review: the content is not kept")

// before reads what a file held before the task.
func (s *subject) before(ctx context.Context, e *ledger.Entry) ([]byte, error) {
	if e.Size > maxCited {
		return nil, errNotKept
	}
	text, err := s.pass.Content.Read(ctx, e)
	if errors.Is(err, ledger.ErrContent) {
		return nil, errNotKept
	}
	return text, err
}
