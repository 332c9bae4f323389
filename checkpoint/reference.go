package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/planlock/planlock/checkpoint/internal/chain"
	"github.com/planlock/planlock/checkpoint/internal/format"
	"github.com/planlock/planlock/ledger"
)

// A Reference says that a record of a journal needs, or may need, a content.
type Reference struct {
	Digest  ledger.Digest
	Journal string // its name
	Seq     uint64 // of the first record that refers to it
	Key     string // the name of the field that holds the digest; empty where a manifest refers to it
	Path    string // of the file, if it is one in a tree
}

// String says who refers, as in "record 3 of journal "x": file "a.go"".
func (r Reference) String() string {
	text := fmt.Sprintf("record %d of journal %q", r.Seq, r.Journal)
	if r.Path != "" {
		text += fmt.Sprintf(": file %q", r.Path)
	}
	return text
}

// References replays and verifies a log, and yields every digest that stands as
// a value in the data of its records, whatever their types are, and all that
// the manifests among them need: those under them, and the contents of all
// files. Many of these digests are names of something else that no store keeps
// (trees, plans). Each is yielded once.
//
// A manifest that cannot be read is yielded with an error, since nobody knows
// what it needs, and the others follow. An error of the log is the last pair.
func (s *Store) References(ctx context.Context, log Log, name string) iter.Seq2[Reference, error] {
	return func(yield func(Reference, error) bool) {
		f := &finder{store: s, seen: map[format.Sum]bool{}, yield: yield}
		c := chain.New(name)
		for rec, err := range replay(ctx, log, &c) {
			if err != nil {
				if !f.stopped {
					yield(Reference{Journal: name}, err)
				}
				return
			}
			f.at = Reference{Journal: name, Seq: c.Seq()}
			if err := s.Adopt(ctx, inlineIn(rec.Data())); err != nil {
				yield(Reference{Journal: name, Seq: c.Seq()}, err)
				return
			}
			for key, digest := range digestsIn(rec.Data()) {
				f.find(ctx, key, digest)
			}
			if f.stopped {
				return
			}
		}
	}
}

const (
	digestScheme = "sha256:"
	digestText   = len(digestScheme) + 2*len(format.Sum{})
)

// digestsIn yields the digests that are values in compact JSON, each with the
// name of its field, if it has one.
func digestsIn(data []byte) iter.Seq2[string, ledger.Digest] {
	return func(yield func(string, ledger.Digest) bool) {
		for i := 0; ; {
			j := bytes.Index(data[i:], []byte(`"`+digestScheme))
			if j < 0 {
				return
			}
			start := i + j + 1
			i = start
			if len(data)-start <= digestText || data[start+digestText] != '"' {
				continue
			}
			d := ledger.Digest(data[start : start+digestText])
			if _, err := d.Sum(); err == nil && !yield(keyBefore(data[:start-1]), d) {
				return
			}
		}
	}
}

// keyBefore is the name of a field that data ends with, up to the colon.
func keyBefore(data []byte) string {
	data, ok := bytes.CutSuffix(data, []byte(`":`))
	if !ok {
		return ""
	}
	return string(data[bytes.LastIndexByte(data, '"')+1:])
}

// A finder yields each digest once.
type finder struct {
	store   *Store
	seen    map[format.Sum]bool
	yield   func(Reference, error) bool
	at      Reference // who refers now
	stopped bool
}

// find yields a digest, and what it needs if it is that of a manifest.
func (f *finder) find(ctx context.Context, key string, d ledger.Digest) {
	f.at.Key = key
	if !f.tell(d, "", nil) {
		return
	}
	for manifest := key == "manifest" || f.store.beginsAsManifest(ctx, d); manifest; {
		base, err := f.contents(ctx, d)
		if err != nil {
			f.stopped = f.stopped || !f.yield(f.at.of(d, ""), fmt.Errorf("checkpoint: manifest %q: %w", string(d), err))
			return
		}
		d = base
		manifest = d != "" && f.tell(d, "", nil)
	}
}

// contents yields those that a manifest needs, and returns the manifest under
// it.
func (f *finder) contents(ctx context.Context, d ledger.Digest) (base ledger.Digest, err error) {
	m, err := f.store.openManifest(ctx, d)
	if err != nil {
		return "", err
	}
	f.at.Key = ""
	for e, err := range m.each() {
		if err != nil {
			return "", err
		}
		if e.Kind == ledger.File {
			f.tell(e.Digest, e.Path, nil)
		}
	}
	return m.base, nil
}

// tell yields a digest if it is new, and reports whether it was.
func (f *finder) tell(d ledger.Digest, path string, err error) bool {
	key, rerr := d.Sum()
	if rerr != nil || f.stopped || f.seen[key] {
		return false
	}
	f.seen[key] = true
	f.stopped = !f.yield(f.at.of(d, path), err)
	return !f.stopped
}

func (r Reference) of(d ledger.Digest, path string) Reference {
	r.Digest, r.Path = d, path
	return r
}

// beginsAsManifest reports whether a content is kept and looks like a manifest.
func (s *Store) beginsAsManifest(ctx context.Context, d ledger.Digest) bool {
	r, err := s.blobs.Get(ctx, d)
	if err != nil {
		return false
	}
	head := make([]byte, len(manifestMagic))
	_, err = io.ReadFull(r, head)
	return errors.Join(err, r.Close()) == nil && string(head) == manifestMagic
}
