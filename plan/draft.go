package plan

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strings"

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
	SpecPair       Format = "spec-pair"       // its speclets are carried out stage by stage
	PhasePlan      Format = "phase-plan"      // NAME-PLAN.md files: of a phase
	PendingActions Format = "pending-actions" // a list without an order of its own: what is urgent comes first
)

// verifying is how files of the formats that do not have the keys of native plans
// say that a command verifies a task: where its words stand, or in place of them.
var verifying = map[Format]string{
	PhasePlan:      "<verify><automated>%s</automated></verify>",
	PendingActions: "\"acceptance_criteria\": [\"`%s`\"]",
	"task-master":  "\"testStrategy\": \"`%s`\"",
	"beads":        "\"acceptance_criteria\": \"`%s`\"",
	"spec-kit":     inList, "kiro": inList, "openspec": inList, "execplan": inList, "superpowers": inList, "markdown": inList,
}

// inList stands below the item, or the heading, of a task.
const inList = "Verify: `%s`"

// Verify is what a file of the format says in or below a task that a command
// verifies; "" of formats that have the keys of native plans. The command holds
// nothing that JSON or XML would have to escape.
func (f Format) Verify(command string) string {
	if form, ok := verifying[f]; ok {
		return fmt.Sprintf(form, command)
	}
	return ""
}

// HasBackups reports whether a step of the format can have backups: where it has
// the keys of native plans.
func (f Format) HasBackups() bool {
	_, other := verifying[f]
	return !other
}

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

// Settle has somebody change what the source leaves open, now and each time that
// the source is read once more: a lock of the draft finds it unmoved. It is to be
// called after From.
func (d *Draft) Settle(change func(*Plan)) {
	change(&d.Plan)
	if d.origin != nil {
		d.From(&settled{d.origin, change})
	}
}

// settled is the origin of a draft that somebody changed.
type settled struct {
	Origin
	change func(*Plan)
}

// Read reads the plan once more, and changes it likewise.
func (s *settled) Read() (*Draft, error) {
	d, err := s.Origin.Read()
	if err == nil {
		d.Settle(s.change)
	}
	return d, err
}

// clone shares nothing with the draft that either side changes.
func (d *Draft) clone() Draft {
	own := *d
	own.Plan = deepCopyOf(d.Plan)
	own.Files, own.Found, own.sides = slices.Clone(d.Files), slices.Clone(d.Found), slices.Clone(d.sides)
	for i := range own.sides {
		own.sides[i].Goals, own.sides[i].Plan = slices.Clone(d.sides[i].Goals), deepCopyOf(d.sides[i].Plan)
	}
	return own
}

// Clone copies the draft, with a plan of its own.
func (d *Draft) Clone() *Draft {
	own := d.clone()
	return &own
}

// Writes reports whether a key at the top of a native plan was written, such as
// "profile".
func (d *Draft) Writes(key string) bool {
	names, _ := d.keys("")
	return slices.Contains(names, key)
}

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

// Parts are what a front end makes a draft of.
type Parts struct {
	Plan   Plan
	Format Format
	Files  []Text       // the sources, in order
	Found  []Diagnostic // what reading and the format's own rules found
	Broken bool         // not read to its end, or no plan: only Found can be said of it

	// Position says where a part stands, or the nearest thing around it: at
	// least of "goal", "tasks[0]", "tasks[0].steps[1]",
	// "tasks[0].steps[1].backups[0]" and "speclets[0]"; false where nothing
	// around it is known either. That of [Places] is one; nil knows nothing.
	Position func(path string) (Position, bool)
	// Keys lists the names in a table as they are written there, and reports
	// whether there is such a part at all; nil where nobody knows.
	Keys func(path string) (names []string, written bool)

	Sides []Side // of a pair

	// Ends are what must hold at the end of tasks, by their index: postconditions
	// of the last step of each, also of one that is added.
	Ends map[int][]Check

	// Stepless says that the format has rules of its own for tasks without
	// steps: none is given one.
	Stepless bool
}

