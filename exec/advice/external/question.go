package external

import (
	"strings"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// schema names the protocol. Fields may be added to it; a change of meaning
// gets another number.
const schema = "planlock.advise/1"

// A question is the line that a program reads. Fields that there is nothing to
// say of are left out.
type question struct {
	Type        string      `json:"type"` // "advise"
	Schema      string      `json:"schema"`
	Kind        advice.Kind `json:"kind"`
	Point       string      `json:"point"`
	Run         string      `json:"run,omitempty"`
	Goal        string      `json:"goal,omitempty"`
	Task        string      `json:"task_id,omitempty"`
	Title       string      `json:"title,omitempty"`
	Description string      `json:"description,omitempty"` // of the task
	Criteria    []string    `json:"criteria,omitempty"`    // what is to be fulfilled
	Sources     []string    `json:"sources,omitempty"`     // where the plan says to look
	Step        *step       `json:"step,omitempty"`
	Method      *method     `json:"method,omitempty"` // as it was carried out
	Failure     *failure    `json:"failure,omitempty"`
	Attempts    []attempt   `json:"attempts,omitempty"` // of the step, oldest first
	Earlier     []earlier   `json:"earlier,omitempty"`  // advice of this run about the same, oldest first
	Env         []string    `json:"env,omitempty"`      // the variables that a patch may set
}

// A step is what the advice is about.
type step struct {
	Address     plan.Address `json:"step"`
	Description string       `json:"description,omitempty"`
	Artifacts   []string     `json:"expected_artifacts,omitempty"`
	Output      string       `json:"expected_output,omitempty"`
	Backups     []string     `json:"backups,omitempty"` // other ways that the plan has
}

// A method is a way to do the step.
type method struct {
	ID     string `json:"id"`
	Run    string `json:"run,omitempty"`
	Prompt string `json:"prompt,omitempty"`

	Adjustable []string `json:"adjustable,omitempty"` // arguments that a patch may set to any value, or add
}

// A failure is what is to be recovered from.
type failure struct {
	Class   string   `json:"class"`
	Reasons []string `json:"reasons,omitempty"` // with what was printed
}

// An attempt is one that was made.
type attempt struct {
	Number  int      `json:"attempt"`
	Method  string   `json:"method"`
	Reasons []string `json:"reasons,omitempty"` // why it failed
}

// An earlier piece of advice.
type earlier struct {
	Kind       string  `json:"kind"`
	Advisor    string  `json:"advisor,omitempty"`
	RootCause  string  `json:"root_cause,omitempty"`
	Note       string  `json:"note,omitempty"`
	Confidence float64 `json:"confidence"`
	Patch      string  `json:"patch_id,omitempty"`
}

// questionOf is a case as a program reads it.
func questionOf(c advice.Case) question {
	q := question{Type: "advise", Schema: schema, Kind: c.Kind, Point: string(c.Point), Run: c.Run, Goal: c.Goal,
		Criteria: c.Criteria}
	if c.Plan != nil {
		q.Env = c.Plan.Sandbox.Env
	}
	if t := c.Task; t != nil {
		q.Task, q.Title, q.Description = t.ID, t.Title, t.Description
		if c.Kind == advice.Research {
			q.Sources = t.ResearchSources
		}
	}
	if s := c.Step; s != nil {
		q.Step = &step{Address: s.Address, Description: s.Description, Artifacts: s.Expected(),
			Output: s.ExpectedOutput}
		for _, b := range s.Backups {
			q.Step.Backups = append(q.Step.Backups, b.Description)
		}
	}
	if c.Point != advice.Task {
		q.Method = &method{c.Method.ID, c.Method.Run, c.Method.Prompt, c.Method.Adjustable}
		q.Failure = &failure{Class: string(c.Failure.Class), Reasons: c.Failure.Reasons}
	}
	for i, a := range c.Attempts {
		q.Attempts = append(q.Attempts, attempt{a.Number, a.Method.Method, lines(a)})
		if i == len(c.Attempts)-1 && c.Point == advice.Execution && len(q.Attempts[i].Reasons) > 0 {
			q.Failure.Reasons = q.Attempts[i].Reasons
		}
	}
	for _, a := range c.Earlier {
		q.Earlier = append(q.Earlier, earlier{a.Kind, a.Advisor, a.RootCause, a.Note, a.Confidence, a.Patch})
	}
	return q
}

// lines are why an attempt failed, each reason with what was printed beneath it.
func lines(a *history.Attempt) []string {
	var all []string
	for _, r := range a.Explained() {
		all = append(all, strings.Join(r.Lines(), "\n"))
	}
	return all
}
