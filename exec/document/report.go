package document

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/analysis"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// reportSchema names the shape of the JSON report.
const reportSchema = "planlock.report/1"

// A Model is what all documents of a run show, computed once from plan and
// history. Its fields and methods are for templates of documents; report.json
// is the model itself.
type Model struct {
	Schema       string           `json:"schema"`
	Run          string           `json:"run"`
	Name         string           `json:"name,omitempty"`
	Goal         string           `json:"goal"`
	Status       history.Status   `json:"status"`
	Reasons      []string         `json:"reasons"`
	Started      stamp            `json:"started"`
	Ended        stamp            `json:"ended"` // null while the run is not over
	Duration     span             `json:"duration_ms"`
	Profile      plan.Profile     `json:"profile"`
	Mode         plan.Mode        `json:"mode"` // now
	FirstMode    plan.Mode        `json:"mode_at_start"`
	Executor     string           `json:"executor,omitempty"`
	Version      string           `json:"planlock,omitempty"`
	Isolated     bool             `json:"isolated"`
	Shadow       bool             `json:"shadow,omitempty"` // a trial: nothing of it is moved into the workspace
	Delivered    ledger.Digest    `json:"delivered_tree,omitempty"`
	Resumed      int              `json:"resumed"`
	OwnStores    bool             `json:"own_stores,omitempty"` // of the host: the command does not find them
	Paused       string           `json:"paused,omitempty"`
	Counts       counts           `json:"counts"`
	Waiting      *question        `json:"waiting_for"` // null where no question is open
	Questions    []question       `json:"questions"`   // about the run as a whole
	Plan         boundPlan        `json:"plan"`
	Lock         boundLock        `json:"lock"`
	Envelope     boundEnvelope    `json:"envelope"`
	Base         tree             `json:"base_tree"`
	Tree         tree             `json:"tree"` // the one that the run left, or works on
	Git          []gitPart        `json:"git,omitempty"`
	Warnings     []string         `json:"warnings"`
	Planning     []judgement      `json:"planning_gates"`
	Tasks        []*task          `json:"tasks"`
	Files        []file           `json:"files"`
	Lines        lineCount        `json:"lines"`
	Final        []judgement      `json:"final_gates"`
	ModeSwitches []modeSwitch     `json:"mode_switches"`
	Switched     []strategySwitch `json:"strategy_switches,omitempty"`
	Groups       []group          `json:"groups,omitempty"` // of steps that ran at once
	From         *origin          `json:"from,omitempty"`   // the run that it finishes
	RolledBack   []rolledBack     `json:"rolled_back"`
	Commits      []committed      `json:"commits,omitempty"` // that the run made of its work
	Moves        []movesAccepted  `json:"moves_accepted,omitempty"`
	Amendments   []amended        `json:"amendments,omitempty"`
	Declarations []declaration    `json:"declarations,omitempty"` // of an observing run
	KPIs         kpis             `json:"kpis"`
	// of tasks that were reviewed, or whose evidence was looked for
	LastWords []lastWord                      `json:"task_outcomes,omitempty"`
	Approvals []approvalLine                  `json:"approvals,omitempty"` // in the order in which they were made
	Evidence  []lookedFor                     `json:"evidence,omitempty"`  // likewise
	steps     []*step                         // in the order of execution
	judged    map[*gate.Judgement][]judgement // what was described, while the model is built
	edges     [][2]string                     // tasks: the second depends on the first
	given     string                          // an answer that the journal does not know yet
	latest    stamp                           // the last time that is known
	analysis  *analysis.Analysis
	of        *history.Run
	plan      *plan.Plan
	earlier   Earlier        // nil: of other points of the run nothing is known
	since     *Model         // how the run stands since; nil: this is how
	speller   action.Speller // of the reader's program; nil: plain English
	compared  bool           // pages show the texts of what changed
}

