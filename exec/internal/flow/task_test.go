package flow

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/choice"
	"github.com/planlock/planlock/plan"
)

// C is a completed step, F one that failed (f: not critical), B a blocked one,
// S one that was left out (s: not critical, D: its work was there), . one that
// has not begun, r one that runs. H failed and halted the run.
func runOf(p *plan.Plan, steps map[string]string) *history.Run {
	run := &history.Run{}
	for _, t := range p.Tasks {
		for i, c := range steps[t.ID] {
			s := &history.Step{Outline: history.Outline{Address: t.Steps[i].Address, Task: t.ID, Critical: c != 'f' &&
				c != 's'}}
			switch c {
			case 'C':
				s.Status = history.Completed
				run.Consecutive = 0
			case 'F', 'f', 'H':
				s.Status, s.Failed = history.Failed, &history.StepFailed{Class: history.Crashed, Reasons: []string{"it broke"}, Halts: c == 'H'}
				run.Consecutive++
			case 'B':
				s.Status, s.Blocked = history.Blocked, &history.StepBlocked{By: "1.1"}
			case 'S', 's', 'D':
				s.Status, s.Skipped = history.Skipped, &history.StepSkipped{By: "ana", Why: "later", Done: c == 'D'}
			case 'r':
				s.Status = history.InFlight
			default:
				s.Status = history.Pending
			}
			s.At = uint64(2*len(run.Steps) + 1)
			s.EndedAt = s.At + 1
			run.Steps = append(run.Steps, s)
		}
	}
	return run
}

func TestTaskOver(t *testing.T) {
	tests := map[string]struct {
		steps  string
		ending bool
		want   history.StepStatus // "": not over
		by     []plan.Address
	}{
		"all completed":                     {"CC", false, history.Completed, nil},
		"its work was there":                {"CD", false, history.Completed, nil},
		"one left out that is not critical": {"Cs", false, history.Completed, nil},
		"a critical one left out":           {"CS", false, history.PartlyDone, []plan.Address{"1.2"}},
		"one that is not critical failed":   {"Cf", false, history.PartlyDone, []plan.Address{"1.2"}},
		"a critical one failed":             {"CF", false, history.Failed, []plan.Address{"1.2"}},
		"a critical one failed and blocked": {"FB", false, history.Failed, []plan.Address{"1.1", "1.2"}},
		"nothing completed and one failed":  {"fs", false, history.Failed, []plan.Address{"1.1"}},
		"one failed, and blocked the rest":  {"fB", false, history.Failed, []plan.Address{"1.1", "1.2"}},
		"all blocked":                       {"BB", false, history.Blocked, []plan.Address{"1.1", "1.2"}},
		"blocked in the middle":             {"CB", false, history.PartlyDone, []plan.Address{"1.2"}},
		"all left out":                      {"SS", false, history.Skipped, []plan.Address{"1.1", "1.2"}},
		"all left out, none critical":       {"ss", false, history.Skipped, nil},
		"not over":                          {"C.", false, "", nil},
		"one runs":                          {"Cr", false, "", nil},
		"halted before its end":             {"C.", true, history.PartlyDone, []plan.Address{"1.2"}},
		"halted before its beginning":       {"..", true, history.Skipped, []plan.Address{"1.1", "1.2"}},
		"a failure that halts":              {"H.", true, history.Failed, []plan.Address{"1.1", "1.2"}},
	}
	p := planOf(2)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			over := TaskOver(p, runOf(p, map[string]string{"1": tt.steps}), &p.Tasks[0], tt.ending)
			if tt.want == "" {
				if over != nil {
					t.Fatalf("it is over: %+v", over)
				}
				return
			}
			if over == nil {
				t.Fatal("it is not over")
			}
			if over.Status != tt.want || !slices.Equal(over.By, tt.by) {
				t.Errorf("got %s by %v, want %s by %v", over.Status, over.By, tt.want, tt.by)
			}
			if (over.Reason == "") != (tt.want == history.Completed) ||
				(len(over.Unblock) == 0) != (tt.want == history.Completed) {
				t.Errorf("%s: reason %q, ways out %q", over.Status, over.Reason, over.Unblock)
			}
		})
	}
}

