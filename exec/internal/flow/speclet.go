package flow

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// Statuses of a speclet.
const (
	NotStarted = "not_started"
	InProgress = "in_progress"
	Completed  = "completed" // every task is, or was left out lawfully; Partial tells whether something is lacking
	Failed     = "failed"    // a task of it did
	Blocked    = "blocked"   // what it needs failed, is blocked or was left out, or the run ended before all of it
	Skipped    = "skipped"   // none of its tasks ran
)

// dependencyFailed begins the reason of a speclet that needs one which failed.
const dependencyFailed = "dependency_failed"

// WaitingForDependencies is the reason of a speclet that has not begun because
// what it needs is not over yet.
const WaitingForDependencies = "waiting_for_dependencies"

// A Speclet is where a group of tasks stands.
type Speclet struct {
	ID      string
	Stage   int // from 1; 0 if it is in no stage
	Status  string
	Partial bool   // completed, but not all of it
	Reason  string // why it is blocked or waits; "" if neither
	by      string // what became of the step that this is because of, as in "step 1.1 failed"; "" if of none
	Needs   []SpecletStatus

	TasksCompleted, TasksFailed, TasksBlocked, TasksSkipped, TasksPartial, TasksInProgress []string

	// Beside are the speclets of the same stage that it may run beside: where
	// all of a stage are allowed to.
	Beside []string
}

// A SpecletStatus is a speclet and where it stands.
type SpecletStatus struct{ ID, Status string }

// Model is how the speclets of a run are carried out that may run beside each
// other: "concurrent" if steps of it ran at once, else "sequential".
func Model(run *history.Run) string {
	if len(run.Groups) > 0 {
		return "concurrent"
	}
	return "sequential"
}

// A Stage is a level of the order of speclets.
type Stage struct {
	Number   int // from 1
	Speclets []string
	Parallel bool     // they may run at once
	AtOnce   []string // those that may run beside another one of the stage
	Over     bool     // all of them are in a status that is final
	// what does not hold of a stage: something in progress while a later one
	// has begun because of it, or dependencies that cannot be met
	Found []string
}

// Speclets are where the groups of tasks stand, in the order of the plan.
func Speclets(p *plan.Plan, run *history.Run) []Speclet {
	list := make([]Speclet, len(p.Speclets))
	at := map[string]int{}
	for i := range p.Speclets {
		list[i] = ofTasks(&p.Speclets[i], run)
		at[p.Speclets[i].ID] = i
	}
	for n, ids := range p.Graph().Stages {
		parallel := couldRunBeside(p, at, ids)
		for _, id := range ids {
			s, needs := &list[at[id]], p.Speclets[at[id]].DependsOn
			s.Stage = n + 1
			if parallel {
				s.Beside = slices.DeleteFunc(slices.Clone(ids), func(other string) bool { return other == id })
			}
			s.depend(list, at, needs)
		}
	}
	return list
}

// ofTasks is what the tasks of a speclet come to, without what it depends on.
func ofTasks(in *plan.Speclet, run *history.Run) Speclet {
	s := Speclet{ID: in.ID, Status: NotStarted}
	begun := 0
	lists := map[history.StepStatus]*[]string{history.Completed: &s.TasksCompleted, history.Failed: &s.TasksFailed,
		history.FailedFinal: &s.TasksFailed, history.Blocked: &s.TasksBlocked, history.Skipped: &s.TasksSkipped,
		history.PartlyDone: &s.TasksPartial, history.InFlight: &s.TasksInProgress}
	for _, id := range in.Tasks {
		if untouched(run.OfTask(id)) {
			continue // also where the run ended before it
		}
		if to := lists[run.Task(id).Status()]; to != nil {
			begun++
			*to = append(*to, id)
		}
	}
	over := len(s.TasksCompleted) + len(s.TasksFailed) + len(s.TasksBlocked) + len(s.TasksSkipped) + len(s.TasksPartial)
	if slices.ContainsFunc(s.TasksPartial, func(id string) bool { return cutOff(run.OfTask(id)) }) {
		over = 0 // the run ended within a task
	}
	switch {
	case len(s.TasksFailed) > 0:
		s.Status, s.by = Failed, failedIn(run, s.TasksFailed[0])
	case len(s.TasksBlocked) > 0 && over == len(in.Tasks):
		s.Status, s.Reason = Blocked, blockedBy(run, in, s.TasksBlocked[0])
		s.by = strings.TrimPrefix(s.Reason, "its ")
	case over == len(in.Tasks) && over > 0 && len(s.TasksSkipped) == over:
		s.Status = Skipped
	case over == len(in.Tasks) && over > 0:
		s.Status = Completed
		s.Partial = len(s.TasksPartial)+len(s.TasksSkipped) > 0
	case begun > 0 && run.Ended != nil:
		s.Status, s.Reason = Blocked, "the run ended before all of it was carried out"
	case begun > 0:
		s.Status = InProgress
	}
	return s
}

// failedIn names the first step of a task that failed; "" if none did.
func failedIn(run *history.Run, task string) string {
	for _, s := range run.OfTask(task) {
		if s.Status == history.Failed {
			return fmt.Sprintf("step %s failed", s.Address)
		}
	}
	return ""
}

