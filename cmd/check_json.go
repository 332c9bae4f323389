package cmd

import (
	"path"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/plan"
)

// checkJSON is the document of "check --format json". Fields may be added,
// never renamed.
type checkJSON struct {
	Schema      string           `json:"schema"`
	Plan        planJSON         `json:"plan"`
	Sides       *sidesJSON       `json:"sides,omitempty"` // of a SPEC pair
	Diagnostics []diagnosticJSON `json:"diagnostics"`
	Counts      countsJSON       `json:"counts"`
	SelfCheck   []answerJSON     `json:"self_check,omitempty"`
	Already     *[]alreadyJSON   `json:"already,omitempty"` // of check --dir
}

type planJSON struct {
	Format   plan.Format   `json:"format"`
	Profile  plan.Profile  `json:"profile,omitempty"`
	Digest   *string       `json:"digest"` // null when there are errors
	Goal     string        `json:"goal,omitempty"`
	Tasks    []taskJSON    `json:"tasks"`
	Speclets []specletJSON `json:"speclets"`
	Stages   [][]string    `json:"stages"`
}

// sidesJSON are the halves of a pair, each as read on its own.
type sidesJSON struct {
	Markdown *sideJSON `json:"markdown"`
	TOML     *sideJSON `json:"toml"`
}

type sideJSON struct {
	File  string     `json:"file"`
	Goals []string   `json:"goals"`
	Tasks []taskJSON `json:"tasks"`
}

type taskJSON struct {
	ID         string      `json:"id"`
	Index      int         `json:"index"` // from 1
	Title      string      `json:"title"`
	Type       string      `json:"type,omitempty"`
	Status     plan.Status `json:"status"`
	DependsOn  []string    `json:"depends_on"` // null: not said
	Files      []string    `json:"files"`
	Acceptance *int        `json:"acceptance"`
	Source     sourceJSON  `json:"source"`
	Steps      []stepJSON  `json:"steps"`
}

type stepJSON struct {
	ID             string       `json:"id"`
	Address        plan.Address `json:"address"`
	Title          string       `json:"title"`
	Status         plan.Status  `json:"status"`
	Critical       *bool        `json:"critical"`
	Mode           *plan.Mode   `json:"mode"`
	Backups        int          `json:"backups"`
	ExpectedOutput bool         `json:"expected_output"`
	Source         sourceJSON   `json:"source"`
}

type specletJSON struct {
	ID              string   `json:"id"`
	DependsOn       []string `json:"depends_on"`
	Tasks           []string `json:"tasks"`
	ParallelAllowed *bool    `json:"parallel_allowed"`
}

type sourceJSON struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

type diagnosticJSON struct {
	Code     string        `json:"code"`
	Severity plan.Severity `json:"severity"`
	Message  string        `json:"message"`
	Hint     string        `json:"hint,omitempty"`
	Task     string        `json:"task,omitempty"`
	Step     string        `json:"step,omitempty"`
	Source   sourceJSON    `json:"source"`
}

type countsJSON struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Notes    int `json:"notes"`
}

type answerJSON struct {
	Question string   `json:"question"`
	Text     string   `json:"text"`
	Answer   bool     `json:"answer"`
	Evidence []string `json:"evidence,omitempty"`
}

// checkDocument is what check found, for other programs.
func checkDocument(d *plan.Draft, found []plan.Diagnostic, o plan.CheckOptions) checkJSON {
	doc := checkJSON{Schema: "planlock.check/1", Diagnostics: []diagnosticJSON{}}
	doc.Counts.Errors, doc.Counts.Warnings, doc.Counts.Notes = count(found)
	for _, f := range found {
		doc.Diagnostics = append(doc.Diagnostics, diagnosticJSON{Code: f.Code, Severity: f.Severity, Message: f.Message,
			Hint: f.Hint, Task: f.Task, Step: f.Step, Source: place(f.Pos)})
	}
	doc.Plan, doc.Sides = planDocument(d), sidesDocument(d)
	if doc.Counts.Errors == 0 {
		digest := string(d.Plan.Digest())
		doc.Plan.Digest = &digest
	}
	if !draftIsEmpty(d) {
		for _, a := range d.SelfCheck(o) {
			doc.SelfCheck = append(doc.SelfCheck, answerJSON{a.Question, a.Text, a.Yes, a.Evidence})
		}
	}
	return doc
}

