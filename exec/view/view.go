package view

import (
	"errors"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// ErrNothing says that there is nothing to draw: no plan, or a run whose journal is empty.
var ErrNothing = errors.New("view: nothing to draw: there is no plan, or no run has started")

// A File is a view under the name that it is kept under.
type File struct {
	Name    string
	Content []byte
}

// Drawing is the type of the functions that draw one view. The content is the caller's own.
type Drawing func(p *plan.Plan, r *history.Run) ([]byte, error)

// All draws every view that is kept with a run, always the same files in the same order. ErrNothing if there is nothing to draw.
func All(p *plan.Plan, r *history.Run) ([]File, error) {
	rep, err := newReport(p, r)
	if err != nil {
		return nil, err
	}
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

// Progress draws the progress log. ErrNothing if there is nothing to draw.
func Progress(p *plan.Plan, r *history.Run) ([]byte, error) {
	rep, err := newReport(p, r)
	if err != nil {
		return nil, err
	}
	return encode(newProgress(p, r, rep))
}

// Summary draws SUMMARY.md. ErrNothing if there is nothing to draw.
func Summary(p *plan.Plan, r *history.Run) ([]byte, error) { return draw(p, r, drawSummary) }

// Text draws the report as plain lines of at most 100 columns, without colours. ErrNothing if there is nothing to draw.
func Text(p *plan.Plan, r *history.Run) ([]byte, error) { return draw(p, r, drawText) }

// Markdown draws the report as Markdown. ErrNothing if there is nothing to draw.
func Markdown(p *plan.Plan, r *history.Run) ([]byte, error) { return draw(p, r, drawMarkdown) }

// JSON draws the whole report as one JSON document, "planlock.report/1". ErrNothing if there is nothing to draw.
func JSON(p *plan.Plan, r *history.Run) ([]byte, error) {
	rep, err := newReport(p, r)
	if err != nil {
		return nil, err
	}
	return encode(rep)
}

// HTML draws the report as one page that needs nothing else: no scripts, no fonts, no network. ErrNothing if there is nothing to draw.
func HTML(p *plan.Plan, r *history.Run) ([]byte, error) {
	rep, err := newReport(p, r)
	if err != nil {
		return nil, err
	}
	return drawHTML(rep)
}

func draw(p *plan.Plan, r *history.Run, as func(*report) []byte) ([]byte, error) {
	rep, err := newReport(p, r)
	if err != nil {
		return nil, err
	}
	return as(rep), nil
}

// ProgressName is the file name of the progress log: progress_NAME.json, NAME being the plan's, with everything but
// ASCII letters, digits, ".", "-" and "_" made "_"; "plan" where it has none.
func ProgressName(p *plan.Plan) string {
	name := ""
	if p != nil {
		name = p.Meta.Name
	}
	return "progress_" + fileName(name) + ".json"
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
