package history

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/gate"
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

// Amended says that steps were added to the plan of a run: it goes on under
// another plan and a lock of its own, which continues the record. What it says
// takes the place of what [Started] said. Like an [Addendum] it is a link of
// the chain that begins with the plan.
type Amended struct {
	Number       int                `json:"number"` // from 1
	Plan         ledger.Digest      `json:"plan"`
	PlanBlob     ledger.Digest      `json:"plan_blob"` // the plan as JSON, in the content store
	Files        []plan.Source      `json:"files,omitempty"`
	Lock         string             `json:"lock"` // id of the new lock
	Acknowledged []string           `json:"acknowledged,omitempty"`
	Confirmed    string             `json:"confirmed"` // the code with which somebody accepted the amendment
	By           string             `json:"by,omitempty"`
	Reason       string             `json:"reason,omitempty"`
	Envelope     *envelope.Envelope `json:"envelope"`
	Planning     []gate.Judgement   `json:"planning,omitempty"`
	Warnings     []string           `json:"warnings,omitempty"`
	Requirements []string           `json:"requirements,omitempty"` // ids of those that are new
	Tasks        []string           `json:"tasks,omitempty"`        // ids of those that are new
	Added        []plan.Address     `json:"added"`                  // in the order of execution
	Steps        []Outline          `json:"steps"`                  // all, in the order of execution from now on

	Prev   ledger.Digest `json:"prev"`   // what the record ended with
	Digest ledger.Digest `json:"digest"` // of all of the above
}

func (*Amended) Type() string { return "run-amended" }

func (f *Amended) String() string {
	by := f.By
	if by == "" {
		by = "the host"
	}
	return sprint("plan %s · %s by %s: %s", f.Plan.Short(), count(len(f.Added), "further step"), by, f.Reason)
}

// Seal returns a with its place in a chain: number, the digest of what is
// before it, and its own digest.
func (a Amended) Seal(number int, prev ledger.Digest) (Amended, error) {
	a.Number, a.Prev = number, prev
	a.Digest = ""
	text, err := json.Marshal(a)
	if err != nil {
		return a, fmt.Errorf("history: amendment: %w", err)
	}
	a = Amended{}
	// what is not UTF-8 was replaced, and the digest is of what stands in the
	// journal
	if err := json.Unmarshal(text, &a); err != nil {
		return a, fmt.Errorf("history: amendment: %w", err)
	}
	a.Digest, err = a.sum()
	return a, err
}

// sum is the digest that a must have.
func (a Amended) sum() (ledger.Digest, error) {
	a.Digest = ""
	sum, err := sumLink("planlock.amendment/1", a)
	if err != nil {
		return "", fmt.Errorf("history: amendment: %w", err)
	}
	return sum, nil
}

// Granted is the plan's step with what persons have accepted for it besides.
// The plan's own is not changed.
func (s *Step) Granted(step *plan.Step) *plan.Step {
	widened := *step
	for _, a := range s.Addenda {
		if d := a.Artifacts; d != nil {
			have := plan.Artifacts{}
			if widened.Artifacts != nil {
				have = *widened.Artifacts
			}
			widened.Artifacts = &plan.Artifacts{
				Create: slices.Concat(have.Create, d.Create), Modify: slices.Concat(have.Modify, d.Modify),
				Delete:        slices.Concat(have.Delete, d.Delete),
				SymbolsAdd:    slices.Concat(have.SymbolsAdd, d.SymbolsAdd),
				SymbolsRemove: slices.Concat(have.SymbolsRemove, d.SymbolsRemove)}
		}
		if a.MaxFiles == nil && a.MaxLines == nil && a.Modules == nil {
			continue
		}
		limits := *widened.Limits // what was exceeded was there
		if a.MaxFiles != nil {
			limits.MaxFiles = a.MaxFiles
		}
		if a.MaxLines != nil {
			limits.MaxLines = a.MaxLines
		}
		if a.Modules != nil {
			limits.Modules = a.Modules
		}
		widened.Limits = &limits
	}
	return &widened
}
