package serve

import (
	"bytes"
	"context"
	_ "embed" // pages, their style and their script
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/planlock/planlock/checkpoint/hold"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/document/html"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

//go:embed pages.html
var pages string

//go:embed pages.css
var style string

//go:embed live.js
var script string

// styles are those of the parts of a report, and of what the report has not.
func styles() string { return html.Style() + style }

// parsed has all pages.
var parsed = sync.OnceValue(func() *template.Template {
	return template.Must(html.Parts().Funcs(template.FuncMap{
		"clock": func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") },
		"nanos": func(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) },
		"told":  ask.Render,
	}).Parse(pages))
})

// show draws a page, whole or not at all.
func show(w http.ResponseWriter, status int, name string, data any) {
	var page bytes.Buffer
	if err := parsed().ExecuteTemplate(&page, name, data); err != nil {
		status = http.StatusInternalServerError
		page.Reset()
		fmt.Fprintln(&page, "The page could not be drawn.")
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write(page.Bytes())
}

// failed says why there is no page: what is not there, or cannot be read.
func failed(w http.ResponseWriter, err error) {
	if errors.Is(err, exec.ErrNoRun) {
		refuse(w, http.StatusNotFound, "There is no such run in this workspace, or no longer.")
		return
	}
	refuse(w, http.StatusInternalServerError, "This cannot be read: "+err.Error())
}

// onePage is how many runs are listed at once.
const onePage = 20

// An overviewPage lists runs, the latest first.
type overviewPage struct {
	Dir    string
	Holder string // who works on the workspace
	Runs   []listed
	Older  string // the run behind which further ones are listed; ""
	Base   string // the runs are those before this one
}

// A listed run.
type listed struct {
	ID    string
	Run   *history.Run
	Tally string
	Open  int // questions
	Wrong string
}

// Titled is what the run is for.
func (l listed) Titled() string {
	if goal := l.Run.Started.Goal; goal != "" {
		return goal
	}
	return "a plan without a goal"
}

// overview lists the runs of the workspace.
func (s *site) overview(w http.ResponseWriter, r *http.Request) {
	ids, err := s.Workspace.IDs(r.Context())
	if err != nil {
		failed(w, err)
		return
	}
	page := overviewPage{Dir: s.Workspace.Dir, Holder: hold.Holder(r.Context(), s.Workspace.Dir),
		Base: r.URL.Query().Get("before")}
	if at := slices.Index(ids, page.Base); at >= 0 {
		ids = ids[:at]
	}
	if more := len(ids) - onePage; more > 0 {
		ids = ids[more:]
		page.Older = ids[0]
	}
	for _, id := range slices.Backward(ids) {
		run, err := s.fold(r.Context(), id)
		switch {
		case errors.Is(err, exec.ErrNoRun): // it has not begun, or is gone
		case err != nil:
			page.Runs = append(page.Runs, listed{ID: id, Wrong: err.Error()})
		default:
			page.Runs = append(page.Runs, listed{ID: id, Run: run, Tally: document.Count(run).String(),
				Open: len(run.Questions())})
		}
	}
	show(w, http.StatusOK, "overview", page)
}

// A runPage shows a run, or a step of it.
type runPage struct {
	document.Page
	Dir     string
	Changes string // where it is told that the run changed; "" where nothing comes
	Reload  bool   // without a script: nothing is typed into the page
	Asked   []questionForm
	Work    []work
	Step    any // the one that is shown; nil: all
	Address plan.Address
}

// A questionForm is a question with what can be answered, or was.
type questionForm struct {
	ask.Question
	CSRF    string
	Given   string // an answer that lies there
	Late    bool   // its time is over: it is put again
	Ignored string // why the answer that lies there does not count
	Typed   reply
}

// Acknowledges reports whether a choice wants words typed.
func (f questionForm) Acknowledges() bool {
	return slices.ContainsFunc(f.Choices, func(c ask.Choice) bool { return c.Acknowledge != "" })
}

// A work is a step that is under way.
type work struct {
	Step    *history.Step
	Attempt *history.Attempt // nil: none began
	Took    string
	Waits   bool
}

// run shows a run.
func (s *site) run(w http.ResponseWriter, r *http.Request) {
	run, err := s.fold(r.Context(), r.PathValue("run"))
	if err != nil {
		failed(w, err)
		return
	}
	s.drawRun(w, r, run, http.StatusOK, reply{})
}

// drawRun shows a run, with what somebody typed who could not be served.
func (s *site) drawRun(w http.ResponseWriter, r *http.Request, run *history.Run, status int, typed reply) {
	page, err := s.page(r.Context(), run, typed)
	if err != nil {
		failed(w, err)
		return
	}
	show(w, status, "run", page)
}

// step shows what became of a step.
func (s *site) step(w http.ResponseWriter, r *http.Request) {
	run, err := s.fold(r.Context(), r.PathValue("run"))
	if err != nil {
		failed(w, err)
		return
	}
	page, err := s.page(r.Context(), run, reply{})
	if err != nil {
		failed(w, err)
		return
	}
	if page.Address, page.Step = page.Of(r.PathValue("step")); page.Step == nil {
		refuse(w, http.StatusNotFound, "The plan of this run has no such step.")
		return
	}
	page.Compare(page.Address, func(changes []ledger.Change, each func(ledger.Change, string) error) error {
		return s.Workspace.Unified(r.Context(), changes, each)
	})
	show(w, http.StatusOK, "one", page)
}

// page is what is shown of a run.
func (s *site) page(ctx context.Context, run *history.Run, typed reply) (*runPage, error) {
	p, err := s.Workspace.Plan(ctx, run)
	if err != nil {
		return nil, err
	}
	model, err := document.New(p, run, s.Say(run))
	if err != nil {
		return nil, err
	}
	id := run.Started.Run
	page := &runPage{Dir: s.Workspace.Dir, Reload: true}
	folder := s.Workspace.Questions()
	for i, q := range run.Questions() {
		f := questionForm{Question: *q, CSRF: s.door.derive("answer " + id),
			Late: !q.Deadline.IsZero() && s.Now().After(q.Deadline)}
		given, err := folder.Given(*q)
		switch {
		case err == nil:
			f.Given = givenBy(*q, given)
			if i == 0 {
				model.Answered(f.Given)
			}
		case !errors.Is(err, ask.ErrLater):
			f.Ignored = err.Error()
		}
		if typed.Question == q.ID {
			f.Typed = typed
		}
		page.Reload = page.Reload && f.Given != ""
		page.Asked = append(page.Asked, f)
	}
	if typed.Wrong != "" && questionOf(run, typed.Question) == nil {
		page.Asked = append(page.Asked, questionForm{Typed: typed})
	}
	if run.Ended == nil {
		for _, step := range run.UnderWay() {
			page.Work = append(page.Work, newWork(run, step))
		}
	}
	page.Page = document.NewPage(model)
	page.Steps = "/runs/" + id + "/steps/"
	if run.Sealed == nil {
		page.Changes = fmt.Sprintf("/runs/%s/changes?after=%d", id, run.Head.Seq)
	}
	return page, nil
}

// newWork says what a step that is under way is at.
func newWork(run *history.Run, step *history.Step) work {
	w := work{Step: step, Attempt: step.Last(), Waits: step.Waits()}
	if w.Attempt != nil && w.Attempt.Ended.IsZero() {
		w.Took = run.Worked(w.Attempt.Started, run.Latest).Round(time.Second).String()
	}
	return w
}

// givenBy is an answer with what was chosen, by whom and why.
func givenBy(q ask.Question, a ask.Answer) string {
	chosen, _ := q.Choice(a.Choice)
	text := fmt.Sprintf("%s (%s) by %s", a.Choice, chosen.Label, a.By)
	if a.Reason != "" {
		text += ": " + a.Reason
	}
	return text
}
