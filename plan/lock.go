package plan

import (
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/planlock/planlock/ledger"
)

// LockOptions are what a lock binds besides the plan. The zero value binds the plan alone; the controller then
// binds envelope and base tree when the run starts.
type LockOptions struct {
	Check        CheckOptions
	Envelope     ledger.Digest
	Base         ledger.Digest // tree that the run must start from; "" binds none, which is not the empty tree
	Acknowledged []string      // codes, as in "irreversible:2.1"
	Approvals    []Approval    // verdicts of planning gates
	// Amends is the digest of a run's record, where the lock is that of an amendment and continues it; "" where it is a first lock.
	Amends ledger.Digest
	Now    func() time.Time
}

// A Locked plan is the only thing that can run. There is no way to make one but Lock and ReadLock.
// It may be used from several goroutines.
type Locked struct {
	plan     *Plan
	digest   ledger.Digest
	format   Format
	files    []Source
	options  LockOptions
	id       ulid.ULID
	created  time.Time
	warnings []Diagnostic

	origin  string // the file to read again, or ""
	reread  func() (*Draft, error)
	asRead  ledger.Digest // what it meant when it was read
	foreign bool          // not a native plan
	mu      sync.Mutex    // guards stamps
	stamps  []stamp
}

// Lock binds a plan, with options. It refuses anything incomplete: with a *[CheckError] where
// the plan has errors or the self-check a "no", with an *[AckError] where an acknowledgement is
// missing, or does not belong to the plan. The draft is copied and may be changed afterwards.
func Lock(d *Draft, t LockOptions) (*Locked, error) {
	now := time.Now
	if t.Now != nil {
		now = t.Now
	}
	l, err := bind(d, t)
	if err != nil {
		return nil, err
	}
	l.created = now().UTC().Truncate(time.Millisecond)
	if l.id, err = ulid.New(ulid.Timestamp(l.created), rand.Reader); err != nil {
		return nil, fmt.Errorf("plan: no id for the lock: %w", err)
	}
	return l, nil
}

// bind makes a lock without an identity.
func bind(d *Draft, t LockOptions) (*Locked, error) {
	o := t.Check
	o.Approvals = slices.Concat(o.Approvals, t.Approvals)
	found := d.Check(o)
	answers := d.answers(found, o)
	if refused(found, answers) {
		return nil, &CheckError{Diagnostics: found, Answers: answers}
	}
	p := deepCopy(&d.Plan)
	p.readdress()
	if err := p.acknowledge(t.Acknowledged); err != nil {
		return nil, err
	}
	t.Check = deepCopyOf(t.Check)
	t.Approvals = slices.Clone(t.Approvals)
	t.Acknowledged = slices.Compact(slices.Sorted(slices.Values(t.Acknowledged)))
	l := &Locked{plan: p, digest: p.Digest(), format: d.Format, files: slices.Clone(d.Files), options: t,
		origin: d.origin, asRead: d.asRead, stamps: slices.Clone(d.stamps), foreign: d.places != nil, reread: d.reread}
	if l.reread == nil {
		l.reread = func() (*Draft, error) { return ReadFile(l.origin) }
	}
	for _, f := range found {
		if f.Severity == Warning {
			l.warnings = append(l.warnings, f)
		}
	}
	return l, nil
}

func refused(found []Diagnostic, answers []Answer) bool {
	return slices.ContainsFunc(found, func(f Diagnostic) bool { return f.Severity == Error }) ||
		slices.ContainsFunc(answers, func(a Answer) bool { return !a.Yes })
}

// readdress makes the addresses follow from the ids.
func (p *Plan) readdress() {
	for i := range p.Tasks {
		t := &p.Tasks[i]
		for j := range t.Steps {
			t.Steps[j].Address = addressOf(t.ID, t.Steps[j].ID)
		}
	}
}

// ID is the lock's own name, a ULID.
func (l *Locked) ID() string { return l.id.String() }

// Created is when the lock was made.
func (l *Locked) Created() time.Time { return l.created }

// Plan returns a copy, the caller's own. Keep it rather than asking again.
func (l *Locked) Plan() *Plan { return deepCopy(l.plan) }

// Digest is that of the plan's meaning.
func (l *Locked) Digest() ledger.Digest { return l.digest }

// Format names the front end that read the plan.
func (l *Locked) Format() Format { return l.format }

// Files are the sources that the plan was read from.
func (l *Locked) Files() []Source { return slices.Clone(l.files) }

// Warnings are what the check warned of when the plan was locked, or when the lock was read.
func (l *Locked) Warnings() []Diagnostic { return slices.Clone(l.warnings) }

// Options are what the lock binds besides the plan; a copy.
func (l *Locked) Options() LockOptions {
	t := l.options
	t.Check = deepCopyOf(t.Check)
	t.Acknowledged, t.Approvals = slices.Clone(t.Acknowledged), slices.Clone(t.Approvals)
	return t
}

// Verify reads the plan's sources again and refuses with *[LockError] if their meaning moved; another
// comment is no other meaning. Plans that did not come from files hold by themselves. It is cheap
// while the files' stamps did not move.
func (l *Locked) Verify() error {
	if l.origin == "" {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.unmoved() {
		return nil
	}
	d, err := l.reread()
	if err != nil {
		return &LockError{What: "plan", Want: l.asRead, Err: err}
	}
	if d.asRead == "" {
		d.asRead = d.Plan.Digest()
	}
	if d.asRead != l.asRead {
		return &LockError{What: "plan", Want: l.asRead, Got: d.asRead}
	}
	l.stamps = d.stamps
	return nil
}

// unmoved reports whether the sources surely are as they were.
func (l *Locked) unmoved() bool {
	if l.foreign {
		return stillStamped(l.files, l.stamps)
	}
	return unmoved(l.origin, l.stamps)
}
