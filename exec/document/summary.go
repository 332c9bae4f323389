package document

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/exec/history"
)

// A document is Markdown, or YAML, that is being written.
type document struct{ *bufio.Writer }

// put writes formatted words of the document's own; what comes from elsewhere
// is escaped by the caller.
func (d *document) put(format string, args ...any) { fmt.Fprintf(d, format, args...) }

func (d *document) section(title string) { d.put("\n## %s\n\n", title) }

// table writes a table, or a sentence where there is nothing to show.
func (d *document) table(none string, head []string, rows [][]string) {
	if len(rows) == 0 {
		d.put("%s\n", none)
		return
	}
	d.put("| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
	for _, r := range rows {
		d.put("| %s |\n", strings.Join(r, " | "))
	}
}

// list writes items, or a sentence where there are none.
func (d *document) list(none string, items []string) {
	if len(items) == 0 {
		d.put("%s\n", none)
	}
	for _, item := range items {
		d.put("- %s\n", item)
	}
}

func drawSummary(w io.Writer, rep *Model) error {
	d := &document{bufio.NewWriter(w)}
	d.frontMatter(rep)
	d.put("\n# Summary: %s\n", md(rep.Goal))
	d.overview(rep)
	d.completed(rep)
	d.failed(rep)
	d.blocked(rep)
	d.deviations(rep)
	d.files(rep)
	d.section("Next steps")
	d.list("Nothing is left to do.", each(nextSteps(rep), func(n nextStep) string { return md(rep.told(n)) }))
	return d.Flush()
}

func (d *document) frontMatter(rep *Model) {
	name := rep.Name
	if name == "" {
		name = "plan"
	}
	status, created := "executed", rep.latest
	switch rep.Status {
	case history.Running:
		status = "running"
	case history.Waiting:
		status = "waiting"
	}
	c := rep.Counts
	minutes := int(time.Duration(rep.Duration).Round(time.Minute) / time.Minute)
	d.put("---\ntype: summary\nphase: %s\nstatus: %s\ncreated: %s\nvalidator: %s\n",
		yaml(name), status, yaml(created.String()), yaml(strings.TrimSpace("planlock "+rep.Version)))
	d.put("tasks_completed: %d\ntasks_failed: %d\ntasks_skipped: %d\ntasks_blocked: %d\n", c.TasksDone, c.TasksFailed,
		c.TasksSkipped, c.TasksBlocked)
	d.put("total_duration_minutes: %d\nfiles_modified_count: %d\n", minutes, len(rep.Files))
	d.put("run: %s\noutcome: %s\nplan: %s\ntree: %s\n---\n", yaml(rep.Run), yaml(string(rep.Status)),
		yaml(string(rep.Plan.Digest)), yaml(string(rep.Tree.Digest)))
}

func (d *document) overview(rep *Model) {
	c := rep.Counts
	attempted := 0
	for _, t := range rep.Tasks {
		if !t.Started.IsZero() {
			attempted++
		}
	}
	d.section("Overview")
	end := "still open"
	if !rep.Ended.IsZero() {
		end = rep.Ended.clock()
	}
	d.put("- **Status:** %s\n", outcome(rep.Status))
	for _, r := range rep.Reasons {
		d.put("  - %s\n", md(r))
	}
	d.put("- **Time:** %s to %s (%s)\n", rep.Started.clock(), end, rep.Duration)
	d.put("- **Tasks attempted:** %d of %d (%d completed, %d failed, %d skipped, %d blocked)\n",
		attempted, c.Tasks, c.TasksDone, c.TasksFailed, c.TasksSkipped, c.TasksBlocked)
	d.put("- **Steps:** %s\n", rep.tally())
	d.put("- **Run:** %s, lock %s, mode %s\n", code(rep.Run), code(rep.Lock.ID), md(string(rep.Mode)))
	d.put("- **Trees:** from %s to %s\n", code(rep.Base.Digest.Short()), code(rep.Tree.Digest.Short()))
}

func (d *document) completed(rep *Model) {
	var rows [][]string
	for _, t := range rep.Tasks {
		if t.Status != "completed" {
			continue
		}
		gates := 0
		position, last := uint64(0), ""
		for _, s := range t.Steps {
			gates += len(s.gates())
			if s.Checkpoint != nil {
				position = max(position, s.Checkpoint.Position)
			}
			if s.Tree != nil {
				last = s.Tree.Digest.Short()
			}
		}
		rows = append(rows, []string{md(t.ID), md(t.Title), t.Duration.String(), count(gates, "gate", "gates"),
			fmt.Sprintf("%s, record %d", code(last), position)})
	}
	d.section("Completed tasks")
	d.table("None.", []string{"ID", "Title", "Duration", "Validator", "Accepted tree, last checkpoint"}, rows)
}

func (d *document) failed(rep *Model) {
	d.section("Failed tasks")
	var rows [][]string
	var bad []*step
	for _, t := range rep.Tasks {
		if !t.hasFailed() {
			continue
		}
		var reasons []string
		attempts := 0
		for _, s := range t.Steps {
			if s.Failure == nil {
				continue
			}
			bad = append(bad, s)
			attempts += len(s.Attempts)
			reasons = append(reasons, fmt.Sprintf("step %s: %s", s.Address, meaning(s.Failure.Class)))
		}
		rows = append(rows, []string{md(t.ID), md(t.Title), md(strings.Join(reasons, "; ")), fmt.Sprint(attempts)})
	}
	d.table("None.", []string{"ID", "Title", "Failure reason", "Attempts"}, rows)
	for _, s := range bad {
		d.put("\n### Step %s: %s\n\n", md(string(s.Address)), md(s.Title))
		d.failure(s)
	}
}

// hasFailed reports whether a step of the task failed, be it critical or not.
func (t *task) hasFailed() bool {
	return t.Status == "failed" || slices.ContainsFunc(t.Steps, func(s *step) bool { return s.Failure != nil })
}

func (d *document) blocked(rep *Model) {
	d.section("Blocked tasks")
	var rows [][]string
	for _, t := range rep.Tasks {
		for _, s := range t.Steps {
			if b := s.Blocked; b != nil {
				rows = append(rows, []string{md(string(s.Address)), md(t.Title + ": " + s.Title), md(string(b.By)),
					md(b.Why + "; " + b.ways())})
			}
		}
	}
	d.table("None.", []string{"Step", "Title", "Blocked by", "Unblock path"}, rows)
	if len(rows) > 0 {
		d.put("\n")
		for _, s := range rep.steps {
			if s.Blocked != nil {
				d.put("- %s → %s\n", md(string(s.Blocked.By)), md(string(s.Address)))
			}
		}
	}
}
