package document_test

import (
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/plan"
)

// stories are runs at every point where a view may be drawn.
var stories = []struct {
	name string
	tell func(t testing.TB) *story
}{
	{"clean", clean},
	{"detours", detours},
	{"breach", breach},
	{"refused", turnedAway},
	{"waiting", waiting},
	{"running", inFlight},
	{"rolled-back", setBack},
	{"observe", observing},
	{"advised", advised},
	{"handed-over", handedOver},
	{"hostile", hostile},
	{"lanes", inLanes},
	{"finished", finished},
	{"parked", parked},
	{"reviewed", reviewed},
}

func firstTask(s *story) *story {
	s.start("1.1", "primary").work(700, "1.1", 1, "ok\n", created("server/limit_test.go")).
		gates("1.1", 1, passed("artifacts", gate.After), passed("test-intent", gate.During)).prove("1.1", 1).accept("1.1", "primary")
	return s.start("1.2", "primary").work(1900, "1.2", 1, "PASS\nok  server 0.4s\n", created("server/limit.go"),
		modified("go.mod")).
		gates("1.2", 1, passed("syntax", gate.During), passed("artifacts", gate.After),
			passed("expected-output", gate.After)).prove("1.2", 1).accept("1.2", "primary")
}

func clean(t testing.TB) *story {
	s := firstTask(begin(t, limiter()))
	s.start("2.1", "primary").work(900, "2.1", 1, "", modified("server/server.go")).gates("2.1", 1,
		passed("artifacts", gate.After)).prove("2.1", 1).accept("2.1", "primary")
	s.start("3.1", "primary").work(300, "3.1", 1, "", modified("README.md")).gates("3.1", 1,
		passed("artifacts", gate.After)).prove("3.1", 1).accept("3.1", "primary")
	s.add(100, "", 0, &history.Judged{passed("invariants", gate.Final)})
	return s.end(history.Achieved)
}

// finished is a run that takes over what another one completed before it failed.
func finished(t testing.TB) *story {
	earlier := firstTask(begin(t, limiter(), func(f *history.Started) { f.Run = "01JD3Z0000000000000000RUN1" }))
	earlier.start("2.1", "primary").add(4000, "2.1", 1, &history.AttemptEnded{Exit: 1, Error: "exit status 1", Took: 4 * time.Second}).
		fail("2.1", 1, history.Crashed, "exit status 1")
	earlier.add(5, "2.1", 0, &history.StepFailed{Class: history.Crashed, Reasons: []string{"exit status 1"}, Halts: true})
	was := earlier.end(history.NotAchieved, "step 2.1 failed and halted the run").fold()
	s := begin(t, limiter(), func(f *history.Started) {
		f.From = &history.Origin{Run: was.Started.Run, Head: was.Head, Left: was.Tree, Placed: was.Tree, Moved: []string{"tool make"}}
	})
	for _, a := range []plan.Address{"1.1", "1.2"} {
		s.add(0, a, 0, was.Carry(a, was.Standings()))
	}
	s.start("2.1", "primary").work(900, "2.1", 1, "", modified("server/server.go")).gates("2.1", 1,
		passed("artifacts", gate.After)).prove("2.1", 1).accept("2.1", "primary")
	s.start("3.1", "primary").work(300, "3.1", 1, "", modified("README.md")).gates("3.1", 1,
		passed("artifacts", gate.After)).prove("3.1", 1).accept("3.1", "primary")
	return s.end(history.Achieved)
}

