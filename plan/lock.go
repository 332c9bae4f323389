package plan

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/ledger"
)

// LockOptions are what a lock binds besides the plan. The zero value binds the
// plan alone; the controller then binds envelope and base tree when the run
// starts.
type LockOptions struct {
	// ID names the lock, as in a lock file; "" is for a lock that belongs to
	// the run that it begins.
	ID           string
	At           time.Time // when it is made; not said by a lock without an id
	Check        CheckOptions
	Envelope     ledger.Digest
	Base         ledger.Digest // tree that the run must start from; "" binds none, which is not the empty tree
	Acknowledged []string      // codes, as in "irreversible:2.1"
	Approvals    []Approval    // verdicts of planning gates
	// Needs are what must be accepted besides what the plan holds: what agents
	// need that take part, with codes of [AgentCode]. Nil: nobody knows who takes
	// part, and all such codes are taken.
	Needs []Acknowledgement
	// Amends is the digest of a run's record, where the lock is that of an
	// amendment and continues it; "" where it is a first lock.
	Amends ledger.Digest
}

// A Locked plan is the only thing that can run. There is no way to make one but
// Lock. It may be used from several goroutines.
type Locked struct {
	draft    Draft         // a copy that nobody else has
	digest   ledger.Digest // "" for the zero value
	options  LockOptions
	warnings []Diagnostic

	mu     sync.Mutex
	origin Origin // guarded by mu; nil for plans that do not come from files
}

// ErrNoDraft says that there is no draft: nil was given for one.
var ErrNoDraft = errors.New("plan: there is no draft to lock")

// Lock binds a plan, with options. It refuses anything incomplete: with a *[CheckError]
// where the plan has errors or the self-check a "no", with an *[AckError] where
// an acknowledgement is missing, or does not belong to the plan. The draft is
// copied and may be changed afterwards. Equal arguments give equal locks: Lock
// asks no clock and makes up no name.
func Lock(d *Draft, o LockOptions) (*Locked, error) {
	if d == nil {
		return nil, ErrNoDraft
	}
	check := o.Check
	check.Approvals = slices.Concat(check.Approvals, o.Approvals)
	found := d.Check(check)
	answers := d.answers(found, check)
	if refused(found, answers) {
		return nil, &CheckError{Diagnostics: found, Answers: answers}
	}
	own := d.clone()
	own.Plan.readdress()
	if err := own.Plan.acknowledge(o.Acknowledged, o.Needs); err != nil {
		return nil, err
	}
	l := &Locked{draft: own, digest: own.Plan.Digest(), options: o.clone(), origin: d.origin}
	l.options.Acknowledged = slices.Compact(slices.Sorted(slices.Values(o.Acknowledged)))
	for _, f := range found {
		if f.Severity == Warning {
			l.warnings = append(l.warnings, f)
		}
	}
	return l, nil
}

// refused reports whether something keeps the plan from being locked: an
// error, or a question of the self-check that is answered "no".
func refused(found []Diagnostic, answers []Answer) bool {
	return foundError(found) ||
		slices.ContainsFunc(answers, func(a Answer) bool { return !a.Yes })
}

// clone shares nothing with the original that either side can change.
func (o LockOptions) clone() LockOptions {
	o.Check = deepCopyOf(o.Check)
	o.Check.Gates = maps.Clone(o.Check.Gates)
	o.Acknowledged, o.Approvals = slices.Clone(o.Acknowledged), slices.Clone(o.Approvals)
	o.Needs = slices.Clone(o.Needs)
	return o
}

// ID is the lock's own name; "" where it belongs to the run that it begins.
func (l *Locked) ID() string { return l.options.ID }

// Plan returns a copy, the caller's own; nil for the zero value. Keep it rather
// than asking again.
func (l *Locked) Plan() *Plan {
	if l.digest == "" {
		return nil
	}
	return deepCopy(&l.draft.Plan)
}

// Draft returns the draft as it was locked, with its places and with all that
// reading found: [Draft.Check] says of it what it said then. It is a copy, the
// caller's own; nil for the zero value.
func (l *Locked) Draft() *Draft {
	if l.digest == "" {
		return nil
	}
	d := l.draft.clone()
	return &d
}

// Digest is that of the plan's meaning; "" for the zero value.
func (l *Locked) Digest() ledger.Digest { return l.digest }

// Format names the front end that read the plan.
func (l *Locked) Format() Format { return l.draft.Format }

// Files are the sources that the plan was read from.
func (l *Locked) Files() []Source { return slices.Clone(l.draft.Files) }

