package document

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/flow"
	"github.com/planlock/planlock/plan"
)

// newProgress draws the progress log. It knows nothing that the model does not
// know, but the plan's own words.
func newProgress(p *plan.Plan, r *history.Run, rep *Model) *progress {
	out := &progress{
		RunID: rep.Run, Descriptor: rep.Name, Goal: rep.Goal, StartTime: rep.Started, EndTime: rep.Ended,
		Status: progressStatus(rep), ExecutionMode: string(rep.FirstMode), SelectedBy: selectedBy(p, r, rep),
		Accepted:   defaultAccepted(r, rep),
		SelectedAt: rep.Started, CurrentMode: string(rep.Mode), Resumed: rep.Resumed,
		TotalTasks: rep.Counts.Tasks, TotalSteps: rep.Counts.Steps,
		Initialization: progressStart{
			Timestamp: lockedAt(r, rep), Validation: "PASS", Format: string(rep.Plan.Format), Profile: string(rep.Profile),
			PlanDigest: string(rep.Plan.Digest), Lock: rep.Lock.ID, Files: rep.Plan.Files, Warnings: rep.Warnings,
			Gates: gateResults(rep.Planning),
		},
		Tasks: []progressTask{}, Summary: newProgressSummary(rep), PartialReasons: []string{},
		UnmetDeps: unmetOf(p, r, rep), BlockedSteps: []plan.Address{}, RunComplete: r.Ended != nil,
		Success: rep.Status == history.Achieved, Partial: rep.Status == history.Partial,
	}
	if out.Descriptor == "" {
		out.Descriptor = "plan"
	}
	out.Compliance = newCompliance(p, r)
	out.Tools = newTools(p, r, rep)
	out.addTasks(p, r, rep)
	out.addSpeclets(p, r, rep)
	if rep.Waiting != nil {
		w := newEscalation(*rep.Waiting)
		out.Waiting = &w
	}
	for _, s := range rep.steps {
		if s.Blocked != nil {
			out.BlockedSteps = append(out.BlockedSteps, s.Address)
		}
	}
	if r.Ended != nil {
		out.end(p, rep)
		out.Analysis = newAnalysis(rep)
	}
	return out
}

// lockedAt is when the run got the plan that it is held to: at its beginning, or
// when the latest steps were added.
func lockedAt(r *history.Run, rep *Model) stamp {
	if n := len(r.Amendments); n > 0 {
		return newStamp(r.Amendments[n-1].At)
	}
	return rep.Started
}

// end fills in what only an ended run has.
func (out *progress) end(p *plan.Plan, rep *Model) {
	out.GoalStatus = string(rep.Status)
	v := &progressVerification{Overall: "FAIL", Goal: string(rep.Status), Checks: gateResults(rep.Final),
		Gaps: []string{}, At: rep.Ended}
	if rep.Status == history.Achieved {
		v.Overall = "PASS"
	} else {
		v.Gaps, out.PartialReasons = rep.Reasons, rep.Reasons
	}
	v.Complete, v.Unseen = completionOf(p, rep)
	out.Verification = v
}

// progressStatus is the status of the run in the words of progress logs.
func progressStatus(rep *Model) string {
	switch rep.Status {
	case history.Achieved:
		return "completed"
	case history.Partial:
		return "partially_complete"
	case history.NotAchieved:
		return "failed"
	case history.Waiting:
		return "waiting"
	}
	switch {
	case rep.Resumed > 0:
		return "resumed"
	case rep.Counts.Attempts+rep.Counts.Running == 0:
		return "ready_for_execution"
	}
	return "running"
}

// selectedBy says who chose the mode: the plan, or whoever started the run.
func selectedBy(p *plan.Plan, r *history.Run, rep *Model) string {
	switch by := r.Started.ModeBy; {
	case by == "plan" || by == "default":
		return by
	case by != "":
		return "user"
	case p.Execution.DefaultMode == rep.FirstMode:
		return "plan"
	case p.Execution.DefaultMode == "" && rep.FirstMode == plan.Dynamic:
		return "default"
	}
	return "user"
}

