package review

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// About says what a reviewer is asked about.
type About string

const (
	AboutPlan About = "plan" // a plan, before it is locked
	AboutTask About = "task" // a task, before its first step; nothing of it has been carried out
	AboutWork About = "work" // what became of a task, when its last step is done
)

// Schemas name the form of a request. Fields may be added to it; a change of
// meaning gets another number.
const (
	reviewSchema   = "planlock.review/1"   // about a plan or a task
	validateSchema = "planlock.validate/1" // about work, see docs/validator-protocol.md
)

// A Request is what a reviewer is shown. What it points to must not be changed.
type Request struct {
	Type       string   `json:"type"`   // "review", or "validate" about work
	Schema     string   `json:"schema"` // "planlock.review/1", or "planlock.validate/1"
	About      About    `json:"about"`
	Run        string   `json:"run,omitempty"`
	Goal       string   `json:"goal"`
	Task       string   `json:"task_id,omitempty"`
	Title      string   `json:"title,omitempty"`
	Text       string   `json:"description,omitempty"`
	Priority   string   `json:"priority,omitempty"`
	Acceptance []string `json:"acceptance_criteria,omitempty"` // criterion 1 is the first
	Steps      []Step   `json:"steps,omitempty"`               // how it is to be done
	Surfaces   []string `json:"surfaces,omitempty"`            // what public symbols promise, a line each
	Retry      int      `json:"retry_attempt"`                 // 0 for a task as planned, and for the first work
	Attempt    string   `json:"attempt_id,omitempty"`          // as in "2/approval#1", or "2.3#1" of work
	Patch      string   `json:"patch_id,omitempty"`            // what was changed since
	Feedback   []string `json:"feedback,omitempty"`            // why it was rejected before
	Hints      []string `json:"hints,omitempty"`               // about a task: what earlier runs found out
	Ready      []Offer  `json:"ready_jobs,omitempty"`          // about a task: jobs that went well in earlier runs

	// The rest is of work.
	Step    string        `json:"step,omitempty"`         // address of the step that ended the task
	Digest  ledger.Digest `json:"digest,omitempty"`       // of the tree that is judged
	Changes []Change      `json:"changes,omitempty"`      // what became of paths since the task began, sorted
	More    int           `json:"more_changes,omitempty"` // changes that are left out of the list
	Output  *Output       `json:"output,omitempty"`       // of the last step's executor
	Judged  []Judged      `json:"judged,omitempty"`       // what gates said of the attempt before, in their order

	// the workspace; not sent about work, as programs are started there
	Dir    string             `json:"dir,omitempty"`
	Path   string             `json:"-"` // where programs see Dir; "": as Dir
	Runner gate.CommandRunner `json:"-"` // runs programs in the sandbox of the plan
}

// A Step of what is to be approved, or was done.
type Step struct {
	Address     string   `json:"step"`
	Description string   `json:"description"`
	Run         string   `json:"run,omitempty"`
	Prompt      string   `json:"prompt,omitempty"`
	Tool        string   `json:"tool,omitempty"` // of a server, with its arguments as JSON
	Executor    string   `json:"executor,omitempty"`
	Artifacts   []string `json:"expected_artifacts,omitempty"` // to be created or modified, and owed as evidence
	Patch       string   `json:"patch_id,omitempty"`           // where it is done otherwise than planned

	// Of work: what may change and must, and what is expected of the output.
	Declared       *ledger.Declared `json:"declared,omitempty"` // nil: the plan says nothing of it
	ExpectedOutput string           `json:"expected_output,omitempty"`
	// Constraints and Components are those that the step names, with what the plan
	// says of them, as in "latency: below 50 ms".
	Constraints []string `json:"constraints,omitempty"`
	Components  []string `json:"components,omitempty"`
}

// AddStep adds a step as reviewers see it, done by its primary method. What it
// returns may be changed until the next one is added.
func (r *Request) AddStep(s *plan.Step) *Step {
	r.Steps = append(r.Steps, Step{Address: string(s.Address), Description: s.Description, Run: s.Run,
		Prompt: s.Prompt, Tool: s.ToolCall(), Executor: s.Executor, Artifacts: s.Expected()})
	return &r.Steps[len(r.Steps)-1]
}

// Prompt is the request as a text for a model.
func (r *Request) Prompt() string {
	var b strings.Builder
	name := strings.TrimSpace(r.Title + " " + r.Text)
	switch r.About {
	case AboutWork:
		return r.workPrompt(name)
	case AboutPlan:
		fmt.Fprintf(&b, "Review a plan before anything of it is carried out. Its goal: %s\n", r.Goal)
	default:
		fmt.Fprintf(&b, "Review task %s before anything of it is carried out: %s\nIt is part of: %s\n", r.Task, name,
			r.Goal)
	}
	list(&b, "\nCriteria:\n", r.Acceptance)
	b.WriteString("\nSteps:\n")
	for _, s := range r.Steps {
		fmt.Fprintf(&b, "%s %s\n", s.Address, s.Description)
		list(&b, "", []string{s.Run + s.Prompt + s.Tool})
	}
	list(&b, "\nWhat public symbols promise:\n", r.Surfaces)
	list(&b, "\nWhy it was rejected before:\n", r.Feedback)
	list(&b, "\nWhat earlier runs found out:\n", r.Hints)
	var ready []string
	for _, o := range r.Ready {
		ready = append(ready, o.text())
	}
	list(&b, "\nReady jobs, which went well in such tasks:\n", ready)
	b.WriteString(`
Change nothing. Answer with one JSON object and nothing else:
{"verdict": "APPROVE" | "REJECT" | "CONDITIONAL",
 "flags": {"critical": ["what must not happen"], "warnings": []},
 "checks": {}, "proposed_jobs": []}
`)
	if len(ready) > 0 {
		b.WriteString("To have a ready job run, propose none and add  \"ready_job\": \"its digest\"\n")
	}
	return b.String()
}

// list writes lines below a heading, and nothing where there are none.
func list(b *strings.Builder, heading string, lines []string) {
	if len(lines) > 0 {
		fmt.Fprintf(b, "%s- %s\n", heading, strings.Join(lines, "\n- "))
	}
}
