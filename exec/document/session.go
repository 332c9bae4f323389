package document

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// drawSession draws what whoever goes on with a run must know: where it stands,
// what was decided, what comes next.
func drawSession(w io.Writer, rep *Model) error {
	p, r := rep.plan, rep.of
	d := &document{bufio.NewWriter(w)}
	d.put("# Next session\n\n## Quick start\n\n")
	d.put("- **Goal:** %s\n- **Progress:** %d of %d steps, %d of %d tasks\n", md(rep.Goal), rep.Counts.Completed,
		rep.Counts.Steps, rep.Counts.TasksDone, rep.Counts.Tasks)
	d.put("- **Go on:** %s\n", rep.typed(rep.resume()))
	d.state(r, rep)
	d.section("Key decisions made")
	d.list("None.", decisions(r, rep))
	d.section("Completed")
	d.list("Nothing yet.", completedPhases(r, rep))
	d.section("Next")
	d.list("No step is left.", nextPart(p, rep))
	d.section("Project context")
	d.list("The plan says nothing about it.", projectContext(p))
	d.section("Files changed")
	d.list("None.", each(rep.Files, func(f file) string { return fmt.Sprintf("%s %s", f.Op, code(f.text())) }))
	d.section("Resume instructions")
	for i, line := range []string{
		"Load the run: " + rep.typed(rep.look()),
		"The workspace must be the tree " + code(rep.Tree.Digest.Short()) + "; resuming refuses any other",
		"Go on: " + rep.typed(rep.resume()),
		"Each step is checkpointed before it begins and judged when it ends",
	} {
		d.put("%d. %s\n", i+1, line)
	}
	return d.Flush()
}

func (d *document) state(r *history.Run, rep *Model) {
	d.section("Current state")
	d.put("- **Status:** %s", outcome(rep.Status))
	if rep.Paused != "" {
		d.put(", %s", md(rep.Paused))
	}
	d.put("\n- **Mode:** %s\n- **Checkpoint:** tree %s, record %d\n", md(string(rep.Mode)),
		code(rep.Tree.Digest.Short()), r.Head.Seq)
	f := r.Flow
	if f.Strategy != nil {
		d.put("- **Strategy:** %s, complexity %d\n", md(string(f.Strategy.Strategy)), f.Strategy.Complexity)
	}
	if f.Tokens > 0 {
		d.put("- **Tokens:** %d in this session, %d in all\n", f.Used, f.Tokens)
	}
	if q := rep.Waiting; q != nil {
		d.put("- **Question %s:** %s. %s\n", md(q.ID), md(q.What), md(q.Why))
	}
}

// decisions are what people, rungs and the plan decided on the way.
func decisions(r *history.Run, rep *Model) []string {
	var out []string
	for _, s := range rep.steps {
		for _, rec := range s.Recoveries {
			out = append(out, fmt.Sprintf("step %s: %s (%s)", md(string(s.Address)), md(rec.Why), md(rec.Rung)))
		}
		for _, q := range s.Questions {
			if q.Answer != nil {
				out = append(out, fmt.Sprintf("step %s: %s answered %s to “%s”%s", md(string(s.Address)),
					md(q.Answer.By), code(q.Answer.Choice), md(q.What), owing(q.Answer.Reason)))
			}
		}
	}
	for _, m := range rep.ModeSwitches {
		out = append(out, fmt.Sprintf("mode %s instead of %s: %s", md(string(m.To)), md(string(m.From)), md(m.Cause)))
	}
	for _, s := range r.Flow.Switched {
		if s.From == s.Strategy {
			out = append(out, fmt.Sprintf("new phases of strategy %s: %s", md(string(s.Strategy)), md(s.Why)))
			continue
		}
		out = append(out, fmt.Sprintf("strategy %s instead of %s: %s", md(string(s.Strategy)), md(string(s.From)),
			md(s.Why)))
	}
	return out
}

// completedPhases are the phases of an orchestrated run that are over, or else
// its completed tasks.
func completedPhases(r *history.Run, rep *Model) []string {
	var out []string
	for _, p := range r.Flow.Phases {
		out = append(out, fmt.Sprintf("phase %d of %d, %s: %d steps completed", p.Number, p.Of, md(p.Phase),
			p.Completed))
	}
	if len(out) > 0 {
		return out
	}
	for _, t := range rep.Tasks {
		if t.Status == "completed" {
			out = append(out, fmt.Sprintf("task %s: %s", md(t.ID), md(t.Title)))
		}
	}
	return out
}

// nextShown is how many steps the next session is told about.
const nextShown = 5

func nextPart(p *plan.Plan, rep *Model) []string {
	var out []string
	for _, s := range rep.steps {
		if s.Status != history.Pending && s.Status != history.InFlight {
			continue
		}
		if len(out) == nextShown {
			return append(out, "and more")
		}
		line := fmt.Sprintf("step %s: %s", md(string(s.Address)), md(s.Title))
		if n := len(s.Attempts); n > 0 {
			line += fmt.Sprintf(" (%s so far)", count(n, "attempt", "attempts"))
		}
		out = append(out, line)
	}
	return out
}

// projectContext is what the plan says about the project.
func projectContext(p *plan.Plan) []string {
	var out []string
	for _, s := range p.Settings {
		if head, _, _ := strings.Cut(s.Key, "."); head == "software_stack" || head == "constraints" || head == "components" {
			out = append(out, fmt.Sprintf("%s: %s", code(s.Key), md(settingText(s.Value))))
		}
	}
	for _, i := range p.Invariants {
		out = append(out, fmt.Sprintf("invariant %s: %s", md(i.ID), md(i.Text)))
	}
	for _, n := range p.NonGoals {
		out = append(out, fmt.Sprintf("non-goal %s: %s", md(n.ID), md(n.Text)))
	}
	return out
}

func settingText(v plan.Value) string {
	if v.Kind != "array" && v.Kind != "table" {
		return v.Text
	}
	return strings.Join(each(v.List, settingText), ", ")
}
