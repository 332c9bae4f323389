package document

import (
	"errors"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// ErrNothing says that there is nothing to draw: no plan, or a run whose journal is empty.
var ErrNothing = errors.New("document: nothing to draw: there is no plan, or no run has started")

// A File is a view under the name that it is kept under.
type File struct {
	Name    string
	Content []byte
}

// Drawing is the type of the functions that draw one view for a reader. What can be done next is said as their program spells
// it, in plain English where say is nil. The content is the caller's own.
type Drawing func(p *plan.Plan, r *history.Run, say action.Speller) ([]byte, error)

// All draws every view that is kept with a run, always in the same order. Views that have nothing to say of this run are left
// out: which those are follows from the journal. ErrNothing if there is nothing to draw.
func All(p *plan.Plan, r *history.Run) ([]File, error) {
	rep, err := newReport(p, r, nil)
	if err != nil {
		return nil, err
	}
	files, err := reports(p, r, rep)
	if err != nil {
		return nil, err
	}
	more, err := documents(p, r, rep)
	if err != nil {
		return nil, err
	}
	tasks, err := drawTaskCheckpoints(rep)
	if err != nil {
		return nil, err
	}
	return slices.Concat(files, more, tasks), nil
}

// Names of the views that are drawn only at some points of a run.
const (
	sessionFile    = "next-session.md"
	stuckFile      = "stuck-report.md"
	checkpointFile = "checkpoint.yaml"
)

// Passing are the names of views that a run has for a time: what was true when it stopped may not be true when it ends.
func Passing() []string { return []string{sessionFile, stuckFile} }

// Ahead draws the views for whoever goes on with a run that stopped, without the others. ErrNothing if there is nothing to draw.
func Ahead(p *plan.Plan, r *history.Run) ([]File, error) {
	rep, err := newReport(p, r, nil)
	if err != nil {
		return nil, err
	}
	return speaking(
		File{sessionFile, drawSession(p, r, rep)},
		File{stuckFile, drawStuck(r, rep)},
		File{checkpointFile, drawCheckpoint(p, r, rep)},
	), nil
}

// speaking are the files that say something.
func speaking(files ...File) []File {
	return slices.DeleteFunc(files, func(f File) bool { return len(f.Content) == 0 })
}

// reports are the views of every run.
func reports(p *plan.Plan, r *history.Run, rep *report) ([]File, error) {
	progress, err := encode(newProgress(p, r, rep))
	if err != nil {
		return nil, err
	}
	document, err := encode(rep)
	if err != nil {
		return nil, err
	}
	page, err := drawHTML(rep)
	if err != nil {
		return nil, err
	}
	return []File{
		{ProgressName(p), progress},
		{"SUMMARY.md", drawSummary(rep)},
		{"report.txt", drawText(rep)},
		{"report.md", drawMarkdown(rep)},
		{"report.json", document},
		{"report.html", page},
	}, nil
}

// documents are the views for those who go on, plan again, or learn. They are empty where they have nothing to say.
func documents(p *plan.Plan, r *history.Run, rep *report) ([]File, error) {
	figures, err := encode(newRunSummary(p, r, rep))
	if err != nil {
		return nil, err
	}
	pending, err := drawPending(p, r, rep)
	if err != nil {
		return nil, err
	}
	reflections, err := drawReflections(r, rep)
	if err != nil {
		return nil, err
	}
	approvals, err := Approvals(r)
	if err != nil {
		return nil, err
	}
	return speaking(
		File{"summary.json", figures},
		File{"notepad_" + name(p) + ".md", drawNotepad(p, r, rep)},
		File{learningsName(rep), drawLearnings(p, r, rep)},
		File{checkpointFile, drawCheckpoint(p, r, rep)},
		File{sessionFile, drawSession(p, r, rep)},
		File{stuckFile, drawStuck(r, rep)},
		File{"pending_actions.json", pending},
		File{ApprovalsName, approvals},
		File{"reflections.jsonl", reflections},
		File{"reflection_summary.md", drawReflectionSummary(r, rep)},
	), nil
}

// Progress draws the progress log. ErrNothing if there is nothing to draw.
func Progress(p *plan.Plan, r *history.Run, say action.Speller) ([]byte, error) {
	rep, err := newReport(p, r, say)
	if err != nil {
		return nil, err
	}
	return encode(newProgress(p, r, rep))
}

// Summary draws SUMMARY.md. ErrNothing if there is nothing to draw.
func Summary(p *plan.Plan, r *history.Run, say action.Speller) ([]byte, error) {
	return draw(p, r, say, drawSummary)
}

// Text draws the report as plain lines of at most 100 columns, without colours. ErrNothing if there is nothing to draw.
func Text(p *plan.Plan, r *history.Run, say action.Speller) ([]byte, error) {
	return draw(p, r, say, drawText)
}

// Markdown draws the report as Markdown. ErrNothing if there is nothing to draw.
func Markdown(p *plan.Plan, r *history.Run, say action.Speller) ([]byte, error) {
	return draw(p, r, say, drawMarkdown)
}

// JSON draws the whole report as one JSON document, "planlock.report/1". ErrNothing if there is nothing to draw.
func JSON(p *plan.Plan, r *history.Run, say action.Speller) ([]byte, error) {
	rep, err := newReport(p, r, say)
	if err != nil {
		return nil, err
	}
	return encode(rep)
}

// HTML draws the report as one page that needs nothing else: no scripts, no fonts, no network. ErrNothing if there is nothing to draw.
func HTML(p *plan.Plan, r *history.Run, say action.Speller) ([]byte, error) {
	rep, err := newReport(p, r, say)
	if err != nil {
		return nil, err
	}
	return drawHTML(rep)
}

func draw(p *plan.Plan, r *history.Run, say action.Speller, as func(*report) []byte) ([]byte, error) {
	rep, err := newReport(p, r, say)
	if err != nil {
		return nil, err
	}
	return as(rep), nil
}

// ProgressName is the file name of the progress log: progress_NAME.json, NAME being the plan's, with everything but
// ASCII letters, digits, ".", "-" and "_" made "_"; "plan" where it has none.
func ProgressName(p *plan.Plan) string { return "progress_" + name(p) + ".json" }

// name is the plan's name as part of a file's name.
func name(p *plan.Plan) string {
	if p == nil {
		return fileName("")
	}
	return fileName(p.Meta.Name)
}

func fileName(name string) string {
	const longest = 100
	clean := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '_'
	}, name)
	clean = strings.Trim(clean[:min(len(clean), longest)], "._")
	if clean == "" {
		return "plan"
	}
	return clean
}
