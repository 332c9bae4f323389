package document

import (
	"math"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/analysis"
	"github.com/planlock/planlock/plan"
)

// kpis are the figures by which runs are compared, rates to three places.
type kpis struct {
	TotalTasks       int     `json:"total_tasks"`
	Completed        int     `json:"completed"`
	CompletionRate   float64 `json:"completion_rate"`
	Retried          int     `json:"tasks_retried"`
	RetrySucceeded   int     `json:"retry_succeeded"`
	RetrySuccessRate float64 `json:"retry_success_rate"` // of the tasks that were retried
	EvidenceWanted   int     `json:"evidence_required"`
	EvidenceFound    int     `json:"evidence_verified"`
	EvidenceRate     float64 `json:"evidence_rate"`
	UnaidedRate      float64 `json:"steps_without_help_rate"`
	RecoveredRate    float64 `json:"failure_recovery_rate"`
	TestFirstRate    float64 `json:"test_first_rate"`
	Resumed          int     `json:"resumed"`
	Tokens           int64   `json:"tokens"`
	Seconds          seconds `json:"runtime_seconds"`
}

func rate(r analysis.Rate) float64 { return math.Round(1000*r.Value()) / 1000 }

func newKPIs(k analysis.KPIs) kpis {
	return kpis{
		TotalTasks: k.Tasks, Completed: k.Completed.N, CompletionRate: rate(k.Completed),
		Retried: k.RetrySuccess.Of, RetrySucceeded: k.RetrySuccess.N, RetrySuccessRate: rate(k.RetrySuccess),
		EvidenceWanted: k.Evidence.Of, EvidenceFound: k.Evidence.N, EvidenceRate: rate(k.Evidence),
		UnaidedRate: rate(k.Unaided), RecoveredRate: rate(k.Recovered), TestFirstRate: rate(k.TestFirst),
		Resumed: k.Resumed, Tokens: k.Tokens, Seconds: seconds(k.Took),
	}
}

// A runSummary is summary.json: what the run came to, for programs that compare
// runs.
type runSummary struct {
	Schema  string        `json:"schema"`
	Run     string        `json:"run_id"`
	Goal    string        `json:"goal"`
	Status  string        `json:"status"`
	Started stamp         `json:"started"`
	Ended   stamp         `json:"ended"`
	KPIs    kpis          `json:"kpis"`
	Tasks   []taskSummary `json:"tasks"`
	Views   []string      `json:"views"` // what else there is to read
}

type taskSummary struct {
	TaskID       string   `json:"task_id"`
	Title        string   `json:"title"`
	Status       string   `json:"status"`
	Reason       string   `json:"status_reason,omitempty"`
	Approval     string   `json:"approval,omitempty"`
	Execution    string   `json:"execution,omitempty"`
	Verification string   `json:"verification,omitempty"`
	Attempts     int      `json:"attempts_total"`
	RunIDs       []string `json:"run_ids,omitempty"`
	Artifacts    []string `json:"artifacts,omitempty"`
}

func newRunSummary(p *plan.Plan, r *history.Run, rep *Model) runSummary {
	s := runSummary{Schema: "planlock.summary/1", Run: rep.Run, Goal: rep.Goal, Status: string(rep.Status),
		Started: rep.Started, Ended: rep.Ended,
		KPIs: rep.KPIs, Tasks: []taskSummary{}, Views: []string{ProgressName(p), "SUMMARY.md", "report.md"}}
	for _, t := range rep.Tasks {
		ts := taskSummary{TaskID: t.ID, Title: t.Title, Status: t.Status}
		for _, st := range t.Steps {
			ts.Attempts += len(st.Attempts)
		}
		if o := r.Task(t.ID).Outcome(); o != nil {
			ts.Status, ts.Reason, ts.Approval, ts.Execution, ts.Verification = string(o.Status), o.Reason,
				string(o.Approval), string(o.Execution), string(o.Verification)
			ts.Attempts, ts.RunIDs, ts.Artifacts = o.Attempts, o.Runs, o.Artifacts
		}
		s.Tasks = append(s.Tasks, ts)
	}
	return s
}