// defaultAccepted says whether the person who was asked for the mode took the
// default, by an empty line or by name; nil where nobody was asked.
func defaultAccepted(r *history.Run, rep *Model) *bool {
	if by := r.Started.ModeBy; by == "accepted" || by == "person" {
		took := by == "accepted" || rep.FirstMode == plan.Dynamic
		return &took
	}
	return nil
}

// addTasks writes the tasks in the plan's order, each with its steps.
func (out *progress) addTasks(p *plan.Plan, r *history.Run, rep *Model) {
	notes := notesOf(r, rep)
	written := make(map[plan.Address]*plan.Step)
	said := make(map[string]string)
	for i := range p.Tasks {
		said[p.Tasks[i].ID] = cmp.Or(p.Tasks[i].Description, p.Tasks[i].Title)
		for j := range p.Tasks[i].Steps {
			written[p.Tasks[i].Steps[j].Address] = &p.Tasks[i].Steps[j]
		}
	}
	for _, t := range rep.Tasks {
		made := progressTask{
			TaskID: t.ID, Name: t.Title, Description: said[t.ID], Speclet: t.Speclet, DependsOn: t.DependsOn,
			Status: t.Status, Start: t.Started, End: t.Ended, StepsTotal: len(t.Steps),
		}
		for _, s := range t.Steps {
			made.Retries += s.Retries
			made.BackupsUsed += len(s.Backups)
			if s.Critical {
				made.CriticalSteps++
			}
			switch s.Status {
			case history.Completed:
				made.StepsCompleted++
			case history.Failed:
				made.Failures++
			}
			made.Research = append(made.Research, researchOf(r.Step(s.Address))...)
		}
		made.Steps = sequence[progressStep]{len(t.Steps), func(i int) progressStep {
			s := t.Steps[i]
			step := newProgressStep(rep, s, written[s.Address])
			step.Education = educationOf(r.Step(s.Address))
			step.Consecutive, step.Mode = r.Step(s.Address).InARow, stepMode(rep, s, written[s.Address])
			return step
		}}
		made.Balance = balance(made.CriticalSteps, len(t.Steps))
		made.Notes = notesCount(only(notes, func(n note) bool { return n.task == t.ID && rep.noted(t, n) }), t.Ended)
		out.Tasks = append(out.Tasks, made)
	}
}

// balance finds the share of critical steps; all or none of several steps is no
// balance.
func balance(critical, total int) criticalBalance {
	b := criticalBalance{Critical: critical, Total: total, Compliant: total < 2 || critical > 0 && critical < total}
	if total > 0 {
		b.Ratio = math.Round(100*float64(critical)/float64(total)) / 100
	}
	return b
}

// stepMode is the mode that holds for a step, where the run's is the one that it
// had when the step ended.
func stepMode(rep *Model, s *step, in *plan.Step) string {
	if s.Ended.IsZero() {
		return string(rep.of.ModeOf(in, rep.Mode))
	}
	mode := rep.FirstMode
	for _, m := range rep.ModeSwitches {
		if !m.At.After(s.Ended.Time) {
			mode = m.To
		}
	}
	return string(rep.of.ModeOf(in, mode))
}

