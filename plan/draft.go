package plan

import (
	"github.com/planlock/planlock/ledger"
)

// Format is the name of the format that a plan was read from, in lower case, as
// in "spec-pair". Each reader says its own; those of package formats are listed
// there.
type Format string

// The formats that mean something to more than their readers.
const (
	Native         Format = "native"          // the TOML format of planlock
	Unknown        Format = "unknown"         // not a plan; Found says what it looks like
	PendingActions Format = "pending-actions" // a list without an order of its own: what is urgent comes first
)

// A Draft is a plan that was read and may be edited. It is not safe for
// concurrent changes.
type Draft struct {
	Plan   Plan
	Format Format
	// Files are the sources that were read, in order, with the digest of their
	// bytes.
	Files []Source
	// Found is what reading found wrong; Check adds its own.
	Found []Diagnostic

	texts    []Text                             // for quoting lines
	position func(path string) (Position, bool) // that of [Parts]
	names    func(path string) ([]string, bool) // Keys of [Parts]
	broken   bool                               // not read to its end, or no plan: only Found can be said of it
	sides    []Side
	implied  map[int]bool  // tasks whose step was not in the source
	origin   Origin        // what can read it again; nil for plans from memory
	asRead   ledger.Digest // what the sources meant
}

// A Source is a file that a draft was read from.
type Source struct {
	Path   string        `json:"path"`
	Digest ledger.Digest `json:"digest"`
}

// A Side is one half of a pair as read on its own.
type Side struct {
	Name   string // "markdown" or "toml"
	File   string
	Goals  []string // every goal that the half states, as written
	Plan   Plan
	Places Places
}

// An Origin is where a plan came from. It is how a lock notices that the plan
// moved.
type Origin interface {
	// Unmoved reports whether the sources surely are what they were when the
	// plan was read; false is no proof that they are not.
	Unmoved() bool
	// Read reads the plan once more. The draft has an origin of its own.
	Read() (*Draft, error)
}

// From says where a draft came from. It is to be said right after reading: what
// the plan means then is what the sources mean.
func (d *Draft) From(o Origin) { d.origin, d.asRead = o, d.Plan.Digest() }

// Texts are the sources as they were read. They are the draft's own.
func (d *Draft) Texts() []Text { return d.texts }

// Broken reports whether the source was not read to its end, or is no plan, so
// that only Found can be said of it.
func (d *Draft) Broken() bool { return d.broken }

// Position finds where a key was written, e.g.
// "tasks[0].steps[1].limits.max_files"; a key that is not there yields its
// nearest enclosing table. The position of a table is that of its header.
func (d *Draft) Position(key string) Position {
	if d.position != nil {
		if p, ok := d.position(key); ok {
			return p
		}
	}
	if len(d.Files) == 0 {
		return Position{Line: 1, Column: 1}
	}
	return Position{File: d.Files[0].Path, Line: 1, Column: 1}
}

// Position finds the place of a key in the half, as [Draft.Position] does.
func (s *Side) Position(key string) Position {
	if p, ok := s.Places.Position(key); ok {
		return p
	}
	return Position{File: s.File, Line: 1, Column: 1}
}

// Line returns the text of a source line, for quoting, or "".
func (d *Draft) Line(p Position) string {
	for i := range d.texts {
		if d.texts[i].Path == p.File {
			return d.texts[i].Line(p.Line)
		}
	}
	return ""
}

// Sides are the halves of a SPEC pair, each as read on its own; other plans
// have none.
func (d *Draft) Sides() []Side { return d.sides }

// Implied reports whether the task with this index had no steps in its source,
// so that its only step stands for the task itself.
func (d *Draft) Implied(task int) bool { return d.implied[task] }

// foreign reports whether the plan is in another format.
func (d *Draft) foreign() bool {
	return d.Format != "" && d.Format != Native && d.Format != Unknown
}
