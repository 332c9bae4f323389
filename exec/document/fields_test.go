package document_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// field finds a value in a document by its path, as in
// "tasks.0.steps.1.status".
func field(doc any, path string) (any, error) {
	for _, key := range strings.Split(path, ".") {
		switch d := doc.(type) {
		case map[string]any:
			v, ok := d[key]
			if !ok {
				return nil, fmt.Errorf("nothing is called %q", key)
			}
			doc = v
		case []any:
			n, err := strconv.Atoi(key)
			if err != nil || n >= len(d) {
				return nil, fmt.Errorf("there is no %q of %d", key, len(d))
			}
			doc = d[n]
		default:
			return nil, fmt.Errorf("%q is below a value", key)
		}
	}
	return doc, nil
}

// concerned has a step that fails without halting, one that reads that and
// runs, one that fails for good, and one that is blocked.
func concerned(t testing.TB) *story {
	p := limiter()
	no := false
	p.Tasks[0].Steps[0].Critical = &no
	p.Settings = []plan.Setting{{Key: "mcp_tools.verification.check_on_startup",
		Value: plan.Value{Kind: "boolean", Text: "false"}}}
	s := begin(t, p, func(f *history.Started) {
		f.ModeBy = "person"
		f.Tools = []history.Tool{{Name: "github", Need: "required", Status: "listed"}}
	})
	s.start("1.1", "primary").fail("1.1", 1, history.Crashed, "exit status 1").
		add(5, "1.1", 0, &history.StepFailed{Class: history.Crashed, Reasons: []string{"exit status 1"}})
	s.add(5, "1.2", 0, &history.StepStarted{Checkpoint: snapshot("before 1.2"), Decision: "proceed with concern",
		Strategy: plan.ContinueAndLog,
		Concern:  "1.1 failed", Prior: []plan.Address{"1.1"}})
	s.attempt("1.2", 1, "primary").fail("1.2", 1, history.Crashed, "exit status 2").
		add(5, "1.2", 1, &history.Recovery{Rung: "backup", Method: "backup_1"}).attempt("1.2", 2,
		"backup_1").fail("1.2", 2, history.Crashed, "exit status 3")
	s.add(5, "1.2", 1, &history.ModeSwitched{From: plan.Dynamic, To: plan.Collaborative, Cause: "critical failure",
		Measurements: []string{"2 in a row"},
		Methods:      []string{"1.2 primary failed"}, Consecutive: 2, Recommendation: "look again", Triggers: []string{"critical failure"}})
	s.add(5, "1.2", 0, &history.StepFailed{Class: history.Crashed, Reasons: []string{"exit status 3"}})
	s.add(5, "2.1", 0, &history.StepBlocked{By: "1.2", Why: "it needs 1.2"})
	s.add(5, "3.1", 0, &history.StepSkipped{By: "terminal", Why: "later"})
	return s.end(history.Partial, "step 1.2 failed")
}

// unreviewed has a step that nobody let begin after an earlier critical failure.
func unreviewed(t testing.TB) *story {
	s := firstTask(begin(t, limiter()))
	q := question(s, "2.1", 0)
	q.Kind = ask.Propagation
	s.add(5, "2.1", 0, &history.Asked{Question: q}).add(5, "2.1", 0, &history.Unanswered{Question: q.ID, Final: true})
	s.add(5, "2.1", 0, &history.StepBlocked{By: "2.1", Why: "nobody said that it may begin"})
	return s.end(history.Partial, "step 2.1 did not begin")
}

// cutShort ends before its second task.
func cutShort(t testing.TB) *story {
	return firstTask(begin(t, limiter())).end(history.NotAchieved, "step 2.1 did not run", "step 3.1 did not run")
}

// begun has its first step under way, and no attempt at it yet.
func begun(t testing.TB) *story {
	return begin(t, limiter()).add(40, "1.1", 0, &history.StepStarted{Checkpoint: snapshot("base"), Decision: "proceed"})
}

