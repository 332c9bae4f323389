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
	ID        string        `json:"id"`
	Title     string        `json:"title"`
	Status    string        `json:"status"` // of [history.StepStatus]
	Speclet   string        `json:"speclet,omitempty"`
	DependsOn []string      `json:"depends_on"`
	Estimate  span          `json:"estimate_ms,omitempty"`
	Started   stamp         `json:"started"`
	Ended     stamp         `json:"ended"`
	Duration  span          `json:"duration_ms"`
	Steps     []*step       `json:"steps"`
	tree      ledger.Digest // as it was when the task was over
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
	Standing    *standing          `json:"basis"`             // null: it is not completed
	Carried     *carriedOver       `json:"carried,omitempty"` // another run carried it out
	restoring   bool               // its checkpoint is being put back
	of          *Model
}

// A stepCheckpoint is the tree before the step, and the position of its record
// in the journal.
type stepCheckpoint struct {
	Tree     tree          `json:"tree"`
	Position uint64        `json:"position"` // in the journal
	Envelope ledger.Digest `json:"envelope"`
}

// A propagation is what was decided because of earlier steps, before the step
// began.
type propagation struct {
	Decision string         `json:"decision"`
	Strategy string         `json:"strategy"`
	Concern  string         `json:"concern,omitempty"`
	Prior    []plan.Address `json:"prior"`
}

// A recovery is what a rung of the ladder decided after a failure.
type recovery struct {
	Rung    string           `json:"rung"`
	Method  string           `json:"method,omitempty"`
	Why     string           `json:"why"`
	Repeats int              `json:"repeats"`
	Delay   int64            `json:"delay_ms,omitempty"`
	Passed  []history.Passed `json:"passed,omitempty"`
}

// A stepFailure is why a step failed for good, and whether the run was halted
// by it.
type stepFailure struct {
	Class   history.Class `json:"class"`
	Reasons []string      `json:"reasons"`
	Halts   bool          `json:"halts"`
}

// stepSkipped says on whose word a step was left out. Done: its work was there
// already.
type stepSkipped struct {
	Why  string `json:"why"`
	By   string `json:"by"`
	Done bool   `json:"done,omitempty"` // its work was there
}

// stepBlocked says because of which step one cannot run.
type stepBlocked struct {
	By      plan.Address `json:"by"`
	Why     string       `json:"why"`
	Unblock []string     `json:"unblock,omitempty"` // ways to have the step run after all
}

// blocker is the other step that keeps a step from its work; "" where nobody
// said that it may begin.
func (b *stepBlocked) blocker(step plan.Address) plan.Address {
	if b.By == step {
		return ""
	}
	return b.By
}

// by says what keeps a step from its work: another one or, where nobody said that
// it may begin, no step.
func (b *stepBlocked) by(step plan.Address) string {
	if b.By == step {
		return "did not begin"
	}
	return "blocked by " + string(b.By)
}

