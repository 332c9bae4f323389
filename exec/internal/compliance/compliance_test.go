package compliance_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/compliance"
	"github.com/planlock/planlock/plan"
)

func yes() *bool { b := true; return &b }
func no() *bool  { b := false; return &b }

// steps are n steps of a task, of which the first are critical.
func steps(task string, n, critical int) plan.Task {
	t := plan.Task{ID: task}
	for i := range n {
		s := plan.Step{ID: fmt.Sprint(i + 1), Address: plan.Address(fmt.Sprintf("%s.%d", task, i+1)), Critical: no()}
		if i < critical {
			s.Critical = yes()
		}
		t.Steps = append(t.Steps, s)
	}
	return t
}

// done is a run in which every step of p was completed at once.
func done(p *plan.Plan) *history.Run {
	r := &history.Run{Mode: plan.Silent}
	at := time.Unix(1000, 0)
	for _, t := range p.Tasks {
		for i := range t.Steps {
			s := &history.Step{Outline: history.Outline{Address: t.Steps[i].Address, Task: t.ID},
				Status: history.Completed, At: uint64(2*len(r.Steps) + 1), EndedAt: uint64(2*len(r.Steps) + 2),
				Started: at, Over: at.Add(time.Second), Checkpoint: &history.StepStarted{Decision: "proceed"},
				Attempts: []*history.Attempt{{Number: 1, Started: at, Ended: at.Add(time.Second),
					Method: history.AttemptStarted{Method: "primary"}}}}
			r.Steps = append(r.Steps, s)
			at = at.Add(time.Minute)
		}
	}
	return r
}

// codes are article and severity of findings.
func codes(all []compliance.Finding) []string {
	var out []string
	for _, f := range all {
		out = append(out, fmt.Sprintf("%s %s", f.Article, f.Severity))
	}
	return out
}

func TestBefore(t *testing.T) {
	for _, tt := range []struct {
		name  string
		p     *plan.Plan
		spoil func(*history.Run)
		task  string
		want  []string
	}{
		{"all is well", &plan.Plan{Tasks: []plan.Task{steps("1", 2, 1)}}, nil, "1", nil},
		{"errors do not propagate", &plan.Plan{Tasks: []plan.Task{steps("1", 2, 1)},
			ErrorPropagation: plan.ErrorPropagation{Enabled: no()}}, nil, "1", []string{"IV critical"}},
		{"they do", &plan.Plan{Tasks: []plan.Task{steps("1", 2, 1)},
			ErrorPropagation: plan.ErrorPropagation{Enabled: yes(), ReadPriorSteps: yes()}}, nil, "1", nil},
		{"earlier steps are not to be read", &plan.Plan{Tasks: []plan.Task{steps("1", 2, 1)},
			ErrorPropagation: plan.ErrorPropagation{ReadPriorSteps: no()}}, nil, "1", []string{"IV critical"}},
		{"dependencies are not tracked", &plan.Plan{Tasks: []plan.Task{steps("1", 2, 1)},
			ErrorPropagation: plan.ErrorPropagation{DependencyTracking: no()}}, nil, "1", []string{"IV critical"}},
		{"all are critical", &plan.Plan{Tasks: []plan.Task{steps("1", 2, 2)}}, nil, "1", []string{"VI warning"}},
		{"none is critical", &plan.Plan{Tasks: []plan.Task{steps("1", 2, 0)}}, nil, "1", []string{"VI warning"}},
		{"one step that is critical", &plan.Plan{Tasks: []plan.Task{steps("1", 1, 1)}}, nil, "1", nil},
		{"one step that is not", &plan.Plan{Tasks: []plan.Task{steps("1", 1, 0)}}, nil, "1", nil},
		{"a step it needs is not over", &plan.Plan{Tasks: []plan.Task{steps("1", 2, 1), {ID: "2", DependsOn: []string{"1"}}}},
			func(r *history.Run) { r.Steps[1].Status = history.InFlight }, "2", []string{"VIII critical"}},
		{"a step it does not need is not over", &plan.Plan{Tasks: []plan.Task{steps("1", 2, 1), {ID: "2"}}},
			func(r *history.Run) { r.Steps[1].Status = history.InFlight }, "2", nil},
		{"the last record lacks a method", &plan.Plan{Tasks: []plan.Task{steps("1", 2, 1), steps("2", 2, 1)}},
			func(r *history.Run) { r.Steps[1].Attempts[0].Method.Method = "" }, "2", []string{"X warning"}},
		{"the last record lacks a decision", &plan.Plan{Tasks: []plan.Task{steps("1", 2, 1), steps("2", 2, 1)}},
			func(r *history.Run) { r.Steps[1].Checkpoint.Decision = "" }, "2", []string{"X warning"}},
		{"the last record lacks a time", &plan.Plan{Tasks: []plan.Task{steps("1", 2, 1), steps("2", 2, 1)}},
			func(r *history.Run) { r.Steps[1].Attempts[0].Ended = time.Time{} }, "2", []string{"X warning"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := done(tt.p)
			if tt.spoil != nil {
				tt.spoil(r)
			}
			c := compliance.Before(tt.p, r, tt.task)
			if diff := cmp.Diff(tt.want, codes(c.Findings)); diff != "" {
				t.Error(diff)
			}
			wantCritical := len(tt.want) > 0 && tt.want[0][len(tt.want[0])-8:] == "critical"
			if c.Critical() != wantCritical {
				t.Errorf("critical: got %v", c.Critical())
			}
		})
	}
}

