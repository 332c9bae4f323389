package history

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

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

	At time.Time `json:"-"` // when it was recorded; set by the fold
}

// Unnamed says which steps were added to the plan after a question was asked, so
// that what it says of other steps leaves them out; "" where none were.
func (r *Run) Unnamed(q *ask.Question) string {
	var added []plan.Address
	for i := range r.Amendments {
		if a := &r.Amendments[i]; a.At.After(q.Asked) {
			added = append(added, a.Added...)
		}
	}
	if len(added) == 0 {
		return ""
	}
	return "added to the plan since this was asked, and not named in it, whether they need the step or not: " +
		plan.Addresses(added)
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

// ofRun folds steps in that are added to the run.
func (f *Amended) ofRun(r *Run, at moment) error {
	if err := f.follows(r, at); err != nil {
		return err
	}
	steps, gained, err := f.extend(r)
	if err != nil {
		return at.refuse("amendment %d %v", f.Number, err)
	}
	f.At = at.time
	r.locks = append(r.locks, r.Started.Lock)
	r.Amendments = append(r.Amendments, *f)
	r.record = f.Digest
	s := &r.Started
	s.Plan, s.PlanBlob, s.Files, s.Lock = f.Plan, f.PlanBlob, f.Files, f.Lock
	s.Acknowledged, s.Envelope, s.Planning, s.Steps = f.Acknowledged, f.Envelope, f.Planning, f.Steps
	s.Warnings = append(slices.Clone(s.Warnings), f.Warnings...)
	r.Steps = steps
	for i, step := range r.Steps {
		step.at = i
		r.index[step.Address] = step
	}
	undoTasks(r, gained, "") // who looked at a task has not seen what it gained
	for i := range r.Compliance {
		r.Compliance[i].Undone = r.Compliance[i].Undone || gained[r.Compliance[i].Task]
	}
	r.Flow.unphased = r.Flow.Strategy != nil && len(r.Flow.Strategy.Phases) > 0
	r.standing.setBack(r)
	return nil
}

// follows refuses an amendment that does not continue the record, or that comes
// too late.
func (f *Amended) follows(r *Run, at moment) error {
	sum, err := f.sum()
	if err != nil {
		return err
	}
	why := ""
	switch want := r.RecordDigest(); {
	case r.Ended != nil:
		why = "follows the end of the run"
	case f.Number != len(r.Amendments)+1:
		why = fmt.Sprintf("follows amendment %d", len(r.Amendments))
	case f.Prev != want:
		why = fmt.Sprintf("continues %s, and the record ends with %s", f.Prev.Short(), want.Short())
	case f.Digest != sum:
		why = fmt.Sprintf("is not what its digest %s says", f.Digest.Short())
	case f.Envelope == nil:
		why = "has no envelope"
	case r.Delivering():
		why = "is for a run that is being delivered"
	default:
		return nil
	}
	return at.refuse("amendment %d %s", f.Number, why)
}

// Fits says why steps cannot be added to a run as f wants, or nil: each of them must
// come behind all that has begun, and belong to a task that is not over, and
// what was there must be there, in the order that it had.
func (f *Amended) Fits(r *Run) error {
	_, _, err := f.extend(r)
	return err
}

// extend returns the steps of the run with those that an amendment adds, and the
// tasks that gained some.
func (f *Amended) extend(r *Run) (steps []*Step, gained map[string]bool, err error) {
	gained = map[string]bool{}
	added := map[plan.Address]bool{}
	for _, a := range f.Added {
		added[a] = true
	}
	behind, old := begun(r), 0
	for _, o := range f.Steps {
		switch {
		case !added[o.Address]:
			if old == len(r.Steps) || r.Steps[old].Outline != o {
				return nil, nil, fmt.Errorf("step %s is not where it was", o.Address)
			}
			steps = append(steps, r.Steps[old])
			old++
		case r.index[o.Address] != nil:
			return nil, nil, fmt.Errorf("step %s is not new", o.Address)
		case old < behind:
			return nil, nil, fmt.Errorf("step %s would come before %s, which has begun", o.Address,
				r.Steps[behind-1].Address)
		case r.Flow.Task(o.Task) != nil:
			return nil, nil, fmt.Errorf("step %s would belong to task %s, which is over", o.Address, o.Task)
		default:
			steps = append(steps, &Step{Outline: o, Status: Pending})
			gained[o.Task] = true
			delete(added, o.Address)
		}
	}
	for _, code := range f.Acknowledged {
		_, step, _ := strings.Cut(code, ":")
		if !slices.Contains(r.Started.Acknowledged, code) && !slices.Contains(f.Added, plan.Address(step)) {
			return nil, nil, fmt.Errorf("%s was acknowledged, which is about no step that is new", code)
		}
	}
	if old < len(r.Steps) || len(added) > 0 || len(steps) == len(r.Steps) {
		return nil, nil, fmt.Errorf("there are %d steps, %d of them new, where there were %d", len(f.Steps),
			len(f.Added), len(r.Steps))
	}
	return steps, gained, nil
}

// begun is how many steps, from the first in the order of execution, an
// amendment must leave before all that it adds: up to the last one that is not
// pending.
func begun(r *Run) int {
	for i, s := range slices.Backward(r.Steps) {
		if s.Status != Pending {
			return i + 1
		}
	}
	return 0
}

// aside: how the run stands does not move, whether it waits, what is under way,
// and what the last step left.
func (*Amended) aside() {}