// ways are how the step can run after all.
func (b *stepBlocked) ways() string {
	if len(b.Unblock) == 0 {
		return fmt.Sprintf("mend step %s and run what is left of the plan", b.By)
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
	past       bool            // it was rolled back, or lost with what was decided before it: it counts no more
	Reinstates int             `json:"reinstates,omitempty"` // the attempt whose work was accepted, and put back
	reverted   []string        // at which paths it was not
	continues  int             // the attempt whose unfinished work it went on from
	Lane       *lane           `json:"lane,omitempty"` // null: it was carried out by itself
	Started    stamp           `json:"started"`
	Ended      stamp           `json:"ended"`
	Duration   span            `json:"duration_ms"`
	Said       *said           `json:"said"`
	Jobs       []jobDone       `json:"jobs,omitempty"` // of several, those that went well, but for the last
	Ledger     *entry          `json:"ledger"`
	Gates      []judgement     `json:"gates"`
	Failure    *attemptFailure `json:"failure"`
	Discarded  *tree           `json:"discarded"` // what was undone
	// what was carried out because restoring a tree does not undo all that the
	// attempt did
	Compensated *history.Compensated `json:"compensated,omitempty"`
	Repeated    *history.Repeated    `json:"repeated,omitempty"` // what a second execution came to
	Cycles      []cycle              `json:"cycles,omitempty"`   // where its test was written first: the phases that ended
	reasons     []history.Reason     // of its failure
	of          *history.Attempt

	// of a page that shows the texts of changes
	sides   []sideBySide
	room    int    // for further ones, in bytes
	leftOut int    // changes whose texts are not shown
	unread  string // why they could not be read; "" where there was no room
	whole   string // how all are seen
}

// A jobDone is one of several jobs of an attempt that went well.
type jobDone struct {
	Run       string   `json:"run"`
	Of        int      `json:"attempt"` // that carried it out
	Over      bool     `json:"taken_over"`
	Took      span     `json:"took_ms"` // there
	Runs      []string `json:"run_ids"`
	Artifacts []string `json:"artifacts"`
}

// lastJob reports whether the last of several jobs went well: then that is what the
// attempt came to.
func (a *attempt) lastJob() bool { return len(a.Jobs) > 0 && a.Failure == nil && a.Outcome != running }

// String is one line for people.
func (j jobDone) String() string {
	if j.Over {
		return fmt.Sprintf("Job %s: taken over from attempt %d, and not carried out again", quote(j.Run), j.Of)
	}
	return fmt.Sprintf("Job %s: went well", quote(j.Run))
}

// compensation says how the compensation of the attempt went; "" where there
// was none.
func (a *attempt) compensation() string {
	c := a.Compensated
	switch {
	case c == nil:
		return ""
	case c.Done():
		return fmt.Sprintf("its compensation %s was carried out", quote(c.Run))
	case c.Error != "":
		return fmt.Sprintf("its compensation %s failed: %s", quote(c.Run), c.Error)
	}
	return fmt.Sprintf("its compensation %s failed: exit status %d", quote(c.Run), c.Exit)
}

// said is what the executor said. It proves nothing.
type said struct {
	Output   string   `json:"output"`
	Exit     int      `json:"exit"`
	Error    string   `json:"error,omitempty"`
	Took     span     `json:"took_ms"`
	Tokens   int64    `json:"tokens,omitempty"`
	Calls    int      `json:"calls,omitempty"`
	Cost     dollars  `json:"cost_usd,omitempty"`
	Metrics  []metric `json:"metrics,omitempty"`
	Stateful bool     `json:"stateful"`
}

// A metric that the executor reported.
type metric struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// An attemptFailure is why an attempt counts for nothing. Cause is of a
// time-out.
type attemptFailure struct {
	Class    history.Class `json:"class"`
	Cause    gate.Cause    `json:"cause,omitempty"`
	Reasons  []string      `json:"reasons"`
	Findings []finding     `json:"findings"`
}

// An entry is what the ledger says of an attempt: declared against actual.
type entry struct {
	Tree            ledger.Digest `json:"tree"`
	Matching        []change      `json:"matching"`
	Missing         []expectation `json:"missing"`
	Extra           []change      `json:"extra"`
	SymbolsMatching []symbol      `json:"symbols_matching"`
	SymbolsExtra    []symbol      `json:"symbols_extra"`
	Symbols         []symbol      `json:"symbols"`
	Changes         []change      `json:"changes"`
	Declared        *declared     `json:"declared"`
	Lines           lineCount     `json:"lines"`
	GitMoved        []string      `json:"git_moved"`
	free            bool          // nothing says what the step changes, its task and plan neither
	unsaid          bool          // an observing run: the step declares nothing, and need not
	more            int           // changes of a very large account that are not listed
}

// holds reports whether exactly what was declared happened.
func (e *entry) holds() bool {
	return len(e.Missing)+len(e.Extra)+len(e.SymbolsExtra) == 0
}

// declared is what a step promised to change; null symbols are not accounted.
type declared struct {
	Create        []path   `json:"create"`
	Modify        []path   `json:"modify"`
	Delete        []path   `json:"delete"`
	SymbolsAdd    []string `json:"symbols_add"`
	SymbolsRemove []string `json:"symbols_remove"`
}

// A change of one path.
type change struct {
	path
	Op     ledger.Op  `json:"op"`
	Kind   string     `json:"kind,omitempty"`
	Before *content   `json:"before,omitempty"`
	After  *content   `json:"after,omitempty"`
	Lines  *lineCount `json:"lines,omitempty"` // nil: not counted
}

// content is what stood or stands at a path.
type content struct {
	Kind   ledger.Kind   `json:"kind"`
	Mode   string        `json:"mode"`
	Size   int64         `json:"size"`
	Digest ledger.Digest `json:"digest,omitempty"`
	Target string        `json:"target,omitempty"`
}

// A lineCount is how many lines were added and removed, of text files.
type lineCount struct {
	Added   int `json:"added"`
	Removed int `json:"removed"`
}

// An expectation is a declared artifact that did not happen.
type expectation struct {
	Op ledger.Op `json:"op"`
	path
	Symbol string `json:"symbol,omitempty"`
}

// A symbol that was added or removed, and where.
type symbol struct {
	Name string    `json:"name"`
	Op   ledger.Op `json:"op"`
	path
	Line int `json:"line,omitempty"`
}

// A file is the net change of one path over all accepted steps.
type file struct {
	path
	Op    ledger.Op `json:"op"`
	Lines lineCount `json:"lines"`
	Steps []string  `json:"steps"`

	before, after *content // of the run as a whole
}

// A declaration is what a step of an observing run would have had to declare.
type declaration struct {
	Step     string `json:"step"`
	Create   []path `json:"create"`
	Modify   []path `json:"modify"`
	Delete   []path `json:"delete"`
	MaxFiles int    `json:"max_files"`
	MaxLines int    `json:"max_lines"`
}

// judged is the latest attempt since the run was set back, or nil.
func (s *step) judged() *attempt {
	if n := len(s.Attempts); n > 0 && !s.Attempts[n-1].past {
		return s.Attempts[n-1]
	}
	return nil
}
