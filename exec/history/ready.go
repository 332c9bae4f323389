package history

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// A ReadyJob is jobs that reviewers approved for tasks of earlier runs, and that
// went well there, with the files that they begin with as these were. It is
// offered to the reviewers of a task that does the same; it runs where all of them
// approve it by its digest, and none proposes a job of its own.
type ReadyJob struct {
	Digest     ledger.Digest   `json:"digest"`     // of what runs: commands, artifacts and entries
	Does       string          `json:"does"`       // what the steps do that it is for
	Jobs       []review.Job    `json:"jobs"`       // each once
	Entries    []ApprovedEntry `json:"entries"`    // what each of them begins with
	Runs       []ReadyRun      `json:"runs"`       // in which it was accepted, those that stand
	Confidence float64         `json:"confidence"` // the share of runs that it won, with one more counted as lost
	// Withheld says why reviewers are not offered it; "" where they are.
	Withheld string `json:"withheld,omitempty"`
}

// A ReadyRun is a run in which a ready job was accepted.
type ReadyRun struct {
	Run   string       `json:"run"`
	Step  plan.Address `json:"step"`
	Basis Basis        `json:"basis"` // of its word: proved or reviewed
}

// NewReadyJob is a ready job made of jobs that reviewers approved and of what these
// begin with. Two that would run the same have one digest, however their jobs are
// called. An error says which job cannot be run.
func NewReadyJob(does string, jobs []review.Job, entries []ApprovedEntry) (*ReadyJob, error) {
	r := &ReadyJob{Does: does, Entries: slices.Clone(entries)}
	type part struct {
		Command   string   `json:"command"`
		Artifacts []string `json:"expected_artifacts"`
	}
	var parts []part
	for _, j := range jobs {
		command, err := j.Command()
		if err != nil {
			return nil, err
		}
		p := part{command, slices.Sorted(slices.Values(j.Artifacts))}
		if !slices.ContainsFunc(parts, func(o part) bool {
			return o.Command == p.Command && slices.Equal(o.Artifacts, p.Artifacts)
		}) {
			parts, r.Jobs = append(parts, p), append(r.Jobs, j)
		}
	}
	slices.SortFunc(r.Entries, func(a, b ApprovedEntry) int { return strings.Compare(a.Path, b.Path) })
	r.Entries = slices.Compact(r.Entries)
	text, err := json.Marshal(struct {
		Schema  string          `json:"schema"`
		Jobs    []part          `json:"jobs"`
		Entries []ApprovedEntry `json:"entries"`
	}{"planlock.ready-job/1", parts, r.Entries})
	if err != nil {
		return nil, err
	}
	r.Digest = ledger.Sum(text)
	return r, nil
}

// Commands are what runs, in order.
func (r *ReadyJob) Commands() []string {
	var all []string
	for _, j := range r.Jobs {
		if command, err := j.Command(); err == nil && !slices.Contains(all, command) {
			all = append(all, command)
		}
	}
	return all
}

// Names are the ids of its jobs.
func (r *ReadyJob) Names() []string {
	var all []string
	for _, j := range r.Jobs {
		all = append(all, j.ID)
	}
	return all
}

// Latest is the last of its runs that is known; "" where none is.
func (r *ReadyJob) Latest() string {
	if len(r.Runs) == 0 {
		return ""
	}
	return r.Runs[len(r.Runs)-1].Run
}

// Offer is the ready job as reviewers are shown it.
func (r *ReadyJob) Offer() review.Offer {
	o := review.Offer{Digest: r.Digest, Confidence: r.Confidence}
	for _, j := range r.Jobs {
		o.Jobs = append(o.Jobs, review.NewOfferedJob(j))
	}
	for _, e := range r.Entries {
		o.Entries = append(o.Entries, review.OfferedEntry(e))
	}
	for _, run := range r.Runs {
		o.Runs = append(o.Runs, review.OfferedRun{Run: run.Run, Step: string(run.Step), Basis: string(run.Basis)})
	}
	return o
}

// ReadyJob is the ready job that the approved jobs are; nil where reviewers proposed
// them, or approved none.
func (f *Approval) ReadyJob() *ReadyJob {
	for i := range f.Ready {
		if f.FromMemory != "" && f.Ready[i].Digest == f.FromMemory {
			return &f.Ready[i]
		}
	}
	return nil
}

// A Recall is a ready job that was known for a task.
type Recall struct {
	Task   string
	Job    *ReadyJob
	Unused string // why it does not run; "" where it does
}

func (c Recall) String() string {
	name := sprint("ready job %s (%s) of run %s",
		c.Job.Digest.Short(), strings.Join(c.Job.Names(), ", "), c.Job.Latest())
	if c.Unused != "" {
		return name + " does not run: " + c.Unused
	}
	return sprint("%s is what runs: all reviewers approved it, and its confidence is %.2f", name, c.Job.Confidence)
}

// Recalled are the ready jobs that were known for the task, those that were
// withheld too.
func (f *Approval) Recalled() []Recall {
	var all []Recall
	for i := range f.Ready {
		c := Recall{Task: f.Task, Job: &f.Ready[i]}
		if c.Job.Digest != f.FromMemory {
			c.Unused = f.unused(c.Job)
		}
		all = append(all, c)
	}
	return all
}

// Recalled are the ready jobs that were known for tasks of the run, by the latest
// decision about each that stands, in the order in which these were made.
func (r *Run) Recalled() []Recall {
	var all []Recall
	for i := range r.Approvals {
		if a := &r.Approvals[i]; r.Task(a.Task).Approval() == a {
			all = append(all, a.Recalled()...)
		}
	}
	return all
}

// unused is why a ready job does not run.
func (f *Approval) unused(r *ReadyJob) string {
	var without []string
	for _, said := range f.Reviews {
		if said.ReadyJob != r.Digest {
			without = append(without, said.Reviewer)
		}
	}
	switch {
	case r.Withheld != "":
		return r.Withheld
	case !f.Status.Runs():
		return "the task was not approved"
	case len(without) > 0:
		return sprint("not approved by %s", strings.Join(without, ", "))
	case len(f.Jobs) > 0:
		return "a reviewer proposed another job"
	}
	return "the plan says how the step is done"
}