func planDocument(d *plan.Draft) planJSON {
	doc := planJSON{Format: d.Format, Profile: d.Plan.Profile, Goal: d.Plan.Goal,
		Tasks: tasksDocument(&d.Plan, d.Position, d.Implied), Speclets: []specletJSON{}, Stages: d.Plan.Graph().Stages}
	if doc.Stages == nil {
		doc.Stages = [][]string{}
	}
	for _, s := range d.Plan.Speclets {
		doc.Speclets = append(doc.Speclets, specletJSON{s.ID, s.DependsOn, s.Tasks, s.ParallelAllowed})
	}
	return doc
}

func sidesDocument(d *plan.Draft) *sidesJSON {
	if len(d.Sides()) == 0 {
		return nil
	}
	doc := &sidesJSON{}
	for _, s := range d.Sides() {
		half := &sideJSON{File: path.Clean(s.File), Goals: append([]string{}, s.Goals...),
			Tasks: tasksDocument(&s.Plan, s.Position, func(int) bool { return false })}
		if s.Name == "markdown" {
			doc.Markdown = half
		} else {
			doc.TOML = half
		}
	}
	return doc
}

// tasksDocument lists tasks; at finds where a key stands, and implied tells
// tasks whose only step was not written.
func tasksDocument(p *plan.Plan, at func(key string) plan.Position, implied func(task int) bool) []taskJSON {
	list := []taskJSON{}
	for i := range p.Tasks {
		t := &p.Tasks[i]
		doc := taskJSON{ID: t.ID, Index: i + 1, Title: orElse(t.Title, t.Description), Type: t.Kind,
			Status:    orOpen(t.Status),
			DependsOn: t.DependsOn, Files: t.Files, Source: place(at(key("tasks", i))), Steps: []stepJSON{}}
		if t.AcceptanceCriteria != nil {
			n := len(t.AcceptanceCriteria)
			doc.Acceptance = &n
		}
		if !implied(i) {
			doc.Steps = stepsDocument(t, key("tasks", i), at)
		}
		list = append(list, doc)
	}
	return list
}

func stepsDocument(t *plan.Task, prefix string, at func(key string) plan.Position) []stepJSON {
	list := []stepJSON{}
	for j := range t.Steps {
		s := &t.Steps[j]
		step := stepJSON{ID: s.ID, Address: s.Address, Title: s.Description, Status: orOpen(s.Status),
			Critical: s.Critical,
			Backups:  len(s.Backups), ExpectedOutput: s.ExpectedOutput != "", Source: place(at(prefix + "." + key("steps", j)))}
		if s.Mode != "" {
			step.Mode = &s.Mode
		}
		list = append(list, step)
	}
	return list
}

func place(p plan.Position) sourceJSON {
	return sourceJSON{File: path.Clean(p.File), Line: p.Line, Column: p.Column}
}

// alreadyJSON is a step of "check --dir" whose work seems to be there.
type alreadyJSON struct {
	Step        plan.Address `json:"step"`
	Acknowledge string       `json:"acknowledge"` // behind --ack it leaves the step out
	Evidence    []string     `json:"evidence"`
}

// alreadyDocument is null where no workspace was named.
func alreadyDocument(done []exec.Already, dir string) *[]alreadyJSON {
	if dir == "" {
		return nil
	}
	list := []alreadyJSON{}
	for _, a := range done {
		list = append(list, alreadyJSON{a.Step, a.Code, a.Evidence})
	}
	return &list
}
