package history

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// An Addendum is an answer that became part of the plan's record. Addenda are
// chained: each has the digest of the link before it (see [Amended] for the
// others), the first has the plan's, so that what a run was allowed to do
// follows from the last digest. A journal in which the chain does not hold is
// refused.
type Addendum struct {
	Number       int          `json:"number"` // from 1
	Step         plan.Address `json:"step,omitempty"`
	Question     string       `json:"question"`
	Kind         ask.Kind     `json:"kind"`
	Choice       string       `json:"choice"`
	Acknowledged string       `json:"acknowledged,omitempty"`
	Reason       string       `json:"reason,omitempty"`
	By           string       `json:"by"`
	// Artifacts are declared for the step from now on, besides the plan's own.
	// Nil: none.
	Artifacts *ledger.Declared `json:"artifacts,omitempty"`
	// MaxFiles, MaxLines and Modules are the step's limits from now on, where
	// the person acknowledged that they were exceeded; nil leaves a limit as
	// the plan has it.
	MaxFiles *int     `json:"max_files,omitempty"`
	MaxLines *int     `json:"max_lines,omitempty"`
	Modules  []string `json:"modules,omitempty"`

	Prev   ledger.Digest `json:"prev"`   // of the link before it, or of the plan
	Digest ledger.Digest `json:"digest"` // of all of the above
}

func (*Addendum) Type() string { return "addendum" }

func (f *Addendum) String() string {
	return sprint("number %d, in answer to %s: %s by %s", f.Number, f.Question, f.Choice, f.By)
}

// ofRun folds the next one in, if it continues the chain.
func (f *Addendum) ofRun(r *Run, at moment) error {
	switch want := r.RecordDigest(); {
	case f.Number != len(r.Addenda)+1:
		return at.refuse("addendum %d follows addendum %d", f.Number, len(r.Addenda))
	case f.Prev != want:
		return at.refuse("addendum %d continues %s, and the record ends with %s", f.Number, f.Prev.Short(),
			want.Short())
	case f.Digest != f.sum():
		return at.refuse("addendum %d is not what its digest %s says", f.Number, f.Digest.Short())
	}
	r.Addenda = append(r.Addenda, *f)
	r.record = f.Digest
	return nil
}

func (f *Addendum) ofStep(r *Run, s *Step, at moment) error {
	if err := f.ofRun(r, at); err != nil {
		return err
	}
	s.Addenda = append(s.Addenda, *f)
	return nil
}

// Seal returns a with its place in a chain: number, the digest of what is
// before it, and its own digest.
func (a Addendum) Seal(number int, prev ledger.Digest) Addendum {
	a.Number, a.Prev = number, prev
	// what is not UTF-8 is replaced on the way to a journal, and the digest is
	// of what stands there
	if text, err := json.Marshal(a); err == nil {
		var written Addendum
		if json.Unmarshal(text, &written) == nil {
			a = written
		}
	}
	a.Digest = a.sum()
	return a
}

// sum is the digest that a must have.
func (a Addendum) sum() ledger.Digest {
	a.Digest = ""
	sum, err := sumLink("planlock.addendum/1", a)
	if err != nil {
		panic("history: an addendum cannot be encoded: " + err.Error()) // only strings, numbers and lists
	}
	return sum
}

// sumLink is the digest of a link of the plan's record: SHA-256 of a line with
// the format's name and of the JSON text of everything but the digest.
func sumLink(format string, link any) (ledger.Digest, error) {
	text, err := json.Marshal(link)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(append([]byte(format+"\n"), text...))
	return ledger.Digest("sha256:" + hex.EncodeToString(sum[:])), nil
}

// RecordDigest is the digest of the plan's record: of the last addendum or
// amendment, or of the plan where there is none.
func (r *Run) RecordDigest() ledger.Digest {
	return cmp.Or(r.record, r.Started.Plan)
}
