package plan

import "github.com/planlock/planlock/ledger"

// A Position is a place in a source file; lines and columns count from 1, columns in bytes.
type Position struct {
	File         string
	Line, Column int
}

// Severity of a diagnostic: an error refuses, a warning is recorded, a note informs.
type Severity string

const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
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

const Native Format = "native"

// A Draft is a plan that was read and may be edited. It is not safe for concurrent changes.
type Draft struct {
	Plan   Plan
	Format Format
	// Files are the sources that were read, in order, with the digest of their bytes.
	Files []Source
	// Found is what reading found wrong; Check adds its own.
	Found []Diagnostic
	// private: positions by key path; the bytes (for quoting lines); how to read it again
}

// A Source is a file that a draft was read from.
type Source struct {
	Path   string
	Digest ledger.Digest
}

// Options are what a host adds to a plan's own rules. The zero value adds nothing.
type Options struct {
	CheckKinds []string // further kinds of checks that the host's gates understand
	Executors  []string // names of executors that the host has; nil: not checked
}

// ReadFile reads a native plan from a file or from a folder that holds one. The draft is non-nil
// whenever something could be read; what is wrong with the content is in Found,
// the error is for what could not be read at all.
func ReadFile(path string) (*Draft, error) { return nil, nil }

// Read reads a native plan from memory; name stands in positions.
func Read(name string, text []byte) (*Draft, error) { return nil, nil }

// Check judges the draft and returns all diagnostics, those of reading included, sorted.
func (d *Draft) Check(o Options) []Diagnostic { return nil }

// Position finds where a key was written, e.g. "tasks[0].steps[1].limits.max_files"; a key that is
// not there yields its nearest enclosing table.
func (d *Draft) Position(key string) Position { return Position{} }

// Line returns the text of a source line, for quoting, or "".
func (d *Draft) Line(p Position) string { return "" }

// An Answer to one of the ten questions of the self-check.
type Answer struct {
	Question string // stable code, as in "every-step-executable"
	Text     string // the question in words
	Yes      bool
	Evidence []string // what was counted, or what speaks against it
}

// SelfCheck answers the ten questions before execution.
func (d *Draft) SelfCheck(o Options) []Answer { return nil }

// A Graph is the order of the work.
type Graph struct {
	// Stages by dependencies alone: of speclets where the plan has them, else of tasks.
	Stages [][]string
	// Order is every step in the order of execution.
	Order []Address
	// Cycles found, each in full, its first id repeated at the end.
	Cycles [][]string
}

// Graph orders the plan: dependencies first, else as declared.
func (p *Plan) Graph() *Graph { return nil }

// Step finds a step and its task.
func (p *Plan) Step(a Address) (*Task, *Step, bool) { return nil, nil, false }

// Canonical is the versioned encoding of the plan's meaning.
func (p *Plan) Canonical() []byte { return nil }

// Digest is the digest of the canonical encoding.
func (p *Plan) Digest() ledger.Digest { return "" }