// detours needs a retry and a backup, and switches its mode; a step is skipped
// on somebody's word.
func detours(t testing.TB) *story {
	p := limiter()
	p.Tasks[0].Steps[1].Backups = []plan.Backup{{ID: "1", Description: "the backup_1 way", TriggerCondition: "primary_failure"}}
	s := begin(t, p)
	s.start("1.1", "primary").work(700, "1.1", 1, "ok\n", created("server/limit_test.go")).
		gates("1.1", 1, passed("artifacts", gate.After)).prove("1.1", 1).accept("1.1", "primary")
	s.start("1.2", "primary").work(1200, "1.2", 1, "limit.go:3: undefined: rate\n", created("server/limit.go")).
		gates("1.2", 1, refused("types", gate.During,
			gate.Finding{Code: "types", Path: "server/limit.go", Line: 3, Message: "undefined: rate"}))
	s.fail("1.2", 1, history.GateFailed, "undefined: rate").add(5, "1.2", 1, &history.Recovery{Rung: "retry", Method: "primary", Why: "retry 1 of 1", Repeats: 1})
	s.attempt("1.2", 2, "primary").work(1100, "1.2", 2, "still undefined: rate\n", created("server/limit.go")).fail("1.2", 2, history.GateFailed, "undefined: rate")
	s.add(5, "1.2", 2, &history.Recovery{Rung: "backup", Method: "backup_1", Why: "backup 1 of 1", Repeats: 1})
	s.attempt("1.2", 3, "backup_1").work(1500, "1.2", 3, "PASS\n", created("server/limit.go"), modified("go.mod")).
		gates("1.2", 3, passed("expected-output", gate.After)).prove("1.2", 3).accept("1.2", "backup_1")
	s.start("2.1", "primary").add(4000, "2.1", 1, &history.AttemptEnded{Exit: 1, Error: "exit status 1",
		Took: 4 * time.Second}).
		fail("2.1", 1, history.Crashed, "exit status 1")
	s.add(5, "2.1", 1, &history.ModeSwitched{From: plan.Dynamic, To: plan.Collaborative,
		Cause: "a critical step failed", Measurements: []string{"consecutive failures: 1"}})
	q := question(s, "2.1", 1)
	s.add(5, "2.1", 1, &history.Asked{Question: q}).add(5, "2.1", 1, &history.Unanswered{Question: "q1", Why: "the words do not match"})
	s.add(3000, "2.1", 1, &history.Answered{Answer: ask.Answer{Question: "q1", Run: q.Run, Attempt: 1, Choice: "r",
		By: "terminal", At: s.now.Add(3 * time.Second)}})
	s.attempt("2.1", 2, "primary").work(800, "2.1", 2, "", modified("server/server.go")).accept("2.1", "primary")
	s.add(20, "3.1", 0, &history.StepSkipped{Why: "somebody else writes it", By: "terminal"})
	return s.end(history.Partial, "step 3.1 was skipped")
}

// breach ends with a step that changed a file that it had not declared.
func breach(t testing.TB) *story {
	s := firstTask(begin(t, limiter()))
	s.start("2.1", "primary").work(900, "2.1", 1, "wired\n", modified("internal/auth/token.go"), modified("server/server.go")).
		gates("2.1", 1, refused("non-goals", gate.During, token()))
	s.fail("2.1", 1, history.Breach, "it changed a file that it did not declare",
		gate.Finding{Code: "artifact-extra", Path: "internal/auth/token.go", Message: "modified, but not declared",
			Expected: "no change", Happened: "modified"}, token())
	s.add(5, "2.1", 0, &history.StepFailed{Class: history.Breach, Reasons: []string{"it changed a file that it did not declare"}, Halts: true})
	s.add(5, "3.1", 0, &history.StepBlocked{By: "2.1", Why: "step 2.1 is critical and failed"})
	return s.end(history.NotAchieved, "step 2.1 failed")
}

// turnedAway ends because a step may not begin.
func turnedAway(t testing.TB) *story {
	s := begin(t, limiter())
	finding := gate.Finding{Code: "precondition", Path: "server/server.go", Message: "the file is not there",
		Expected: "server/server.go", Happened: "no such file"}
	s.add(40, "1.1", 0, &history.StepStarted{Checkpoint: snapshot("before 1.1"), Decision: "proceed",
		Strategy: plan.HaltOnCritical})
	s.add(15, "1.1", 0, &history.Judged{refused("preconditions", gate.Before, finding)})
	s.add(5, "1.1", 0, &history.AttemptFailed{Class: history.Refused, Reasons: []string{"gate preconditions said no"},
		Findings: []gate.Finding{finding}})
	s.add(5, "1.1", 0, &history.StepFailed{Class: history.Refused, Reasons: []string{"gate preconditions said no"},
		Halts: true})
	return s.end(history.NotAchieved, "step 1.1 failed and halted the run")
}

func token() gate.Finding {
	return gate.Finding{Code: "non-goal", Path: "internal/auth/token.go", Line: 12, Message: "non-goal N1 protects it: do not modify auth"}
}