// Each field of the progress log that others read has the value that the
// history gives it.
func TestProgressFields(t *testing.T) {
	docs := map[string]any{}
	for name, tell := range map[string]func(testing.TB) *story{"detours": detours, "advised": advised,
		"breach": breach, "waiting": waiting,
		"turned-away": turnedAway, "cut-short": cutShort, "running": inFlight,
		"ready": func(t testing.TB) *story { return begin(t, limiter()) }, "begun": begun, "rolled-back": setBack,
		"concerned": concerned, "unreviewed": unreviewed, "retrying": func(t testing.TB) *story {
			s := firstTask(begin(t, limiter())).start("2.1", "primary").fail("2.1", 1, history.Crashed, "exit status 1")
			return s.attempt("2.1", 2, "primary")
		}} {
		var doc any
		if err := json.Unmarshal(drawn(t, tell(t), "progress_limiter.json"), &doc); err != nil {
			t.Fatal(err)
		}
		docs[name] = doc
	}
	// Each row is the story, the path, and the value as JSON. A path may be
	// named by its last part.
	for _, tt := range []struct{ name, story, path, want string }{
		{"run_id", "detours", "run_id", `"01JD3Z8Q6V5C7T2M9K4XWBRN0E"`},
		{"descriptor", "detours", "descriptor", `"limiter"`},
		{"start_time", "detours", "start_time", `"2026-11-20T08:30:00.000Z"`},
		{"end_time", "detours", "end_time", `"2026-11-20T08:30:12.930Z"`},
		{"end time of a run that goes on", "running", "end_time", `null`},
		{"status running", "running", "status", `"running"`},
		{"status ready", "ready", "status", `"ready_for_execution"`},
		{"status of a step that begins", "begun", "status", `"running"`},
		{"status waiting", "waiting", "status", `"waiting"`},
		{"status failed", "breach", "status", `"failed"`},
		{"status partial", "detours", "status", `"partially_complete"`},
		{"status resumed", "rolled-back", "status", `"resumed"`},
		{"resumed_count", "rolled-back", "resumed_count", `1`},
		{"execution_mode", "detours", "execution_mode", `"dynamic"`},
		{"current_mode", "detours", "current_mode", `"collaborative"`},
		{"mode by the plan", "detours", "mode_selected_by", `"plan"`},
		{"mode by a person", "concerned", "mode_selected_by", `"user"`},
		{"mode accepted", "advised", "mode_default_accepted", `true`},
		{"mode picked by name", "concerned", "mode_default_accepted", `true`},
		{"mode_selection_timestamp", "detours", "mode_selection_timestamp", `"2026-11-20T08:30:00.000Z"`},
		{"total_tasks", "detours", "total_tasks", `3`},
		{"total_steps", "detours", "total_steps", `4`},

		{"verification_enabled", "advised", "mcp_tools_verification.verification_enabled", `true`},
		{"verification is off", "concerned", "mcp_tools_verification.verification_enabled", `false`},
		{"when tools were looked for", "advised", "mcp_tools_verification.verification_timestamp", `"2026-11-20T08:30:00.000Z"`},
		{"nobody looked for tools", "concerned", "mcp_tools_verification.verification_timestamp", `null`},
		{"required_tools", "advised", "mcp_tools_verification.required_tools", `{"total":1,"verified":["github"],"missing":[],"not_verified":[]}`},
		{"recommended_tools", "advised", "mcp_tools_verification.recommended_tools", `{"total":1,"verified":[],"missing":["playwright"],"not_verified":[]}`},
		{"optional_tools", "advised", "mcp_tools_verification.optional_tools", `{"total":1,"listed":["notion"]}`},
		{"tools pass", "advised", "mcp_tools_verification.verification_status", `"PASS"`},
		{"tools are not verified", "concerned", "mcp_tools_verification.verification_status", `"NOT_VERIFIED"`},

		{"checks_performed", "advised", "constitutional_compliance.checks_performed", `3`},
		{"violations_warning", "advised", "constitutional_compliance.violations_warning", `3`},
		{"violations_critical", "advised", "constitutional_compliance.violations_critical", `0`},
		{"violation", "advised", "constitutional_compliance.violations_detected.1", `{"article":"VI","description":"all 2 steps are critical","task_id":"2","severity":"warning","corrective_action":"mark one as not critical","timestamp":"2026-11-20T08:30:00.002Z"}`},
		{"critical_balance", "detours", "tasks.0.critical_balance", `{"critical_count":2,"total_count":2,"ratio":1,"compliant":false}`},
		{"pattern", "advised", "constitutional_compliance.pattern_feasibility_check", `{"performed":true,"pattern_name":"token bucket","pattern_confidence":"MEDIUM","technology_alignment":"full","technologies_missing":[],"risk_level":"LOW","backup_patterns_wanted":true,
			"backup_patterns_available":[{"name":"sliding window","approach":"sliding window: it is smaller","similarity":0.82,"reference":"https://example.org/window"}]}`},

		{"stages", "detours", "speclet_execution_plan", `{"stage_1":{"speclets":["core"],"parallel":false},"stage_2":{"speclets":["papers"],"parallel":false}}`},
		{"execution model", "detours", "parallel_execution_model", `"sequential"`},
		{"speclet status", "detours", "speclet_progress.core.status", `"completed"`},
		{"speclet blocked", "advised", "speclet_progress.papers.status", `"blocked"`},
		{"speclet tasks completed", "detours", "speclet_progress.core.tasks_completed", `["1","2"]`},
		{"speclet tasks failed", "advised", "speclet_progress.core.tasks_failed", `["2"]`},
		{"speclet depends on status", "detours", "speclet_progress.papers.depends_on_status", `{"core":"completed"}`},
		{"speclet execution time", "detours", "speclet_progress.core.execution_time_seconds", `12.74`},

		{"queries_performed", "advised", "tasks.0.research_phase.0.queries_performed", `["limiter"]`},
		{"sources_consulted", "advised", "tasks.0.research_phase.0.sources_consulted", `["server/server.go"]`},
		{"key_findings", "advised", "tasks.0.research_phase.0.key_findings", `["server/server.go:3: type Server"]`},
		{"confidence_level", "advised", "tasks.0.research_phase.0.confidence_level", `"medium"`},
		{"triggered", "advised", "tasks.0.research_phase.0.triggered", `true`},
		{"research_cost", "advised", "tasks.0.research_phase.0.research_cost", `{"time_seconds":1.5,"api_calls":2,"tokens_used":90}`},
		{"research begin", "advised", "tasks.0.research_phase.0.timestamp_start", `"2026-11-20T08:29:58.565Z"`},
		{"research end", "advised", "tasks.0.research_phase.0.timestamp_end", `"2026-11-20T08:30:00.065Z"`},
		{"notepad_update", "detours", "tasks.0.notepad_update", `{"timestamp":"2026-11-20T08:30:04.910Z","insights_captured":1,"technical_notes":2,"ideas":1}`},
		{"task summary", "detours", "tasks.0.steps_completed", `2`},
		{"task retries", "detours", "tasks.0.retries", `1`},
		{"task backups", "detours", "tasks.0.backups_used", `1`},

		{"task_id", "detours", "tasks.0.steps.1.task_id", `"1"`},
		{"step_id", "detours", "tasks.0.steps.1.step_id", `"2"`},
		{"step status", "detours", "tasks.0.steps.1.status", `"completed"`},
		{"step failed", "breach", "tasks.1.steps.0.status", `"failed"`},
		{"step skipped", "detours", "tasks.2.steps.0.status", `"skipped"`},
		{"step started", "running", "tasks.1.steps.0.status", `"started"`},
		{"step retried", "retrying", "tasks.1.steps.0.status", `"retried"`},
		{"retry_count", "detours", "tasks.0.steps.1.retry_count", `1`},
		{"timestamp", "detours", "tasks.0.steps.1.timestamp", `"2026-11-20T08:30:04.910Z"`},
		{"mode", "detours", "tasks.0.steps.1.mode", `"dynamic"`},
		{"mode after a switch", "detours", "tasks.1.steps.0.mode", `"collaborative"`},
		{"method_used", "detours", "tasks.0.steps.1.method_used", `"backup_1"`},
		{"backup_attempts", "detours", "tasks.0.steps.1.backup_attempts", `["backup_1"]`},
		{"backup outcome", "detours", "tasks.0.steps.1.backup_log.0.outcome", `"success"`},
		{"backup that failed", "concerned", "tasks.0.steps.1.backup_log.0.outcome", `"failure"`},
		{"trigger_condition", "detours", "tasks.0.steps.1.backup_log.0.trigger_condition", `"primary_failure"`},
		{"what was before a backup", "detours", "tasks.0.steps.1.backup_log.0.after", `"undefined: rate"`},
		{"backup timestamp", "detours", "tasks.0.steps.1.backup_log.0.timestamp", `"2026-11-20T08:30:03.350Z"`},
		{"error_propagation_decision", "concerned", "tasks.0.steps.1.error_propagation_decision", `"proceed with concern"`},
		{"propagation_strategy", "concerned", "tasks.0.steps.1.propagation_strategy", `"continue_and_log"`},
		{"dependency_concern", "concerned", "tasks.0.steps.1.dependency_concern", `"1.1 failed"`},
		{"prior_step_dependencies", "concerned", "tasks.0.steps.1.prior_step_dependencies", `["1.1"]`},
		{"decision about a step that ends the run", "breach", "tasks.1.steps.0.error_propagation_decision", `"halt"`},
		{"decision about a blocked step", "concerned", "tasks.1.steps.0.error_propagation_decision", `"blocked"`},
		{"decision about a step that nobody let begin", "unreviewed", "tasks.1.steps.0.error_propagation_decision", `"blocked"`},
		{"event of a step that nobody let begin", "unreviewed", "summary.error_propagation_events.0.step", `"2.1"`},
		{"a task without a description", "unreviewed", "tasks.0.description", `"Build the limiter"`},
		{"strategy for a blocked step", "concerned", "tasks.1.steps.0.propagation_strategy", `"halt_on_critical"`},
		{"prior steps of a blocked step", "concerned", "tasks.1.steps.0.prior_step_dependencies", `["1.2"]`},
		{"message of a step that did not run", "turned-away", "tasks.0.steps.1.message", `"it did not run: the run was halted by step 1.1"`},
		{"message of a step that may run yet", "waiting", "tasks.2.steps.0.message", `""`},
		{"constraint_status", "breach", "tasks.1.steps.0.constraint_status", `{"preconditions":"pass","non-goals":"fail"}`},
		{"expected_output_match", "detours", "tasks.0.steps.1.expected_output_match", `true`},
		{"expected output match of nothing", "detours", "tasks.0.steps.0.expected_output_match", `null`},
		{"expected output summary", "detours", "tasks.0.steps.1.output_summary", `"PASS"`},
		{"message", "concerned", "tasks.0.steps.1.message", `"executor failed; exit status 3"`},
		{"consecutive_failure_count", "concerned", "tasks.0.steps.1.consecutive_failure_count", `2`},
		{"consecutive failure count after success", "detours", "tasks.1.steps.0.consecutive_failure_count", `0`},
		{"prompt", "detours", "tasks.1.steps.0.escalations.0.prompt", `"step 2.1 failed"`},
		{"response", "detours", "tasks.1.steps.0.escalations.0.response", `"r: run it again"`},
		{"education_checkpoint", "advised", "tasks.0.steps.1.education_checkpoint", `{"approaches_presented":2,"recommended":"primary","user_selected":"primary","rationale_provided":true,"lesson_logged":true,"lesson":"half is enough"}`},

		{"tasks attempted", "concerned", "summary.tasks_attempted", `1`},
		{"tasks completed", "detours", "summary.completed_tasks", `2`},
		{"steps completed", "detours", "summary.completed_steps", `3`},
		{"steps failed", "concerned", "summary.failed_steps", `2`},
		{"steps skipped", "concerned", "summary.skipped_steps", `1`},
		{"total_retries", "detours", "summary.total_retries", `2`},
		{"backup_methods_used", "detours", "summary.backup_methods_used", `{"backup_1":1}`},
		{"critical_errors", "concerned", "summary.critical_errors.0.step", `"1.2"`},
		{"one critical error", "concerned", "summary.critical_errors.0.message", `"exit status 3"`},
		{"mode switch cause", "concerned", "summary.mode_switch_log.0.cause", `"critical failure"`},
		{"mode switch step", "concerned", "summary.mode_switch_log.0.step", `"1.2"`},
		{"mode switch time", "concerned", "summary.mode_switch_log.0.timestamp", `"2026-11-20T08:30:00.210Z"`},
		{"mode switch methods", "concerned", "summary.mode_switch_log.0.attempted_methods", `["1.2 primary failed"]`},
		{"mode switch failures", "concerned", "summary.mode_switch_log.0.consecutive_failures", `2`},
		{"mode switch recommendation", "concerned", "summary.mode_switch_log.0.recommendation", `"look again"`},
		{"mode switch measurements", "concerned", "summary.mode_switch_log.0.measurements", `["2 in a row"]`},
		{"propagation event", "concerned", "summary.error_propagation_events.0.decision", `"proceed with concern"`},
		{"propagation event of a block", "concerned", "summary.error_propagation_events.1.decision", `"blocked"`},
		{"strategy of a block", "concerned", "summary.error_propagation_events.1.strategy", `"halt_on_critical"`},
		{"runtime", "detours", "summary.runtime_duration_seconds", `12.93`},
		{"final_consecutive_failure_count", "concerned", "summary.final_consecutive_failure_count", `2`},
		{"run_complete", "detours", "run_complete", `true`},
		{"run complete of a run that goes on", "running", "run_complete", `false`},
		{"success", "detours", "success", `false`},
		{"partial_completion", "detours", "partial_completion", `true`},
		{"partial_completion_reasons", "detours", "partial_completion_reasons", `["step 3.1 was skipped"]`},
		{"unmet_dependencies", "concerned", "unmet_dependencies", `[{"step":"2.1","depends_on":"1.2","reason":"it needs 1.2"}]`},
		{"blocked_steps", "concerned", "blocked_steps", `["2.1"]`},
		{"reasons of a run that was halted", "turned-away", "partial_completion_reasons", `["step 1.1 failed and halted the run"]`},
		{"unmet dependencies of a run that was halted", "turned-away", "unmet_dependencies.1", `{"step":"2.1","depends_on":"1.1","reason":"it needs 1.1, which is failed"}`},
		{"unmet dependencies of what did not run", "cut-short", "unmet_dependencies", `[{"step":"3.1","depends_on":"2.1","reason":"it needs 2.1, which did not run"}]`},
		{"unmet dependencies of a run that waits", "waiting", "unmet_dependencies", `[]`},

		{"overall_status", "detours", "completion_verification.overall_status", `"FAIL"`},
		{"goal_achievement_status", "detours", "completion_verification.goal_achievement_status", `"PARTIAL"`},
		{"gaps", "detours", "completion_verification.gaps", `["step 3.1 was skipped"]`},
		{"failure rate", "concerned", "post_execution_analysis.failure_patterns.overall_failure_rate", `0.5`},
		{"backups that helped", "detours", "post_execution_analysis.failure_patterns.backup_success_rate", `1`},
		{"no backups", "concerned", "post_execution_analysis.failure_patterns.backup_success_rate", `null`},
		{"failures of a step", "detours", "post_execution_analysis.failure_patterns.steps_that_frequently_fail.0", `{"step_id":"1.2","failure_count":2,"retry_count":1,"resolved_by":"backup_1"}`},
		{"escalations", "concerned", "post_execution_analysis.mode_escalation_analysis.total_escalations", `1`},
		{"false escalations", "concerned", "post_execution_analysis.mode_escalation_analysis.false_escalations", `0`},
		{"escalation triggers", "concerned", "post_execution_analysis.mode_escalation_analysis.escalation_triggers", `{"critical_failure":1}`},
		{"continue_and_log", "concerned", "post_execution_analysis.error_propagation_analysis.continue_and_log", `1`},
		{"overall_compliance_score", "detours", "post_execution_analysis.constitutional_compliance_review.overall_compliance_score", `92`},
		{"analysis recommendations", "detours", "post_execution_analysis.recommendations", `["step 1.2: make backup 1 the primary method: the backup_1 way (the primary method failed and this one did it)","mark between 40 and 60 percent of the steps as critical (now 3 of 4)"]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := field(docs[tt.story], tt.path)
			if err != nil {
				t.Fatalf("%s: %v", tt.path, err)
			}
			var want any
			if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.path, diff)
			}
		})
	}
}
