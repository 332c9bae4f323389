package document

import (
	"io"
	"strings"
	"time"

	"github.com/planlock/planlock/exec/history"
)

// A taskCheckpoint is what a task left behind when it ended, in the shape of
// the phase workflow.
type taskCheckpoint struct {
	ID         string   `json:"id"`
	Timestamp  stamp    `json:"timestamp"`
	TaskID     string   `json:"task_id"`
	Status     string   `json:"status"`      // completed, failed, partial, skipped
	GitHash    string   `json:"git_hash"`    // of HEAD when the run began: planlock commits nothing
	Tree       string   `json:"tree_digest"` // that the task's last completed step left
	Modified   []string `json:"files_modified"`
	Validation string   `json:"validation_result"` // pass, fail, skipped
	Retries    int      `json:"retry_count"`
	Error      *string  `json:"error_message"`
	Seconds    int      `json:"duration_seconds"`
}

// taskCheckpoints are the documents of the tasks that are over.
func taskCheckpoints(rep *Model) []File {
	var files []File
	for _, t := range rep.Tasks {
		if t.Status == "pending" || t.Status == "running" {
			continue
		}
		files = append(files, File{"checkpoint-" + fileName(t.ID) + ".json", func(w io.Writer) error {
			return encode(w, newTaskCheckpoint(rep, t))
		}})
	}
	return files
}

func newTaskCheckpoint(rep *Model, t *task) taskCheckpoint {
	c := taskCheckpoint{
		ID: "checkpoint-" + t.ID, Timestamp: t.Ended, TaskID: t.ID, Status: t.Status, Modified: []string{},
		Validation: "pass", Seconds: int(time.Duration(t.Duration) / time.Second), Tree: string(rep.Base.Digest),
	}
	for _, g := range rep.Git {
		if g.Part == "HEAD" {
			c.GitHash = string(g.Digest)
		}
	}
	if t.Status == "blocked" {
		c.Status = "skipped"
	}
	switch c.Status {
	case "failed":
		c.Validation = "fail"
	case "skipped", "partial": // nobody judged the task as a whole
		c.Validation = "skipped"
	}
	if c.Timestamp.IsZero() { // the run ended before the task did
		c.Timestamp = rep.latest
	}
	seen := map[string]bool{}
	for _, s := range t.Steps {
		c.Retries += max(len(s.Attempts)-1, 0)
		if s.Tree != nil {
			c.Tree = string(s.Tree.Digest)
		}
		if s.Failure != nil && c.Error == nil {
			why := strings.Join(s.Failure.Reasons, "; ")
			c.Error = &why
		}
		a := s.judged()
		if s.Status != history.Completed || a == nil || a.Ledger == nil {
			continue
		}
		for _, ch := range a.Ledger.Changes {
			if name := ch.text(); !seen[name] && ch.Kind != "dir" {
				seen[name] = true
				c.Modified = append(c.Modified, name)
			}
		}
	}
	return c
}

// reasonOf says why there is a checkpoint at this point.
func reasonOf(r *history.Run, rep *Model) string {
	budgets := r.Flow.Budgets
	switch {
	case len(budgets) > 0 && budgets[len(budgets)-1].Level == history.Handoff && r.Ended == nil:
		return "handoff"
	case rep.Waiting != nil:
		return "stuck"
	case rep.Counts.Failed > 0 && r.Ended != nil:
		return "error"
	case len(r.Flow.Switched) > 0 && len(r.Flow.Phases) == 0:
		return "mode_switch"
	}
	return "phase_complete"
}