func waiting(t testing.TB) *story {
	s := firstTask(begin(t, limiter()))
	s.start("2.1", "primary").work(900, "2.1", 1, "no such file\n").fail("2.1", 1, history.Crashed, "exit status 1")
	s.add(5, "2.1", 1, &history.Asked{Question: question(s, "2.1", 1)})
	return s.add(100, "", 0, &history.Paused{Why: "waiting"})
}

func inFlight(t testing.TB) *story {
	s := firstTask(begin(t, limiter()))
	return s.start("2.1", "primary").add(2000, "2.1", 1, &history.Judged{passed("syntax", gate.During)})
}

func setBack(t testing.TB) *story {
	s := firstTask(begin(t, limiter()))
	s.start("2.1", "primary").fail("2.1", 1, history.Crashed, "exit status 1")
	s.add(1000, "1.2", 0, &history.RolledBack{To: "1.2", Snapshot: snapshot("before 1.2"), By: "terminal"})
	s.add(0, "", 0, &history.Resumed{Reason: "rollback"})
	s.add(40, "1.2", 0, &history.StepStarted{Checkpoint: snapshot("before 1.2"), Decision: "proceed",
		Strategy: plan.HaltOnCritical})
	return s.attempt("1.2", 2, "primary").work(800, "1.2", 2, "ok", created("server/limit.go"),
		modified("go.mod")).accept("1.2", "primary")
}

// inLanes has three steps at once: one was joined, the work of one did not hold
// then, and one waits.
func inLanes(t testing.TB) *story {
	s := begin(t, limiter())
	at := []plan.Address{"1.1", "2.1", "3.1"}
	for _, a := range at {
		s.add(40, a, 0, &history.StepStarted{Checkpoint: snapshot("base"), Decision: "proceed",
			Strategy: plan.HaltOnCritical})
	}
	s.add(1, "", 0, &history.GroupBegun{Steps: at})
	for _, a := range at {
		s.add(0, a, 1, &history.AttemptStarted{Method: "primary", Text: "the primary way", Executor: "shell"})
	}
	s.work(900, "1.1", 1, "ok\n", created("server/limit_test.go")).
		add(0, "1.1", 1, &history.Joined{Onto: snapshot("base")}).accept("1.1", "primary")
	s.work(300, "2.1", 1, "", modified("server/server.go")).
		add(0, "2.1", 1, &history.Joined{Onto: snapshot("after 1.1")}).
		add(0, "2.1", 1, &history.JoinFailed{With: []plan.Address{"1.1"}})
	return s.fail("2.1", 1, history.GateFailed, "it does not build on what step 1.1 did")
}

// parked is how that goes on: the last one is joined, and somebody is asked
// about the one that did not hold alone either.
func parked(t testing.TB) *story {
	s := inLanes(t).work(400, "3.1", 1, "", modified("README.md")).
		add(0, "3.1", 1, &history.Joined{Onto: snapshot("after 1.1")}).accept("3.1", "primary")
	s.add(40, "2.1", 0, &history.StepStarted{Checkpoint: snapshot("after 3.1"), Decision: "proceed",
		Strategy: plan.HaltOnCritical}).attempt("2.1", 2, "primary")
	s.work(300, "2.1", 2, "", modified("server/server.go")).fail("2.1", 2, history.GateFailed, "it does not build")
	return s.add(5, "2.1", 2, &history.Asked{Question: question(s, "2.1", 2)})
}

// observing records what nobody declared.
func observing(t testing.TB) *story {
	p := limiter()
	p.Profile = plan.Observe
	p.Tasks[0].Steps[0].Artifacts = nil
	s := firstTask(begin(t, p))
	s.start("2.1", "primary").work(900, "2.1", 1, "", created("server/\"odd\"\n.go"),
		modified("server/server.go")).accept("2.1", "primary")
	s.start("3.1", "primary").work(300, "3.1", 1, "", modified("README.md")).accept("3.1", "primary")
	return s.end(history.Achieved)
}

