package document

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
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

// drawCheckpoint draws where the run stands as YAML: what is done, what was
// decided, which files changed, and how to go on.
func drawCheckpoint(w io.Writer, rep *Model) error {
	p, r := rep.plan, rep.of
	y := &document{bufio.NewWriter(w)}
	id := "chk-" + rep.latest.UTC().Format("20060102-150405")
	y.put("id: %s\ncreated_at: %s\nreason: %s\n", yaml(id), yaml(rep.latest.String()), yaml(reasonOf(r, rep)))
	strategy := "DIRECT"
	if s := r.Flow.Strategy; s != nil && s.Strategy == history.Orchestrated {
		strategy = "ORCHESTRATED"
	}
	y.put("\ntask:\n  id: %s\n  input: %s\n  mode: %s\n", yaml(rep.Run), yaml(rep.Goal), yaml(strategy))
	y.progressOf(r, rep)
	y.decided(rep)
	y.filesOf(rep)
	y.put("\ntree:\n  from: %s\n  to: %s\n  diff: %s\n", yaml(string(rep.Base.Digest)), yaml(string(rep.Tree.Digest)),
		yaml(rep.say(action.Action{Kind: action.Compare, From: rep.Base.Digest, To: rep.Tree.Digest})))
	y.put("\ncontext_summary: %s\n", yaml(contextOf(p, rep)))
	y.put("\ntokens_used: %d\n", r.Flow.Tokens)
	y.evidenceOf(rep)
	y.put("\nresume:\n  can_resume: %t\n  instructions: %s\n", r.Ended == nil,
		yaml(strings.Join(each(nextSteps(rep), rep.told), "; ")))
	return y.Flush()
}

// items writes a list of blocks of "key: value" lines, or an empty list.
func (d *document) items(indent, name string, blocks [][][2]string) {
	if len(blocks) == 0 {
		d.put("%s%s: []\n", indent, name)
		return
	}
	d.put("%s%s:\n", indent, name)
	for _, b := range blocks {
		mark := "- "
		for _, kv := range b {
			d.put("%s  %s%s: %s\n", indent, mark, kv[0], kv[1])
			mark = "  "
		}
	}
}

// texts writes a list of texts, or an empty list.
func (d *document) texts(indent, name string, list []string) {
	if len(list) == 0 {
		d.put("%s%s: []\n", indent, name)
		return
	}
	d.put("%s%s:\n", indent, name)
	for _, s := range list {
		d.put("%s  - %s\n", indent, yaml(s))
	}
}

func (d *document) progressOf(r *history.Run, rep *Model) {
	current, total := 1, 1
	var done [][][2]string
	if s := r.Flow.Strategy; s != nil && len(s.Phases) > 0 {
		total = len(s.Phases)
		current = min(len(r.Flow.Phases)+1, total)
		for _, p := range r.Flow.Phases {
			done = append(done, [][2]string{{"phase", fmt.Sprint(p.Number)}, {"name", yaml(p.Phase)},
				{"evidence", yaml(fmt.Sprintf("%d steps completed, tree %s", p.Completed, p.Checkpoint.Tree.Short()))}})
		}
	} else {
		total = len(rep.Tasks)
		for i, t := range rep.Tasks {
			if t.Status != "completed" {
				continue
			}
			gates := 0
			for _, s := range t.Steps {
				gates += len(s.gates())
			}
			done = append(done, [][2]string{{"phase", fmt.Sprint(i + 1)}, {"name", yaml(t.Title)},
				{"evidence", yaml(count(gates, "gate", "gates") + " passed")}})
		}
		current = min(len(done)+1, max(total, 1))
	}
	d.put("\nprogress:\n  current_phase: %d\n  total_phases: %d\n", current, total)
	d.items("  ", "completed", done)
}

func (d *document) decided(rep *Model) {
	var all [][][2]string
	for _, s := range rep.steps {
		for _, rec := range s.Recoveries {
			all = append(all, [][2]string{{"question", yaml(fmt.Sprintf("step %s failed", s.Address))},
				{"decision", yaml(strings.TrimSpace(rec.Rung + " " + rec.Method))}, {"reason", yaml(rec.Why)}})
		}
		for _, q := range s.Questions {
			if q.Answer != nil {
				all = append(all, [][2]string{{"question", yaml(q.What)}, {"decision", yaml(q.Answer.Choice)},
					{"reason", yaml(q.Answer.Reason)}})
			}
		}
	}
	d.put("\n")
	d.items("", "decisions", all)
}

func (d *document) filesOf(rep *Model) {
	var created, modified []string
	for _, f := range rep.Files {
		switch f.Op {
		case "created":
			created = append(created, f.text())
		case "modified":
			modified = append(modified, f.text())
		}
	}
	d.put("\nfiles:\n")
	d.texts("  ", "created", created)
	d.texts("  ", "modified", modified)
}

// contextOf is what somebody who goes on must know, in one line.
func contextOf(p *plan.Plan, rep *Model) string {
	text := fmt.Sprintf("%s. %d of %d steps are completed.", strings.TrimSuffix(rep.Goal, "."), rep.Counts.Completed,
		rep.Counts.Steps)
	for _, s := range rep.steps {
		if s.Status == history.Pending || s.Status == history.InFlight {
			text += fmt.Sprintf(" Next: step %s, %s.", s.Address, strings.TrimSuffix(s.Title, "."))
			break
		}
	}
	for _, n := range p.NonGoals {
		text += fmt.Sprintf(" Not to be touched: %s.", strings.TrimSuffix(n.Text, "."))
	}
	return text
}

func (d *document) evidenceOf(rep *Model) {
	var all [][][2]string
	for _, s := range rep.steps {
		if s.Status != history.Completed {
			continue
		}
		for _, j := range s.gates() {
			if len(j.Evidence) > 0 {
				all = append(all, [][2]string{{"step", yaml(string(s.Address))}, {"gate", yaml(j.Gate)},
					{"evidence", yaml(strings.Join(j.Evidence, "; "))}})
			}
		}
	}
	d.put("\n")
	d.items("", "evidence", all)
}
