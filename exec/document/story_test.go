package document_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// A story is a journal that a test writes by hand.
type story struct {
	t       testing.TB
	plan    *plan.Plan
	now     time.Time
	records []record.Record
}

func begin(t testing.TB, p *plan.Plan, change ...func(*history.Started)) *story {
	t.Helper()
	s := &story{t: t, plan: p, now: time.Date(2026, 11, 20, 9, 30, 0, 0, time.FixedZone("east", 3600))}
	f := &history.Started{
		Run: "01JD3Z8Q6V5C7T2M9K4XWBRN0E", Name: p.Meta.Name, Goal: p.Goal, Format: plan.Native, Profile: p.Profile,
		Plan: digest("plan"), PlanBlob: digest("plan blob"), Files: []plan.Source{{Path: "plan.toml", Digest: digest("plan.toml")}},
		Lock: "01JD3Z7P0000000000000LOCK1", LockFile: "plan.lock.json", LockDigest: digest("lock"),
		Acknowledged: []string{"modifying:2.1"},
		Envelope: &envelope.Envelope{Components: []envelope.Component{
			{Name: "planlock", Digest: digest("planlock"), Text: "0.1.0"},
			{Name: "toolchain:go", Digest: digest("go"), Text: "go1.25.0"},
		}},
		Base: snapshot("base"), Policy: history.Policy{Mode: plan.Dynamic}, Executor: "shell", Version: "0.1.0",
		Planning: []gate.Judgement{passed("non-goals", gate.Planning)},
	}
	for _, task := range p.Tasks {
		for _, step := range task.Steps {
			f.Steps = append(f.Steps, history.Outline{Address: step.Address, Task: task.ID, Title: step.Description,
				Critical: step.IsCritical(), Rollback: step.Rollback})
		}
	}
	for _, c := range change {
		c(f)
	}
	s.add(0, "", 0, f)
	return s
}

// add writes a fact, some milliseconds after the one before.
func (s *story) add(ms int, step plan.Address, attempt int, f history.Fact) *story {
	s.t.Helper()
	fact, err := history.Located{Where: history.Where{Step: step, Attempt: attempt}, Fact: f}.Encode()
	if err != nil {
		s.t.Fatal(err)
	}
	s.now = s.now.Add(time.Duration(ms) * time.Millisecond)
	s.records = append(s.records, record.Record{Seq: uint64(len(s.records) + 1), Time: s.now, Fact: fact,
		Hash: digest(fmt.Sprint("record", len(s.records)))})
	return s
}

func (s *story) fold() *history.Run {
	s.t.Helper()
	run, err := history.Fold(s.records)
	if err != nil {
		s.t.Fatal(err)
	}
	return run
}

// start begins a step and its first attempt.
func (s *story) start(a plan.Address, method string) *story {
	s.t.Helper()
	s.add(40, a, 0, &history.StepStarted{Checkpoint: snapshot("before " + string(a)), Envelope: digest("envelope"),
		Decision: "proceed", Strategy: plan.HaltOnCritical})
	s.add(15, a, 0, &history.Judged{passed("preconditions", gate.Before)})
	return s.attempt(a, 1, method)
}

func (s *story) attempt(a plan.Address, n int, method string) *story {
	s.t.Helper()
	return s.add(5, a, n, &history.AttemptStarted{Method: method, Text: "the " + method + " way", Executor: "shell"})
}

// work is an attempt that came back with changes after some milliseconds.
func (s *story) work(ms int, a plan.Address, n int, output string, changes ...ledger.Change) *story {
	s.t.Helper()
	s.add(ms, a, n, &history.AttemptEnded{Output: output, Took: time.Duration(ms) * time.Millisecond,
		Metrics: map[string]float64{"score": 0.75, "cost": 2}})
	var declared ledger.Declared
	for _, task := range s.plan.Tasks {
		for _, step := range task.Steps {
			if step.Address == a && step.Artifacts != nil {
				declared = step.Artifacts.Declared()
			}
		}
	}
	lines := map[string]ledger.LineCount{}
	total := ledger.LineCount{}
	for i, c := range changes {
		n := ledger.LineCount{Added: 20 + i, Removed: i}
		lines[c.Path] = n
		total.Added, total.Removed = total.Added+n.Added, total.Removed+n.Removed
	}
	return s.add(20, a, n, &history.Accounted{Tree: digest("after " + string(a)), Declared: declared, Changes: changes,
		Account: ledger.Reconcile(declared, changes, nil), Lines: total, PerPath: lines})
}

func (s *story) gates(a plan.Address, n int, js ...gate.Judgement) *story {
	s.t.Helper()
	for _, j := range js {
		s.add(30, a, n, &history.Judged{j})
	}
	return s
}

// prove has a check of an attempt fail in trees that lack its work.
func (s *story) prove(a plan.Address, n int) *story {
	s.t.Helper()
	return s.add(0, a, n, &history.Controlled{Controls: []history.Control{{Check: "go test ./server",
		Before: history.ControlFailed, Emptied: history.ControlFailed}}})
}

