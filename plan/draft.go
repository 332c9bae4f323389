package plan

import (
	"bytes"

	"github.com/planlock/planlock/ledger"
)

// A Position is a place in a source file; lines and columns count from 1, columns in bytes.
type Position struct {
	File         string
	Line, Column int
}

// Severity of a diagnostic: an error refuses, a warning is recorded, a note informs.
type Severity string

const (
	Error   Severity = "error"   // refuses the plan
	Warning Severity = "warning" // goes on, and is recorded
	Note    Severity = "note"    // informs
)

// A Diagnostic says what is wrong, where, and how to mend it.
type Diagnostic struct {
	Code     string // stable, kebab-case
	Severity Severity
	Message  string
	Hint     string
	Task     string // id, if it concerns one
	Step     string // id within the task
	Pos      Position
}

// Format names a front end, as in `check --format json`.
type Format string

const (
	Native  Format = "native"  // the TOML format of planlock
	Unknown Format = "unknown" // not a plan; Found says what it looks like
)

// A Draft is a plan that was read and may be edited. It is not safe for concurrent changes.
type Draft struct {
	Plan   Plan
	Format Format
	// Files are the sources that were read, in order, with the digest of their bytes.
	Files []Source
	// Found is what reading found wrong; Check adds its own.
	Found []Diagnostic

	src    *source       // for quoting lines
	root   *node         // for places
	broken bool          // not read to its end, or no plan: only Found can be said of it
	origin string        // the path it was read from, "" for memory
	stamps []stamp       // of the files, as they were read
	asRead ledger.Digest // what the files meant

	// Of drafts that were assembled.
	texts   []*source           // for quoting lines
	places  map[string]Position // nil: a native plan
	sides   []Side
	implied map[int]bool // tasks whose step was not in the source
	reread  func() (*Draft, error)
}

// A Source is a file that a draft was read from.
type Source struct {
	Path   string        `json:"path"`
	Digest ledger.Digest `json:"digest"`
}

// CheckOptions are what a host adds to a plan's own rules. The zero value adds nothing.
type CheckOptions struct {
	CheckKinds []string   // further kinds of checks that the host's gates understand
	Executors  []string   // names of executors that the host has; nil: not checked
	Approvals  []Approval // verdicts of planning gates, as far as they are known
}

// Read reads a native plan from memory; name stands in positions. The error is for text
// that is no plan at all by its size; all other faults are in the draft's Found.
func Read(name string, text []byte) (*Draft, error) {
	if len(text) > maxSize {
		return nil, &SizeError{Name: name, Size: int64(len(text)), Max: maxSize}
	}
	text = bytes.Clone(text)
	d := &Draft{Format: Native, Files: []Source{{Path: name, Digest: ledger.Sum(text)}}, src: newSource(name, text)}
	found := &findings{}
	root, ok := parseTOML(d.src, found)
	d.root = root
	switch {
	case !ok:
		d.broken = true
		d.Plan.Profile = Strict
		notTOML(d.src, found)
	case !isNative(d.src, root, found):
		d.broken = true
		d.Format = Unknown
	default:
		d.Plan = decodePlan(&decoder{src: d.src, found: found}, root)
	}
	d.Found = sortDiagnostics(found.list)
	return d, nil
}

// Position finds where a key was written, e.g. "tasks[0].steps[1].limits.max_files"; a key that is
// not there yields its nearest enclosing table. The position of a table is that of its header.
func (d *Draft) Position(key string) Position {
	if d.places != nil {
		top := Position{Line: 1, Column: 1}
		if len(d.Files) > 0 {
			top.File = d.Files[0].Path
		}
		return nearestPlace(d.places, key, top)
	}
	if d.src == nil {
		return Position{}
	}
	if d.root == nil {
		return d.src.position(0)
	}
	return d.src.position(d.root.locate(key))
}

// Line returns the text of a source line, for quoting, or "".
func (d *Draft) Line(p Position) string {
	for _, s := range d.texts {
		if s.name == p.File {
			return s.line(p.Line)
		}
	}
	if d.src == nil || p.File != d.src.name {
		return ""
	}
	return d.src.line(p.Line)
}
