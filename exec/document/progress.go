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
	Accepted      *bool  `json:"mode_default_accepted,omitempty"` // by a person; nil: none was asked
	CurrentMode   string `json:"current_mode"`
	Resumed       int    `json:"resumed_count"`
	TotalTasks    int    `json:"total_tasks"`
	TotalSteps    int    `json:"total_steps"`

	Initialization progressStart          `json:"initialization"`
	Tools          *progressTools         `json:"mcp_tools_verification,omitempty"`
	Compliance     *progressCompliance    `json:"constitutional_compliance,omitempty"`
	SpecletPlan    ordered[progressStage] `json:"speclet_execution_plan,omitempty"`
	// "concurrent" if steps ran at once, else "sequential"
	SpecletModel    string                   `json:"parallel_execution_model,omitempty"`
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
	Gates      ordered[result] `json:"approval_gates"`
}

// A progressStage is a level of the order of speclets.
type progressStage struct {
	Speclets []string `json:"speclets"`
	Parallel bool     `json:"parallel"`                    // more than one, and all of them may run beside others
	AtOnce   []string `json:"parallel_speclets,omitempty"` // where not all of them may: those that may
}

// A progressSpeclet is where a group of tasks stands. Times are those of its
// tasks.
type progressSpeclet struct {
	Status     string          `json:"status"`
	StartedAt  stamp           `json:"started_at"`
	EndedAt    stamp           `json:"completed_at"`
	Done       []string        `json:"tasks_completed"`
	Failed     []string        `json:"tasks_failed"`
	InProgress []string        `json:"tasks_in_progress"`
	Left       []string        `json:"tasks_partial"` // over, and not all of them was done
	Skipped    []string        `json:"tasks_skipped"`
	Stopped    []string        `json:"tasks_blocked"`
	Total      int             `json:"tasks_total"`
	DependsOn  ordered[string] `json:"depends_on_status"`
	Partial    bool            `json:"partial"` // completed, but for what was left out, or failed and was not critical
	Blocked    bool            `json:"blocked"` // also while it waits
	Reason     string          `json:"blocked_reason,omitempty"`
	Seconds    seconds         `json:"execution_time_seconds"`
}

// A progressTask is a task and all of its steps. Its counts are those of the
// steps.
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

	Research []progressResearch     `json:"research_phase,omitempty"`
	Notes    *progressNotes         `json:"notepad_update,omitempty"`
	Steps    sequence[progressStep] `json:"steps"`
}

// A criticalBalance is how many of a task's steps are critical. Where all or
// none of several are, the flag says nothing.
type criticalBalance struct {
	Critical  int     `json:"critical_count"`
	Total     int     `json:"total_count"`
	Ratio     float64 `json:"ratio"` // to two places
	Compliant bool    `json:"compliant"`
}

// A progressStep is a step as readers of progress logs expect it; its words are
// theirs.
type progressStep struct {
	TaskID       string               `json:"task_id"`
	StepID       string               `json:"step_id"`
	Address      plan.Address         `json:"step_address"`
	Lane         *lane                `json:"lane,omitempty"` // of its latest attempt in a group
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
	Constraints  ordered[result]      `json:"constraint_status"` // null: there was nothing to judge
	Expected     string               `json:"expected_output,omitempty"`
	OutputMatch  *bool                `json:"expected_output_match"` // null: nothing was expected, or not judged yet
	Output       string               `json:"output_summary"`
	Deliverables []string             `json:"deliverables"`
	Standing     *standing            `json:"basis"` // null: it is not completed
	Carried      *carriedOver         `json:"carried,omitempty"`
	Message      string               `json:"message"`
	Consecutive  int                  `json:"consecutive_failure_count"` // after the step
	Escalations  []progressEscalation `json:"escalations"`
	Education    *progressEducation   `json:"education_checkpoint,omitempty"`
}

// A progressBackup is an attempt with a backup, and what made it necessary.
type progressBackup struct {
	ID      string `json:"backup_id"`
	Method  string `json:"description"`
	Trigger string `json:"trigger_condition"` // as the plan says, "" where it says nothing
	After   string `json:"after"`             // what went wrong before
	Outcome string `json:"outcome"`           // success, failure, cut_off, in_progress
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
	Response string   `json:"response"`                  // "" where nobody answered
	Words    string   `json:"response_reason,omitempty"` // in the words of who answered
	By       string   `json:"responded_by,omitempty"`
	At       stamp    `json:"responded_at"`
}

