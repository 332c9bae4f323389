package document

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/planlock/planlock/exec/internal/analysis"
	"github.com/planlock/planlock/exec/internal/compliance"
	"github.com/planlock/planlock/plan"
)

// drawLearnings draws what a run that is over teaches about writing plans: what
// worked, what to avoid, how to tune.
func drawLearnings(w io.Writer, rep *Model) error {
	p := rep.plan
	a := *rep.analysis
	d := &document{bufio.NewWriter(w)}
	d.put("# Learnings: %s\n\n", md(rep.Goal))
	d.put("Run %s ended %s on %s.\n", code(rep.Run), outcome(rep.Status), rep.Ended.clock())
	d.section("Patterns that worked")
	d.list("None stood out.", worked(a, rep))
	d.section("Patterns to avoid")
	d.list("None stood out.", avoided(p, a, rep))
	d.section("Tuning")
	d.list("Nothing to tune.", tuned(p, a, rep))
	d.section("Recommendations")
	d.list("None.", each(a.Recommendations, func(r analysis.Recommendation) string { return md(r.Text()) }))
	return d.Flush()
}

func worked(a analysis.Analysis, rep *Model) []string {
	var out []string
	for _, u := range a.Backups.Used {
		if u.Rate.N == u.Rate.Of {
			out = append(out, fmt.Sprintf("the backup %s helped each time it was used (%d of %d)",
				quoted(u.Description), u.Rate.N, u.Rate.Of))
		}
	}
	for _, t := range rep.Tasks {
		clean := t.Status == "completed"
		for _, s := range t.Steps {
			clean = clean && len(s.Attempts) == 1 && len(s.Questions) == 0
		}
		if clean {
			out = append(out, fmt.Sprintf("task %s (%s) went through at the first attempt, %s", md(t.ID), md(t.Title),
				count(len(t.Steps), "step", "steps")))
		}
	}
	if n := a.Propagation.Blocked; n > 0 && len(a.Propagation.Unread) == 0 {
		out = append(out, fmt.Sprintf("dependencies kept %s from running on what had failed",
			count(n, "step", "steps")))
	}
	return out
}

func avoided(p *plan.Plan, a analysis.Analysis, rep *Model) []string {
	var out []string
	for _, s := range a.Failures.Steps {
		if s.Resolved == "" {
			out = append(out, fmt.Sprintf("step %s failed %s and was not completed%s", md(string(s.Step)),
				count(s.Failures, "time", "times"), owing(s.Cause)))
		}
	}
	for _, t := range p.Tasks {
		for i := range t.Steps {
			for _, b := range t.Steps[i].Backups {
				if compliance.SameAgain(&t.Steps[i], b) {
					out = append(out, fmt.Sprintf("backup %s of step %s is no other way", md(b.ID),
						md(string(t.Steps[i].Address))))
				}
			}
		}
	}
	for _, u := range a.Backups.Used {
		if u.Rate.N == 0 {
			out = append(out, fmt.Sprintf("the backup %s never helped (%s)", quoted(u.Description), count(u.Rate.Of, "attempt", "attempts")))
		}
	}
	for _, r := range a.Recommendations {
		if r.About == "critical flag" {
			out = append(out, fmt.Sprintf("the critical flag of step %s is not what the run showed",
				md(string(r.Step))))
		}
	}
	return out
}

func owing(cause string) string {
	if cause == "" {
		return ""
	}
	return ": " + md(cause)
}

func tuned(p *plan.Plan, a analysis.Analysis, rep *Model) []string {
	out := []string{}
	if a.Escalations.Total == 0 {
		out = append(out, "no trigger of dynamic mode fired: its thresholds fit")
	}
	for _, t := range a.Escalations.Triggers {
		out = append(out, fmt.Sprintf("%s led to %s", md(t.What), count(t.N, "escalation", "escalations")))
	}
	strategy := p.ErrorPropagation.Strategy
	if strategy == "" {
		strategy = plan.HaltOnCritical
	}
	out = append(out, fmt.Sprintf("propagation strategy %s: %s halted the run, %s blocked, %s went on with a concern",
		code(string(strategy)),
		count(a.Propagation.Halts, "step", "steps"), count(a.Propagation.Blocked, "step was", "steps were"),
		count(a.Propagation.Concerned, "step", "steps")))
	b := a.Compliance.Balance
	out = append(out, fmt.Sprintf("critical balance: %d of %d steps", b.Critical, b.Total))
	return out
}

func quoted(text string) string { return "“" + md(strings.TrimSpace(text)) + "”" }