// addSpeclets adds the stages of the speclets and where each stands; a plan
// without speclets has neither. Of steps at once it tells all the same.
func (out *progress) addSpeclets(p *plan.Plan, r *history.Run, rep *Model) {
	if len(p.Speclets)+len(r.Groups) > 0 {
		out.SpecletModel = flow.Model(r)
	}
	if len(p.Speclets) == 0 {
		return
	}
	for _, stage := range flow.Stages(p, r) {
		some := stage.AtOnce
		if stage.Parallel {
			some = nil
		}
		out.SpecletPlan = append(out.SpecletPlan, pair[progressStage]{fmt.Sprintf("stage_%d", stage.Number),
			progressStage{stage.Speclets, stage.Parallel, some}})
	}
	tasks := make(map[string]*task)
	for _, t := range rep.Tasks {
		tasks[t.ID] = t
	}
	for i, s := range flow.Speclets(p, r) {
		out.SpecletProgress = append(out.SpecletProgress,
			pair[progressSpeclet]{s.ID, newSpeclet(r, s, only(each(p.Speclets[i].Tasks,
				func(id string) *task { return tasks[id] }), func(t *task) bool { return t != nil }))})
	}
}

// newSpeclet says where a group of tasks stands, with the times of its tasks:
// none for one that has not begun, and no end for one that is not over.
func newSpeclet(r *history.Run, s flow.Speclet, tasks []*task) progressSpeclet {
	out := progressSpeclet{Status: s.Status, Total: len(tasks), DependsOn: ordered[string]{}, Partial: s.Partial,
		Done: list(s.TasksCompleted), Failed: list(s.TasksFailed), InProgress: list(s.TasksInProgress),
		Left: list(s.TasksPartial), Skipped: list(s.TasksSkipped), Stopped: list(s.TasksBlocked),
		Blocked: s.Reason != "", Reason: s.Reason}
	for _, t := range tasks {
		if !t.Started.IsZero() && (out.StartedAt.IsZero() || t.Started.Before(out.StartedAt.Time)) {
			out.StartedAt = t.Started
		}
		if t.Ended.After(out.EndedAt.Time) {
			out.EndedAt = t.Ended
		}
	}
	if out.StartedAt.IsZero() || s.Status == flow.InProgress {
		out.EndedAt = stamp{}
	}
	out.Seconds = seconds(workedOn(r, tasks...))
	for _, need := range s.Needs {
		out.DependsOn = append(out.DependsOn, pair[string]{need.ID, need.Status})
	}
	return out
}

// newTools is nil for a plan that names no tools. Required tools of which
// nobody knows are neither there nor missing.
func newTools(p *plan.Plan, r *history.Run, rep *Model) *progressTools {
	if len(r.Started.Tools) == 0 {
		return nil
	}
	off := slices.ContainsFunc(p.Settings, func(s plan.Setting) bool {
		return s.Key == "mcp_tools.verification.check_on_startup" && s.Value.Text == "false"
	})
	out := &progressTools{Enabled: !off, At: rep.Started, Required: needed(r, "required"), Recommended: needed(r, "recommended"),
		Optional: progressListed{Listed: []string{}}, Status: "PASS"}
	if !slices.ContainsFunc(r.Started.Tools, func(t history.Tool) bool { return t.Status == "verified" || t.Status == "missing" }) {
		out.At = stamp{} // nobody looked
	}
	for _, t := range r.Started.Tools {
		if t.Need == "optional" {
			out.Optional.Total++
			out.Optional.Listed = append(out.Optional.Listed, t.Name)
		}
	}
	switch {
	case len(out.Required.Missing) > 0:
		out.Status = "FAIL"
	case len(out.Required.Unknown) > 0:
		out.Status = "NOT_VERIFIED"
	}
	return out
}

// needed are the tools that are needed so much. A tool that nobody looked for
// is neither there nor missing.
func needed(r *history.Run, need string) progressNeeded {
	out := progressNeeded{Verified: []string{}, Missing: []string{}, Unknown: []string{}}
	for _, t := range r.Started.Tools {
		if t.Need != need {
			continue
		}
		out.Total++
		switch t.Status {
		case "verified":
			out.Verified = append(out.Verified, t.Name)
		case "missing":
			out.Missing = append(out.Missing, t.Name)
		default:
			out.Unknown = append(out.Unknown, t.Name)
		}
	}
	return out
}
