package gate

import (
	"context"
	"log/slog"
	"time"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/plan"
)

// A Pass is everything a gate may look at, and where it reports. Gates must not
// change what it refers to. New fields may be added.
//
// The fields are filled once per phase; each gate gets a copy with findings of
// its own. On a copy that a Panel handed out, all methods are safe for
// concurrent use.
//
// Where a controller or the kit asks, Output and Account are always there
// during, after and in review of an attempt, however little it said or did. In
// planning, before and final there is no attempt, and both are nil; a gate that
// looks in one of those phases too asks first. Task and Step are nil in
// planning and final, and only there.
type Pass struct {
	Phase   Phase
	Plan    *plan.Plan
	Draft   *plan.Draft // in planning only
	Task    *plan.Task  // nil in planning and final
	Step    *plan.Step  // nil in planning and final
	Attempt int
	RunID   string // "" in planning
	// Feedback is why earlier attempts of the step failed, oldest first.
	Feedback []string

	Dir    string       // the workspace (or clone) on disk
	Path   string       // where programs that Runner runs see Dir; "": as Dir
	Base   *ledger.Tree // before the run
	Before *ledger.Tree // the step's checkpoint
	After  *ledger.Tree // after the attempt; equals Before in phase before; the final tree in phase final
	// Content reads contents of entries of Base and Before (from the store) and
	// After (from Dir). The controller sets it; a pass of a test may leave it nil.
	Content ledger.Content
	// Began is when the attempt began; the zero time where there is none.
	Began time.Time
	// Since reads the tree as it was before the first step of the task. The
	// controller sets it; where it is nil the task began with Before.
	Since func(context.Context) (*ledger.Tree, error)

	// Order lists the steps in the order of execution. The controller sets it;
	// where it is nil that is the order of the plan's graph.
	Order func() []plan.Address

	// Sources reads source files, and says which languages somebody reads. The
	// controller sets it, and what it read of an attempt it does not read again;
	// where it is nil, gates read Go.
	Sources *source.Reader
	// Vouched are the paths of source files of which a person said that the step
	// keeps what it promised of them, though nobody can read it.
	Vouched []string

	// Comparison is what changed from Before to After: Changes, Symbols, Lines.
	ledger.Comparison
	Account *ledger.Account // what an attempt did against what was declared; nil in planning, before and final
	Output  *Output         // what the executor said; nil in planning, before and final
	Judged  Judgements      // of this attempt, in the phases before this one; nil in planning, before and final

	// OpenIntents are the test intents whose step is done and whose fixing step
	// is not yet.
	OpenIntents []*plan.TestIntent
	// Frozen are the tests of OpenIntents that were seen to fail, in the order
	// in which they were written. The controller sets it.
	Frozen []Frozen
	// Lasting is what held after steps and must hold at the end still. In final
	// only; the controller sets it.
	Lasting []Lasting
	// Introduced says since when each invariant (by id) is known to hold:
	// "base" or a step's address. An invariant that is not in it was not seen
	// to hold yet.
	Introduced map[string]string
	// Broken says which step broke each invariant (by id) that was seen not to
	// hold, and was tolerated; "" where no step did: it did not hold before the
	// first one, or, where Introduced has it too, others broke it.
	Broken map[string]plan.Address
	// Opening says, before a step, that no step is completed: nothing was done
	// yet, or the run was set back to its beginning. The controller sets it.
	Opening bool
	// SetBack says, before a step, that the run was set back to it, and that it was
	// not attempted since. The controller sets it.
	SetBack bool
	// Kept are the questions in answer to which what others did became part of
	// the tree since a step was completed; nil: nothing did.
	Kept []string

	Runner CommandRunner // runs commands of checks, sandboxed as the plan says
	Log    *slog.Logger  // never nil where a panel asks

	Args    Args              // what the plan gives this gate by [[gates]]
	Checks  []Check           // the kinds of checks that Decide knows
	Options plan.CheckOptions // what the host adds to the plan's own rules, for gates that check the plan again

	report *report // made with the first report where the pass was not handed out by a panel
}

// InOrder lists the steps in the order of execution.
func (p *Pass) InOrder() []plan.Address {
	if p.Order != nil {
		return p.Order()
	}
	return p.Plan.Graph().Order
}

// Frozen is a test that was seen to fail, and that nobody may change before it
// was seen to pass.
type Frozen struct {
	Intent *plan.TestIntent
	By     plan.Address   // the step that wrote it
	Files  []ledger.Entry // as they were when it failed
}

// Lasting is what held after a completed step behind which the tree changed,
// and of which no later step says anything else.
type Lasting struct {
	Task      *plan.Task
	Step      *plan.Step
	Essential bool // the step decides whether the goal is achieved
	// Checks are its postconditions, and what it declares of artifacts that seem
	// to be otherwise.
	Checks []plan.Check
	// Undone are the paths that it is declared to modify, and did, and that are as
	// they were before it.
	Undone []string
	// Artifacts is how many declared paths and symbols were looked at.
	Artifacts int
	Since     []plan.Address // the steps that changed the tree after it, in the order in which they ended
}

// Output is what an executor said about an attempt. It never proves anything by
// itself.
type Output struct {
	Text   string // bounded, the tail kept
	Stdout string // standard output alone, or Text where the executor has none; bounded, the tail kept
	Exit   int
}

// A Check decides one kind of plan.Check. Kind names it, and the arguments that
// it takes: others are refused when a plan is checked. It must be the same on
// every call. The error means "could not decide". Decide reports nothing on
// pass itself: whoever asked does that. It may be called concurrently and obeys
// the rules of Gate.Judge.
//
// A postcondition is decided after its step, and once more at the end, where
// Output and Account are nil.
type Check interface {
	Kind() plan.CheckKind
	Decide(ctx context.Context, pass *Pass, c plan.Check) (Verdict, error)
}