// TestTaskChecks breaks each thing that is verified about a task, and only
// that.
func TestTaskChecks(t *testing.T) {
	decided := &history.StepStarted{Decision: "proceed", Strategy: plan.ContinueAndLog}
	tests := map[string]struct {
		breaks string
		change func(p *plan.Plan, run *history.Run)
	}{
		"everything as it should be": {"", func(*plan.Plan, *history.Run) {}},
		"the run ended before a step": {"", func(_ *plan.Plan, r *history.Run) {
			r.Steps[1].Status, r.Steps[1].Attempts, r.Steps[1].Checkpoint = history.Pending, nil, nil
			r.Consecutive = 1
		}},
		"a step of the plan is missing": {"ids", func(p *plan.Plan, _ *history.Run) {
			p.Tasks[0].Steps = append(p.Tasks[0].Steps, plan.Step{Address: "1.3"})
		}},
		"a step that is not in the plan": {"ids",
			func(p *plan.Plan, _ *history.Run) { p.Tasks[0].Steps = p.Tasks[0].Steps[:1] }},
		"it ran without a decision": {"propagation-decided",
			func(_ *plan.Plan, r *history.Run) { r.Steps[0].Checkpoint = &history.StepStarted{} }},
		"it ran without a word about a failure": {"failures-acknowledged",
			func(_ *plan.Plan, r *history.Run) { r.Steps[1].Checkpoint = decided }},
		"nobody was asked about a critical one": {"escalated",
			func(_ *plan.Plan, r *history.Run) { r.Steps[0].Critical = true }},
		"the run went on that was to halt": {"strategy-followed", func(p *plan.Plan, r *history.Run) {
			p.ErrorPropagation.Strategy = plan.HaltOnCritical
			r.Steps[0].Critical, r.Steps[0].Questions = true, []history.Exchange{{}}
		}},
		"the run went on that nobody had reviewed": {"strategy-followed", func(p *plan.Plan, r *history.Run) {
			p.ErrorPropagation.Strategy = plan.CollaborativeReview
			r.Steps[0].Critical, r.Steps[0].Questions = true, []history.Exchange{{}}
		}},
		"a person let it go on": {"", func(p *plan.Plan, r *history.Run) {
			p.ErrorPropagation.Strategy = plan.CollaborativeReview
			r.Steps[0].Critical, r.Steps[0].Questions = true, []history.Exchange{{}}
			r.Steps[1].Questions = []history.Exchange{{Question: ask.Question{Kind: ask.Propagation},
				Answer: &ask.Answer{Choice: choice.GoOn}}}
		}},
		"one failure too much was counted": {"counters", func(_ *plan.Plan, r *history.Run) { r.Consecutive = 1 }},
		"the first one failed after the second had begun": {"", func(_ *plan.Plan, r *history.Run) {
			r.Steps[0].EndedAt, r.Steps[1].Checkpoint = r.Steps[1].At+1, decided
			r.Steps[1].EndedAt++
		}},
		"the first one failed last": {"", func(_ *plan.Plan, r *history.Run) {
			r.Steps[0].EndedAt, r.Steps[1].Checkpoint, r.Consecutive = r.Steps[1].EndedAt+1, decided, 1
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := planOf(2)
			p.ErrorPropagation.Strategy = plan.ContinueAndLog
			run := runOf(p, map[string]string{"1": "fC"})
			for _, s := range run.Steps {
				s.Attempts, s.Checkpoint = []*history.Attempt{{}}, decided
			}
			run.Steps[1].Checkpoint = &history.StepStarted{Decision: "proceed with concern",
				Strategy: plan.ContinueAndLog, Concern: "1.1 failed", Prior: []plan.Address{"1.1"}}
			tt.change(p, run)
			over := TaskOver(p, run, &p.Tasks[0], true)
			if open := over.Checks[0]; open.Name != history.StepsOver || open.Holds != (over.Steps.Open == 0) ||
				over.Steps.Open > 0 && !slices.Equal(open.Found, []string{"step 1.2 did not run"}) {
				t.Errorf("of %d steps that are open it is said: %+v", over.Steps.Open, open)
			}
			var broken []string
			for _, c := range over.Broken() {
				broken = append(broken, c.Name)
			}
			if got := strings.Join(broken, " "); got != tt.breaks || over.Holds() != (tt.breaks == "") {
				t.Errorf("broken: %q, want %q: %q", got, tt.breaks, Discrepancies(over))
			}
			if len(over.Checks) != 7 {
				t.Errorf("%d checks, want 7", len(over.Checks))
			}
		})
	}
}

