package agree

import (
	"encoding/json"
	"fmt"
	"strings"
)

// progress is what is read of a progress log.
type progress struct {
	Goal        string
	Start       string `json:"start_time"`
	End         string `json:"end_time"`
	Status      string
	Mode        string         `json:"current_mode"`
	Resumed     int            `json:"resumed_count"`
	Tasks       int            `json:"total_tasks"`
	Steps       int            `json:"total_steps"`
	List        []progressTask `json:"tasks"`
	Summary     progressSums   `json:"summary"`
	Achieved    string         `json:"goal_achievement_status"`
	Success     bool
	Partial     bool     `json:"partial_completion"`
	WhyPartial  []string `json:"partial_completion_reasons"`
	BlockedList []string `json:"blocked_steps"`
	Complete    bool     `json:"run_complete"`
	Waiting     *struct {
		ID string `json:"escalation_id"`
	} `json:"waiting_for"`
	Verified *struct {
		Overall  string           `json:"overall_status"`
		Goal     string           `json:"goal_achievement_status"`
		Criteria map[string]*bool `json:"criteria"`
	} `json:"completion_verification"`
	Analysis *struct {
		KPIs     map[string]any
		Failures struct {
			Failing []struct {
				Step    string `json:"step_id"`
				Retries int    `json:"retry_count"`
				Times   int    `json:"failure_count"`
			} `json:"steps_that_frequently_fail"`
			Rate float64 `json:"overall_failure_rate"`
		} `json:"failure_patterns"`
		Propagation struct {
			Blocked int `json:"blocked_steps"`
			Halted  int `json:"halt_on_critical"`
			Went    int `json:"continue_and_log"`
		} `json:"error_propagation_analysis"`
		Modes struct {
			Asked map[string]int `json:"questions_by_kind"`
		} `json:"mode_escalation_analysis"`
	} `json:"post_execution_analysis"`
	Speclets map[string]struct {
		Done    []string `json:"tasks_completed"`
		Failed  []string `json:"tasks_failed"`
		Skipped []string `json:"tasks_skipped"`
		Partial []string `json:"tasks_partial"`
		Blocked []string `json:"tasks_blocked"`
	} `json:"speclet_progress"`
}

type progressTask struct {
	ID       string `json:"task_id"`
	Name     string
	Status   string
	Start    string `json:"timestamp_start"`
	End      string `json:"timestamp_end"`
	Done     int    `json:"steps_completed"`
	Total    int    `json:"steps_total"`
	Critical int    `json:"critical_steps"`
	Retries  int
	Backups  int `json:"backups_used"`
	Failures int `json:"failure_count"`
	Steps    []progressStep
}

type progressStep struct {
	Address     string `json:"step_address"`
	Status      string
	Critical    bool     `json:"critical_flag"`
	Retries     int      `json:"retry_count"`
	Start       string   `json:"timestamp_start"`
	End         string   `json:"timestamp_end"`
	Method      string   `json:"method_used"`
	Tried       []string `json:"backup_attempts"`
	Basis       *basis
	Consecutive int                `json:"consecutive_failure_count"`
	Gates       map[string]*string `json:"constraint_status"`
	Escalations []map[string]any   `json:"escalations"`
}

type progressSums struct {
	Tasks            int            `json:"total_tasks"`
	Attempted        int            `json:"tasks_attempted"`
	TasksDone        int            `json:"completed_tasks"`
	Steps            int            `json:"total_steps"`
	Completed        int            `json:"completed_steps"`
	Failed           int            `json:"failed_steps"`
	Skipped          int            `json:"skipped_steps"`
	Blocked          int            `json:"blocked_steps"`
	Pending          int            `json:"pending_steps"`
	Critical         int            `json:"critical_steps"`
	CriticalDone     int            `json:"critical_steps_completed"`
	Bases            map[string]any `json:"bases"`
	Retries          int            `json:"total_retries"`
	Backups          int            `json:"backups_used"`
	Methods          map[string]int `json:"backup_methods_used"`
	Switches         int            `json:"mode_switches"`
	SwitchLog        []any          `json:"mode_switch_log"`
	Escalations      int
	Rollbacks        []any
	Seconds          float64 `json:"runtime_duration_seconds"`
	Consecutive      int     `json:"consecutive_failures"`
	FinalConsecutive int     `json:"final_consecutive_failure_count"`
}

// statuses are the words of progress logs for those of a run.
var statuses = map[string]string{"completed": "ACHIEVED", "partially_complete": "PARTIAL", "failed": "NOT_ACHIEVED",
	"waiting": "WAITING", "running": "RUNNING", "resumed": "RUNNING", "ready_for_execution": "RUNNING"}

