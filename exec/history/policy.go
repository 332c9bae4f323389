package history

import (
	"strings"
	"time"

	"github.com/planlock/planlock/exec/commit"
	"github.com/planlock/planlock/plan"
)

// A Policy is how a run is carried out, as far as the host and the plan
// together decide it. What is decided about a run follows from its plan, its
// policy and its history, and from nothing else.
type Policy struct {
	Mode plan.Mode `json:"mode"` // at first; see [ModeSwitched]
	// who chose it: "host" (a flag or a field), "plan", "person", "accepted"
	// (the default, by a person), "default"
	ModeBy        string      `json:"mode_by,omitempty"`
	Preset        string      `json:"preset,omitempty"`  // "contract" if empty
	Ladder        []string    `json:"ladder,omitempty"`  // its rungs by name, in order
	Triggers      Triggers    `json:"triggers,omitzero"` // of dynamic mode
	Strategy      Strategy    `json:"strategy,omitempty"`
	TestFirst     bool        `json:"test_first,omitempty"`    // steps that can write their test first do
	Deterministic bool        `json:"deterministic,omitempty"` // another output of the same inputs is refused
	TokenBudget   int64       `json:"token_budget,omitempty"`  // of a session; 0: no limit
	Budget        Money       `json:"budget,omitempty"`        // of the run, in millionths of a US dollar; 0: no limit
	Commits       commit.Unit `json:"commits,omitempty"`       // how much work a commit holds; "": none is made
	Compliance    bool        `json:"compliance,omitempty"`    // tasks are looked at before their first step
	Lenient       bool        `json:"lenient,omitempty"`       // what needs a step that is not critical goes on without it

	Jobs int `json:"jobs,omitempty"` // steps that may run at once; 0 and 1: one after another
	// what becomes of steps that ran at once and met: "" asks a person,
	// "sequential" runs them one after another
	OnConflict string `json:"on_conflict,omitempty"`
	// how often others' changes are looked for: "" at the ends of the run, before
	// what cannot be undone and after questions, "every-step" before each step too
	External string `json:"external,omitempty"`
	// whether checks are held against trees that lack the work: "" if so, "off"
	Controls string `json:"controls,omitempty"`

	// for a server that may know later what it does not know yet
	EvidenceWait time.Duration `json:"evidence_wait_ns,omitempty"`
	// how long a question waits; 0: as long as whoever is asked does
	Patience time.Duration `json:"patience_ns,omitempty"`
	// what the host was given, in its own words, that whoever goes on gives
	// again
	Given []string `json:"given,omitempty"`
}

// Triggers are the thresholds at which dynamic mode asks a person.
type Triggers struct {
	Consecutive   int     `json:"consecutive,omitempty"`    // failed steps in a row
	Window        int     `json:"window,omitempty"`         // steps that shares are measured over
	SameBackup    int     `json:"same_backup,omitempty"`    // successes of the same backup within the window
	Exhausted     int     `json:"exhausted,omitempty"`      // steps in a row for which all backups failed
	BackupRate    float64 `json:"backup_rate,omitempty"`    // share of the window that needed backups
	MismatchRate  float64 `json:"mismatch_rate,omitempty"`  // share of the window with an unexpected output
	RetryGrowth   float64 `json:"retry_growth,omitempty"`   // growth of retries per step from one window to the next
	ViolationRate float64 `json:"violation_rate,omitempty"` // share of the window that broke a constraint
	TaskFailures  int     `json:"task_failures,omitempty"`  // failed steps of one task; 0: no threshold
}

// Roles are the names of those who are there to take part in a run, so that
// what is decided can depend on it. Their versions stand in the envelope.
type Roles struct {
	Executors []string `json:"executors,omitempty"` // that the plan needs; "" is the default one
	Reviewers []string `json:"reviewers,omitempty"`
	Advisors  []string `json:"advisors,omitempty"` // the kinds of advice that somebody gives
	Gates     []string `json:"gates,omitempty"`    // of the host
	Guards    []string `json:"guards,omitempty"`   // of the host
	// Deaf are executors that are not told why earlier attempts failed.
	Deaf      []string `json:"deaf,omitempty"`
	Evidence  bool     `json:"evidence,omitempty"`  // somebody looks for the evidence of tasks
	Tracker   bool     `json:"tracker,omitempty"`   // and asks a server
	Escalator bool     `json:"escalator,omitempty"` // somebody can be asked; else questions are refused
	Refuses   bool     `json:"refuses,omitempty"`   // who is asked refuses all: nobody is there
}

// MemoryVersion is how the version of an advisor begins, in the envelope, that has a
// memory of earlier runs.
const MemoryVersion = "memory "

// Pipeline reports whether tasks have last words: somebody reviews them, or
// looks for their evidence.
func (r *Roles) Pipeline() bool { return len(r.Reviewers) > 0 || r.Evidence }

// Attended reports whether somebody is there who may answer a question.
func (r *Roles) Attended() bool { return r.Escalator && !r.Refuses }

// PolicyChanged says that the run goes on under another policy, or with others,
// from here on.
type PolicyChanged struct {
	Policy Policy `json:"policy"`
	Roles  Roles  `json:"roles"`
	Why    string `json:"why,omitempty"`
}

func (*PolicyChanged) Type() string { return "policy-changed" }

func (f *PolicyChanged) String() string {
	return sprint("%s: %s", strings.Join(append([]string{"preset " + f.Policy.Preset}, f.Policy.Given...), " "), f.Why)
}

// ModeSwitched says who is asked from now on, and why.
type ModeSwitched struct {
	From         plan.Mode `json:"from"`
	To           plan.Mode `json:"to"`
	Cause        string    `json:"cause"`
	Measurements []string  `json:"measurements,omitempty"`
	// Of a switch that dynamic mode made by itself: the triggers that fired,
	// the methods tried in the steps that they looked at ("1.2 primary
	// failed"), what is suggested, and how many steps had failed in a row.
	Triggers       []string `json:"triggers,omitempty"`
	Methods        []string `json:"methods,omitempty"`
	Recommendation string   `json:"recommendation,omitempty"`
	Consecutive    int      `json:"consecutive,omitempty"`

	// When it was recorded, and at which step ("" for the run); set by the
	// fold.
	At   time.Time    `json:"-"`
	Step plan.Address `json:"-"`
}

func (*ModeSwitched) Type() string { return "mode-switched" }

// Causes are the triggers that fired, or what else the mode was switched for, as
// in "critical failure, consecutive failures".
func (f *ModeSwitched) Causes() string {
	if len(f.Triggers) > 0 {
		return strings.Join(f.Triggers, ", ")
	}
	return f.Cause
}

// String is "dynamic to collaborative: critical failure".
func (f *ModeSwitched) String() string { return sprint("%s to %s: %s", f.From, f.To, f.Causes()) }
