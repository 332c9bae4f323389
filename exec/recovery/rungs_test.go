package recovery_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/plan"
)

// used is a step's history after a number of attempts and uses of rungs, oldest
// first, each a rung's name or "rung method".
func used(uses ...string) *history.Step {
	s := &history.Step{Outline: history.Outline{Address: "1.1", Task: "1"}}
	method := recovery.Primary
	attempt := func() {
		s.Attempts = append(s.Attempts, &history.Attempt{Number: len(s.Attempts) + 1,
			Method: history.AttemptStarted{Method: method}})
	}
	attempt()
	for _, use := range uses {
		rung, m, named := strings.Cut(use, " ")
		if named {
			method = m
		}
		s.Recoveries = append(s.Recoveries, history.Recovery{Rung: rung, Method: method})
		attempt()
	}
	return s
}

func times(n int, use string) []string { return slices.Repeat([]string{use}, n) }

var crash = &history.AttemptFailed{Class: history.Crashed}

func open() *plan.Step { return &plan.Step{} } // says nothing about failures

// try is what a rung says: a method, "ask", "advice KIND at POINT", or "pass:
// WHY".
func try(r recovery.Rung, s recovery.Situation) string {
	next, ok := r.Try(s)
	switch {
	case !ok:
		return "pass: " + next.Why
	case next.Advise != "":
		return "advice " + string(next.Advise) + " at " + string(next.Point)
	case next.Ask:
		return "ask"
	}
	return next.Method
}