// A progressVerification is what the end of a run was judged by. It is missing
// while the run is not over.
type progressVerification struct {
	Overall  string          `json:"overall_status"` // PASS, FAIL
	Goal     string          `json:"goal_achievement_status"`
	Complete ordered[*bool]  `json:"criteria"`
	Checks   ordered[result] `json:"checks"`
	Gaps     []string        `json:"gaps"`
	Unseen   []string        `json:"not_verified"` // what no check of the plan decides
	At       stamp           `json:"timestamp"`
}

// progressTools is what was known of the plan's tool servers when the run
// began.
type progressTools struct {
	Enabled     bool           `json:"verification_enabled"`
	At          stamp          `json:"verification_timestamp"`
	Required    progressNeeded `json:"required_tools"`
	Recommended progressNeeded `json:"recommended_tools"`
	Optional    progressListed `json:"optional_tools"`
	Status      string         `json:"verification_status"` // PASS, FAIL, NOT_VERIFIED
}

// progressNeeded are tools that the plan needs, by what was seen of them when
// the run began.
type progressNeeded struct {
	Total    int      `json:"total"`
	Verified []string `json:"verified"`
	Missing  []string `json:"missing"`
	Unknown  []string `json:"not_verified"` // nobody looked
}

// progressListed are tools that nobody looked for.
type progressListed struct {
	Total  int      `json:"total"`
	Listed []string `json:"listed"`
}

// progressCompliance is what the looks at tasks came to.
type progressCompliance struct {
	Violations []progressViolation `json:"violations_detected"`
	Checks     int                 `json:"checks_performed"`
	Critical   int                 `json:"violations_critical"`
	Warnings   int                 `json:"violations_warning"`
	Pattern    *progressPattern    `json:"pattern_feasibility_check,omitempty"`
}

// A progressViolation is an article that a task broke, as it was recorded
// before the first step of the task.
type progressViolation struct {
	Article  string       `json:"article"`
	Why      string       `json:"description"`
	TaskID   string       `json:"task_id"`
	Step     plan.Address `json:"step_id,omitempty"`
	Severity string       `json:"severity"`
	Action   string       `json:"corrective_action"`
	At       stamp        `json:"timestamp"`
}

// progressPattern is how the plan fits the pattern that it was made from.
type progressPattern struct {
	Performed  bool     `json:"performed"`
	Name       string   `json:"pattern_name"`
	Confidence string   `json:"pattern_confidence"`
	Alignment  string   `json:"technology_alignment"`
	Missing    []string `json:"technologies_missing"`
	Risk       string   `json:"risk_level"`
	Backups    bool     `json:"backup_patterns_wanted"`

	Others []progressOther `json:"backup_patterns_available"` // as the advisor of the run found them
}

// A progressOther is a pattern that could have served instead. Similarity is
// from 0 to 1.
type progressOther struct {
	Name       string  `json:"name"`
	Approach   string  `json:"approach,omitempty"` // "" where nothing but a sentence is known, which Name is then
	Similarity float64 `json:"similarity"`
	Reference  string  `json:"reference,omitempty"`
}

// progressResearch is what was looked for before a task, or before another try.
type progressResearch struct {
	Triggered  bool         `json:"triggered"` // somebody looked, whether anything was found or not
	Step       plan.Address `json:"step"`
	Point      string       `json:"point"`
	Queries    []string     `json:"queries_performed"`
	Sources    []string     `json:"sources_consulted"`
	Findings   []string     `json:"key_findings"`
	Confidence string       `json:"confidence_level"`  // low, medium, high
	Warning    string       `json:"warning,omitempty"` // that the task begins without it, and why
	Start      stamp        `json:"timestamp_start"`
	End        stamp        `json:"timestamp_end"`
	Cost       progressCost `json:"research_cost"`
}

// A progressCost is what advice has cost.
type progressCost struct {
	Seconds float64 `json:"time_seconds"`
	Calls   int     `json:"api_calls"`
	Tokens  int64   `json:"tokens_used"`
	Cost    dollars `json:"cost_usd,omitempty"`
}