// Warnings are what the check warned of when the plan was locked.
func (l *Locked) Warnings() []Diagnostic { return slices.Clone(l.warnings) }

// Options are what the lock binds besides the plan; a copy.
func (l *Locked) Options() LockOptions { return l.options.clone() }

// Verify reads the plan's sources again and refuses with *[LockError] if their
// meaning moved; another comment is no other meaning. Plans that did not come
// from files hold by themselves. It is cheap while the files' stamps did not
// move.
func (l *Locked) Verify() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.origin == nil || l.origin.Unmoved() {
		return nil
	}
	d, err := l.origin.Read()
	if err != nil {
		return &LockError{What: "plan", Want: l.draft.asRead, Err: err}
	}
	if got := d.Plan.Digest(); got != l.draft.asRead {
		return &LockError{What: "plan", Want: l.draft.asRead, Got: got, Files: Edited(l.draft.Files, d.Files)}
	}
	if d.origin != nil {
		l.origin = d.origin
	}
	return nil
}

// An Acknowledgement is something a person must accept in so many words.
type Acknowledgement struct {
	// "irreversible:2.1", "modifying:1.2", "breaking:3.1", "agent:claude", [LevelCode],
	// [WritableCode]; see also [Address.DoneCode]
	Code string
	Step Address // "" where it is about none
	Text string  // what is accepted
}

const (
	// LevelCode is what acknowledges that nothing keeps commands of steps from writing
	// anywhere, by the level of the plan's sandbox.
	LevelCode = "sandbox:level"

	// WritableCode is what acknowledges that commands of steps may write the folders
	// outside of the workspace that the plan names.
	WritableCode = "sandbox:writable"
)

// Acknowledgements lists what the plan needs acknowledged: of the plan as a whole,
// then in the order of its steps.
func (p *Plan) Acknowledgements() []Acknowledgement {
	var list []Acknowledgement
	if p.Sandbox.loose() {
		list = append(list, Acknowledgement{Code: LevelCode, Text: p.Sandbox.looseness()})
	}
	if folders := p.Sandbox.Writable; len(folders) > 0 {
		list = append(list, Acknowledgement{Code: WritableCode,
			Text: "commands of steps may write outside of the workspace: " + strings.Join(folders, ", ")})
	}
	for _, s := range p.Steps() {
		add := func(what, text string) {
			list = append(list, Acknowledgement{Code: what + ":" + string(s.Address), Step: s.Address,
				Text: fmt.Sprintf("step %s %s: %s", s.Address, text, s.Description)})
		}
		if s.Rollback == Irreversible {
			add("irreversible", "cannot be undone")
		}
		switch s.SemanticChange {
		case Modifying:
			add("modifying", "changes what existing code does")
		case Breaking:
			add("breaking", "breaks what others rely on")
		}
	}
	return list
}

// DoneCode is what acknowledges that a step's work is done already, so that a
// run leaves it out: "done:2.1". A lock accepts it for every step of the plan,
// and asks for it nowhere.
func (a Address) DoneCode() string { return "done:" + string(a) }

// AgentCode is what acknowledges the needs of an agent: "agent:claude".
func AgentCode(name string) string { return agentCode + name }

// ServerCode is what acknowledges that a tool server is started as it is
// configured now: "mcp:github:1a2b3c4d5e6f", with the beginning of a digest of
// what is started.
func ServerCode(name, digest string) string { return serverCode + name + ":" + digest }

const (
	agentCode  = "agent:"
	serverCode = "mcp:"
)

// acknowledge compares what is needed with what was given.
func (p *Plan) acknowledge(given []string, needs []Acknowledgement) error {
	e := &AckError{}
	needed := map[string]bool{}
	for _, a := range slices.Concat(p.Acknowledgements(), needs) {
		needed[a.Code] = true
		if !slices.Contains(given, a.Code) {
			e.Missing = append(e.Missing, a)
		}
	}
	for _, s := range p.Steps() {
		needed[s.Address.DoneCode()] = true
	}
	for _, code := range given {
		if !needed[code] && !(needs == nil && (strings.HasPrefix(code, agentCode) || strings.HasPrefix(code, serverCode))) {
			e.Unknown = append(e.Unknown, code)
		}
	}
	if len(e.Missing)+len(e.Unknown) == 0 {
		return nil
	}
	return e
}

// AckError lists what was not acknowledged, and what was acknowledged though
// nothing asks for it.
type AckError struct {
	Missing []Acknowledgement
	Unknown []string
}

