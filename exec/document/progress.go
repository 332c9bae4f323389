package document

import "github.com/planlock/planlock/plan"

// A progress is the progress log: the keys of the format in use, in its order;
// what this version cannot know is left out.
type progress struct {
	RunID         string `json:"run_id"`
	Descriptor    string `json:"descriptor"`
	Goal          string `json:"goal"`
	StartTime     stamp  `json:"start_time"`
	EndTime       stamp  `json:"end_time"`
	Status        string `json:"status"`
	ExecutionMode string `json:"execution_mode"`
	SelectedBy    string `json:"mode_selected_by"`
	SelectedAt    stamp  `json:"mode_selection_timestamp"`
	Accepted      bool   `json:"mode_default_accepted,omitempty"` // by a person
	CurrentMode   string `json:"current_mode"`
	Resumed       int    `json:"resumed_count"`
	TotalTasks    int    `json:"total_tasks"`
	TotalSteps    int    `json:"total_steps"`

	Initialization  progressStart            `json:"initialization"`
	Tools           *progressTools           `json:"mcp_tools_verification,omitempty"`
	Compliance      *progressCompliance      `json:"constitutional_compliance,omitempty"`
	SpecletPlan     ordered[progressStage]   `json:"speclet_execution_plan,omitempty"`
	SpecletModel    string                   `json:"parallel_execution_model,omitempty"` // steps run one after another
	SpecletProgress ordered[progressSpeclet] `json:"speclet_progress,omitempty"`
	Tasks           []progressTask           `json:"tasks"`
	Waiting         *progressEscalation      `json:"waiting_for,omitempty"`
	Verification    *progressVerification    `json:"completion_verification,omitempty"`
	Summary         progressSummary          `json:"summary"`
	Analysis        *progressAnalysis        `json:"post_execution_analysis,omitempty"`

	GoalStatus     string         `json:"goal_achievement_status,omitempty"`
	Success        bool           `json:"success"`
	Partial        bool           `json:"partial_completion"`
	PartialReasons []string       `json:"partial_completion_reasons"`
	UnmetDeps      []unmet        `json:"unmet_dependencies"`
	BlockedSteps   []plan.Address `json:"blocked_steps"`
	RunComplete    bool           `json:"run_complete"`
}

// progressStart is what was found and bound before the first step.
type progressStart struct {
	Timestamp  stamp           `json:"timestamp"`
	Validation string          `json:"validation_status"` // a plan that was locked has passed
	Format     string          `json:"plan_format"`
	Profile    string          `json:"profile"`
	PlanDigest string          `json:"plan_digest"`
	Lock       string          `json:"lock"`
	Files      []planFile      `json:"files"`
	Warnings   []string        `json:"warnings"`
	Gates      ordered[string] `json:"approval_gates"`
}

type progressStage struct {
	Speclets []string `json:"speclets"`
	Parallel bool     `json:"parallel"` // more than one, and all of them may run beside others
}

type progressSpeclet struct {
	Status     string          `json:"status"`
	StartedAt  stamp           `json:"started_at"`
	EndedAt    stamp           `json:"completed_at"`
	Done       []string        `json:"tasks_completed"`
	Failed     []string        `json:"tasks_failed"`
	InProgress []string        `json:"tasks_in_progress"`
	Total      int             `json:"tasks_total"`
	DependsOn  ordered[string] `json:"depends_on_status"`
	Blocked    bool            `json:"blocked"`
	Seconds    seconds         `json:"execution_time_seconds"`
}

type progressTask struct {
	TaskID         string          `json:"task_id"`
	Name           string          `json:"name"`
	Description    string          `json:"description"`
	Speclet        string          `json:"speclet,omitempty"`
	DependsOn      []string        `json:"depends_on"`
	Status         string          `json:"status"`
	Start          stamp           `json:"timestamp_start"`
	End            stamp           `json:"timestamp_end"`
	StepsCompleted int             `json:"steps_completed"`
	StepsTotal     int             `json:"steps_total"`
	CriticalSteps  int             `json:"critical_steps"`
	Balance        criticalBalance `json:"critical_balance"`
	Retries        int             `json:"retries"`
	BackupsUsed    int             `json:"backups_used"`
	Failures       int             `json:"failure_count"`

	Research []progressResearch `json:"research_phase,omitempty"`
	Notes    *progressNotes     `json:"notepad_update,omitempty"`
	Steps    []progressStep     `json:"steps"`
}

type criticalBalance struct {
	Critical  int     `json:"critical_count"`
	Total     int     `json:"total_count"`
	Ratio     float64 `json:"ratio"` // to two places
	Compliant bool    `json:"compliant"`
}

type progressStep struct {
	TaskID       string               `json:"task_id"`
	StepID       string               `json:"step_id"`
	Address      plan.Address         `json:"step_address"`
	Description  string               `json:"description"`
	Status       string               `json:"status"` // pending, started, retried, completed, failed, skipped, blocked
	Critical     bool                 `json:"critical_flag"`
	RetryCount   int                  `json:"retry_count"`
	Timestamp    stamp                `json:"timestamp"`
	Start        stamp                `json:"timestamp_start"`
	End          stamp                `json:"timestamp_end"`
	Mode         string               `json:"mode"`
	MethodUsed   string               `json:"method_used"`
	Backups      []string             `json:"backup_attempts"`
	BackupLog    []progressBackup     `json:"backup_log"`
	Decision     string               `json:"error_propagation_decision"`
	Strategy     string               `json:"propagation_strategy"`
	Concern      string               `json:"dependency_concern,omitempty"`
	Prior        []plan.Address       `json:"prior_step_dependencies"`
	Constraints  ordered[string]      `json:"constraint_status"`
	Expected     string               `json:"expected_output,omitempty"`
	OutputMatch  *bool                `json:"expected_output_match"` // null: nothing was expected, or not judged yet
	Output       string               `json:"output_summary"`
	Deliverables []string             `json:"deliverables"`
	Message      string               `json:"message"`
	Consecutive  int                  `json:"consecutive_failure_count"` // after the step
	Escalations  []progressEscalation `json:"escalations"`
	Education    *progressEducation   `json:"education_checkpoint,omitempty"`
}

type progressBackup struct {
	ID      string `json:"backup_id"`
	Method  string `json:"description"`
	Trigger string `json:"trigger_condition"` // what went wrong before
	Outcome string `json:"outcome"`           // success, failure, in_progress
	Start   stamp  `json:"timestamp"`
	End     stamp  `json:"timestamp_end"`
}

// progressEscalation keeps both what was asked and what was answered.
type progressEscalation struct {
	ID       string   `json:"escalation_id"`
	Kind     string   `json:"kind"`
	Prompt   string   `json:"prompt"`
	Reason   string   `json:"reason"`
	Options  []string `json:"options"`
	Asked    stamp    `json:"timestamp"`
	Response string   `json:"response"` // "" where nobody answered
	By       string   `json:"responded_by,omitempty"`
	At       stamp    `json:"responded_at"`
}

type progressVerification struct {
	Overall  string          `json:"overall_status"` // PASS, FAIL
	Goal     string          `json:"goal_achievement_status"`
	Complete ordered[*bool]  `json:"criteria"`
	Checks   ordered[string] `json:"checks"`
	Gaps     []string        `json:"gaps"`
	Unseen   []string        `json:"not_verified"` // what no check of the plan decides
	At       stamp           `json:"timestamp"`
}