// progressEducation is what a step taught.
type progressEducation struct {
	Presented   int    `json:"approaches_presented"`
	Recommended string `json:"recommended"`
	Selected    string `json:"user_selected"`
	Rationale   bool   `json:"rationale_provided"`
	Logged      bool   `json:"lesson_logged"`
	Lesson      string `json:"lesson"`
}

// progressNotes count what a task left in the notepad.
type progressNotes struct {
	Timestamp stamp `json:"timestamp"`
	Insights  int   `json:"insights_captured"`
	Technical int   `json:"technical_notes"`
	Ideas     int   `json:"ideas"`
}

// progressAnalysis closes the progress log of a run that is over.
type progressAnalysis struct {
	Timestamp       stamp           `json:"timestamp"`
	Failures        progressFailing `json:"failure_patterns"`
	Modes           progressModes   `json:"mode_escalation_analysis"`
	Propagation     progressErrors  `json:"error_propagation_analysis"`
	Compliance      ordered[any]    `json:"constitutional_compliance_review"`
	KPIs            kpis            `json:"kpis"`
	Recommendations []string        `json:"recommendations"`
}

// progressFailing says what failed, where, and what helped. Rates are from 0 to
// 1, to three places.
type progressFailing struct {
	Steps       []progressFailed `json:"steps_that_frequently_fail"`
	Rate        float64          `json:"overall_failure_rate"`
	PerTask     ordered[float64] `json:"failure_rate_per_task"`
	Clustered   string           `json:"clustered_in_task,omitempty"`
	Causes      ordered[int]     `json:"root_causes"`
	Backups     []progressHelped `json:"most_successful_backups"`
	BackupsRate *float64         `json:"backup_success_rate"` // nil: none was tried
}

// A progressFailed is a step of which an attempt failed.
type progressFailed struct {
	Step     plan.Address `json:"step_id"`
	Failures int          `json:"failure_count"`
	Retries  int          `json:"retry_count"`
	Resolved string       `json:"resolved_by,omitempty"`
}

// A progressHelped is a backup that was used, the most successful first.
type progressHelped struct {
	Description string  `json:"backup_description"`
	Rate        float64 `json:"success_rate"`
	Tried       int     `json:"tried"`
	Helped      int     `json:"helped"`
}

// progressModes counts the escalations: how often dynamic mode began to ask,
// why, and how often a person took that back.
type progressModes struct {
	Total    int          `json:"total_escalations"`
	Triggers ordered[int] `json:"escalation_triggers"`
	False    int          `json:"false_escalations"` // that a person took back
	Missed   int          `json:"missed_escalations"`
	Asked    ordered[int] `json:"questions_by_kind"`
}

// progressErrors counts what was decided because earlier steps had failed.
type progressErrors struct {
	Halted    int            `json:"halt_on_critical"`
	Continued int            `json:"continue_and_log"`
	Reviewed  int            `json:"collaborative_review"`
	Blocked   int            `json:"blocked_steps"`
	Unread    []plan.Address `json:"prior_outcomes_not_read"`
}

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
	Bases             bases           `json:"bases"`
	Repeated          *repeats        `json:"executed_twice,omitempty"` // of steps that are to do the same each time
	SuccessRate       float64         `json:"success_rate"`             // per cent of all steps, to one place
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

// A criticalError is a critical step that failed for good.
type criticalError struct {
	Step    plan.Address `json:"step"`
	TaskID  string       `json:"task_id"`
	StepID  string       `json:"step_id"`
	Class   string       `json:"class"`
	Message string       `json:"message"`
	At      stamp        `json:"timestamp"`
}

// propagated is a decision about a step because of earlier ones, or about the
// run because of the step.
type propagated struct {
	Step     plan.Address   `json:"step"`
	Decision string         `json:"decision"`
	Strategy string         `json:"strategy"`
	Why      string         `json:"reason,omitempty"`
	Prior    []plan.Address `json:"prior_steps"`
	At       stamp          `json:"timestamp"`
}

// An unmet dependency is why a step is blocked, or could not have run before the
// run ended.
type unmet struct {
	Step   plan.Address `json:"step"`
	Needs  plan.Address `json:"depends_on"`
	Reason string       `json:"reason"`
}
