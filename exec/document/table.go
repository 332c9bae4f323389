package document

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Document is a row of the table of documents: what it is called, for whom
// and when it is drawn, and how.
type Document struct {
	// Name is the name that the document is kept under. NAME in it stands for
	// the plan's name, DATE for the day on which the run ended, TASK for the id
	// of each task, CHECKPOINT for that of each checkpoint.
	Name string
	// For says in plain words who reads it.
	For string
	// When says in plain words of which runs it is drawn; "" for every run.
	When string
	// Only reports whether the document has something to say of a run; nil:
	// always.
	Only func(*Model) bool
	// Ahead is set on documents for whoever goes on: they are drawn also when a
	// run is let go of, and when it is taken up again.
	Ahead bool
	// Live is set on documents that show where a run stands now: they are drawn
	// again while it goes on.
	Live bool
	// Draw writes the document. It is a pure function of the model.
	Draw func(io.Writer, *Model) error

	each func(*Model) []File // in place of Draw, where there is one for each task
}

// Validate refuses a table that cannot be drawn: each document has a name of its
// own, which is that of a file and leads to no other folder, and a way to draw
// it.
func Validate(table []Document) error {
	var errs []error
	names := map[string]bool{}
	for i, d := range table {
		switch {
		case d.Name == "":
			errs = append(errs, fmt.Errorf("document: document %d has no name", i+1))
		case d.Name == "." || d.Name == ".." || strings.ContainsAny(d.Name, "/\\\x00"):
			errs = append(errs, fmt.Errorf("document: %q is no name of a file", d.Name))
		case names[d.Name]:
			errs = append(errs, fmt.Errorf("document: two documents are called %q", d.Name))
		case d.Draw == nil && d.each == nil:
			errs = append(errs, fmt.Errorf("document: %q has no Draw", d.Name))
		}
		names[d.Name] = true
	}
	return errors.Join(errs...)
}

// A File is a document of one run under the name that it is kept under.
type File struct {
	Name string
	Draw func(io.Writer) error
	Live bool // of a document that is drawn again while the run goes on
}

// Files are the files that the document is kept in, none where it has nothing
// to say of the run.
func (d Document) Files(m *Model) []File {
	switch {
	case d.Only != nil && !d.Only(m):
		return nil
	case d.each != nil:
		return d.each(m)
	}
	name := strings.NewReplacer("NAME", name(m.plan), "DATE", m.Ended.UTC().Format("2006-01-02")).Replace(d.Name)
	return []File{{Name: name, Draw: func(w io.Writer) error { return d.Draw(w, m) }, Live: d.Live}}
}

// Files are the files of several documents, always in the same order.
func Files(table []Document, m *Model) []File {
	var files []File
	for _, d := range table {
		files = append(files, d.Files(m)...)
	}
	return files
}

// All is the table of the documents of this package. The page for browsers is a
// package of its own, html.
func All() []Document {
	return []Document{
		{Name: "report.txt",
			For: "people at a terminal: at most 100 columns, no colours, nothing that a terminal obeys", Draw: Text},
		{Name: "report.md", For: "people in a browser or an editor", Draw: Markdown},
		{Name: "report.json", For: "programs: everything, schema `planlock.report/1`", Draw: JSON},
		{Name: "SUMMARY.md", For: "a team that files a summary beside its plan", Ahead: true, Draw: byTemplate("SUMMARY.md")},
		{Name: "NAME-SUMMARY.md", For: "a team that files a summary beside each plan of a phase", Ahead: true,
			When: "one for each NAME-PLAN.md", each: planSummaries},
		{Name: progressFile, For: "tools that read progress logs", Ahead: true, Live: true, Draw: Progress},
		{Name: "summary.json", For: "programs that compare runs: key figures, and what became of each task; schema `planlock.summary/1`",
			Draw: drawFigures},
		{Name: notepadFile, For: "people: what was learned on the way", Draw: byTemplate("notepad.md")},
		{Name: "execution_learnings_DATE.md", When: "when a run is over", Only: over, Draw: byTemplate("learnings.md"),
			For: "whoever writes the next plan: patterns that worked, patterns to avoid, tuning, recommendations"},
		{Name: TaskCheckpointName, For: "tools of the phase workflow", When: "one for each task that is over", Ahead: true,
			each: taskCheckpoints},
		{Name: "checkpoint.yaml", For: "whoever goes on: where the run stands", Ahead: true, Draw: byTemplate("checkpoint.yaml")},
		{Name: CheckpointName, For: "whoever goes on: how the run stood at each of its checkpoints, under its id",
			When: fmt.Sprintf("one for each of the latest %d checkpoints", MostCheckpoints), Ahead: true, each: checkpoints},
		{Name: "next-session.md", For: "whoever goes on with a run", When: "while a run is not over", Ahead: true,
			Only: func(m *Model) bool { return !over(m) }, Draw: byTemplate("next-session.md")},
		{Name: "stuck-report.md", For: "whoever is asked: everything that was tried", When: "where a step failed or waits for a person because it did not get on", Ahead: true,
			Only: func(m *Model) bool { return slices.ContainsFunc(m.steps, m.stuck) }, Draw: byTemplate("stuck-report.md")},
		{Name: "pending_actions.json", For: "the next cycle of planning, with reasons and hints; planlock reads it as a plan",
			When: "where a run that is over left tasks",
			Only: func(m *Model) bool { return len(unresolvedTasks(m)) > 0 }, Draw: drawPending},
		{Name: "reflections.jsonl", For: "programs: what advisors said", When: "where an advisor was asked",
			Only: advised, Draw: drawReflections},
		{Name: "reflection_summary.md", For: "people: what advisors said", When: "where an advisor was asked",
			Only: advised,
			Draw: byTemplate("reflection_summary.md")},
		{Name: "approval_gate.jsonl", For: "programs: the decisions of reviewers, a line each", When: "where something was reviewed",
			Only: reviewed, Draw: drawApprovals},
		{Name: "task_drafts.json", For: "programs: the latest draft of each task, with the contract of each reviewer",
			When: "where something was reviewed", Only: reviewed, Draw: drawDrafts},
		{Name: "executive_team_manifest.json", For: "programs: who takes part in the run, and what each of them may do",
			When: "where there are reviewers", Only: hasReviewers,
			Draw: func(w io.Writer, m *Model) error { return encode(w, newTeam(m)) }},
		{Name: "agent_status_report.md", For: "people: what each of those who take part has done so far", When: "where there are reviewers",
			Only: hasReviewers, Draw: byTemplate("agent_status_report.md")},
	}
}

// over reports whether the run has ended.
func over(m *Model) bool { return m.of.Ended != nil }

// advised reports whether an advisor said something.
func advised(m *Model) bool { return len(reflectionsOf(m.of, m)) > 0 }

// reviewed reports whether reviewers decided about a task.
func reviewed(m *Model) bool { return len(m.Approvals) > 0 }

// hasReviewers reports whether there is somebody who decides about tasks.
func hasReviewers(m *Model) bool { return len(m.of.Roles.Reviewers) > 0 }

// Progress draws the progress log.
func Progress(w io.Writer, m *Model) error { return encode(w, newProgress(m.plan, m.of, m)) }

// JSON draws the whole model as one JSON document, "planlock.report/1".
func JSON(w io.Writer, m *Model) error { return encode(w, m) }

// drawFigures draws summary.json.
func drawFigures(w io.Writer, m *Model) error { return encode(w, newRunSummary(m.plan, m.of, m)) }