// Assemble makes a draft of what a front end read. It keeps Parts, which the
// caller must not change any more. Addresses follow from the ids.
//
// In a plan of another format than the native one, a plan without a profile is
// run under observe: its steps are recorded, not held to what they declare. A
// step without a method is given its description as its prompt. Where
// that is the profile, and unless the parts are Stepless, a task without steps
// is given one, "1", whose prompt is the task's text, its files and its
// acceptance criteria; [Draft.Implied] tells such a step from those of the
// source.
func Assemble(p Parts) *Draft {
	d := &Draft{Plan: p.Plan, Format: p.Format, Found: sortDiagnostics(slices.Clone(p.Found)), broken: p.Broken,
		sides: p.Sides, position: p.Position, names: p.Keys, texts: p.Files}
	for i := range d.texts {
		d.texts[i].index()
		d.Files = append(d.Files, Source{Path: d.texts[i].Path, Digest: ledger.Sum(d.texts[i].Text)})
	}
	if d.foreign() {
		d.Found = capped(d.Found)
		d.complete(p.Stepless)
		for i, checks := range p.Ends { // in any order: each task is by itself
			if steps := d.Plan.Tasks[i].Steps; len(steps) > 0 {
				steps[len(steps)-1].require(checks)
			}
		}
	}
	d.Plan.readdress()
	for i := range d.sides {
		d.sides[i].Plan.readdress()
	}
	return d
}

// require adds postconditions, each once.
func (s *Step) require(checks []Check) {
	for _, c := range checks {
		if !slices.ContainsFunc(s.Postconditions, func(p Check) bool { return p.String() == c.String() }) {
			s.Postconditions = append(s.Postconditions, c)
		}
	}
}

// complete adds what a plan of another format leaves to who runs it. Tasks that
// may be stepless stay so.
func (d *Draft) complete(stepless bool) {
	p := &d.Plan
	p.Schema = SchemaVersion
	if p.Profile == "" {
		p.Profile = Observe
	}
	for i := range p.Tasks {
		t := &p.Tasks[i]
		if len(t.Steps) == 0 && !stepless && p.Profile.Records() {
			t.Steps = []Step{{ID: "1", Description: t.label(), Prompt: t.Prompt(), Status: t.Status}}
			if d.implied == nil {
				d.implied = map[int]bool{}
			}
			d.implied[i] = true
		}
		for j := range t.Steps {
			if s := &t.Steps[j]; !s.HasMethod() {
				s.Prompt = s.Description
			}
		}
	}
}

// A Position is a place in a source file; lines and columns count from 1,
// columns in bytes.
type Position struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// Places says where some parts of a plan stand, by the path of their key, such
// as "tasks[0].steps[1].limits".
type Places map[string]Position

// Position finds a part, or what is nearest around it; false where nothing
// around it is known either.
func (p Places) Position(path string) (Position, bool) {
	for path != "" {
		if at, ok := p[path]; ok {
			return at, true
		}
		if open := strings.LastIndexByte(path, '['); open > 0 && strings.HasSuffix(path, "]") {
			path = path[:open]
			continue
		}
		path = path[:max(0, strings.LastIndexByte(path, '.'))]
	}
	return Position{}, false
}

// A Text is a file as a front end read it.
type Text struct {
	Path string
	Text []byte

	lines []int // where they begin, behind a byte order mark
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// index finds the lines of the text.
func (t *Text) index() []byte {
	body := bytes.TrimPrefix(t.Text, byteOrderMark)
	if t.lines == nil {
		t.lines = append(make([]int, 0, 1+bytes.Count(body, []byte("\n"))), 0)
		for i, c := range body {
			if c == '\n' {
				t.lines = append(t.lines, i+1)
			}
		}
	}
	return body
}

// Position turns an offset into the text, behind a byte order mark, into a
// place.
func (t *Text) Position(offset int) Position {
	offset = min(offset, len(t.index()))
	i := sort.Search(len(t.lines), func(i int) bool { return t.lines[i] > offset }) - 1
	return Position{File: t.Path, Line: i + 1, Column: offset - t.lines[i] + 1}
}

// Line returns the text of a line without its end, or "".
func (t *Text) Line(number int) string {
	body := t.index()
	if number < 1 || number > len(t.lines) {
		return ""
	}
	rest := body[t.lines[number-1]:]
	if end := bytes.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end]
	}
	return string(bytes.TrimSuffix(rest, []byte("\r")))
}

// A SizeError refuses a plan by its size, before it is read.
type SizeError struct {
	Name      string
	Size, Max int64
}

// Error names the file, its size and the bound in bytes.
func (e *SizeError) Error() string {
	return fmt.Sprintf("plan: %q has %d bytes, more than the %d that a plan may have: split it up", e.Name, e.Size,
		e.Max)
}
