package document

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// A task and its steps.
type task struct {
	ID        string   `json:"id"`
	Title     string   `json:"title"`
	Status    string   `json:"status"` // "pending", "running", "completed", "partial", "failed", "skipped", "blocked"
	Speclet   string   `json:"speclet,omitempty"`
	DependsOn []string `json:"depends_on"`
	Estimate  span     `json:"estimate_ms,omitempty"`
	Started   stamp    `json:"started"`
	Ended     stamp    `json:"ended"`
	Duration  span     `json:"duration_ms"`
	Steps     []*step  `json:"steps"`
}

// A step and all that was tried.
type step struct {
	Address     plan.Address       `json:"address"`
	ID          string             `json:"id"`
	Task        string             `json:"task"`
	Title       string             `json:"title"`
	Status      history.StepStatus `json:"status"`
	Critical    bool               `json:"critical"`
	Rollback    plan.Rollback      `json:"rollback,omitempty"`
	Semantic    string             `json:"semantic_change,omitempty"`
	Started     stamp              `json:"started"`
	Ended       stamp              `json:"ended"`
	Duration    span               `json:"duration_ms"`
	Method      string             `json:"method,omitempty"` // that counted
	Retries     int                `json:"retries"`
	Backups     []string           `json:"backups"`
	Checkpoint  *stepCheckpoint    `json:"checkpoint"`
	Propagation *propagation       `json:"propagation"`
	Declared    *declared          `json:"declared"` // null: the plan does not say
	Gates       []judgement        `json:"gates"`    // before the step
	Attempts    []*attempt         `json:"attempts"`
	Recoveries  []recovery         `json:"recoveries"`
	Questions   []question         `json:"questions"`
	Tree        *tree              `json:"tree"`    // accepted
	Refusal     *attemptFailure    `json:"refusal"` // why it may not begin
	Failure     *stepFailure       `json:"failure"`
	Skipped     *stepSkipped       `json:"skipped"`
	Blocked     *stepBlocked       `json:"blocked"`
	restoring   bool               // its checkpoint is being put back
	of          *Model
}

type stepCheckpoint struct {
	Tree     tree          `json:"tree"`
	Position uint64        `json:"position"` // in the journal
	Envelope ledger.Digest `json:"envelope"`
}

type propagation struct {
	Decision string         `json:"decision"`
	Strategy string         `json:"strategy"`
	Concern  string         `json:"concern,omitempty"`
	Prior    []plan.Address `json:"prior"`
}

type recovery struct {
	Rung    string           `json:"rung"`
	Method  string           `json:"method,omitempty"`
	Why     string           `json:"why"`
	Repeats int              `json:"repeats"`
	Delay   int64            `json:"delay_ms,omitempty"`
	Passed  []history.Passed `json:"passed,omitempty"`
}

type stepFailure struct {
	Class   history.Class `json:"class"`
	Reasons []string      `json:"reasons"`
	Halts   bool          `json:"halts"`
}

type stepSkipped struct {
	Why  string `json:"why"`
	By   string `json:"by"`
	done bool   // its work was there
}

type stepBlocked struct {
	By      plan.Address `json:"by"`
	Why     string       `json:"why"`
	Unblock []string     `json:"unblock,omitempty"` // ways to have the step run after all
}

// ways are how the step can run after all.
func (b *stepBlocked) ways() string {
	if len(b.Unblock) == 0 {
		return fmt.Sprintf("mend step %s and run the plan again", b.By)
	}
	return strings.Join(b.Unblock, "; or ")
}

// An attempt is one execution of one method.
type attempt struct {
	Number     int             `json:"number"`
	Method     string          `json:"method"`
	Text       string          `json:"text"`
	Executor   string          `json:"executor"`
	Outcome    string          `json:"outcome"` // "accepted", "failed", "running", "rolled-back", "lost"
	RolledBack bool            `json:"rolled_back"`
	Started    stamp           `json:"started"`
	Ended      stamp           `json:"ended"`
	Duration   span            `json:"duration_ms"`
	Said       *said           `json:"said"`
	Ledger     *entry          `json:"ledger"`
	Gates      []judgement     `json:"gates"`
	Failure    *attemptFailure `json:"failure"`
	Discarded  *tree           `json:"discarded"` // what was undone
}

// said is what the executor said. It proves nothing.
type said struct {
	Output   string   `json:"output"`
	Exit     int      `json:"exit"`
	Error    string   `json:"error,omitempty"`
	Took     span     `json:"took_ms"`
	Tokens   int64    `json:"tokens,omitempty"`
	Calls    int      `json:"calls,omitempty"`
	Metrics  []metric `json:"metrics,omitempty"`
	Stateful bool     `json:"stateful"`
}

type metric struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

type attemptFailure struct {
	Class    history.Class `json:"class"`
	Cause    gate.Cause    `json:"cause,omitempty"`
	Reasons  []string      `json:"reasons"`
	Findings []finding     `json:"findings"`
}
