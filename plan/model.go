package plan

import (
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/ledger"
)

// Profile decides what "complete" means.
type Profile string

const (
	Strict Profile = "strict" // every step is fully specified, or the plan is refused
	// Scoped holds steps to the files that the plan names for them, and records
	// everything else, as Observe does.
	Scoped  Profile = "scoped"
	Observe Profile = "observe" // what a step changes is recorded where it declares nothing; all else is enforced
)

// Records reports whether what a step does not declare is recorded, and not
// refused; under Scoped that is so for all but the files that it changes.
func (p Profile) Records() bool { return p == Observe || p == Scoped }

// An Address names a step: TASK.STEP, as in "2.3".
type Address string

// Addresses names steps for people, as in "1.1, 2.3".
func Addresses(list []Address) string {
	names := make([]string, len(list))
	for i, a := range list {
		names[i] = string(a)
	}
	return strings.Join(names, ", ")
}

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
	Surfaces     []Surface
	Gates        []GateUse
	Speclets     []Speclet
	Tasks        []Task
	Completion   Completion
	Scope        ledger.Scope // [ledger]; Own is not part of the plan
	Envelope     EnvelopeSpec
	Sandbox      Sandbox

	Execution        Execution        // [execution]
	ErrorPropagation ErrorPropagation // [error_propagation]

	// Settings are the remaining tables of parameters_NAME.toml
	// (software_stack, user_interface, deployment, mcp_tools, components,
	// constraints, knowledge_capture, education, logging, verification …),
	// flattened, sorted by key.
	Settings []Setting
}

// A Setting is one leaf of a free table: Key is dotted and quoted where needed,
// Value is canonical text of a string, integer, float, boolean, date or list.
type Setting struct {
	Key   string
	Value Value
}

// Compare orders settings by their keys, as a plan has them.
func (s Setting) Compare(o Setting) int { return strings.Compare(s.Key, o.Key) }

// Value is one TOML value in canonical spelling, with its kind.
type Value struct {
	Kind string // "string", "integer", "float", "boolean", "datetime", "array", "table"
	Text string // of scalars
	List []Value
}

// The kinds of values that rules ask for.
const (
	kindString  = "string"
	kindInteger = "integer"
	kindFloat   = "float"
	kindBoolean = "boolean"
	kindArray   = "array"
	kindTable   = "table"
)

// Meta is [meta]: what the plan is called.
type Meta struct {
	Name    string // goal_descriptor
	Version string
	Extra   []Setting
}

// A Requirement is something the user asked for; each is served by at least one
// step.
type Requirement struct {
	ID, Text string
	Check    *Check // decided when all steps are done, as a completion check is; see [Plan.FinalChecks]
}

// An Assumption is taken for granted; where it has a check, it can be verified.
type Assumption struct {
	ID, Text string
	Check    *Check
}

// An Invariant holds before, between and after steps.
type Invariant struct {
	ID, Text string
	Check    *Check
	Critical bool // default true
}

// A NonGoal must not be touched: paths (globs) and symbols, judged on what
// changed and not on words.
type NonGoal struct {
	ID, Text string
	Paths    []string
	Symbols  []string
}

// A GateUse asks for a gate that the host has or that is built in, with
// arguments. The gate says which it takes.
type GateUse struct {
	Name string
	Args []Setting // sorted by key
}

// A Speclet is a group of tasks with dependencies on other groups.
type Speclet struct {
	ID, Description string
	DependsOn       []string
	Tasks           []string
	ParallelAllowed *bool
	Wave            string // speclets that have one in common may run at once
}

// A Task is a unit of work with an outcome: steps, in order.
type Task struct {
	ID                 string
	Title, Description string
	DependsOn          []string
	ResearchEnabled    bool
	ResearchSources    []string
	// Hints are what may help with it, such as what an earlier run found out. They
	// are told to whoever carries it out or reviews it, and bind nobody.
	Hints              []string
	Estimate           time.Duration
	AcceptanceCriteria []string
	Complexity         int // 1 to 5; 0: not said
	Priority           string
	Kind               string
	Wave               string // tasks of a speclet that have one in common may run at once
	Status             Status // open unless a front end read another
	Files              []string
	// PlanFiles are what the plan around it names: as changed, for a task that
	// names no files of its own, and what the plan's last task leaves besides.
	PlanFiles []string
	// Summary names the summary beside its plan that says that the task is done;
	// "": none does. It is no part of the plan's meaning.
	Summary string
	Steps   []Step
}

