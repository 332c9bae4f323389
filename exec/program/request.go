package program

import (
	"bytes"
	"cmp"
	"encoding/json"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/plan"
)

// schema names the protocol. Fields may be added to it; a change of meaning
// gets another number.
const schema = "planlock.execute/1"

// A request is the one line that the program reads. Fields that the plan does
// not state are left out.
type request struct {
	Type           string         `json:"type"` // "execute", or "version", which has no other field but schema
	Schema         string         `json:"schema"`
	Run            string         `json:"run,omitempty"`
	Goal           string         `json:"goal,omitempty"`
	Task           *taskPart      `json:"task,omitempty"`
	Step           string         `json:"step,omitempty"` // address, as in "2.3"
	Description    string         `json:"description,omitempty"`
	Method         *methodPart    `json:"method,omitempty"`
	Attempt        int            `json:"attempt,omitempty"` // from 1
	Dir            string         `json:"dir,omitempty"`     // the workspace, which is also the current folder
	ExpectedOutput string         `json:"expected_output,omitempty"`
	Requirements   []string       `json:"requirements,omitempty"`
	Artifacts      *artifactsPart `json:"artifacts,omitempty"` // left out: not declared; empty: nothing may change
	Within         []string       `json:"within,omitempty"`    // besides artifacts: these may change, and nothing else
	Limits         *limitsPart    `json:"limits,omitempty"`
	exec.Briefing
	Feedback []string `json:"feedback,omitempty"` // why earlier attempts failed, oldest first
	// "red", "green" or "refactor" where the test is written first
	Phase    string   `json:"phase,omitempty"`
	Tests    []string `json:"tests,omitempty"`    // the commands that planlock runs then
	Compress bool     `json:"compress,omitempty"` // be brief: most of the token budget is used
}

// A taskPart is the task that the step belongs to.
type taskPart struct {
	ID          string `json:"id"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`

	Criteria []string `json:"criteria,omitempty"` // it is done when they hold
}

// A methodPart is the way to do the step in this attempt.
type methodPart struct {
	ID          string   `json:"id"` // "primary", or "backup_" and the backup's id
	Description string   `json:"description,omitempty"`
	Run         string   `json:"run,omitempty"`
	Prompt      string   `json:"prompt,omitempty"`
	Tool        string   `json:"tool,omitempty"`
	ToolArgs    []string `json:"tool_args,omitempty"`
	// Env are variables for Run that an advisor's patch sets.
	Env map[string]string `json:"env,omitempty"`
}

// An artifactsPart is what the step declared; anything else that changes fails
// it.
type artifactsPart struct {
	Create        []string `json:"create,omitempty"`
	Modify        []string `json:"modify,omitempty"`
	Delete        []string `json:"delete,omitempty"`
	SymbolsAdd    []string `json:"symbols_add,omitempty"`
	SymbolsRemove []string `json:"symbols_remove,omitempty"`
}

// A limitsPart is how much the step may change.
type limitsPart struct {
	MaxFiles *int     `json:"max_files,omitempty"`
	MaxLines *int     `json:"max_lines,omitempty"`
	Modules  []string `json:"modules,omitempty"`
}

// newRequest is what the program is told about an attempt.
func newRequest(w exec.Work) request {
	r := request{
		Type: "execute", Schema: schema, Run: w.RunID, Goal: w.Goal, Attempt: w.Attempt, Dir: cmp.Or(w.Path, w.Dir),
		Within:   w.Within,
		Briefing: w.Briefing, Feedback: w.Feedback,
		Phase: string(w.Phase), Tests: w.Tests, Compress: w.Compress,
		Method: &methodPart{
			ID: w.Method.ID, Description: w.Method.Description, Run: w.Method.Run, Prompt: w.Method.Prompt,
			Tool: w.Method.Tool, ToolArgs: w.Method.ToolArgs, Env: w.Method.Env,
		},
	}
	if t := w.Task; t != nil {
		r.Task = &taskPart{ID: t.ID, Title: t.Title, Description: t.Description, Criteria: t.AcceptanceCriteria}
	}
	if s := w.Step; s != nil {
		r.Step, r.Description, r.ExpectedOutput, r.Requirements = string(s.Address), s.Description, s.ExpectedOutput,
			s.Requirements
		r.Artifacts, r.Limits = artifacts(s.Artifacts), limits(s.Limits)
	}
	return r
}

// artifacts are what the step declares. Nothing declared and an empty
// declaration are told apart.
func artifacts(a *plan.Artifacts) *artifactsPart {
	if a == nil {
		return nil
	}
	return &artifactsPart{Create: a.Create, Modify: a.Modify, Delete: a.Delete, SymbolsAdd: a.SymbolsAdd,
		SymbolsRemove: a.SymbolsRemove}
}

// limits are those of the step, nil where it has none.
func limits(l *plan.Limits) *limitsPart {
	if l == nil {
		return nil
	}
	return &limitsPart{MaxFiles: l.MaxFiles, MaxLines: l.MaxLines, Modules: l.Modules}
}

// line is the request as it is sent. What does not show itself in it is escaped.
func (r request) line() ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(r) // ends with a newline, and holds no other
	return safetext.JSON(b.Bytes()), err
}
