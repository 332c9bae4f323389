package document

import (
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
	Schema       string         `json:"schema"`
	Run          string         `json:"run"`
	Name         string         `json:"name,omitempty"`
	Goal         string         `json:"goal"`
	Status       history.Status `json:"status"`
	Reasons      []string       `json:"reasons"`
	Started      stamp          `json:"started"`
	Ended        stamp          `json:"ended"` // null while the run is not over
	Duration     span           `json:"duration_ms"`
	Profile      plan.Profile   `json:"profile"`
	Mode         plan.Mode      `json:"mode"` // now
	FirstMode    plan.Mode      `json:"mode_at_start"`
	Executor     string         `json:"executor,omitempty"`
	Version      string         `json:"planlock,omitempty"`
	Isolated     bool           `json:"isolated"`
	Shadow       bool           `json:"shadow,omitempty"` // a trial: nothing of it is moved into the workspace
	Delivered    ledger.Digest  `json:"delivered_tree,omitempty"`
	Resumed      int            `json:"resumed"`
	OwnStores    bool           `json:"own_stores,omitempty"` // of the host: the command does not find them
	Paused       string         `json:"paused,omitempty"`
	Counts       counts         `json:"counts"`
	Waiting      *question      `json:"waiting_for"` // null where no question is open
	Plan         boundPlan      `json:"plan"`
	Lock         boundLock      `json:"lock"`
	Envelope     boundEnvelope  `json:"envelope"`
	Base         tree           `json:"base_tree"`
	Tree         tree           `json:"tree"` // the one that the run left, or works on
	Git          []gitPart      `json:"git,omitempty"`
	Warnings     []string       `json:"warnings"`
	Planning     []judgement    `json:"planning_gates"`
	Tasks        []*task        `json:"tasks"`
	Files        []file         `json:"files"`
	Lines        lineCount      `json:"lines"`
	Final        []judgement    `json:"final_gates"`
	ModeSwitches []modeSwitch   `json:"mode_switches"`
	RolledBack   []rolledBack   `json:"rolled_back"`
	Amendments   []amended      `json:"amendments,omitempty"`
	Declarations []declaration  `json:"declarations,omitempty"` // of an observing run
	KPIs         kpis           `json:"kpis"`
	// of tasks that were reviewed, or whose evidence was looked for
	LastWords []lastWord     `json:"task_outcomes,omitempty"`
	Approvals []approvalLine `json:"approvals,omitempty"` // in the order in which they were made
	Evidence  []lookedFor    `json:"evidence,omitempty"`  // likewise
	steps     []*step        // in the order of execution
	edges     [][2]string    // tasks: the second depends on the first
	latest    stamp          // the last time that is known
	analysis  *analysis.Analysis
	of        *history.Run
	plan      *plan.Plan
	speller   action.Speller // of the reader's program; nil: plain English
}

type counts struct {
	Tasks        int `json:"tasks"`
	TasksDone    int `json:"tasks_completed"`
	TasksFailed  int `json:"tasks_failed"`
	TasksSkipped int `json:"tasks_skipped"`
	TasksBlocked int `json:"tasks_blocked"`
	Steps        int `json:"steps"`
	Completed    int `json:"completed"`
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
}

type boundPlan struct {
	Format plan.Format   `json:"format"`
	Digest ledger.Digest `json:"digest"`
	Blob   ledger.Digest `json:"blob,omitempty"`
	Files  []planFile    `json:"files"`
}

type planFile struct {
	path
	Digest ledger.Digest `json:"digest"`
}

type boundLock struct {
	ID           string        `json:"id"`
	File         string        `json:"file,omitempty"`
	Digest       ledger.Digest `json:"digest,omitempty"`
	Acknowledged []string      `json:"acknowledged"`
}

type boundEnvelope struct {
	Digest     ledger.Digest        `json:"digest"`
	Components []envelope.Component `json:"components"`
}

// A tree is a snapshot by its two digests.
type tree struct {
	Digest   ledger.Digest `json:"digest"`
	Manifest ledger.Digest `json:"manifest,omitempty"`
}

func newTree(s record.Snapshot) tree { return tree{s.Tree, s.Manifest} }

type gitPart struct {
	Part   string        `json:"part"`
	Digest ledger.Digest `json:"digest"`
}

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

type rolledBack struct {
	To   plan.Address `json:"to"`
	Tree tree         `json:"tree"`
	By   string       `json:"by,omitempty"`
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
	Result    string          `json:"result"` // "pass", "partial", "fail", "undecided"
	Blocks    bool            `json:"blocks"`
	Took      span            `json:"took_ms"`
	Findings  []finding       `json:"findings"`
	Evidence  []string        `json:"evidence"`
	Citations []gate.Citation `json:"citations"`
	Error     string          `json:"error,omitempty"`
}

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
	Answer   *answer      `json:"answer"`            // null: none
	Refused  string       `json:"refused,omitempty"` // why there will be none
	Mistaken []string     `json:"mistaken"`          // answers that did not count
}

type choice struct {
	Key         string `json:"key"`
	Label       string `json:"label"`
	Consequence string `json:"consequence"`
	Acknowledge string `json:"acknowledge,omitempty"`
	needsReason bool
}

type answer struct {
	Choice       string `json:"choice"`
	Label        string `json:"label,omitempty"`
	Acknowledged string `json:"acknowledged,omitempty"`
	Reason       string `json:"reason,omitempty"`
	By           string `json:"by"`
	At           stamp  `json:"at"`
}