// label is what the task is called.
func (t *Task) label() string {
	if t.Title != "" {
		return t.Title
	}
	return t.Description
}

// Expected are the files that the task names itself, as they stand; globs are not
// among them.
func (t *Task) Expected() []string { return slices.DeleteFunc(slices.Clone(t.Files), isGlob) }

// LeftBefore begins the hint that says why an earlier run left a task.
const LeftBefore = "an earlier run left it: "

// MarksDone reports whether the source of the plan marks a step of the task as
// done.
func (t *Task) MarksDone(s *Step) bool { return s.Status == Done || s.Status == "" && t.Status == Done }

// Prompt tells all that a task says of itself to who is to do it: it is the prompt
// of the only step of a task that a plan gives none.
func (t *Task) Prompt() string {
	var b strings.Builder
	b.WriteString(t.label())
	if t.Description != "" && t.Description != t.label() {
		b.WriteString("\n\n" + t.Description)
	}
	for _, l := range []struct {
		head  string
		items []string
	}{{"Files", t.Files}, {"It is done when", t.unsaid()}} {
		if len(l.items) > 0 {
			b.WriteString("\n\n" + l.head + ":\n- " + strings.Join(l.items, "\n- "))
		}
	}
	return b.String()
}

// unsaid are the acceptance criteria; none where the description tells them all, in
// order.
func (t *Task) unsaid() []string {
	rest := t.Description
	for _, text := range t.AcceptanceCriteria {
		at := strings.Index(rest, text)
		if at < 0 {
			return t.AcceptanceCriteria
		}
		rest = rest[at+len(text):]
	}
	return nil
}

// Status of a task or step in its source.
type Status string

const (
	Open       Status = "open"        // nothing was done yet
	InProgress Status = "in-progress" // something was
	Done       Status = "done"        // all of it was
)

// OnFailure is what happens when a method of a step fails.
type OnFailure string

// Rollback is how a step is undone.
type Rollback string

// SemanticChange is what a step does to the behaviour of what is there.
type SemanticChange string

// Mode says who is asked, and when.
type Mode string

const (
	Block OnFailure = "block" // nothing is tried again; backups are
	Retry OnFailure = "retry" // the same method, at most max_retries times
	Ask   OnFailure = "ask"   // a person decides

	Reversible    Rollback = "reversible"    // by restoring the checkpoint
	Compensatable Rollback = "compensatable" // by the step's compensation, then the checkpoint
	Irreversible  Rollback = "irreversible"  // not at all: must be acknowledged, and is never repeated unasked

	Preserving SemanticChange = "preserving" // behaves as before
	Extending  SemanticChange = "extending"  // does more, and what it did as before
	Modifying  SemanticChange = "modifying"  // does something otherwise: must be acknowledged
	Breaking   SemanticChange = "breaking"   // breaks who uses it: must be acknowledged

	Silent        Mode = "silent"        // asked only when nothing else is left
	Dynamic       Mode = "dynamic"       // silent until failures pile up
	Collaborative Mode = "collaborative" // asked about every failure
	Education     Mode = "education"     // as collaborative, with explanations
)

// Outside reports whether what a step of the class did may be seen outside of
// the workspace, where no restore reaches it.
func (r Rollback) Outside() bool { return r == Compensatable || r == Irreversible }

// DefaultTimeout is how long an attempt of a step may take where neither the
// plan nor the source that it was read from says anything of time.
const DefaultTimeout = 30 * time.Minute