func TestRecommendedBalance(t *testing.T) {
	for _, tt := range []struct {
		critical, total int
		want            bool
	}{{0, 0, false}, {39, 100, false}, {40, 100, true}, {60, 100, true}, {61, 100, false}, {2, 5, true}, {3, 5, true},
		{1, 5, false}} {
		if got := (compliance.Ratio{Critical: tt.critical, Total: tt.total}).Recommended(); got != tt.want {
			t.Errorf("%d of %d: got %v", tt.critical, tt.total, got)
		}
	}
}

func article(v compliance.Review, a compliance.Article) compliance.Reviewed {
	for _, r := range v.Articles {
		if r.Article == a {
			return r
		}
	}
	return compliance.Reviewed{}
}

func TestAfter(t *testing.T) {
	good := func() *plan.Plan { return &plan.Plan{Tasks: []plan.Task{steps("1", 4, 2)}} }
	for _, tt := range []struct {
		name    string
		plan    func(*plan.Plan)
		run     func(*history.Run)
		article compliance.Article
		score   int
	}{
		{"all is well", nil, nil, "", 100},
		{"a backup is none", func(p *plan.Plan) { p.Tasks[0].Steps[0].Backups = []plan.Backup{{ID: "1", Description: "Try again"}} }, nil, compliance.Backups, 92},
		{"a backup is a command again", func(p *plan.Plan) {
			p.Tasks[0].Steps[0].Run = "make"
			p.Tasks[0].Steps[0].Backups = []plan.Backup{{ID: "1", Description: "build by make", Run: "make"}}
		}, nil, compliance.Backups, 92},
		{"errors do not propagate", func(p *plan.Plan) { p.ErrorPropagation.Enabled = no() }, nil,
			compliance.Propagation, 80},
		{"all critical", func(p *plan.Plan) { p.Tasks[0] = steps("1", 4, 4) }, nil, compliance.Balance, 92},
		// by the three that follow
		{"a failure was not read", nil, func(r *history.Run) { r.Steps[0].Status = history.Failed },
			compliance.Reading, 40},
		{"a failure was read", nil, func(r *history.Run) {
			r.Steps[0].Status = history.Failed
			for _, s := range r.Steps[1:] {
				s.Checkpoint.Prior = []plan.Address{"1.1"}
			}
		}, "", 100},
		{"nobody was asked", nil, func(r *history.Run) {
			r.Mode = plan.Dynamic
			for i, s := range r.Steps[:3] {
				s.Status = history.Failed
				for _, later := range r.Steps[i+1:] {
					later.Checkpoint.Prior = append(later.Checkpoint.Prior, s.Address)
				}
			}
			r.Steps[3].Status = history.Skipped
		}, compliance.Escalation, 92},
		{"the host asks later", nil, func(r *history.Run) {
			r.Mode, r.Policy.Triggers.Consecutive = plan.Dynamic, 4
			for i, s := range r.Steps[:3] {
				s.Status = history.Failed
				for _, later := range r.Steps[i+1:] {
					later.Checkpoint.Prior = append(later.Checkpoint.Prior, s.Address)
				}
			}
			r.Steps[3].Status = history.Skipped
		}, "", 100},
		{"with the last step", nil, func(r *history.Run) {
			r.Mode = plan.Dynamic
			for i, s := range r.Steps[1:] {
				s.Status = history.Failed
				for _, later := range r.Steps[i+2:] {
					later.Checkpoint.Prior = append(later.Checkpoint.Prior, s.Address)
				}
			}
		}, "", 100},
		{"a backup was used before a rollback", nil, func(r *history.Run) {
			r.Steps[0].Undone = []*history.Attempt{{Method: history.AttemptStarted{Method: "backup_1"}}}
		}, "", 100},
		{"a switch without a cause", nil, func(r *history.Run) {
			r.Modes = []history.ModeSwitched{{From: plan.Dynamic, To: plan.Collaborative}}
		}, compliance.Escalation, 92},
		{"a record is incomplete", nil, func(r *history.Run) { r.Steps[0].Attempts[0].Method.Method = "" },
			compliance.Logging, 92},
		{"no notepad", func(p *plan.Plan) {
			p.Settings = []plan.Setting{{Key: "knowledge_capture.enabled", Value: plan.Value{Kind: "boolean", Text: "false"}}}
		}, nil, compliance.Knowledge, 92},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := good()
			if tt.plan != nil {
				tt.plan(p)
			}
			r := done(p)
			if tt.run != nil {
				tt.run(r)
			}
			v := compliance.After(p, r)
			if v.Score != tt.score {
				t.Errorf("score %d, want %d: %+v", v.Score, tt.score, v.Deductions)
			}
			taken := 0
			for _, d := range v.Deductions {
				taken += d.Points
			}
			if 100-taken != v.Score {
				t.Errorf("deductions of %d do not explain a score of %d", taken, v.Score)
			}
			for _, a := range v.Articles {
				if a.Holds == (a.Article == tt.article) {
					t.Errorf("article %s holds: %v: %+v", a.Article, a.Holds, a.Findings)
				}
			}
			if len(v.Articles) != 7 || article(v, compliance.Logging).Title == "" {
				t.Errorf("got %d articles", len(v.Articles))
			}
		})
	}
}

func TestScoreIsNeverNegative(t *testing.T) {
	p := &plan.Plan{Tasks: []plan.Task{steps("1", 9, 4)},
		ErrorPropagation: plan.ErrorPropagation{Enabled: no(), ReadPriorSteps: no(), DependencyTracking: no()}}
	r := done(p)
	for _, s := range r.Steps {
		s.Status = history.Failed
	}
	if v := compliance.After(p, r); v.Score != 0 {
		t.Errorf("got %d", v.Score)
	}
}

func ExampleAfter() {
	p := &plan.Plan{Tasks: []plan.Task{steps("1", 4, 4)}}
	v := compliance.After(p, done(p))
	fmt.Println(v.Score)
	for _, d := range v.Deductions {
		fmt.Println(-d.Points, d.Finding)
	}
	// Output:
	// 92
	// -8 article VI task 1: all 4 steps are critical (warning)
}
