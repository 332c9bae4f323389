package plan

import (
	"time"

	"github.com/planlock/planlock/ledger"
)

// Terms are what a lock binds besides the plan. The zero value binds the plan alone; the controller then
// binds envelope and base tree when the run starts.
type Terms struct {
	Options      Options
	Envelope     ledger.Digest
	Base         ledger.Digest // tree that the run must start from
	Acknowledged []string      // codes, as in "irreversible:2.1"
	Approvals    []Approval    // verdicts of planning gates
	Now          func() time.Time
}

// An Approval is the verdict of a planning gate, as far as the lock needs it.
type Approval struct {
	Gate    string
	Level   int
	Verdict string
}

// An Acknowledgement is something a person must accept in so many words.
type Acknowledgement struct {
	Code string // "irreversible:2.1", "modifying:1.2", "breaking:3.1"
	Step Address
	Text string // what is accepted
}

// Acknowledgements lists what the plan needs acknowledged.
func (p *Plan) Acknowledgements() []Acknowledgement { return nil }

// A Locked plan is the only thing that can run. There is no way to make one but Lock and ReadLock.
type Locked struct {
	// private
}

// Lock refuses anything incomplete: *CheckError, *AckError.
func Lock(d *Draft, t Terms) (*Locked, error) { return nil, nil }

// ReadLock makes a Locked of a lock file and the plan it was made for; *LockError if they differ.
func ReadLock(d *Draft, lock []byte, o Options) (*Locked, error) { return nil, nil }

func (l *Locked) ID() string             { return "" }  // ULID
func (l *Locked) Plan() *Plan            { return nil } // a copy, the caller's own
func (l *Locked) Digest() ledger.Digest  { return "" }  // of the plan
func (l *Locked) Terms() Terms           { return Terms{} }
func (l *Locked) Files() []Source        { return nil }
func (l *Locked) Format() Format         { return "" }
func (l *Locked) Encode() []byte         { return nil } // the lock file, JSON "planlock.lock/1"
func (l *Locked) Warnings() []Diagnostic { return nil } // what the check warned of when it was locked

// Verify reads the plan's sources again and refuses with *LockError if their meaning moved.
// Plans that did not come from files hold by themselves. It is cheap while the files' stamps did not move.
func (l *Locked) Verify() error { return nil }

// CheckError carries the diagnostics (errors and all) for which a plan was refused.
type CheckError struct {
	Diagnostics []Diagnostic
	Answers     []Answer
}

func (e *CheckError) Error() string { return "" }

// AckError lists what was not acknowledged.
type AckError struct{ Missing []Acknowledgement }

func (e *AckError) Error() string { return "" }

// LockError says that something is not what was locked.
type LockError struct {
	What      string // "plan", "envelope", "base tree", "lock file"
	Want, Got ledger.Digest
}

func (e *LockError) Error() string { return "" }