// counts are the numbers of the run. Retries, backups and patches count
// attempts, those before a rollback included.
type counts struct {
	Tasks        int `json:"tasks"`
	TasksDone    int `json:"tasks_completed"`
	TasksFailed  int `json:"tasks_failed"`
	TasksSkipped int `json:"tasks_skipped"`
	TasksBlocked int `json:"tasks_blocked"`
	TasksPartly  int `json:"tasks_partial"`
	TasksRunning int `json:"tasks_running"`
	TasksPending int `json:"tasks_pending"`
	Steps        int `json:"steps"`
	Completed    int `json:"completed"`
	Carried      int `json:"carried"` // of those that are completed, and settled
	Failed       int `json:"failed"`
	Skipped      int `json:"skipped"`
	Blocked      int `json:"blocked"`
	Running      int `json:"running"`
	Pending      int `json:"pending"`
	Attempts     int `json:"attempts"`
	Retries      int `json:"retries"`
	Backups      int `json:"backups"`
	Patches      int `json:"patches"`
	Questions    int `json:"questions"`
	ModeSwitches int `json:"mode_switches"`
	RolledBack   int `json:"rolled_back"`
	Consecutive  int `json:"consecutive_failures"`

	Cost   dollars `json:"cost_usd,omitempty"`   // as far as somebody said
	Budget dollars `json:"budget_usd,omitempty"` // what the run may cost

	Repeated *repeats `json:"repeated,omitempty"` // of steps that are to do the same each time
	Bases    bases    `json:"bases"`              // of steps that are completed, or whose work was there already
}

// A boundPlan is the plan that the run was locked to: the digest of its
// meaning, where it is kept, and the files it was read from.
type boundPlan struct {
	Format plan.Format   `json:"format"`
	Digest ledger.Digest `json:"digest"`
	Blob   ledger.Digest `json:"blob,omitempty"`
	Files  []planFile    `json:"files"`
}

// A planFile is a file that the plan was read from, as it was then.
type planFile struct {
	path
	Digest ledger.Digest `json:"digest"`
}

// A boundLock is the lock of the run. One that belongs to the run alone has no
// file.
type boundLock struct {
	ID           string        `json:"id"`
	File         string        `json:"file,omitempty"`
	Digest       ledger.Digest `json:"digest,omitempty"`
	Acknowledged []string      `json:"acknowledged"`
}

// A boundEnvelope is what the outcome depends on besides plan and tree.
type boundEnvelope struct {
	Digest     ledger.Digest        `json:"digest"`
	Components []envelope.Component `json:"components"`
}

// A tree is a snapshot by its two digests.
type tree struct {
	Digest   ledger.Digest `json:"digest"`
	Manifest ledger.Digest `json:"manifest,omitempty"`
}

// newTree describes a snapshot.
func newTree(s record.Snapshot) tree { return tree{s.Tree, s.Manifest} }

// A gitPart is a part of the repository that must not move.
type gitPart struct {
	Part   string        `json:"part"`
	Digest ledger.Digest `json:"digest"`
}

// A modeSwitch says who was asked from then on. Of one by dynamic mode it says
// what was measured.
type modeSwitch struct {
	From         plan.Mode `json:"from"`
	To           plan.Mode `json:"to"`
	Cause        string    `json:"cause"`
	Measurements []string  `json:"measurements"`

	At          stamp        `json:"timestamp"`
	Step        plan.Address `json:"step,omitempty"`
	Methods     []string     `json:"attempted_methods"`
	Consecutive int          `json:"consecutive_failures"`
	Suggested   string       `json:"recommendation,omitempty"`
}

// A strategySwitch says that the run turned out to be harder than its plan said.
type strategySwitch struct {
	From  history.Strategy `json:"from"`
	To    history.Strategy `json:"to"`
	Cause string           `json:"cause"`
}

func (s strategySwitch) String() string {
	return fmt.Sprintf("strategy %s became %s: %s", s.From, s.To, s.Cause)
}

// rolledBack says that the run was set back to before a step.
type rolledBack struct {
	To   plan.Address `json:"to"`
	Tree tree         `json:"tree"`
	By   string       `json:"by,omitempty"`
	Why  string       `json:"reason,omitempty"`
	// After is set where the run had ended, with the steps whose work is gone.
	After  bool           `json:"after_end,omitempty"`
	Steps  []plan.Address `json:"steps,omitempty"`
	CutOff bool           `json:"cut_off,omitempty"` // the tree may hold half of it
}

// String says it in plain words.
func (r rolledBack) String() string {
	text := fmt.Sprintf("set back to before step %s", r.To)
	if r.By != "" {
		text += " by " + r.By
	}
	if r.After {
		text += fmt.Sprintf(" after it had ended, so what these steps did is gone: %s", plan.Addresses(r.Steps))
	}
	if r.CutOff {
		text += " (that was cut off: roll back once more)"
	}
	return text + because(only([]string{r.Why}, func(why string) bool { return why != "" }))
}

