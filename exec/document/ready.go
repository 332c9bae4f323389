package document

import (
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
)

// A readyLine is a ready job, and what became of it.
type readyLine struct {
	Digest     ledger.Digest      `json:"digest"`
	Jobs       []draftJob         `json:"jobs"`
	Runs       []history.ReadyRun `json:"runs"` // in which it was accepted
	Confidence float64            `json:"confidence"`
	Offered    bool               `json:"offered"` // to the reviewers
	Used       bool               `json:"used"`    // it is what runs
	Unused     string             `json:"unused_reason,omitempty"`
}

// fromMemory says where approved jobs come from that no reviewer proposed.
type fromMemory struct {
	Digest ledger.Digest `json:"digest"`
	Run    string        `json:"run_id"` // the latest in which it was accepted
}

// readyLines are the ready jobs of a decision.
func readyLines(a *history.Approval) (lines []readyLine) {
	for _, c := range a.Recalled() {
		lines = append(lines, readyLine{Digest: c.Job.Digest, Jobs: draftJobs(c.Job.Jobs), Runs: list(c.Job.Runs),
			Confidence: c.Job.Confidence, Offered: c.Job.Withheld == "", Used: c.Unused == "", Unused: c.Unused})
	}
	return lines
}

// newFromMemory is nil where reviewers proposed the approved jobs.
func newFromMemory(a *history.Approval) *fromMemory {
	if r := a.ReadyJob(); r != nil {
		return &fromMemory{r.Digest, r.Latest()}
	}
	return nil
}

// recalled says in words what became of the ready jobs of each task.
func recalled(r *history.Run) (lines []string) {
	for _, c := range r.Recalled() {
		lines = append(lines, "task "+c.Task+": "+c.String())
	}
	return lines
}
