package approval

import (
	"fmt"
	"slices"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/intake"
)

// A Review is what one reviewer said about a draft. It is a claim, in a form
// that cannot be misread.
type Review struct {
	Reviewer string   `json:"reviewer"`
	Verdict  string   `json:"verdict,omitempty"` // "APPROVE", "REJECT", "CONDITIONAL"; else it counts as a rejection
	Critical []string `json:"critical,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	Checks   []Answer `json:"checks,omitempty"` // in the order in which they were written
	Jobs     []Job    `json:"proposed_jobs,omitempty"`
	Faults   []string `json:"faults,omitempty"` // what is missing in the contract, or cannot be read
	Error    string   `json:"error,omitempty"`  // why there is no contract
}

// An Answer is one of the checks of a contract, with its value as JSON.
type Answer struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A Job is one that a reviewer proposes to run.
type Job struct {
	ID        string   `json:"id"`
	Entry     string   `json:"entry"`
	Args      string   `json:"args,omitempty"` // as JSON
	Artifacts []string `json:"expected_artifacts,omitempty"`
}

// A Decision is what reviews come to.
type Decision struct {
	Approved bool
	Reasons  []string // why not, at least one of them; none if approved
	Critical []string // all critical flags, each with its reviewer
	Jobs     []Job    // of all reviewers, if approved
}

// Decide approves if there is at least one review, all say APPROVE, and none
// raises a critical flag or has a fault.
func Decide(reviews []Review) Decision {
	var d Decision
	if len(reviews) == 0 {
		d.Reasons = []string{"nobody reviewed it"}
	}
	var jobs []Job
	for _, r := range reviews {
		d.Reasons = append(d.Reasons, r.Objections()...)
		for _, flag := range r.Critical {
			d.Critical = append(d.Critical, r.Reviewer+": "+flag)
		}
		jobs = append(jobs, r.Jobs...)
	}
	if d.Approved = len(d.Reasons) == 0; d.Approved {
		d.Jobs = jobs
	}
	return d
}

// Objections are why a review is no approval; none if it is one.
func (r Review) Objections() []string {
	var list []string
	if r.Error != "" {
		return []string{r.Reviewer + ": there is no contract: " + r.Error}
	}
	if r.Verdict != intake.VerdictApprove {
		list = append(list, fmt.Sprintf("%s: the verdict is %q", r.Reviewer, r.Verdict))
	}
	for _, flag := range r.Critical {
		list = append(list, fmt.Sprintf("%s: critical: %s", r.Reviewer, flag))
	}
	for _, fault := range r.Faults {
		list = append(list, fmt.Sprintf("%s: %s", r.Reviewer, fault))
	}
	return list
}

// bounded is a review of which nothing is larger than may be kept. A review
// with more checks or jobs than that has a fault.
func (r Review) bounded() Review {
	if len(r.Checks) > maxListed || len(r.Jobs) > maxListed {
		r.Faults = append(slices.Clone(r.Faults), fmt.Sprintf("the contract has more than %d checks or jobs",
			maxListed))
	}
	checks, jobs := r.Checks, r.Jobs
	r.Checks, r.Jobs = nil, nil
	for _, a := range checks[:min(len(checks), maxListed)] {
		r.Checks = append(r.Checks, Answer{clip(a.Name), clip(a.Value)})
	}
	for _, j := range jobs[:min(len(jobs), maxListed)] {
		r.Jobs = append(r.Jobs, Job{clip(j.ID), clip(j.Entry), clip(j.Args), clipAll(j.Artifacts)})
	}
	r.Verdict, r.Error = clip(r.Verdict), clip(r.Error)
	r.Critical, r.Warnings, r.Faults = clipAll(r.Critical), clipAll(r.Warnings), clipAll(r.Faults)
	return r
}

// reviewOf is a contract as a review.
func reviewOf(name string, c *intake.Contract) Review {
	if c == nil {
		return Review{Reviewer: name, Error: "the reviewer gave none"}
	}
	r := Review{Reviewer: name, Verdict: c.Verdict, Critical: c.Critical, Warnings: c.Warnings}
	for _, a := range c.Checks {
		r.Checks = append(r.Checks, Answer{a.Name, a.Value})
	}
	for _, j := range c.Jobs {
		r.Jobs = append(r.Jobs, Job{j.ID, j.Entry, j.Args, j.ExpectedArtifacts})
	}
	for _, f := range c.Faults {
		if f.Severity == plan.Error || f.Code == "contract-jobs-invalid" || f.Code == "contract-flags-missing" {
			r.Faults = append(r.Faults, f.Message)
		}
	}
	return r.bounded()
}