// movesAccepted is what moved that the run was bound to, each from what to
// what, and who let it go on.
type movesAccepted struct {
	By    string   `json:"by"`
	Moved []string `json:"moved"`
}

// String says it in plain words.
func (m movesAccepted) String() string {
	return fmt.Sprintf("%s let the run go on although %s", m.By, strings.Join(m.Moved, "; "))
}

// An amended plan has further steps.
type amended struct {
	Added     []plan.Address `json:"added"`
	Confirmed string         `json:"confirmed"`
	By        string         `json:"by,omitempty"`
	Reason    string         `json:"reason,omitempty"`
	Plan      ledger.Digest  `json:"plan"`
	Lock      string         `json:"lock"`
	Record    ledger.Digest  `json:"record"` // that the lock continues
}

// String says it in plain words.
func (a amended) String() string {
	var steps []string
	for _, s := range a.Added {
		steps = append(steps, string(s))
	}
	text := "added to the plan: " + strings.Join(steps, ", ")
	if a.By != "" {
		text += ", by " + a.By
	}
	if a.Reason != "" {
		text += ": " + a.Reason
	}
	return text
}

// A judgement is a gate's verdict, or why there is none.
type judgement struct {
	Gate      string          `json:"gate"`
	Level     gate.Level      `json:"level"`
	Phase     gate.Phase      `json:"phase"`
	Result    result          `json:"result"`
	Blocks    bool            `json:"blocks"`
	Took      span            `json:"took_ms"`
	Findings  []finding       `json:"findings"`
	Evidence  []string        `json:"evidence"`
	Citations []gate.Citation `json:"citations"`
	Error     string          `json:"error,omitempty"`
}

// A result of a gate: "pass", "partial", "fail", "undecided", or idle.
type result string

// idle is the result of a gate that had nothing to judge. In JSON it is null.
const idle result = "nothing to judge"

// MarshalJSON writes null for idle: nobody judged anything, so nothing passed.
func (r result) MarshalJSON() ([]byte, error) {
	if r == idle {
		return []byte("null"), nil
	}
	return json.Marshal(string(r))
}

// A finding of a gate, with the place that it is about, if there is one.
type finding struct {
	Code string `json:"code,omitempty"`
	path
	Line     int    `json:"line,omitempty"`
	Message  string `json:"message"`
	Expected string `json:"expected,omitempty"`
	Happened string `json:"happened,omitempty"`
}

// A question and what became of it.
type question struct {
	ID       string       `json:"id"`
	Kind     string       `json:"kind"`
	Step     plan.Address `json:"step,omitempty"`
	Attempt  int          `json:"attempt,omitempty"`
	What     string       `json:"what"`
	Why      string       `json:"why"`
	Evidence []string     `json:"evidence"`
	Choices  []choice     `json:"choices"`
	Asked    stamp        `json:"asked"`
	Deadline stamp        `json:"deadline"` // null: none
	Open     bool         `json:"open"`
	Earlier  bool         `json:"rolled_back"`       // it was asked before the run was set back
	Answer   *answer      `json:"answer"`            // null: none
	Refused  string       `json:"refused,omitempty"` // why there will be none
	Mistaken []string     `json:"mistaken"`          // answers that did not count
}

// A choice of a question. One that is dangerous has words that must be typed.
type choice struct {
	Key         string `json:"key"`
	Label       string `json:"label"`
	Consequence string `json:"consequence"`
	Acknowledge string `json:"acknowledge,omitempty"`
	needsReason bool
}

// An answer to a question, and who gave it.
type answer struct {
	Choice       string `json:"choice"`
	Label        string `json:"label,omitempty"`
	Acknowledged string `json:"acknowledged,omitempty"`
	Reason       string `json:"reason,omitempty"`
	By           string `json:"by"`
	At           stamp  `json:"at"`
}

// A Tally counts what there is to say about a run in one line. Attempts that
// were rolled back no longer count, questions always do.
type Tally struct {
	Steps, Completed, Failed, Skipped, Blocked int
	Carried                                    int // that an earlier run carried out
	Retries                                    int // attempts with a method that the step had used before
	Backups                                    int // backups that were tried
	Patches                                    int // patches of advisors that were tried
	Questions                                  int // that were asked, answered or not
	Cost, Budget                               history.Money
}