// Error lists the codes with what each accepts, one on a line. How they are
// given is the host's to say.
func (e *AckError) Error() string {
	var b strings.Builder
	b.WriteString("plan: ")
	if len(e.Missing) > 0 {
		b.WriteString("not acknowledged:")
		for _, a := range e.Missing {
			fmt.Fprintf(&b, "\n  %s  %s", safetext.Escape(a.Code), safetext.Escape(a.Text))
		}
	}
	if len(e.Unknown) > 0 {
		if len(e.Missing) > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "acknowledged, but nothing in the plan asks for it: %s",
			safetext.Escape(strings.Join(e.Unknown, ", ")))
	}
	return b.String()
}

// CheckError carries the diagnostics (errors and all) for which a plan was
// refused.
type CheckError struct {
	Diagnostics []Diagnostic
	Answers     []Answer
}

// Error lists the errors and the questions that were answered "no"; warnings
// are left out, as they refuse nothing. What plans say in it is escaped.
func (e *CheckError) Error() string {
	var b strings.Builder
	errors := 0
	for _, d := range e.Diagnostics {
		if d.Severity == Error {
			errors++
			fmt.Fprintf(&b, "\n  %s", d)
		}
	}
	for _, a := range e.Answers {
		if !a.Yes {
			fmt.Fprintf(&b, "\n  self-check: no: %s", safetext.Escape(a.Text))
		}
	}
	return fmt.Sprintf("plan: refused with %s:%s", count(errors, "error"), b.String())
}

// Edited names the files of a plan that are not what they were when there were
// several: none where there was one.
func Edited(was, now []Source) []string {
	var names []string
	for _, f := range was {
		if same := func(n Source) bool {
			return n.Digest == f.Digest && baseOf(n.Path) == baseOf(f.Path)
		}; len(was) > 1 && !slices.ContainsFunc(now, same) {
			names = append(names, f.Path)
		}
	}
	return names
}

// baseOf is the last name of a path, of whatever system.
func baseOf(file string) string { return path.Base(strings.ReplaceAll(file, `\`, "/")) }

// LockError says that something is not what was locked.
type LockError struct {
	What      string // "plan", "envelope", "base tree", "lock file"
	Want, Got ledger.Digest
	Files     []string // of a plan of several, those that are not what they were
	Err       error    // what kept it from being read, if that is the reason
}

// Error says what moved and what can be done about it.
func (e *LockError) Error() string {
	switch {
	case e.Err != nil:
		return fmt.Sprintf("plan: the %s is not what was locked: %v", e.What, e.Err)
	case e.Got == "":
		return fmt.Sprintf("plan: the %s is not what was locked: it was %s and is not there any more", e.What, e.Want)
	}
	var files string
	if len(e.Files) > 0 {
		files = ": other than they were: " + safetext.Escape(strings.Join(e.Files, ", "))
	}
	return fmt.Sprintf("plan: the %s is not what was locked: it was %s and is %s%s; lock the plan again, or bring back what was locked",
		e.What, e.Want, e.Got, files)
}

// Unwrap is what kept the thing from being read, if that is the reason.
func (e *LockError) Unwrap() error { return e.Err }

// Clone copies the plan with all that it points to; nil of nil.
func (p *Plan) Clone() *Plan { return cloned(p) }

// Clone copies the step with all that it points to; nil of nil.
func (s *Step) Clone() *Step { return cloned(s) }

func cloned[T any](of *T) *T {
	if of == nil {
		return nil
	}
	return deepCopy(of)
}

// deepCopy copies a value with all that it points to. It serves the model,
// which is made of structs, slices, pointers and plain values.
func deepCopy[T any](of *T) *T {
	to := new(T)
	*to = deepCopyOf(*of)
	return to
}

// deepCopyOf copies a value as [deepCopy] does.
func deepCopyOf[T any](of T) T {
	copyInside(reflect.ValueOf(&of).Elem())
	return of
}

// copyInside replaces what v shares with others by copies.
func copyInside(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			copyInside(v.Field(i))
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		fresh := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(fresh, v)
		v.Set(fresh)
		if k := v.Type().Elem().Kind(); k != reflect.Struct && k != reflect.Slice && k != reflect.Pointer {
			return
		}
		for i := range v.Len() {
			copyInside(v.Index(i))
		}
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		fresh := reflect.New(v.Type().Elem())
		fresh.Elem().Set(v.Elem())
		copyInside(fresh.Elem())
		v.Set(fresh)
	}
}
