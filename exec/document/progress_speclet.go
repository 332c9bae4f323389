package document

import (
	"fmt"
	"slices"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// addSpeclets adds the stages of the speclets and where each stands; a plan
// without speclets has neither.
func (out *progress) addSpeclets(p *plan.Plan, r *history.Run, rep *Model) {
	if len(p.Speclets) == 0 {
		return
	}
	out.SpecletModel = "sequential"
	tasks := make(map[string]*task)
	for _, t := range rep.Tasks {
		tasks[t.ID] = t
	}
	var ids []string
	var edges [][2]string
	status := make(map[string]string)
	for _, s := range p.Speclets {
		ids = append(ids, s.ID)
		for _, before := range s.DependsOn {
			edges = append(edges, [2]string{before, s.ID})
		}
		status[s.ID] = specletStatus(s, tasks)
	}
	for i, stage := range stages(ids, edges) {
		parallel := len(stage) > 1
		for _, s := range p.Speclets {
			if slices.Contains(stage, s.ID) {
				parallel = parallel && s.ParallelAllowed != nil && *s.ParallelAllowed
			}
		}
		out.SpecletPlan = append(out.SpecletPlan, pair[progressStage]{fmt.Sprintf("stage_%d", i+1),
			progressStage{stage, parallel}})
	}
	for _, s := range p.Speclets {
		out.SpecletProgress = append(out.SpecletProgress, pair[progressSpeclet]{s.ID, newSpeclet(r, s, tasks, status)})
	}
}

func specletStatus(s plan.Speclet, tasks map[string]*task) string {
	done, begun := 0, 0
	for _, id := range s.Tasks {
		t := tasks[id]
		switch {
		case t == nil:
		case t.Status == "failed" || t.Status == "blocked":
			return t.Status
		case t.Status == "completed" || t.Status == "skipped":
			done++
		case t.Status != "pending":
			begun++
		}
	}
	switch {
	case done == len(s.Tasks):
		return "completed"
	case done+begun > 0:
		return "in_progress"
	}
	return "not_started"
}

func newSpeclet(r *history.Run, s plan.Speclet, tasks map[string]*task, status map[string]string) progressSpeclet {
	out := progressSpeclet{Status: status[s.ID], Total: len(s.Tasks), DependsOn: ordered[string]{},
		Done: []string{}, Failed: []string{}, InProgress: []string{}}
	for _, id := range s.Tasks {
		t := tasks[id]
		if t == nil {
			continue
		}
		if !t.Started.IsZero() && (out.StartedAt.IsZero() || t.Started.Before(out.StartedAt.Time)) {
			out.StartedAt = t.Started
		}
		if t.Ended.After(out.EndedAt.Time) {
			out.EndedAt = t.Ended
		}
		switch t.Status {
		case "completed":
			out.Done = append(out.Done, id)
		case "failed":
			out.Failed = append(out.Failed, id)
		case "running", "partial":
			out.InProgress = append(out.InProgress, id)
		}
	}
	if out.Status != "completed" && out.Status != "failed" {
		out.EndedAt = stamp{}
	}
	out.Seconds = seconds(atWork(r, out.StartedAt, out.EndedAt))
	for _, before := range s.DependsOn {
		out.DependsOn = append(out.DependsOn, pair[string]{before, status[before]})
		out.Blocked = out.Blocked || out.Status == "not_started" && status[before] != "completed"
	}
	return out
}