// Count counts, while the run goes on and when it is over. A nil run counts
// nothing.
func Count(r *history.Run) Tally {
	if r == nil {
		return Tally{}
	}
	t := Tally{Steps: len(r.Steps), Completed: r.Count(history.Completed), Failed: r.Count(history.Failed),
		Skipped: r.Count(history.Skipped), Blocked: r.Count(history.Blocked), Questions: r.Asked, Cost: r.Flow.Cost,
		Budget: r.Policy.Budget}
	for _, s := range r.Steps {
		if s.Carried != nil {
			t.Carried++
		}
		n := s.Tries()
		t.Retries += n.Retries
		t.Backups += len(n.Backups)
		t.Patches += r.Patches(s)
	}
	return t
}

// String is the tally as in "2 of 4 steps · 1 carried over · 1 failed · 2 retries ·
// 0 backups · 1 question".
func (t Tally) String() string {
	parts := []string{fmt.Sprintf("%d of %s", t.Completed, count(t.Steps, "step", "steps"))}
	for _, p := range []struct {
		n    int
		what string
	}{{t.Carried, "carried over"}, {t.Failed, "failed"}, {t.Skipped, "skipped"}, {t.Blocked, "blocked"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	parts = append(parts, count(t.Retries, "retry", "retries"), count(t.Backups, "backup", "backups"))
	if t.Patches > 0 {
		parts = append(parts, count(t.Patches, "patch", "patches"))
	}
	parts = append(parts, count(t.Questions, "question", "questions"))
	switch {
	case t.Budget > 0:
		parts = append(parts, fmt.Sprintf("%s of %s", t.Cost, t.Budget))
	case t.Cost > 0:
		parts = append(parts, t.Cost.String())
	}
	return strings.Join(parts, " · ")
}

// dollars are money as documents have it: a decimal number of US dollars, as text.
type dollars history.Money

// MarshalText writes the exact amount.
func (d dollars) MarshalText() ([]byte, error) { return []byte(history.Money(d).Decimal()), nil }

// Gates is what the gates came to that judged a step and its latest attempt, as
// in "5 gates", or "4 of 5 gates" where one of them does not say yes. Gates
// that had nothing to judge are not counted; "" where none had.
func Gates(s *history.Step) string {
	judged, passed := 0, 0
	for _, j := range judgementsOf(s) {
		if j.Judged() {
			judged++
			if j.Passes() {
				passed++
			}
		}
	}
	return passedOf(passed, judged)
}

// judgementsOf are the judgements of a step and of its latest attempt.
func judgementsOf(s *history.Step) []gate.Judgement {
	last := s.Last()
	if last == nil {
		return s.Gates
	}
	return slices.Concat(s.Gates, last.Gates)
}

// Tolerated is what gates said no to of a completed step, and the plan goes on
// without, as in "tolerated: invariant …", a line for each.
func Tolerated(s *history.Step) []string {
	if s == nil || s.Completed == nil {
		return nil
	}
	var lines []string
	for _, j := range judgementsOf(s) {
		if j.Verdict == nil || !j.Verdict.Tolerated {
			continue
		}
		for _, f := range j.Verdict.Findings {
			lines = append(lines, "tolerated: "+f.Message)
		}
	}
	return lines
}

// passedOf says how many gates passed, in as few words as tell it; "" of none.
func passedOf(passed, all int) string {
	switch all {
	case 0:
		return ""
	case passed:
		return count(all, "gate", "gates")
	}
	return fmt.Sprintf("%d of %s", passed, count(all, "gate", "gates"))
}

// kpis are the figures by which runs are compared: rates to three places, null
// where there is nothing to have a share of.
type kpis struct {
	TotalTasks       int      `json:"total_tasks"`
	Completed        int      `json:"completed"`
	CompletionRate   *float64 `json:"completion_rate"`
	Retried          int      `json:"tasks_tried_anew"`
	RetrySucceeded   int      `json:"retry_succeeded"`
	RetrySuccessRate *float64 `json:"retry_success_rate"` // of the tasks that were retried
	EvidenceWanted   int      `json:"evidence_required"`
	EvidenceFound    int      `json:"evidence_verified"`
	EvidenceRate     *float64 `json:"evidence_rate"`
	UnaidedRate      *float64 `json:"steps_without_help_rate"`
	RecoveredRate    *float64 `json:"failure_recovery_rate"`
	TestFirstRate    *float64 `json:"test_first_rate"`
	Resumed          int      `json:"resumed"`
	Tokens           int64    `json:"tokens"`
	Cost             dollars  `json:"cost_usd,omitempty"` // as far as somebody said
	Seconds          seconds  `json:"runtime_seconds"`
}
