// Package report writes what a check found in a plan for other programs: as a
// document of its own ([Of]), and as SARIF for editors and code hosts ([SARIF]).
//
//	found := draft.Check(options)
//	json.NewEncoder(w).Encode(report.Of(draft, found, options))
//
// Both are values whose JSON is the format. Equal drafts give equal documents.
package report

import (
	"cmp"
	"fmt"
	"path"

	"github.com/planlock/planlock/plan"
)

// A Document is what a check found, for other programs. It is written as JSON;
// fields may be added to it, never renamed.
type Document struct {
	Schema      string            `json:"schema"` // planlock.check/1
	Plan        planned           `json:"plan"`
	Sides       *sides            `json:"sides,omitempty"` // of a SPEC pair
	Diagnostics []plan.Diagnostic `json:"diagnostics"`
	Counts      counts            `json:"counts"`
	SelfCheck   []plan.Answer     `json:"self_check,omitempty"` // where anything of a plan could be read
}

// A planned is what the plan says, as far as it could be read.
type planned struct {
	Format   plan.Format   `json:"format"`
	Profile  *plan.Profile `json:"profile"` // null where nothing says it
	Digest   *string       `json:"digest"`  // null when there are errors
	Goal     string        `json:"goal,omitempty"`
	Tasks    []task        `json:"tasks"`
	Speclets []speclet     `json:"speclets"`
	Stages   [][]string    `json:"stages"`
}

// A side is one half of a pair.
type sides struct {
	Markdown *side `json:"markdown"`
	TOML     *side `json:"toml"`
}

type side struct {
	File  string   `json:"file"`
	Goals []string `json:"goals"`
	Tasks []task   `json:"tasks"`
}

// A task is one of the plan, with its place in the source.
type task struct {
	ID         string        `json:"id"`
	Index      int           `json:"index"` // from 1
	Title      string        `json:"title"`
	Type       string        `json:"type,omitempty"`
	Status     plan.Status   `json:"status"`
	DependsOn  []string      `json:"depends_on"` // null: not said
	Files      []string      `json:"files"`
	Acceptance *int          `json:"acceptance"`
	Source     plan.Position `json:"source"`
	Steps      []step        `json:"steps"` // without one that the source did not write
}

// A step is one of a task.
type step struct {
	ID             string        `json:"id"`
	Address        plan.Address  `json:"address"`
	Title          string        `json:"title"`
	Status         plan.Status   `json:"status"`
	Critical       *bool         `json:"critical"`
	Mode           *plan.Mode    `json:"mode"`
	Backups        int           `json:"backups"`
	ExpectedOutput bool          `json:"expected_output"`
	BestBasis      string        `json:"best_basis"` // "proved" or "reviewed": what its word may come to rest on
	Source         plan.Position `json:"source"`
}

// A speclet is a group of tasks.
type speclet struct {
	ID              string   `json:"id"`
	DependsOn       []string `json:"depends_on"`
	Tasks           []string `json:"tasks"`
	ParallelAllowed *bool    `json:"parallel_allowed"`
}

// counts says how many diagnostics there are of each severity, also of those
// that others stand for.
type counts struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Notes    int `json:"notes"`
}

// Of makes a document of a draft and of what [plan.Draft.Check] found in it
// with the options. Paths in it are clean. The draft may be one of which
// nothing could be read, as of a file that is not there.
func Of(d *plan.Draft, found []plan.Diagnostic, o plan.CheckOptions) Document {
	doc := Document{Schema: "planlock.check/1", Plan: planOf(d), Sides: sidesOf(d),
		Diagnostics: append([]plan.Diagnostic{}, found...)}
	for i := range doc.Diagnostics {
		doc.Diagnostics[i].Pos = clean(doc.Diagnostics[i].Pos)
	}
	doc.Counts.Errors, doc.Counts.Warnings, doc.Counts.Notes = plan.Tally(found)
	if doc.Counts.Errors == 0 {
		digest := string(d.Plan.Digest())
		doc.Plan.Digest = &digest
	}
	if d.Plan.Goal != "" || len(d.Plan.Tasks) > 0 {
		doc.SelfCheck = d.SelfCheck(o)
	}
	return doc
}

// planOf is the plan as far as it was read. Its lists of tasks, speclets and
// stages are never null.
func planOf(d *plan.Draft) planned {
	doc := planned{Format: d.Format, Profile: said(d.Plan.Profile), Goal: d.Plan.Goal,
		Tasks: tasksOf(&d.Plan, d.Position, d.Implied), Speclets: []speclet{},
		Stages: append([][]string{}, d.Plan.Graph().Stages...)}
	for _, s := range d.Plan.Speclets {
		doc.Speclets = append(doc.Speclets, speclet{s.ID, s.DependsOn, s.Tasks, s.ParallelAllowed})
	}
	return doc
}

// sidesOf are the halves of a pair, nil for other plans.
func sidesOf(d *plan.Draft) *sides {
	if len(d.Sides()) == 0 {
		return nil
	}
	doc := &sides{}
	for _, s := range d.Sides() {
		half := &side{File: path.Clean(s.File), Goals: append([]string{}, s.Goals...),
			Tasks: tasksOf(&s.Plan, s.Position, func(int) bool { return false })}
		if s.Name == "markdown" {
			doc.Markdown = half
		} else {
			doc.TOML = half
		}
	}
	return doc
}

// tasksOf lists tasks; at finds where a key stands, and implied tells tasks
// whose only step was not written.
func tasksOf(p *plan.Plan, at func(key string) plan.Position, implied func(task int) bool) []task {
	list := []task{}
	provable := p.Provable()
	for i := range p.Tasks {
		t, key := &p.Tasks[i], fmt.Sprintf("tasks[%d]", i)
		doc := task{ID: t.ID, Index: i + 1, Title: cmp.Or(t.Title, t.Description), Type: t.Kind,
			Status: cmp.Or(t.Status, plan.Open), DependsOn: t.DependsOn, Files: t.Files, Source: clean(at(key)),
			Steps: []step{}}
		if t.AcceptanceCriteria != nil {
			n := len(t.AcceptanceCriteria)
			doc.Acceptance = &n
		}
		for j := range t.Steps {
			if implied(i) {
				break
			}
			s := &t.Steps[j]
			doc.Steps = append(doc.Steps, step{ID: s.ID, Address: s.Address, Title: s.Description,
				Status: cmp.Or(s.Status, plan.Open), Critical: s.Critical, Mode: said(s.Mode), Backups: len(s.Backups),
				ExpectedOutput: s.ExpectedOutput != "", BestBasis: basis(provable(s)),
				Source: clean(at(fmt.Sprintf("%s.steps[%d]", key, j)))})
		}
		list = append(list, doc)
	}
	return list
}

// basis is what the word of a step may come to rest on.
func basis(provable bool) string {
	if provable {
		return "proved"
	}
	return "reviewed"
}

// said is nil for a word that is not said.
func said[S ~string](word S) *S {
	if word == "" {
		return nil
	}
	return &word
}

// clean is a place whose path has no steps that lead nowhere.
func clean(p plan.Position) plan.Position {
	p.File = path.Clean(p.File)
	return p
}