// advised has everything that advisors, reviewers and people say.
func advised(t testing.TB) *story {
	p := limiter()
	p.Meta.Extra = []plan.Setting{{Key: "pattern_confidence", Value: plan.Value{Kind: "string", Text: "MEDIUM"}},
		{Key: "pattern_name", Value: plan.Value{Kind: "string", Text: "token bucket"}}}
	s := begin(t, p, func(f *history.Started) {
		f.ModeBy = "accepted"
		f.Tools = []history.Tool{{Name: "github", Need: "required", Status: "verified"}, {Name: "playwright", Need: "recommended", Status: "missing", Why: "not configured"},
			{Name: "notion", Need: "optional", Status: "listed"}}
	})
	for _, task := range []string{"1", "2", "3"} {
		s.add(1, "", 0, &history.Compliance{Task: task, Critical: 1, Total: 1, Checked: []string{"IV", "VI"},
			Violated: []history.Violation{{Article: "VI", Severity: "warning", Why: "all 2 steps are critical",
				Action: "mark one as not critical"}}})
	}
	s.add(1, "1.1", 0, &history.Advised{Kind: "feasibility", Point: "task", Advisor: "feasibility", Confidence: 1,
		Alternatives: []history.Approach{{Name: "sliding window", Description: "sliding window: it is smaller", Confidence: 0.82, Source: "https://example.org/window"}}})
	s.start("1.1", "primary").add(1, "1.1", 1, &history.Advised{Kind: "research", Point: "task",
		Advisor: "researcher", Confidence: 0.5,
		Queries: []string{"limiter"}, Sources: []string{"server/server.go"}, Findings: []string{"server/server.go:3: type Server"}, Cost: history.AdviceCost{Took: 1500 * time.Millisecond, Calls: 2, Tokens: 90}})
	s.work(700, "1.1", 1, "ok\n", created("server/limit_test.go")).accept("1.1", "primary")
	s.start("1.2", "primary").work(1200, "1.2", 1, "out of memory\n").fail("1.2", 1, history.Crashed, "out of memory")
	s.add(5, "1.2", 1, &history.Advised{Kind: "reflection", Point: "execution", Rung: "reflect", Advisor: "reflector",
		Attempt: 1, RootCause: "out of memory",
		Note: "out of memory, with a certainty of 0.90", Confidence: 0.9, Severity: 0.8, Risk: 0.1, Signals: []string{"out of memory"}, Patch: "patch_1"})
	s.add(1, "1.2", 1, &history.Patched{ID: "patch_1", Attempt: "1.2#1", Kind: "reflection", Point: "execution", Base: "primary",
		Summary: "less at a time", Checksum: digest("patch"), Diff: "-16\n+8\n", Confidence: 0.9})
	s.add(1, "1.2", 1, &history.Recovery{Rung: "reflect", Method: "patch_1", Why: "reflection 1 of 2", Repeats: 1})
	s.attempt("1.2", 2, "patch_1").work(1100, "1.2", 2, "PASS\n", created("server/limit.go"),
		modified("go.mod")).accept("1.2", "patch_1")
	s.add(2, "1.2", 0, &history.Lesson{Question: "q0", Recommended: "primary", Chosen: "primary", Used: "patch_1",
		Result: "it passed with half of it",
		Lesson: "half is enough", Others: []history.LessonOther{{Method: "backup_1", Would: "have asked somebody"}},
		Status: history.Completed})
	s.start("2.1", "primary").work(100, "2.1", 1, "").fail("2.1", 1, history.Crashed, "exit status 1")
	s.add(1, "2.1", 0, &history.StepFailed{Class: history.Crashed, Reasons: []string{"exit status 1"}})
	s.add(1, "3.1", 0, &history.StepBlocked{By: "2.1", Why: "it needs 2.1"})
	s.add(1, "", 0, &history.Evidence{Task: "1", Kind: "documentation", Pass: true})
	s.add(1, "", 0, &history.TaskOutcome{Task: "1", Status: history.Completed, Reason: "its evidence was found",
		Execution: "RETRY_SUCCEEDED", Attempts: 3})
	s.add(1, "", 0, &history.TaskOutcome{Task: "2", Status: history.FailedFinal, Reason: "nothing is left to try",
		Execution: "RETRY_FAILED", Attempts: 1})
	return s.end(history.Partial, "step 2.1 failed")
}

