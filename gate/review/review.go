package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/reviewdoc"
	"github.com/planlock/planlock/ledger"
)

// Bounds of what is kept of a review, whatever a reviewer says.
const (
	maxListed = 100     // flags, checks, jobs or artifacts in one list
	maxText   = 2 << 10 // bytes of one text
)

// A Review is what one reviewer said. It is a claim, in a form that cannot be
// misread.
type Review struct {
	Reviewer string `json:"reviewer"`
	// Verdict is APPROVE, REJECT or CONDITIONAL about a plan or task, where all
	// else counts as a rejection; and pass, partial or fail about work, where
	// all else decides nothing.
	Verdict  string   `json:"verdict,omitempty"`
	Critical []string `json:"critical,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	Checks   []Check  `json:"checks,omitempty"` // in the order in which they were written
	Jobs     []Job    `json:"proposed_jobs,omitempty"`
	// About a task: the digest of the ready job that is to run, of those that the
	// request offers; "" for none. A verdict alone approves none.
	ReadyJob ledger.Digest `json:"ready_job,omitempty"`

	Criteria []Criterion `json:"criteria,omitempty"` // of work
	// of work, for the task as a whole, as "file:line", or "file:line: what
	// stands there"
	Citations []string `json:"citations,omitempty"`
	Findings  []string `json:"findings,omitempty"` // of work
	// Of work: what the answer is about, as the request names it. What is there
	// must agree with it.
	Run     string        `json:"run,omitempty"`
	Attempt string        `json:"attempt_id,omitempty"`
	Digest  ledger.Digest `json:"digest,omitempty"`

	Faults []string `json:"faults,omitempty"` // what is missing in the contract, or cannot be read
	Error  string   `json:"error,omitempty"`  // why there is no contract
}

// A Check is one of the checks of a contract, with its value as JSON.
type Check struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A Job is one that a reviewer proposes to run.
type Job struct {
	ID        string   `json:"id"`
	Entry     string   `json:"entry"`
	Args      string   `json:"args,omitempty"` // as JSON
	Artifacts []string `json:"expected_artifacts,omitempty"`
	EnvKeys   []string `json:"env_keys,omitempty"` // variables that it needs
}

// A Criterion is what a reviewer of work says of one acceptance criterion.
type Criterion struct {
	Number    int      `json:"criterion"` // from 1
	Met       bool     `json:"met"`
	Citations []string `json:"citations,omitempty"`
	Note      string   `json:"note,omitempty"`
}

// Decide says what reviews come to: the objections, or, where there are none,
// an approval and the jobs that all reviewers propose. They approve if there is
// at least one review, all say APPROVE, and none raises a critical flag or has
// a fault.
func Decide(reviews []Review) (objections []string, jobs []Job) {
	if len(reviews) == 0 {
		return []string{"nobody reviewed it"}, nil
	}
	for _, r := range reviews {
		objections = append(objections, r.Objections()...)
		jobs = append(jobs, r.Jobs...)
	}
	if len(objections) > 0 {
		return objections, nil
	}
	return nil, jobs
}

// Objections are why a review is no approval; none if it is one.
func (r Review) Objections() []string {
	if r.Error != "" {
		return []string{r.Reviewer + ": there is no contract: " + r.Error}
	}
	var list []string
	if r.Verdict != reviewdoc.Approve {
		list = append(list, fmt.Sprintf("%s: the verdict is %q", r.Reviewer, r.Verdict))
	}
	for _, flag := range r.Critical {
		list = append(list, fmt.Sprintf("%s: critical: %s", r.Reviewer, flag))
	}
	for _, fault := range r.Faults {
		if why := fmt.Sprintf("%s: %s", r.Reviewer, fault); !slices.Contains(list, why) {
			list = append(list, why)
		}
	}
	return list
}

// answers makes sure that a review of work is about what was asked.
func (r Review) answers(asked Request) error {
	for _, about := range []struct{ name, said, asked string }{{"run", r.Run, asked.Run},
		{"attempt_id", r.Attempt, asked.Attempt}, {"digest", string(r.Digest), string(asked.Digest)}} {
		if about.said != "" && about.said != about.asked {
			return fmt.Errorf("%w: its %s is %q, and it was asked about %q", ErrAnswer, about.name, clip(about.said),
				about.asked)
		}
	}
	return nil
}

// silent says that a review says nothing at all.
func (r Review) silent() bool {
	return r.Verdict == "" && r.Error == "" && len(r.Critical) == 0 && len(r.Faults) == 0
}

// bounded is a review of a plan or task, of which nothing is larger than may be
// kept. A review with more checks or jobs than that has a fault. What is said
// of work has no place in it.
func (r Review) bounded() Review {
	if len(r.Checks) > maxListed || len(r.Jobs) > maxListed {
		r.Faults = append(slices.Clone(r.Faults), fmt.Sprintf("the contract has more than %d checks or jobs",
			maxListed))
	}
	checks, jobs := r.Checks, r.Jobs
	r.Checks, r.Jobs = nil, nil
	for _, c := range checks[:min(len(checks), maxListed)] {
		r.Checks = append(r.Checks, Check{clip(c.Name), clip(c.Value)})
	}
	for _, j := range jobs[:min(len(jobs), maxListed)] {
		r.Jobs = append(r.Jobs, Job{clip(j.ID), clip(j.Entry), clip(j.Args), clipAll(j.Artifacts), clipAll(j.EnvKeys)})
	}
	r.Verdict, r.Error, r.ReadyJob = clip(r.Verdict), clip(r.Error), ledger.Digest(clip(string(r.ReadyJob)))
	r.Critical, r.Warnings, r.Faults = clipAll(r.Critical), clipAll(r.Warnings), clipAll(r.Faults)
	r.Criteria, r.Citations, r.Findings, r.Run, r.Attempt, r.Digest = nil, nil, nil, "", "", ""
	return r
}

// clip bounds a text.
func clip(text string) string {
	if len(text) > maxText {
		text = text[:maxText] + "…"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// clipAll bounds a list of texts. What is left out is counted, so that a flag
// is never lost silently.
func clipAll(list []string) []string {
	var kept []string
	for i, text := range list {
		if i == maxListed && len(list) > maxListed+1 { // the last one may be the count
			return append(kept, fmt.Sprintf("and %d more", len(list)-i))
		}
		kept = append(kept, clip(text))
	}
	return kept
}