// TestLimitsOfRungs fails if a limit is moved by one: each row is the last use
// that is allowed, and the first that is not.
func TestLimitsOfRungs(t *testing.T) {
	three := recovery.Retry{Times: 3, Approaches: true}
	pivots := func(n int) []string {
		var uses []string
		for i := range n {
			uses = append(uses, "pivot patch_"+string(rune('1'+i)))
		}
		return uses
	}
	tests := []struct {
		name string
		rung recovery.Rung
		uses []string
		want string
	}{
		{"retry 3 of 3", three, times(2, "retry"), "primary"},
		{"no retry 4", three, times(3, "retry"), "pass: 3 of 3 retries are used"},
		{"a pivot gives retries back", three, append(times(3, "retry"), "pivot patch_1"), "patch_1"},
		{"and no more than three", three, append(append(times(3, "retry"), "pivot patch_1"), times(3, "retry")...), "pass: 3 of 3 retries are used"},
		{"research gives retries back", three, append(times(3, "retry"), "research patch_1"), "patch_1"},
		{"a backup is another approach", three, append(times(3, "retry"), "backup backup_1"), "backup_1"},
		{"a person gives none back", three, append(times(3, "retry"), "ask primary"), "pass: 3 of 3 retries are used"},
		{"a reflection gives none back", three, append(times(3, "retry"), "reflect patch_1"), "pass: 3 of 3 retries are used"},
		{"feedback round 3 of 3", recovery.Feedback{}, times(1, "feedback"), "primary"},
		{"no feedback round 4", recovery.Feedback{}, times(2, "feedback"), "pass: 3 of 3 rounds are used"},
		{"pivot 3 of 3", recovery.Pivot{}, pivots(2), "advice pivot at execution"},
		{"no pivot 4", recovery.Pivot{}, pivots(3), "pass: 3 of 3 uses are gone"},
		{"research gives pivots back", recovery.Pivot{}, append(pivots(3), "research patch_4"), "advice pivot at execution"},
		{"research 2 of 2", recovery.Research{}, []string{"research patch_1"}, "advice research at execution"},
		{"no research 3", recovery.Research{}, []string{"research patch_1", "pivot patch_2", "research patch_3"}, "pass: 2 of 2 uses are gone"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := try(tt.rung,
				recovery.Situation{Step: open(), History: used(tt.uses...), Failure: crash}); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// advised is a step's history after one attempt and a piece of advice about it.
func advised(a history.Advised, p history.Patched) *history.Step {
	s := used()
	s.Advised, s.Patches = []history.Advised{a}, []history.Patched{p}
	return s
}

func TestReflectNeedsConfidence(t *testing.T) {
	patch := history.Patched{ID: "patch_1", Summary: "less at a time"}
	refused := patch
	refused.Refused, refused.Why = true, []string{"the command would reach for \"sudo\""}
	tests := []struct {
		name   string
		advice history.Advised
		patch  history.Patched
		want   string
	}{
		{"0.70 is enough", history.Advised{Confidence: 0.70, Patch: "patch_1"}, patch, "patch_1"},
		{"0.69 is not", history.Advised{Confidence: 0.69, Patch: "patch_1"}, patch, "pass: the advisor's confidence is 0.69, and 0.70 is needed"},
		{"no patch", history.Advised{Confidence: 1}, patch, "pass: there is no patch: the advice changes nothing that can be tried"},
		{"no patch goes first", history.Advised{Confidence: 0.69}, patch,
			"pass: there is no patch: the advice changes nothing that can be tried, and its confidence is 0.69, where 0.70 is needed"},
		{"no advice", history.Advised{Error: "advice: nothing to say"}, patch,
			"pass: no advice: advice: nothing to say"},
		{"a patch that would widen", history.Advised{Confidence: 1, Patch: "patch_1"}, refused, "pass: patch_1 is refused: the command would reach for \"sudo\""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.advice.Kind, tt.advice.Point = "reflection", "execution"
			s := recovery.Situation{Step: open(), History: advised(tt.advice, tt.patch), Failure: crash}
			if got := try(recovery.Reflect{}, s); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestReflectTwiceAtEachPoint uses every point up, and looks at the others.
func TestReflectTwiceAtEachPoint(t *testing.T) {
	failures := map[advice.Point]*history.AttemptFailed{
		advice.Approval:     {Class: history.Refused},
		advice.Execution:    {Class: history.Crashed},
		advice.Verification: {Class: history.MissingEvidence},
	}
	for full := range failures {
		for point, failure := range failures {
			for n := 1; n <= 2; n++ {
				s := used()
				for i := range n {
					id := "patch_" + string(rune('1'+i))
					s.Patches = append(s.Patches, history.Patched{ID: id, Point: string(full)})
					s.Recoveries = append(s.Recoveries, history.Recovery{Rung: "reflect", Method: id})
				}
				want := "advice reflection at " + string(point)
				if point == full && n == 2 {
					want = "pass: 2 of 2 uses are gone at " + string(point)
				}
				if got := try(recovery.Reflect{},
					recovery.Situation{Step: open(), History: s, Failure: failure}); got != want {
					t.Errorf("%d at %s, then %s: got %q, want %q", n, full, point, got, want)
				}
			}
		}
	}
}

func TestWhatThePlanSaysComesFirst(t *testing.T) {
	rungs := []recovery.Rung{recovery.Retry{Times: 3}, recovery.Feedback{}, recovery.Reflect{}, recovery.Pivot{},
		recovery.Research{}}
	for _, r := range rungs {
		for name, s := range map[string]recovery.Situation{
			"block":        {Step: &plan.Step{OnFailure: plan.Block}},
			"ask":          {Step: &plan.Step{OnFailure: plan.Ask}},
			"irreversible": {Step: &plan.Step{Rollback: plan.Irreversible}},
			"stateful":     {Step: &plan.Step{}, Stateful: true},
			"the machine would not": {Step: &plan.Step{},
				Failure: &history.AttemptFailed{Class: history.NoSpace}},
			"a class that nobody knows": {Step: &plan.Step{}, Failure: &history.AttemptFailed{Class: "strange"}},
			"something is never restored": {Step: &plan.Step{},
				Failure: &history.AttemptFailed{Class: history.Unrestorable}},
			"what the run depends on went": {Step: &plan.Step{}, Failure: &history.AttemptFailed{Class: history.Moved}},
		} {
			s.History = used()
			if s.Failure == nil {
				s.Failure = crash
			}
			if got := try(r, s); !strings.HasPrefix(got, "pass") {
				t.Errorf("%s, %s: got %q, want that it passes", r.Name(), name, got)
			}
		}
	}
}

func TestMaxRetriesLimitsRounds(t *testing.T) {
	step := &plan.Step{OnFailure: plan.Retry, MaxRetries: number(1)}
	if got := try(recovery.Feedback{}, recovery.Situation{Step: step, History: used(), Failure: crash}); got != "primary" {
		t.Errorf("round 2: got %q", got)
	}
	if got := try(recovery.Feedback{}, recovery.Situation{Step: step, History: used("feedback"),
		Failure: crash}); got != "pass: 2 of 2 rounds are used" {
		t.Errorf("round 3: got %q", got)
	}
}

// TestUndeclaredFilesAreForAPerson sends nothing back of which the only fault are
// files that nobody declared, where somebody is there to decide; what else is wrong
// is the builder's to mend.
func TestUndeclaredFilesAreForAPerson(t *testing.T) {
	extra, missing := gate.Finding{Code: code.ArtifactExtra}, gate.Finding{Code: code.ArtifactMissing}
	attended := &history.Run{Roles: history.Roles{Escalator: true}}
	for _, tt := range []struct {
		findings []gate.Finding
		run      *history.Run
		want     string
	}{
		{[]gate.Finding{extra, extra}, attended, "pass: it changed what nobody declared, and a person decides about that"},
		{[]gate.Finding{extra, extra}, nil, "pass: it changed what nobody declared, and a person decides about that"},
		{[]gate.Finding{extra, extra}, &history.Run{}, "primary"},
		{[]gate.Finding{extra, extra}, &history.Run{Roles: history.Roles{Escalator: true, Refuses: true}}, "primary"},
		{[]gate.Finding{extra, missing}, attended, "primary"},
		{nil, attended, "primary"},
	} {
		breach := &history.AttemptFailed{Class: history.Breach, Findings: tt.findings}
		got := try(recovery.Feedback{}, recovery.Situation{Step: open(), History: used(), Failure: breach, Run: tt.run})
		if got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.findings, got, tt.want)
		}
	}
}

// TestResearchIsCountedOverTheTask counts what an earlier step of the task
// used.
func TestResearchIsCountedOverTheTask(t *testing.T) {
	run := begunRun(t, "1.1", "1.2", "2.1")
	run.Step("1.1").Recoveries = []history.Recovery{{Rung: "research"}, {Rung: "research"}}
	for address, want := range map[plan.Address]string{"1.2": "pass: 2 of 2 uses are gone", "2.1": "advice research at execution"} {
		s := recovery.Situation{Step: open(), History: run.Step(address), Failure: crash, Run: run}
		if got := try(recovery.Research{}, s); got != want {
			t.Errorf("%s: got %q, want %q", address, got, want)
		}
	}
}

func TestTriggerConditions(t *testing.T) {
	timeout := &history.AttemptFailed{Class: history.TimedOut, Cause: gate.Dependency}
	tests := []struct {
		condition string
		failure   *history.AttemptFailed
		uses      []string
		want      bool
	}{
		{"", crash, nil, true},
		{"primary_failure", crash, nil, true},
		{"the first way fails", crash, nil, true},
		{"timed-out", timeout, nil, true},
		{"timed_out", timeout, nil, true},
		{"timed-out", crash, nil, false},
		{"dependency", timeout, nil, true},
		{"model-stall", timeout, nil, false},
		{"Out-Of-Memory", &history.AttemptFailed{Class: history.OutOfMemory}, nil, true},
		{"backup_1_failure", crash, nil, false},
		{"backup_1_failure", crash, []string{"backup backup_1"}, true},
	}
	for _, tt := range tests {
		s := recovery.Situation{Step: open(), History: used(tt.uses...), Failure: tt.failure}
		if got := recovery.TriggeredInTest(plan.Backup{ID: "2", TriggerCondition: tt.condition}, s); got != tt.want {
			t.Errorf("%q after %s %q: got %v", tt.condition, tt.failure.Class, tt.uses, got)
		}
	}
}

func TestBackupsWaitForTheirCondition(t *testing.T) {
	step := &plan.Step{Backups: []plan.Backup{{ID: "1", TriggerCondition: "out_of_memory"}, {ID: "2"}}}
	for _, tt := range []struct {
		failure *history.AttemptFailed
		uses    []string
		want    string
	}{
		{crash, nil, "backup_2"},
		{&history.AttemptFailed{Class: history.OutOfMemory}, nil, "backup_1"},
		{crash, []string{"backup backup_2"}, `pass: backup_1 is for "out_of_memory"`},
		{&history.AttemptFailed{Class: history.OutOfMemory}, []string{"backup backup_2"}, "backup_1"},
		{crash, []string{"backup backup_2", "backup backup_1"}, "pass: all 2 backups were tried"},
	} {
		s := recovery.Situation{Step: step, History: used(tt.uses...), Failure: tt.failure}
		if got := try(recovery.Backup{}, s); got != tt.want {
			t.Errorf("%s after %q: got %q, want %q", tt.failure.Class, tt.uses, got, tt.want)
		}
	}
}

// TestBackupsAfterAPersonsChoice: a person may begin with any method; each other
// one is tried once, those of the plan in their order.
func TestBackupsAfterAPersonsChoice(t *testing.T) {
	step := &plan.Step{Backups: []plan.Backup{{ID: "1"}, {ID: "2"}}}
	began := func(with string, uses ...string) *history.Step {
		s := used(uses...)
		s.Attempts[0].Method.Method = with
		return s
	}
	for _, tt := range []struct {
		history *history.Step
		want    string
	}{
		{began("backup_1"), "primary"},
		{began("backup_1", "backup primary"), "backup_2"},
		{began("backup_1", "backup primary", "backup backup_2"), "pass: all 2 backups were tried"},
		{began("backup_2", "backup primary"), "backup_1"},
		{began("primary"), "backup_1"},
	} {
		s := recovery.Situation{Step: step, History: tt.history, Failure: crash}
		if got := try(recovery.Backup{}, s); got != tt.want {
			t.Errorf("%s and %v: got %q, want %q", tt.history.Attempts[0].Method.Method, tt.history.Recoveries, got, tt.want)
		}
	}
}

// TestClasses says of every class what may follow it. No two rows are for the
// same.
func TestClasses(t *testing.T) {
	want := map[string]string{ // retry, other method, wait
		"timed-out resources": "row", "timed-out dependency": "row", "timed-out deadlock": "-o-", "timed-out model-stall": "-o-", "timed-out": "-o-",
		"refused": "---", "breach": "ro-", "gate-failed": "ro-", "schema-mismatch": "ro-", "missing-evidence": "ro-", "crashed": "ro-",
		"out-of-memory": "-o-", "exhausted": "-o-", "context-exhausted": "-o-", "declined": "-o-", "lost": "ro-", "met": "ro-", "undecided": "---", "no-space": "---", "moved": "---", "nondeterministic": "---",
		"unrestorable": "---", "interrupted": "---", "over-budget": "---", "not-served": "--w",
	}
	for _, c := range recovery.Classes() {
		name := strings.TrimSpace(string(c.Class) + " " + string(c.Cause))
		got := flag(c.Retry, "r") + flag(c.Other, "o") + flag(c.Wait, "w")
		if want[name] != got {
			t.Errorf("%s: got %q, want %q", name, got, want[name])
		}
		delete(want, name)
		if c.Means == "" {
			t.Errorf("%s has no meaning", name)
		}
		if found := recovery.ClassOfInTest(&history.AttemptFailed{Class: c.Class, Cause: c.Cause}); found != c {
			t.Errorf("%s is found as %+v", name, found)
		}
	}
	for name := range want {
		t.Errorf("%s is not in the table", name)
	}
}

func flag(b bool, letter string) string {
	if b {
		return letter
	}
	return "-"
}

func TestBackoff(t *testing.T) {
	b := recovery.Backoff{First: time.Second, Most: 4 * time.Second}
	for n, whole := range []time.Duration{0: 0, 1: time.Second, 2: 2 * time.Second, 3: 4 * time.Second,
		4: 4 * time.Second, 100: 4 * time.Second} {
		if n == 0 || whole == 0 {
			continue
		}
		seen := map[time.Duration]bool{}
		for _, seed := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
			got := b.Delay(seed, n)
			if got < whole/2 || got > whole {
				t.Errorf("retry %d: %s is not between %s and %s", n, got, whole/2, whole)
			}
			if again := b.Delay(seed, n); again != got {
				t.Errorf("retry %d: %s, and then %s", n, got, again)
			}
			seen[got] = true
		}
		if len(seen) < 7 {
			t.Errorf("retry %d: only %d of 8 runs wait differently", n, len(seen))
		}
	}
	open, minute := recovery.Backoff{First: time.Hour}, recovery.Backoff{First: time.Hour, Most: time.Minute}
	if got, want := open.Delay("a", 9), minute.Delay("a", 9); got != want || got > time.Minute || got < 30*time.Second {
		t.Errorf("without a limit it waits %s, want as with one of a minute, %s", got, want)
	}
	if got := (recovery.Backoff{}).Delay("a", 3); got != 0 {
		t.Errorf("the zero value waits %s", got)
	}
}

// TestBackoffWhereTimeMends waits where time alone may mend the failure, or
// always.
func TestBackoffWhereTimeMends(t *testing.T) {
	run := begunRun(t, "1.1")
	busy := &history.AttemptFailed{Class: history.TimedOut, Cause: gate.Resources}
	for _, tt := range []struct {
		always  bool
		failure *history.AttemptFailed
		waits   bool
	}{{false, busy, true}, {false, crash, false}, {true, crash, true}} {
		r := recovery.Retry{Times: 1, Backoff: recovery.Backoff{First: time.Second, Always: tt.always}}
		next, ok := r.Try(recovery.Situation{Step: open(), History: run.Step("1.1"), Failure: tt.failure, Run: run})
		if !ok || (next.After > 0) != tt.waits {
			t.Errorf("always %v, %s: waits %s", tt.always, tt.failure.Class, next.After)
		}
	}
}

// TestEachCauseOfATimeoutHasItsOwnWay: what ran out is tried once more, what did
// not answer as often as is allowed, what stood still another way, and a model
// that did not answer by another than that.
func TestEachCauseOfATimeoutHasItsOwnWay(t *testing.T) {
	const prompt = "do it otherwise"
	asks := &plan.Step{Backups: []plan.Backup{{ID: "1", Prompt: prompt}, {ID: "2", Prompt: prompt, Executor: "other"}}}
	retries, ways := recovery.Retry{Times: 2}, recovery.Backup{}
	for _, tt := range []struct {
		cause gate.Cause
		rung  recovery.Rung
		step  *plan.Step
		uses  []string
		want  string
	}{
		{gate.Resources, retries, open(), nil, "primary"},
		{gate.Resources, retries, open(), times(1, "retry"), "pass: 1 of 1 retries are used"},
		{gate.Dependency, retries, open(), times(1, "retry"), "primary"},
		{gate.Dependency, ways, asks, nil, "backup_1"},
		{gate.Deadlock, retries, open(), nil, "pass: the same method would meet it again: it did not end in time: it stood still, and would again"},
		{gate.Deadlock, ways, asks, nil, "backup_1"},
		{gate.ModelStall, retries, open(), nil, "pass: the same method would meet it again: it did not end in time: a model did not answer; another may"},
		{gate.ModelStall, ways, asks, nil, "backup_2"},
		{gate.ModelStall, ways, &plan.Step{Backups: asks.Backups[:1]}, nil, "pass: backup_1 asks the model that did not answer"},
		{gate.ModelStall, ways, &plan.Step{Backups: []plan.Backup{{ID: "1", Run: "make"}}}, nil, "backup_1"},
	} {
		s := recovery.Situation{Step: tt.step, History: used(tt.uses...),
			Failure: &history.AttemptFailed{Class: history.TimedOut, Cause: tt.cause}}
		s.History.Last().Failure = s.Failure
		if got := try(tt.rung, s); got != tt.want {
			t.Errorf("%s, %s: got %q, want %q", tt.cause, tt.rung.Name(), got, tt.want)
		}
	}
}

// TestAStalledModelIsNotAskedAfterAnother: that something else was tried since, or a
// command of its executor was late, is no answer of the model; that it answered is.
func TestAStalledModelIsNotAskedAfterAnother(t *testing.T) {
	step := &plan.Step{Executor: "agent", Backups: []plan.Backup{{ID: "1", Prompt: "otherwise"}, {ID: "2", Run: "make"}}}
	late := func(cause gate.Cause) *history.AttemptFailed {
		return &history.AttemptFailed{Class: history.TimedOut, Cause: cause}
	}
	const left = "pass: backup_1 asks the model that did not answer"
	for _, tt := range []struct {
		since    *history.AttemptFailed
		executor string
		want     string
	}{
		{crash, "shell", left}, {late(gate.Deadlock), "agent", left}, {crash, "agent", "backup_1"},
	} {
		s := recovery.Situation{Step: step, History: used("backup backup_2"), Failure: tt.since}
		first, last := s.History.Attempts[0], s.History.Last()
		first.Method.Executor, first.Failure = "agent", late(gate.ModelStall)
		last.Method.Executor, last.Failure = tt.executor, tt.since
		if got := try(recovery.Backup{}, s); got != tt.want {
			t.Errorf("%s by %s: got %q, want %q", tt.since.Class, tt.executor, got, tt.want)
		}
	}
}

func TestALadderSaysWhoPassed(t *testing.T) {
	ladder := recovery.Ladder{recovery.Retry{Times: 1}, recovery.Backup{}, recovery.Ask{}}
	next := ladder.Next(recovery.Situation{Step: open(), History: used("retry"), Failure: crash})
	if !next.Ask || len(next.Passed) != 1 || next.Passed[0].Rung != "retry" || next.Passed[0].Why != "1 of 1 retries are used" {
		t.Errorf("got %+v", next)
	}
}

func TestAskAlways(t *testing.T) {
	s := recovery.Situation{Step: &plan.Step{Critical: no()}, History: used(), Failure: crash}
	if got := try(recovery.Ask{}, s); got != "pass: " {
		t.Errorf("a step that is not critical: got %q", got)
	}
	if got := try(recovery.Ask{Always: true}, s); got != "ask" {
		t.Errorf("always: got %q", got)
	}
	// The mode may change while a question waits; that a step is critical does not.
	s = recovery.Situation{Step: &plan.Step{}, History: used(), Failure: crash, Mode: plan.Collaborative}
	if next, _ := (recovery.Ask{}).Try(s); next.Why != "the step is critical and nothing else is left to try" {
		t.Errorf("critical, in collaborative mode: %q", next.Why)
	}
	s.Step.Critical = no()
	if next, _ := (recovery.Ask{}).Try(s); next.Why != "mode collaborative asks about every failure" {
		t.Errorf("not critical, in collaborative mode: %q", next.Why)
	}
}
