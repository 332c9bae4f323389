package document

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// progressSummary closes the progress log. While the run goes on it sums up
// what is there.
type progressSummary struct {
	TotalTasks        int             `json:"total_tasks"`
	TasksAttempted    int             `json:"tasks_attempted"`
	CompletedTasks    int             `json:"completed_tasks"`
	TotalSteps        int             `json:"total_steps"`
	CompletedSteps    int             `json:"completed_steps"`
	FailedSteps       int             `json:"failed_steps"`
	SkippedSteps      int             `json:"skipped_steps"`
	BlockedSteps      int             `json:"blocked_steps"`
	PendingSteps      int             `json:"pending_steps"`
	CriticalSteps     int             `json:"critical_steps"`
	CriticalCompleted int             `json:"critical_steps_completed"`
	SuccessRate       float64         `json:"success_rate"` // per cent of all steps, to one place
	TotalRetries      int             `json:"total_retries"`
	BackupsUsed       int             `json:"backups_used"`
	BackupMethods     ordered[int]    `json:"backup_methods_used"`
	CriticalErrors    []criticalError `json:"critical_errors"`
	ModeSwitches      int             `json:"mode_switches"`
	ModeLog           []modeSwitch    `json:"mode_switch_log"`
	Escalations       int             `json:"escalations"`
	Propagation       []propagated    `json:"error_propagation_events"`
	Rollbacks         []rolledBack    `json:"rollbacks"`
	Seconds           seconds         `json:"runtime_duration_seconds"`
	Consecutive       int             `json:"consecutive_failures"`
	FinalConsecutive  int             `json:"final_consecutive_failure_count"`
}

type criticalError struct {
	Step    plan.Address `json:"step"`
	TaskID  string       `json:"task_id"`
	StepID  string       `json:"step_id"`
	Class   string       `json:"class"`
	Message string       `json:"message"`
	At      stamp        `json:"timestamp"`
}

// propagated is a decision about a step because of earlier ones, other than to
// go on as if nothing had been.
type propagated struct {
	Step     plan.Address   `json:"step"`
	Decision string         `json:"decision"`
	Strategy string         `json:"strategy"`
	Why      string         `json:"reason,omitempty"`
	Prior    []plan.Address `json:"prior_steps"`
	At       stamp          `json:"timestamp"`
}

type unmet struct {
	Step   plan.Address `json:"step"`
	Needs  plan.Address `json:"depends_on"`
	Reason string       `json:"reason"`
}

// seconds is a duration, in JSON a number of seconds with three places.
type seconds span

// MarshalJSON writes seconds.
func (s seconds) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, time.Duration(s).Truncate(time.Millisecond).Seconds(), 'f', -1, 64), nil
}

func newProgressSummary(rep *Model) progressSummary {
	c := rep.Counts
	out := progressSummary{
		TotalTasks: c.Tasks, CompletedTasks: c.TasksDone,
		TotalSteps: c.Steps, CompletedSteps: c.Completed, FailedSteps: c.Failed, SkippedSteps: c.Skipped,
		BlockedSteps: c.Blocked, PendingSteps: c.Pending + c.Running,
		TotalRetries: c.Retries, BackupsUsed: c.Backups, BackupMethods: ordered[int]{},
		CriticalErrors: []criticalError{}, Propagation: []propagated{}, Rollbacks: rep.RolledBack,
		ModeSwitches: c.ModeSwitches, ModeLog: rep.ModeSwitches, Escalations: c.Questions,
		Seconds: seconds(rep.Duration), Consecutive: c.Consecutive, FinalConsecutive: c.Consecutive,
	}
	if c.Steps > 0 {
		out.SuccessRate = math.Round(1000*float64(c.Completed)/float64(c.Steps)) / 10
	}
	for _, t := range rep.Tasks {
		if !t.Started.IsZero() {
			out.TasksAttempted++
		}
	}
	for _, s := range rep.steps {
		out.addStep(s)
	}
	return out
}

func (out *progressSummary) addStep(s *step) {
	if s.Critical {
		out.CriticalSteps++
		if s.Status == history.Completed {
			out.CriticalCompleted++
		}
	}
	for _, b := range s.Backups {
		i := slices.IndexFunc(out.BackupMethods, func(p pair[int]) bool { return p.Key == b })
		if i < 0 {
			i = len(out.BackupMethods)
			out.BackupMethods = append(out.BackupMethods, pair[int]{Key: b})
		}
		out.BackupMethods[i].Value++
	}
	if f := s.Failure; f != nil && s.Critical {
		out.CriticalErrors = append(out.CriticalErrors,
			criticalError{s.Address, s.Task, s.ID, string(f.Class), strings.Join(f.Reasons, "; "), s.Ended})
	}
	switch p := s.Propagation; {
	case s.Blocked != nil:
		out.Propagation = append(out.Propagation, propagated{s.Address, "blocked", "", s.Blocked.Why,
			[]plan.Address{s.Blocked.By}, s.Ended})
	case p != nil && (p.Decision != "proceed" || p.Concern != ""):
		out.Propagation = append(out.Propagation, propagated{s.Address, p.Decision, p.Strategy, p.Concern, p.Prior,
			s.Started})
	case s.Failure != nil && s.Failure.Halts:
		out.Propagation = append(out.Propagation, propagated{s.Address, "halt", "", "the run ends because this step failed", []plan.Address{}, s.Ended})
	}
}
