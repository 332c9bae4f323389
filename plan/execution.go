package plan

import "fmt"

// What a plan says about how it is carried out.

// An EnvelopeSpec is [envelope]: what the outcome depends on besides the tree.
// Files and globs are relative to the workspace.
type EnvelopeSpec struct {
	Model          string
	PromptTemplate []string
	Context        []string
	Tools          []string
	Config         []string
}

// Sandbox is [sandbox]: how commands are confined. The zero value leaves it to
// the controller.
type Sandbox struct {
	Level    string // "", none, process, filesystem, strict
	Layer    Layer  // where steps work; "" if the plan does not mind
	Network  *bool
	CPU      string // time limit, a duration
	Memory   string // bytes with a unit, as in "2GiB"
	Output   string // bytes with a unit
	Disk     string // bytes with a unit, of the files that an attempt writes
	GPU      *int   // graphics processors that are demanded, and all that are seen; nil: whichever there are
	Env      []string
	Writable []string
}

// A Layer is where the steps of a plan work.
type Layer string

const (
	// Clone is a copy of the workspace: only accepted work is brought into the
	// workspace itself.
	Clone Layer = "clone"
	// Overlay is a copy, of which each attempt sees a view of its own: what it
	// wrote is known without looking through the copy.
	Overlay Layer = "overlay"
	// InPlace is the workspace itself. What fails is undone there, and what
	// anybody else does there meanwhile may be lost with it.
	InPlace Layer = "in-place"
)

// Execution is [execution].
type Execution struct {
	DefaultMode Mode
	Extra       []Setting
}

// What a plan may say becomes of questions that nobody is there to answer, under
// the key unattended.
const (
	unattended = "unattended"
	wait       = "wait"   // the run stops, and the question waits for its answer
	refuse     = "refuse" // the refusing choice of each question is taken
)

// Unattended reports whether questions wait for their answers where nobody is
// there to be asked, else they are refused; said is false if the plan leaves
// that open.
func (e *Execution) Unattended() (waits, said bool) {
	for _, s := range e.Extra {
		if s.Key == unattended && (s.Value.Text == wait || s.Value.Text == refuse) {
			return s.Value.Text == wait, true
		}
	}
	return false, false
}

// Propagation is what an earlier failure means for the steps that follow.
type Propagation string

const (
	HaltOnCritical      Propagation = "halt_on_critical"     // a failed critical step ends the run
	ContinueAndLog      Propagation = "continue_and_log"     // what does not depend on it goes on
	CollaborativeReview Propagation = "collaborative_review" // a person decides before the next step
)

// ErrorPropagation is [error_propagation].
type ErrorPropagation struct {
	Enabled            *bool
	ReadPriorSteps     *bool
	DependencyTracking *bool
	Strategy           Propagation // propagation_strategy, or strategy
	FailureThreshold   int         // 0: not said
	Extra              []Setting
}

// Offline reports whether nothing that runs in the sandbox has a network.
func (s *Sandbox) Offline() bool {
	return s.Level == "strict" || s.Level != "none" && s.Network != nil && !*s.Network
}

// loose reports whether the level is below the one that a plan gets without one, so
// that nothing keeps commands from writing anywhere.
func (s *Sandbox) loose() bool { return s.Level == "none" || s.Level == "process" }

// looseness says in words what follows from that.
func (s *Sandbox) looseness() string {
	return "commands of steps may write anywhere: level " + s.Level
}

// Once says why a step is executed only once, by what the plan says, where it is to
// do the same twice, so that nothing is compared; "" if nothing is in the way. Agents
// carry out what is said to them, and run no command.
func (p *Plan) Once(s *Step, agent bool) string {
	switch {
	case !s.Repeats(true):
		return "the plan says that it need not do the same each time (deterministic = false)"
	case s.Rollback.Outside():
		return fmt.Sprintf("it is %s: restoring a tree does not undo what it does", s.Rollback)
	case p.Sandbox.Layer == InPlace:
		return "the run works in the workspace itself, where nothing can be tried"
	case agent && !p.Sandbox.Offline():
		return "it is carried out by an agent that may use the network"
	}
	return ""
}