// blockedBy says because of which step a task of a speclet is blocked: one of its
// own, or of what it needs.
func blockedBy(run *history.Run, in *plan.Speclet, task string) string {
	for _, s := range run.OfTask(task) {
		lost := causeOf(run, s)
		if s.Blocked == nil || lost == nil {
			continue
		}
		became := "did not run"
		switch lost.Status {
		case history.Failed:
			became = "failed"
		case history.Skipped:
			became = "was left out"
		}
		own := "step"
		if slices.Contains(in.Tasks, lost.Task) {
			own = "its step"
		}
		return fmt.Sprintf("%s %s %s", own, lost.Address, became)
	}
	return "what it needs is not there"
}

// cutOff reports whether some of the steps never ran.
func cutOff(steps []*history.Step) bool {
	return slices.ContainsFunc(steps, func(s *history.Step) bool { return s.Status == history.Pending })
}

// untouched reports whether none of the steps has begun, or will not any more.
func untouched(steps []*history.Step) bool {
	return !slices.ContainsFunc(steps, func(s *history.Step) bool {
		return s.Status != history.Pending || len(s.Attempts) > 0
	})
}

// depend says what the speclets that s needs mean for it. They have been looked
// at: they are in earlier stages.
func (s *Speclet) depend(list []Speclet, at map[string]int, needs []string) {
	var missing []string
	waits := false
	for _, id := range needs {
		i, ok := at[id]
		if !ok {
			continue
		}
		s.Needs = append(s.Needs, SpecletStatus{id, list[i].Status})
		switch list[i].Status {
		case Failed, Blocked:
			lost := fmt.Sprintf("%s is %s", id, list[i].Status)
			if list[i].by != "" {
				lost += " (" + list[i].by + ")"
			}
			if len(missing) == 0 {
				s.by = cmp.Or(list[i].by, s.by)
			}
			missing = append(missing, lost)
		case Completed, Skipped:
		default:
			waits = true
		}
	}
	switch {
	case len(missing) > 0 && (s.Status == NotStarted || s.Status == Blocked):
		s.Status, s.Reason = Blocked, dependencyFailed+": "+strings.Join(missing, ", ")
	case s.Status == NotStarted && waits:
		s.Reason = WaitingForDependencies
	}
}

// InWords is the reason as people read it.
func (s *Speclet) InWords() string {
	for _, code := range []string{dependencyFailed, WaitingForDependencies} {
		if rest, is := strings.CutPrefix(s.Reason, code); is {
			return strings.ReplaceAll(code, "_", " ") + rest
		}
	}
	return s.Reason
}

// couldRunBeside reports whether speclets may run at once: the plan allows it
// for each, or says nothing of one that is in the wave of the first.
func couldRunBeside(p *plan.Plan, at map[string]int, ids []string) bool {
	return len(ids) > 1 && !slices.ContainsFunc(ids, func(id string) bool {
		s, first := &p.Speclets[at[id]], &p.Speclets[at[ids[0]]]
		if s.ParallelAllowed == nil {
			return s.Wave == "" || s.Wave != first.Wave
		}
		return !*s.ParallelAllowed
	})
}

// atOnce are the speclets of a stage that may run beside another one of it: the
// plan allows it for both, and they are of one wave or of none.
func atOnce(p *plan.Plan, at map[string]int, ids []string) []string {
	wave := func(id string) (string, bool) {
		s := &p.Speclets[at[id]]
		if s.ParallelAllowed != nil {
			return s.Wave, *s.ParallelAllowed
		}
		return s.Wave, s.Wave != ""
	}
	members := map[string]int{}
	for _, id := range ids {
		if w, may := wave(id); may {
			members[w]++
		}
	}
	var list []string
	for _, id := range ids {
		if w, may := wave(id); may && members[w] > 1 {
			list = append(list, id)
		}
	}
	return list
}

// Stages are the levels of the order of a plan's speclets, with what was found
// about each; nil for a plan without.
func Stages(p *plan.Plan, run *history.Run) []Stage {
	if len(p.Speclets) == 0 {
		return nil
	}
	speclets := Speclets(p, run)
	at := map[string]int{}
	for i := range speclets {
		at[speclets[i].ID] = i
	}
	var stages []Stage
	for n, ids := range p.Graph().Stages {
		stage := Stage{Number: n + 1, Speclets: ids, Parallel: couldRunBeside(p, at, ids),
			AtOnce: atOnce(p, at, ids), Over: true}
		for _, id := range ids {
			s := speclets[at[id]]
			if s.Status == NotStarted || s.Status == InProgress {
				stage.Over = false
			}
			for _, need := range s.Needs {
				begun := s.Status == InProgress || s.Status == Completed
				if begun && (need.Status == InProgress || need.Status == NotStarted) {
					stage.Found = append(stage.Found,
						fmt.Sprintf("speclet %s has begun while %s is %s", id, need.ID, need.Status))
				}
			}
		}
		stages = append(stages, stage)
	}
	return stages
}

// Dependents are the speclets that need one, directly or not, and have not
// begun, in the order of the plan.
func Dependents(p *plan.Plan, run *history.Run, id string) []string {
	needs := map[string]bool{id: true}
	for range p.Speclets {
		for _, s := range p.Speclets {
			needs[s.ID] = needs[s.ID] || slices.ContainsFunc(s.DependsOn, func(d string) bool { return needs[d] })
		}
	}
	var list []string
	for _, s := range Speclets(p, run) {
		if s.ID != id && needs[s.ID] && (s.Status == NotStarted || s.Status == Blocked) {
			list = append(list, s.ID)
		}
	}
	return list
}
