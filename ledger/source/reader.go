package source

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/planlock/planlock/ledger"
)

// A Reader reads files in the languages that it has, and remembers what it
// read: a content that several ask about is parsed once. The zero value reads
// no language, and nil is like it. It is safe for concurrent use; Languages
// must not be changed.
type Reader struct {
	// Languages are asked in this order: the first that reads a path has it.
	Languages []Language

	mu    sync.Mutex
	known map[key]*File
	kept  int64 // bytes of the contents that known are files of
}

// A key is what a file is known by: the same content at another path may
// declare other names.
type key struct {
	path   string
	digest ledger.Digest
}

// maxKept bounds the contents of the files that are remembered, in bytes.
const maxKept = 64 << 20

// Language is the language that reads a path; nil if none does.
func (r *Reader) Language(path string) Language {
	if r == nil {
		return nil
	}
	for _, l := range r.Languages {
		if l.Reads(path) {
			return l
		}
	}
	return nil
}

// Unread is the name of the language that a path is of, and that nobody reads;
// "" if somebody does, or if it is of no language that is known.
func (r *Reader) Unread(path string) string {
	if r.Language(path) != nil {
		return ""
	}
	return LanguageOf(path)
}

// Places are where a symbol may be declared, in any of the languages; see
// [Language.Places].
func (r *Reader) Places(symbol string) []string {
	var all []string
	if r != nil {
		for _, l := range r.Languages {
			all = append(all, l.Places(symbol)...)
		}
	}
	return all
}

// Read reads files of a tree, and answers for each, in their order: all that are
// of one language in one call of it. A file that nobody could read says why in
// Unread. The error is for a content that cannot be had, and the cause of ctx
// where that ended.
func (r *Reader) Read(ctx context.Context, entries []ledger.Entry, content ledger.Content) ([]*File, error) {
	out := make([]*File, len(entries))
	waiting := map[Language][]int{} // by language, in the order of entries
	var order []Language
	for i, e := range entries {
		l := r.Language(e.Path)
		switch f := r.remembered(e); {
		case e.Kind != ledger.File || l == nil && LanguageOf(e.Path) == "":
			out[i] = &File{Path: e.Path}
		case l == nil:
			out[i] = unread(e.Path, LanguageOf(e.Path), "nobody reads "+LanguageOf(e.Path)+" here")
		case e.Size > Max:
			out[i] = unread(e.Path, l.Name(), fmt.Sprintf("it is larger than %d bytes", Max))
		case f != nil:
			out[i] = f
		default:
			if waiting[l] == nil {
				order = append(order, l)
			}
			waiting[l] = append(waiting[l], i)
		}
	}
	for _, l := range order {
		if err := r.ask(ctx, l, waiting[l], entries, content, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ask has a language read the entries with some numbers.
func (r *Reader) ask(ctx context.Context, l Language, numbers []int, entries []ledger.Entry, content ledger.Content,
	out []*File) error {
	inputs := make([]Input, len(numbers))
	for n, i := range numbers {
		text, err := content.Read(ctx, &entries[i])
		if err != nil {
			return err
		}
		inputs[n] = Input{Path: entries[i].Path, Content: text}
	}
	files, err := safely(ctx, l, inputs)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for n, i := range numbers {
		if err != nil {
			out[i] = unread(entries[i].Path, l.Name(), err.Error()) // not remembered: it may be read later
			continue
		}
		f := &files[n]
		f.Path, f.Language = entries[i].Path, l.Name()
		r.remember(entries[i], f)
		out[i] = f
	}
	return nil
}

// safely asks a language without trusting it: it is given what anybody wrote.
func safely(ctx context.Context, l Language, inputs []Input) (files []File, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("source: the reader of %s gave up: %v", l.Name(), p)
		}
	}()
	files, err = l.Read(ctx, slices.Clone(inputs))
	if err == nil && len(files) != len(inputs) {
		err = fmt.Errorf("source: the reader of %s answered for %d of %d files", l.Name(), len(files), len(inputs))
	}
	return files, err
}

// unread is a file that nobody read.
func unread(path, language, why string) *File {
	return &File{Path: path, Language: language, Unread: why}
}

// remembered is what is known of an entry; nil if it was not read.
func (r *Reader) remembered(e ledger.Entry) *File {
	if r == nil || e.Digest == "" {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[key{e.Path, e.Digest}]
}

// remember keeps what was read, and forgets all else where that became too
// much.
func (r *Reader) remember(e ledger.Entry, f *File) {
	if e.Digest == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept += e.Size; r.known == nil || r.kept > maxKept {
		r.known, r.kept = map[key]*File{}, e.Size
	}
	r.known[key{e.Path, e.Digest}] = f
}