// readProgress reads a progress log: what it says, and what its lists come to.
func readProgress(c *claims, name, text string) error {
	var p progress
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return err
	}
	s := p.Summary
	for about, says := range map[string]any{
		"status of the run": statuses[p.Status], "goal": p.Goal, "mode": p.Mode, "begin of the run": p.Start,
		"end of the run": p.End, "resumptions": p.Resumed, "number of tasks": p.Tasks, "number of steps": p.Steps,
		"number of completed": s.Completed, "number of failed": s.Failed, "number of skipped": s.Skipped,
		"number of blocked": s.Blocked, "number of retries": s.Retries, "number of backups": s.Backups,
		"number of tasks_completed": s.TasksDone, "bases": shownBases(s.Bases), "mode switches": s.Switches,
		"number of questions": s.Escalations, "rollbacks": len(s.Rollbacks),
		"milliseconds of the run": int64(s.Seconds*1000 + .5), "number of consecutive_failures": s.Consecutive,
	} {
		c.say(name, about, says)
	}
	c.say(name+", summary", "number of consecutive_failures", s.FinalConsecutive)
	c.say(name+", summary", "number of tasks", s.Tasks)
	c.say(name+", summary", "tasks attempted", s.Attempted)
	c.say(name+", summary", "number of steps", s.Steps)
	c.say(name+", list of switches", "mode switches", len(s.SwitchLog))
	c.say(name+", list of blocked steps", "number of blocked", len(p.BlockedList))
	c.say(name, "number of running and pending", s.Pending)
	waits := ""
	if p.Waiting != nil {
		waits = p.Waiting.ID
	}
	c.say(name, "question that waits", waits)
	c.say(name+", success", "status of the run is ACHIEVED", p.Success)
	c.say(name+", status", "status of the run is ACHIEVED", statuses[p.Status] == "ACHIEVED")
	c.say(name+", partial_completion", "status of the run is PARTIAL", p.Partial)
	c.say(name+", status", "status of the run is PARTIAL", statuses[p.Status] == "PARTIAL")
	c.say(name+", run_complete", "the run is over", p.Complete)
	c.say(name+", end", "the run is over", p.End != "")
	if p.Partial {
		c.say(name, "reasons", strings.Join(p.WhyPartial, "; "))
	}
	p.ended(c, name)
	p.count(c, name+", counted")
	for id, s := range p.Speclets {
		for status, list := range map[string][]string{"completed": s.Done, "failed": s.Failed, "skipped": s.Skipped,
			"partial": s.Partial, "blocked": s.Blocked} {
			for _, task := range list {
				if status == "failed" {
					c.say(name+", speclet "+id, "task "+task+": status in a checkpoint", status)
					continue // for good, or not
				}
				c.say(name+", speclet "+id, "task "+task+": status", status)
			}
		}
	}
	return nil
}

// ended is what only the log of a run says that is over.
func (p *progress) ended(c *claims, name string) {
	if p.Verified != nil {
		c.say(name+", goal", "status of the run", p.Achieved)
		c.say(name+", verification", "status of the run", p.Verified.Goal)
		c.say(name+", verification", "status of the run is ACHIEVED", p.Verified.Overall == "PASS")
		for key, holds := range p.Verified.Criteria {
			if holds != nil && !*holds && p.Verified.Overall == "PASS" {
				c.say(name, "what is verified", "all")
				c.say(name, "what is verified", "not "+key)
			}
		}
	}
	if p.Analysis == nil {
		return
	}
	for key, says := range p.Analysis.KPIs {
		c.say(name, "KPI "+key, says)
	}
	fell := 0
	for _, f := range p.Analysis.Failures.Failing {
		if f.Times > 0 { // else it failed before it was tried
			fell++
		}
		c.say(name+", analysis", "step "+f.Step+": retries", f.Retries)
	}
	c.say(name+", analysis", "steps of which an attempt failed", fell)
	c.say(name+", analysis", "number of blocked", p.Analysis.Propagation.Blocked)
	c.say(name+", analysis", "steps that halted the run", p.Analysis.Propagation.Halted)
	c.say(name+", analysis", "steps that went on with a concern", p.Analysis.Propagation.Went)
	c.say(name+", analysis", "share of steps that failed",
		fmt.Sprint(rate(int(p.Analysis.Failures.Rate*float64(p.Steps)+.5), p.Steps)))
	c.say(name, "share of steps that failed", fmt.Sprint(rate(p.Summary.Failed, p.Steps)))
	asked := 0
	for _, n := range p.Analysis.Modes.Asked {
		asked += n
	}
	c.say(name+", analysis", "number of questions", asked)
}