// A Step is the unit of contract: what is done, what it may change, how it is
// checked, how it is undone.
type Step struct {
	ID             string
	Address        Address
	Description    string
	Executor       string        // "" : the host's default
	Run            string        // a shell command, or
	Prompt         string        // for an agent, or
	Tool           string        // a tool of a server, as in "files.write_file", which planlock calls
	ToolArgs       *Arguments    // those of Tool; nil: none
	Timeout        time.Duration // 0: what its task's estimate comes to, else DefaultTimeout
	ExpectedOutput string
	Expect         *Expect
	Critical       *bool // critical_flag; nil: not said
	Mode           Mode
	MaxRetries     *int
	OnFailure      OnFailure
	Rollback       Rollback
	Compensate     string
	SemanticChange SemanticChange
	Deterministic  *bool // nil: as the run
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
	Supersedes     []string // addresses of earlier steps whose postconditions need not hold any more
	Adjustable     []string // arguments of its command that an advisor may set, or add
	TestIntent     *TestIntent
	Backups        []Backup
	Status         Status
}

// IsCritical reports whether a failure of the step matters to the whole run:
// unless it says otherwise, it does.
func (s *Step) IsCritical() bool { return s.Critical == nil || *s.Critical }

// Repeats reports whether the step must do the same each time that it is carried
// out with the same inputs: it says so, or, where it says nothing of it, the run
// is deterministic.
func (s *Step) Repeats(deterministic bool) bool {
	if s.Deterministic != nil {
		return *s.Deterministic
	}
	return deterministic
}

// Expected are the paths that the step promises to leave behind, sorted; globs
// are not among them, nor is what it deletes.
func (s *Step) Expected() []string {
	var paths []string
	if s.Artifacts != nil {
		paths = slices.Concat(s.Artifacts.Create, s.Artifacts.Modify)
	}
	paths = append(paths, s.Evidence...)
	slices.Sort(paths)
	return slices.DeleteFunc(slices.Compact(paths), isGlob)
}

// isGlob reports whether a declared path stands for several.
func isGlob(path string) bool { return strings.ContainsAny(path, "*?[{") }

// Retries is how often the primary method may be tried again.
func (s *Step) Retries() int {
	if s.MaxRetries == nil {
		return 0
	}
	return *s.MaxRetries
}

// Expect is what an executor's output must look like.
type Expect struct {
	Exit           *int
	StdoutContains string
	StdoutMatches  string // RE2
}

// Limits is how much a step may change. Lines are those added plus those
// removed; modules are folders that all changes lie in.
type Limits struct {
	MaxFiles, MaxLines *int
	Modules            []string
}

// Access is what a step reads and writes, and the symbols it owns: needed only
// to run beside other steps.
type Access struct{ Reads, Writes, Symbols []string }

// A TestIntent says what a test is for. Its command must fail at the end of the
// step that brings it and pass at the end of FixedBy.
type TestIntent struct {
	Behavior, Invariant, FailureMeans string
	Test                              string // a command
	FixedBy                           Address
}

// A Check is something a machine can decide. Kind names it; the other fields
// are its arguments.
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
	Derived        bool      // read from words of the plan that do not ask for a check
	Extra          []Setting // arguments of kinds that a host added
}

// Completion is [completion_criteria]: what makes the whole plan complete.
type Completion struct {
	AcceptanceCriteria []string
	Checks             []Check
	Flags              []Setting
}

// Steps goes through all steps with their tasks, in the order in which they
// stand in the plan; both are the plan's own.
func (p *Plan) Steps() iter.Seq2[*Task, *Step] {
	return func(yield func(*Task, *Step) bool) {
		for i := range p.Tasks {
			t := &p.Tasks[i]
			for j := range t.Steps {
				if !yield(t, &t.Steps[j]) {
					return
				}
			}
		}
	}
}

// addressOf joins the ids of a task and a step. A step may also be called by
// its whole address.
func addressOf(task, step string) Address {
	if strings.HasPrefix(step, task+".") {
		return Address(step)
	}
	return Address(task + "." + step)
}

// readdress makes the addresses follow from the ids.
func (p *Plan) readdress() {
	for t, s := range p.Steps() {
		s.Address = addressOf(t.ID, s.ID)
	}
}
