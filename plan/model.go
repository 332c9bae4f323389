package plan

import (
	"time"

	"github.com/planlock/planlock/ledger"
)

// Profile decides what "complete" means.
type Profile string

const (
	Strict  Profile = "strict"
	Observe Profile = "observe"
)

// An Address names a step: TASK.STEP, as in "2.3".
type Address string

// A Plan is the meaning of a plan file: what is hashed and what is carried out.
// [defaults] has been merged into the steps. Positions live in the Draft.
// In slices nil means "the source does not say", empty means "none".
type Plan struct {
	Schema       int
	Profile      Profile
	Meta         Meta
	Goal         string
	Requirements []Requirement
	Assumptions  []Assumption
	Invariants   []Invariant
	NonGoals     []NonGoal
	Speclets     []Speclet
	Tasks        []Task
	Completion   Completion
	Scope        ledger.Scope // [ledger]; Own is not part of the plan
	Envelope     EnvelopeSpec
	Sandbox      Sandbox

	Execution        Execution        // [execution]
	ErrorPropagation ErrorPropagation // [error_propagation]

	// Settings are the remaining tables of parameters_NAME.toml (software_stack, user_interface,
	// deployment, mcp_tools, components, constraints, knowledge_capture, education, logging,
	// verification …), flattened, sorted by key.
	Settings []Setting
}

// A Setting is one leaf of a free table: Key is dotted and quoted where needed, Value is canonical
// text of a string, integer, float, boolean, date or list.
type Setting struct {
	Key   string
	Value Value
}

// Value is one TOML value in canonical spelling, with its kind.
type Value struct {
	Kind string // "string", "integer", "float", "boolean", "datetime", "array", "table"
	Text string // of scalars
	List []Value
}

type Meta struct {
	Name    string // goal_descriptor
	Version string
	Extra   []Setting
}

type Requirement struct{ ID, Text string }

type Assumption struct {
	ID, Text string
	Check    *Check
}

type Invariant struct {
	ID, Text string
	Check    *Check
	Critical bool // default true
}

type NonGoal struct {
	ID, Text string
	Paths    []string
	Symbols  []string
}

type Speclet struct {
	ID, Description string
	DependsOn       []string
	Tasks           []string
	ParallelAllowed *bool
}

type Task struct {
	ID                 string
	Title, Description string
	DependsOn          []string
	ResearchEnabled    bool
	ResearchSources    []string
	Estimate           time.Duration
	AcceptanceCriteria []string
	Complexity         int // 1 to 5; 0: not said
	Priority           string
	Kind               string
	Status             Status // open unless a front end read another
	Files              []string
	Steps              []Step
}

// Status of a task or step in its source.
type Status string

const (
	Open       Status = "open"
	InProgress Status = "in-progress"
	Done       Status = "done"
)

type (
	OnFailure      string
	Rollback       string
	SemanticChange string
	Mode           string
)

const (
	Block OnFailure = "block"
	Retry OnFailure = "retry"
	Ask   OnFailure = "ask"

	Reversible    Rollback = "reversible"
	Compensatable Rollback = "compensatable"
	Irreversible  Rollback = "irreversible"

	Preserving SemanticChange = "preserving"
	Extending  SemanticChange = "extending"
	Modifying  SemanticChange = "modifying"
	Breaking   SemanticChange = "breaking"

	Silent        Mode = "silent"
	Dynamic       Mode = "dynamic"
	Collaborative Mode = "collaborative"
	Education     Mode = "education"
)

type Step struct {
	ID             string
	Address        Address
	Description    string
	Executor       string // "" : the host's default
	Run            string // a shell command, or
	Prompt         string // for an agent
	Timeout        time.Duration
	ExpectedOutput string
	Expect         *Expect
	Critical       *bool // critical_flag; nil: not said
	Mode           Mode
	MaxRetries     *int
	OnFailure      OnFailure
	Rollback       Rollback
	Compensate     string
	SemanticChange SemanticChange
	Requirements   []string
	Components     []string
	Constraints    []string
	Preconditions  []Check
	Postconditions []Check
	Evidence       []string
	TDD            bool
	Artifacts      *Artifacts // nil: not said
	Limits         *Limits
	Access         *Access
	TestIntent     *TestIntent
	Backups        []Backup
	Status         Status
}

// IsCritical reports whether a failure of the step matters to the whole run: unless it says otherwise, it does.
func (s *Step) IsCritical() bool { return s.Critical == nil || *s.Critical }

// Retries is how often the primary method may be tried again.
func (s *Step) Retries() int {
	if s.MaxRetries == nil {
		return 0
	}
	return *s.MaxRetries
}

type Expect struct {
	Exit           *int
	StdoutContains string
	StdoutMatches  string // RE2
}

type Artifacts struct {
	Create, Modify, Delete    []string
	SymbolsAdd, SymbolsRemove []string // nil: not accounted
}

// Declared is the artifacts as the ledger accounts them.
func (a *Artifacts) Declared() ledger.Declared {
	return ledger.Declared{Create: a.Create, Modify: a.Modify, Delete: a.Delete,
		SymbolsAdd: a.SymbolsAdd, SymbolsRemove: a.SymbolsRemove}
}

type Limits struct {
	MaxFiles, MaxLines *int
	Modules            []string
}

type Access struct{ Reads, Writes, Symbols []string }

type TestIntent struct {
	Behavior, Invariant, FailureMeans string
	Test                              string // a command
	FixedBy                           Address
}

type Backup struct {
	ID, Description  string
	Run, Prompt      string
	Executor         string
	TriggerCondition string
	ExecutionMethod  string
	ToolPath         string
	ToolArgs         []string
}

// A Check is something a machine can decide. Kind names it; the other fields are its arguments.
type Check struct {
	Kind           string
	Path           string
	Text, Matches  string
	Run            string
	Exit           *int
	StdoutContains string
	Symbol         string
	Package        string
	Name, Version  string
	Extra          []Setting // arguments of kinds that a host added
}

type Completion struct {
	AcceptanceCriteria []string
	Checks             []Check
	Flags              []Setting
}

type EnvelopeSpec struct {
	Model          string
	PromptTemplate []string
	Context        []string
	Tools          []string
	Config         []string
}

type Sandbox struct {
	Level    string // "", none, process, filesystem, strict
	Network  *bool
	CPU      string // time limit, a duration
	Memory   string // bytes with a unit, as in "2GiB"
	Output   string // bytes with a unit
	Env      []string
	Writable []string
}

type Execution struct {
	DefaultMode Mode
	Extra       []Setting
}

type Propagation string

const (
	HaltOnCritical      Propagation = "halt_on_critical"
	ContinueAndLog      Propagation = "continue_and_log"
	CollaborativeReview Propagation = "collaborative_review"
)

type ErrorPropagation struct {
	Enabled            *bool
	ReadPriorSteps     *bool
	DependencyTracking *bool
	Strategy           Propagation // propagation_strategy, or strategy
	FailureThreshold   int         // 0: not said
	Extra              []Setting
}
