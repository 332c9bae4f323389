package review

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/planlock/planlock/ledger"
)

// An Offer is a ready job: one that reviewers approved for tasks of earlier runs
// that do the same, and that went well there. It never runs by itself: all
// reviewers of the task have to name its digest, and none may propose a job.
type Offer struct {
	Digest     ledger.Digest  `json:"digest"`
	Jobs       []OfferedJob   `json:"jobs"`
	Entries    []OfferedEntry `json:"entries"` // what its jobs begin with: the workspace has the same
	Runs       []OfferedRun   `json:"runs"`    // in which it was accepted
	Confidence float64        `json:"confidence"`
}

// An OfferedJob is a job in the form in which contracts propose one.
type OfferedJob struct {
	ID        string          `json:"id"`
	Entry     string          `json:"entry"`
	Args      json.RawMessage `json:"args"`
	Artifacts []string        `json:"expected_artifacts"`
}

// NewOfferedJob is a job as it is offered. Arguments that are no JSON are null.
func NewOfferedJob(j Job) OfferedJob {
	o := OfferedJob{ID: j.ID, Entry: j.Entry, Args: json.RawMessage("null"),
		Artifacts: append([]string{}, j.Artifacts...)}
	if json.Valid([]byte(j.Args)) {
		o.Args = json.RawMessage(j.Args)
	}
	return o
}

// An OfferedEntry is a file that a job begins with.
type OfferedEntry struct {
	Path   string        `json:"path"`
	Digest ledger.Digest `json:"digest"`
}

// An OfferedRun is a run in which a ready job was accepted, and what its word rests
// on there.
type OfferedRun struct {
	Run   string `json:"run"`
	Step  string `json:"step"`
	Basis string `json:"basis"`
}

// Offered finds what reviews say of the ready jobs that were offered: the one that
// all of them approve, "" where there is none, and objections of those that name one
// which was not offered: nobody knows what they approve.
func Offered(reviews []Review, offers []Offer) (chosen ledger.Digest, objections []string) {
	for i, r := range reviews {
		known := slices.ContainsFunc(offers, func(o Offer) bool { return o.Digest == r.ReadyJob })
		if r.ReadyJob != "" && !known {
			objections = append(objections, fmt.Sprintf("%s: the ready job %q was not offered", r.Reviewer, r.ReadyJob))
		}
		if i == 0 {
			chosen = r.ReadyJob
		}
		if chosen != r.ReadyJob {
			chosen = ""
		}
	}
	if len(objections) > 0 {
		chosen = ""
	}
	return chosen, objections
}

// text is the offer in a line, for a model.
func (o Offer) text() string {
	jobs, err := json.Marshal(o.Jobs)
	if err != nil {
		jobs = nil // of texts and JSON, which can be written
	}
	return fmt.Sprintf("%s (confidence %.2f, accepted in %d runs): %s", o.Digest, o.Confidence, len(o.Runs), jobs)
}