// reviewed has two reviewers: one task is approved once it was patched, another
// one is rejected for good.
func reviewed(t testing.TB) *story {
	p := limiter()
	p.Tasks[0].Priority, p.Tasks[1].Priority = "low", "high"
	p.Tasks[1].AcceptanceCriteria, p.Tasks[1].DependsOn = []string{"each request is counted"}, nil
	s := begin(t, p, func(f *history.Started) {
		f.Preset = "reflective"
		f.Roles = history.Roles{Reviewers: []string{"ops", "quality"}, Executors: []string{"", "scribe"},
			Advisors: []string{"reflection"}, Gates: []string{"limits", "work-review-looks"}, Deaf: []string{""}}
		f.Envelope.Components = append(f.Envelope.Components,
			envelope.Component{Name: "agent:reviewer ops", Digest: digest("ops"), Text: "2.1"},
			envelope.Component{Name: "agent:advisor reflection", Digest: digest("reflection"), Text: "memory 12ab"},
			envelope.Component{Name: "agent:memory", Digest: digest("memory"), Text: "hints: 3"},
			envelope.Component{Name: "model writer", Digest: digest("writer")},
			envelope.Component{Name: "isolation", Digest: digest("isolation"), Text: "filesystem"})
	})
	job := review.Job{ID: "base", Entry: "run.py", Args: `{"batch_size":16}`, Artifacts: []string{"base.json"}}
	yes := review.Review{Reviewer: "ops", Verdict: "APPROVE", Jobs: []review.Job{job}, Warnings: []string{"it is slow"},
		Checks: []review.Check{{Name: "requirements_passed", Value: "true"}, {Name: "requirements_passed", Value: "false"}}}
	no := review.Review{Reviewer: "quality", Verdict: "REJECT", Critical: []string{"no test"}}
	s.add(3, "", 0, &history.Approval{Task: "2", Status: history.Rejected, Attempt: "2/approval#1",
		Reviews: []review.Review{yes, no}, Reasons: []string{"quality: critical: no test"}})
	s.add(1, "2.1", 0, &history.Advised{Kind: "reflection", Point: "approval", Advisor: "reflector", Note: "unknown"})
	s.add(1, "", 0, &history.Approval{Task: "2", Status: history.FailedRetry, Attempt: "2/approval#2",
		Reasons: []string{"quality: critical: no test"}, Terminal: "the confidence of the advice is 0.20, and 0.70 is needed"})
	s.add(1, "2.1", 0, &history.StepSkipped{By: "the reviewers", Why: "task 2 is failed_retry"})
	s.add(1, "", 0, &history.Approval{Task: "1", Status: history.Rejected, Attempt: "1/approval#1",
		Reviews: []review.Review{yes, {Reviewer: "quality", Error: "the answer is no JSON object"}}})
	s.add(1, "1.1", 0, &history.Advised{Kind: "reflection", Point: "approval", Advisor: "reflector", Note: "less at a time",
		Confidence: 0.9, Patch: "patch_1"})
	s.add(1, "1.1", 0, &history.Patched{ID: "patch_1", Attempt: "1.1#0", Kind: "reflection", Point: "approval", Base: "primary",
		Summary: "less at a time", Checksum: digest("patch"), Diff: "-16\n+8\n", Confidence: 0.9,
		Method: history.PatchedMethod{Run: "write --batch 8", Executor: "scribe"}})
	long := review.Review{Reviewer: "quality", Verdict: "APPROVE", Checks: []review.Check{{Name: "cut", Value: `{"a": "…`}},
		Faults: nil}
	s.add(1, "", 0, &history.Approval{Task: "1", Status: history.ApprovedRetry, Attempt: "1/approval#2", Retry: 1,
		Step: "1.1", Patch: "patch_1", Jobs: []review.Job{job}, Reviews: []review.Review{yes, long}})
	s.start("1.1", "patch_1").work(700, "1.1", 1, "ok\n", created("server/limit_test.go"))
	s.gates("1.1", 1, passed("work-review-looks", gate.After)).accept("1.1", "patch_1")
	s.start("1.2", "primary").work(90, "1.2", 1, "").fail("1.2", 1, history.Crashed, "exit status 1")
	s.add(1, "1.2", 0, &history.StepFailed{Class: history.Crashed, Reasons: []string{"exit status 1"}})
	return s.end(history.NotAchieved, "critical step 1.2 failed")
}