// TestSpeclets: foundation; left and right need it; last needs right. Each has
// one task of one step.
func TestSpeclets(t *testing.T) {
	yes := true
	build := func() *plan.Plan {
		p := planOf(1, 2, 1, 1)
		p.Speclets = []plan.Speclet{{ID: "foundation", Tasks: []string{"1"}, ParallelAllowed: &yes},
			{ID: "left", DependsOn: []string{"foundation"}, Tasks: []string{"2"}, ParallelAllowed: &yes},
			{ID: "right", DependsOn: []string{"foundation"}, Tasks: []string{"3"}, ParallelAllowed: &yes},
			{ID: "last", DependsOn: []string{"right"}, Tasks: []string{"4"}}}
		return p
	}
	tests := map[string]struct {
		steps map[string]string
		want  []string
	}{
		"nothing began":                    {map[string]string{"1": ".", "2": "..", "3": ".", "4": "."}, []string{"not_started", "not_started waiting_for_dependencies", "not_started waiting_for_dependencies", "not_started waiting_for_dependencies"}},
		"under way":                        {map[string]string{"1": "C", "2": "C.", "3": ".", "4": "."}, []string{"completed", "in_progress", "not_started", "not_started waiting_for_dependencies"}},
		"A: what others need failed":       {map[string]string{"1": "F", "2": "..", "3": ".", "4": "."}, []string{"failed", "blocked dependency_failed: foundation is failed (step 1.1 failed)", "blocked dependency_failed: foundation is failed (step 1.1 failed)", "blocked dependency_failed: right is blocked (step 1.1 failed)"}},
		"B: an independent branch goes on": {map[string]string{"1": "C", "2": "FB", "3": "C", "4": "."}, []string{"completed", "failed", "completed", "not_started"}},
		"C: one that is not critical":      {map[string]string{"1": "C", "2": "Cf", "3": "C", "4": "C"}, []string{"completed", "completed partial", "completed", "completed"}},
		"left out":                         {map[string]string{"1": "C", "2": "SS", "3": "C", "4": "C"}, []string{"completed", "skipped", "completed", "completed"}},
		"blocked for good":                 {map[string]string{"1": "F", "2": "BB", "3": "B", "4": "B"}, []string{"failed", "blocked dependency_failed: foundation is failed (step 1.1 failed)", "blocked dependency_failed: foundation is failed (step 1.1 failed)", "blocked dependency_failed: right is blocked (step 1.1 failed)"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := build()
			var got []string
			for _, s := range Speclets(p, runOf(p, tt.steps)) {
				line := s.Status
				if s.Partial {
					line += " partial"
				}
				got = append(got, strings.TrimSpace(line+" "+s.Reason))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("stages", func(t *testing.T) {
		p := build()
		run := runOf(p, map[string]string{"1": "C", "2": "CC", "3": ".", "4": "."})
		want := []Stage{{1, []string{"foundation"}, false, nil, true, nil},
			{2, []string{"left", "right"}, true, []string{"left", "right"}, false, nil}, {3, []string{"last"}, false, nil, false, nil}}
		if diff := cmp.Diff(want, Stages(p, run)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		left := Speclets(p, run)[1]
		if diff := cmp.Diff([]string{"right"}, left.Beside); diff != "" || !slices.Equal(left.TasksCompleted, []string{"2"}) {
			t.Errorf("left: %+v", left)
		}
		if diff := cmp.Diff([]string{"right", "last"},
			Dependents(p, runOf(p, map[string]string{"1": "F", "2": "CC", "3": ".", "4": "."}),
				"foundation")); diff != "" {
			t.Errorf("dependents (-want +got):\n%s", diff)
		}
		bad := Stages(p, runOf(p, map[string]string{"1": "r", "2": "C.", "3": ".", "4": "."}))
		if len(bad[1].Found) != 1 {
			t.Errorf("a speclet that began too early is not found: %+v", bad)
		}
	})
}

// TestNext holds the chain at the end: verify, go on, see why it failed, leave
// it.
func TestNext(t *testing.T) {
	p := planOf(2)
	actions := func(run *history.Run) string {
		var list []string
		for _, s := range Next(run) {
			text := s.String()
			if s.Automatic {
				text += "!"
			}
			list = append(list, text)
		}
		return strings.Join(list, "; ")
	}
	run := func(status history.Status, steps string) *history.Run {
		r := runOf(p, map[string]string{"1": steps})
		r.Status = status
		r.Started.Run = "R"
		r.Started.Files = []plan.Source{{Path: "my plan.toml"}}
		return r
	}
	for name, tt := range map[string]struct {
		run  *history.Run
		want string
	}{
		"nothing began": {&history.Run{}, ""},
		"achieved":      {run(history.Achieved, "CC"), "verify run R!"},
		"a part of it":  {run(history.Partial, "Cf"), "verify run R; run plan my plan.toml and take over what run R completed; read the journal of step 1.2 of run R; leave run R as it is"},
		"halted":        {run(history.NotAchieved, "H."), "read the journal of step 1.1 of run R; run plan my plan.toml; verify run R; leave run R as it is"},
		"waits":         {run(history.Waiting, "C."), "resume run R; leave run R as it is"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := actions(tt.run); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// A task that fails by a critical step is said to, also where another one failed
// before that.
func TestReasonNamesTheCriticalStep(t *testing.T) {
	p := planOf(3)
	for steps, want := range map[string]string{"fHC": "1.2", "ffC": "1.1", "fFF": "1.2"} {
		over := TaskOver(p, runOf(p, map[string]string{"1": steps}), &p.Tasks[0], true)
		if !strings.HasPrefix(over.Reason, "step "+want+" failed") {
			t.Errorf("%s: %q, want step %s", steps, over.Reason, want)
		}
	}
}
