package history

import (
	"fmt"
	"slices"

	"github.com/planlock/planlock/gate"
)

// A Review is what a reviewer said of a step, and whether that counts.
type Review struct {
	gate.Review
	Gate string // that asked the reviewer
	Why  string // it does not count; "" if it counts
}

// Counts reports whether the review speaks for the step: it is of somebody else
// than whoever did the work, and finds each criterion met, with a citation of
// something that the step changed or names.
func (r Review) Counts() bool { return r.Why == "" }

// Reviews are what reviewers said of the attempt that completed the step; none
// if it is not completed. The caller must not change what they refer to.
func (s *Step) Reviews() []Review {
	if s.Completed == nil || s.Last() == nil {
		return nil
	}
	return s.Last().Reviews()
}

// Reviews are what reviewers said of the attempt. The caller must not change
// what they refer to.
func (a *Attempt) Reviews() []Review {
	var all []Review
	for _, j := range a.Gates {
		if j.Verdict != nil && j.Verdict.Review != nil {
			all = append(all, Review{Review: *j.Verdict.Review, Gate: j.Gate, Why: against(j.Verdict, a)})
		}
	}
	return all
}

// against says why a review of an attempt does not count; "" if it does.
func against(v *gate.Verdict, a *Attempt) string {
	r := v.Review
	if r.Identity != "" && r.Identity == a.Method.Identity {
		return "the reviewer is the one that did the work"
	}
	if v.Result != gate.Passed {
		return fmt.Sprintf("it says %s", v.Result)
	}
	if len(r.Criteria) == 0 {
		return "it judges no criterion"
	}
	for i, c := range r.Criteria {
		switch {
		case c.Met == nil:
			return fmt.Sprintf("criterion %d was not judged: %s", i+1, c.Text)
		case !*c.Met:
			return fmt.Sprintf("criterion %d is not met: %s", i+1, c.Text)
		case !grounded(c):
			return fmt.Sprintf("for criterion %d nothing is cited that the step changed or names: %s", i+1, c.Text)
		}
	}
	return ""
}

// grounded reports whether a citation quotes what the step is about.
func grounded(c gate.Criterion) bool {
	for _, cited := range c.Citations {
		if cited.Shows != "" {
			return true
		}
	}
	return false
}

// Grants reports whether a gate's reviewer, who carried out no step of the run,
// finds a criterion met, and cites what the run changed or names for it.
func (r *Run) Grants(j gate.Judgement, criterion string) bool {
	if j.Verdict == nil || j.Verdict.Review == nil || j.Verdict.Result != gate.Passed {
		return false
	}
	review := j.Verdict.Review
	for _, s := range r.Steps {
		if s.Carried != nil && review.Identity != "" && review.Identity == s.Carried.Identity {
			return false
		}
		for _, a := range s.Attempts {
			if review.Identity != "" && review.Identity == a.Method.Identity {
				return false
			}
		}
	}
	return slices.ContainsFunc(review.Criteria, func(c gate.Criterion) bool {
		return c.Text == criterion && c.Met != nil && *c.Met && grounded(c)
	})
}