// handedOver stops because its tokens are used up.
func handedOver(t testing.TB) *story {
	s := begin(t, limiter())
	s.add(1, "", 0, &history.StrategySet{Strategy: history.Orchestrated, Complexity: 4, Source: "plan", Why: "complexity 4",
		Phases: []history.Phase{{Name: "core", Steps: []plan.Address{"1.1", "1.2"}},
			{Name: "papers", Steps: []plan.Address{"2.1", "3.1"}}}})
	firstTask(s)
	s.add(1, "", 0, &history.PhaseOver{Phase: "core", Number: 1, Of: 2, Completed: 2, Checkpoint: snapshot("core")})
	s.add(1, "", 0, &history.Budget{Used: 70, Limit: 100, Total: 70, Session: 1})
	s.add(1, "", 0, &history.Budget{Handoff: true, Used: 80, Limit: 100, Total: 80, Session: 1, Next: "2.1"})
	return s.add(1, "", 0, &history.Paused{Why: "handoff"})
}

// nasty tries to be a tag, a heading, a table, a link, a fence, a colour, a
// rule and the other way round.
const nasty = "# <script>alert(1)</script> | `x` ```\n---\n## Next\n[a](javascript:b) ![i](http://x/y.png) \x1b[31m\u202eevil\x00\u009b2J *b* _i_ &amp; www.x.org \"q\": 'r' \\"

func hostile(t testing.TB) *story { return tellHostile(t, nasty) }

// tellHostile puts the words wherever a stranger's words can stand.
func tellHostile(t testing.TB, nasty string) *story {
	p := limiter()
	p.Meta.Name = "../" + nasty
	p.Goal = nasty
	p.Tasks[1].Title, p.Tasks[1].Steps[0].Description = nasty, nasty
	bad := "dir/" + strings.ReplaceAll(nasty, "\x00", "")
	s := firstTask(begin(t, p, func(f *history.Started) {
		f.Warnings, f.Acknowledged = []string{nasty},
			[]string{nasty}
	}))
	finding := gate.Finding{Code: nasty, Path: bad, Line: 7, Message: nasty, Expected: nasty, Happened: nasty}
	s.start("2.1", nasty).work(900, "2.1", 1, strings.Repeat(nasty+"\n", 3), modified(bad), created("odd/\xff")).gates("2.1", 1, refused(nasty, gate.During, finding))
	s.fail("2.1", 1, history.Class(nasty), nasty, finding)
	s.add(5, "2.1", 1, &history.Advised{Kind: nasty, Point: nasty, Advisor: nasty, Attempt: 1, RootCause: nasty,
		Note: nasty, Signals: []string{nasty},
		Queries: []string{nasty}, Sources: []string{nasty}, Findings: []string{nasty}, Error: nasty,
		Alternatives: []history.Approach{{Description: nasty, Source: nasty}}})
	s.add(5, "", 0, &history.Compliance{Task: "3",
		Violated: []history.Violation{{Article: nasty, Severity: nasty, Why: nasty, Action: nasty}}})
	s.add(5, "2.1", 0, &history.Lesson{Recommended: nasty, Chosen: nasty, Used: nasty, Result: nasty, Lesson: nasty,
		Others: []history.LessonOther{{Method: nasty, Would: nasty}}})
	s.add(5, "", 0, &history.TaskOutcome{Task: "2", Status: history.StepStatus(nasty), Reason: nasty,
		Runs: []string{nasty}, Artifacts: []string{nasty}})
	q := question(s, "2.1", 1)
	q.ID, q.What, q.Why, q.Evidence = nasty, nasty, nasty, []string{nasty}
	q.Choices = []ask.Choice{{Key: nasty, Label: nasty, Consequence: nasty, Acknowledge: nasty}}
	s.add(5, "2.1", 1, &history.Asked{Question: q})
	s.add(5, "2.1", 1, &history.Answered{Answer: ask.Answer{Question: nasty, Choice: nasty, By: nasty, Reason: nasty,
		At: s.now}})
	s.add(5, "2.1", 0, &history.StepFailed{Class: history.Class(nasty), Reasons: []string{nasty}})
	s.add(5, "3.1", 0, &history.StepBlocked{By: "2.1", Why: nasty})
	return s.end(history.NotAchieved, nasty)
}