// count says what the lists of a progress log come to.
func (p *progress) count(c *claims, name string) {
	n := map[string]int{}
	last, at, methods := 0, "", map[string]int{}
	for _, t := range p.List {
		in := "task " + t.ID + ": "
		for what, says := range map[string]any{"status": t.Status, "begin": t.Start, "end": t.End, "retries": t.Retries,
			"backups": t.Backups, "steps": t.Total, "title": t.Name} {
			c.say(strings.TrimSuffix(name, ", counted"), in+what, says)
		}
		done, critical, failed := 0, 0, 0
		n["tasks"]++
		n["tasks_"+t.Status]++
		for _, s := range t.Steps {
			status := s.Status
			if status == "started" || status == "retried" {
				status = "running"
			}
			n["steps"]++
			n[status]++
			n["retries"] += s.Retries
			n["backups"] += len(s.Tried)
			n["questions"] += len(s.Escalations)
			for _, b := range s.Tried {
				methods[b]++
			}
			if status == "completed" {
				done++
			}
			if status == "failed" {
				failed++
			}
			if s.Critical {
				critical++
				n["critical"]++
				if status == "completed" {
					n["critical done"]++
				}
			}
			if (status == "completed" || status == "failed") && s.End >= at {
				last, at = s.Consecutive, s.End
			}
			of := "step " + s.Address + ": "
			for gate, result := range s.Gates {
				says := "null"
				if result != nil {
					says = *result
				}
				c.say(strings.TrimSuffix(name, ", counted"), of+"gate "+gate, says)
			}
			for what, says := range map[string]any{"status": status, "retries": s.Retries, "method": s.Method,
				"critical": s.Critical, "begin": s.Start, "end": s.End, "backups": strings.Join(s.Tried, " "),
				"basis": s.Basis.name(), "why it has its basis": s.Basis.why()} {
				c.say(strings.TrimSuffix(name, ", counted"), of+what, says)
			}
		}
		c.say(name, in+"steps completed", done)
		c.say(strings.TrimSuffix(name, ", counted"), in+"steps completed", t.Done)
		c.say(name, in+"steps failed", failed)
		c.say(strings.TrimSuffix(name, ", counted"), in+"steps failed", t.Failures)
		c.say(name, in+"critical steps", critical)
		c.say(strings.TrimSuffix(name, ", counted"), in+"critical steps", t.Critical)
	}
	for _, key := range []string{"tasks", "steps", "completed", "failed", "skipped", "blocked", "retries", "backups",
		"questions", "tasks_completed"} {
		c.say(name, "number of "+key, n[key])
	}
	c.say(name, "number of running and pending", n["running"]+n["pending"])
	if at != "" && len(p.Summary.Rollbacks) == 0 {
		c.say(name, "number of consecutive_failures", last)
	}
	c.say(name, "critical steps", n["critical"])
	c.say(name+", summary", "critical steps", p.Summary.Critical)
	c.say(name, "critical steps completed", n["critical done"])
	c.say(name+", summary", "critical steps completed", p.Summary.CriticalDone)
	c.say(name, "backups by method", fmt.Sprint(methods))
	c.say(name+", summary", "backups by method", fmt.Sprint(p.Summary.Methods))
}

// readFigures reads summary.json.
func readFigures(c *claims, name, text string) error {
	var s struct {
		Goal, Status, Started, Ended string
		KPIs                         map[string]any
		Tasks                        []struct {
			ID       string `json:"task_id"`
			Title    string
			Status   string
			Attempts int `json:"attempts_total"`
		}
	}
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return err
	}
	c.say(name, "goal", s.Goal)
	c.say(name, "status of the run", s.Status)
	c.say(name, "begin of the run", s.Started)
	c.say(name, "end of the run", s.Ended)
	for key, says := range s.KPIs {
		c.say(name, "KPI "+key, says)
	}
	c.say(name, "number of tasks", len(s.Tasks))
	for _, t := range s.Tasks {
		c.say(name, "task "+t.ID+": status", t.Status)
		c.say(name, "task "+t.ID+": title", t.Title)
		c.say(name, "task "+t.ID+": attempts", t.Attempts)
	}
	return nil
}

// readCheckpoint reads the checkpoint of a task, whose words are fewer: what is
// blocked was skipped, and what is failed for good failed.
func readCheckpoint(c *claims, name, text string) error {
	var k struct {
		Task     string `json:"task_id"`
		Status   string
		Time     string   `json:"timestamp"`
		Retries  int      `json:"retry_count"`
		Seconds  int      `json:"duration_seconds"`
		Result   string   `json:"validation_result"`
		Modified []string `json:"files_modified"`
	}
	if err := json.Unmarshal([]byte(text), &k); err != nil {
		return err
	}
	c.say(name, "task "+k.Task+": status in a checkpoint", k.Status)
	c.say(name, "task "+k.Task+": attempts after the first", k.Retries)
	c.say(name, "task "+k.Task+": seconds", k.Seconds)
	c.say(name, "task "+k.Task+": validation", k.Result)
	c.say(name, "task "+k.Task+": files", listed(k.Modified))
	c.say(name, "task "+k.Task+": changes files", len(k.Modified) > 0)
	return nil
}

// readPending reads what is left for the next cycle.
func readPending(c *claims, name, text string) error {
	var list []struct {
		ID       string `json:"task_id"`
		Action   string
		Status   string
		Attempts int
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return err
	}
	for _, t := range list {
		c.say(name, "task "+t.ID+": status", t.Status)
		c.say(name, "task "+t.ID+": title", t.Action)
		c.say(name, "task "+t.ID+": attempts", t.Attempts)
	}
	return nil
}