func (s *story) accept(a plan.Address, method string) *story {
	s.t.Helper()
	return s.add(10, a, 0, &history.StepCompleted{Snapshot: snapshot("after " + string(a)), Method: method})
}

func (s *story) fail(a plan.Address, n int, class history.Class, why string, fs ...gate.Finding) *story {
	s.t.Helper()
	s.add(10, a, n, &history.AttemptFailed{Class: class, Reasons: []string{why}, Findings: fs})
	s.add(5, a, n, &history.RestoreBegun{To: snapshot("before " + string(a)),
		Discarded: snapshot("discarded " + string(a))})
	return s.add(25, a, n, &history.Restored{Tree: digest("before " + string(a))})
}

func (s *story) end(status history.Status, reasons ...string) *story {
	s.t.Helper()
	return s.add(50, "", 0, &history.Ended{Status: status, Reasons: reasons, Tree: digest("final tree")})
}

func digest(what string) ledger.Digest { return ledger.Sum([]byte(what)) }

func snapshot(what string) record.Snapshot {
	return record.Snapshot{Tree: digest(what), Manifest: digest(what + " manifest")}
}

func passed(name string, phase gate.Phase) gate.Judgement {
	v := gate.Holds("looked at everything")
	return gate.Judgement{Gate: name, Level: gate.BlocksStep, Phase: phase, Verdict: &v, Took: 120 * time.Millisecond}
}

func refused(name string, phase gate.Phase, fs ...gate.Finding) gate.Judgement {
	v := gate.Breaks(fs...)
	return gate.Judgement{Gate: name, Level: gate.BlocksStep, Phase: phase, Verdict: &v, Took: 80 * time.Millisecond}
}

func created(path string) ledger.Change {
	return ledger.Change{Path: path, Op: ledger.Created, After: entry(path, 1)}
}

func modified(path string) ledger.Change {
	return ledger.Change{Path: path, Op: ledger.Modified, Before: entry(path, 1), After: entry(path, 2)}
}

func entry(path string, n int) *ledger.Entry {
	return &ledger.Entry{Path: path, Kind: ledger.File, Mode: 0o644, Size: int64(100 * n),
		Digest: digest(fmt.Sprint(path, n))}
}

func question(s *story, step plan.Address, attempt int) ask.Question {
	return ask.Question{ID: "q1", Run: "01JD3Z8Q6V5C7T2M9K4XWBRN0E", Step: step, Attempt: attempt, Kind: ask.StepFailed,
		What: "step " + string(step) + " failed", Why: "it is critical and nothing else is left to try",
		Evidence: []string{"attempt 1: exit status 1"},
		Choices: []ask.Choice{
			{Key: "r", Label: "run it again", Consequence: "one more attempt"},
			{Key: "s", Label: "stop here", Consequence: "nothing more runs", Acknowledge: "stop"},
		},
		Asked: s.now, Deadline: s.now.Add(time.Hour)}
}

// limiter is the plan of most tests.
func limiter() *plan.Plan {
	yes, no, exit := true, false, 0
	step := func(id, title string, a *plan.Artifacts) plan.Step {
		return plan.Step{ID: id, Description: title, Critical: &yes, Rollback: plan.Reversible,
			SemanticChange: plan.Extending, Artifacts: a}
	}
	p := &plan.Plan{
		Schema: 1, Profile: plan.Strict, Meta: plan.Meta{Name: "limiter"},
		Goal: "Limit each client to 10 requests per second",
		Speclets: []plan.Speclet{
			{ID: "core", Tasks: []string{"1", "2"}},
			{ID: "papers", DependsOn: []string{"core"}, Tasks: []string{"3"}},
		},
		Tasks: []plan.Task{
			{ID: "1", Title: "Build the limiter", Estimate: time.Second, Steps: []plan.Step{
				step("1", "Write the failing test", &plan.Artifacts{Create: []string{"server/limit_test.go"}}),
				step("2", "Implement the limiter",
					&plan.Artifacts{Create: []string{"server/limit.go"}, Modify: []string{"go.mod"}}),
			}},
			{ID: "2", Title: "Use it", DependsOn: []string{"1"}, Steps: []plan.Step{
				step("1", "Wire it into the server", &plan.Artifacts{Modify: []string{"server/server.go"}}),
			}},
			{ID: "3", Title: "Describe it", Steps: []plan.Step{
				step("1", "Document it", &plan.Artifacts{Modify: []string{"README.md"}}),
			}},
		},
		Execution: plan.Execution{DefaultMode: plan.Dynamic},
	}
	p.Tasks[2].Steps[0].Critical = &no
	p.Tasks[0].Steps[1].Expect = &plan.Expect{Exit: &exit}
	p.Tasks[0].Steps[1].ExpectedOutput = "all tests pass"
	for i := range p.Tasks {
		for j := range p.Tasks[i].Steps {
			s := &p.Tasks[i].Steps[j]
			s.Address = plan.Address(p.Tasks[i].ID + "." + s.ID)
		}
	}
	return p
}
