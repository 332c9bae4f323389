package document

import (
	"cmp"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/analysis"
	"github.com/planlock/planlock/plan"
)

// rate is a share to three places, so that it is written the same everywhere.
func rate(r analysis.Rate) float64 { return math.Round(1000*r.Value()) / 1000 }

// share is rate, and nil where there is nothing to have a share of: of what
// nobody looked for nothing is missing, and nothing was found.
func share(r analysis.Rate) *float64 {
	if r.Of == 0 {
		return nil
	}
	v := rate(r)
	return &v
}

// newKPIs puts the figures of an analysis into the form in which documents have
// them.
func newKPIs(k analysis.KPIs, took span) kpis {
	return kpis{
		TotalTasks: k.Tasks, Completed: k.Completed.N, CompletionRate: share(k.Completed),
		Retried: k.RetrySuccess.Of, RetrySucceeded: k.RetrySuccess.N, RetrySuccessRate: share(k.RetrySuccess),
		EvidenceWanted: k.Evidence.Of, EvidenceFound: k.Evidence.N, EvidenceRate: share(k.Evidence),
		UnaidedRate: share(k.Unaided), RecoveredRate: share(k.Recovered), TestFirstRate: share(k.TestFirst),
		Resumed: k.Resumed, Tokens: k.Tokens, Cost: dollars(k.Cost), Seconds: seconds(took),
	}
}

// A runSummary is summary.json: what the run came to, for programs that compare
// runs.
type runSummary struct {
	Schema  string        `json:"schema"`
	Run     string        `json:"run_id"`
	Goal    string        `json:"goal"`
	Status  string        `json:"status"`
	Started stamp         `json:"started"`
	Ended   stamp         `json:"ended"`
	KPIs    kpis          `json:"kpis"`
	Tasks   []taskSummary `json:"tasks"`
	Views   []string      `json:"views"` // what else there is to read
}

// A taskSummary is what became of a task. Where nobody reviewed it or looked
// for its evidence, its runs and artifacts are those that its jobs named.
type taskSummary struct {
	TaskID       string   `json:"task_id"`
	Title        string   `json:"title"`
	Status       string   `json:"status"`
	Reason       string   `json:"status_reason,omitempty"`
	Approval     string   `json:"approval,omitempty"`
	FromRun      string   `json:"jobs_from_run,omitempty"` // what ran comes from memory, of this run
	Execution    string   `json:"execution,omitempty"`
	Verification string   `json:"verification,omitempty"`
	Attempts     int      `json:"attempts_total"`
	RunIDs       []string `json:"run_ids,omitempty"`
	Artifacts    []string `json:"artifacts,omitempty"`
}

// newRunSummary draws summary.json. What the last word about a task says goes
// before what its steps say.
func newRunSummary(p *plan.Plan, r *history.Run, rep *Model) runSummary {
	s := runSummary{Schema: "planlock.summary/1", Run: rep.Run, Goal: rep.Goal, Status: string(rep.Status),
		Started: rep.Started, Ended: rep.Ended,
		KPIs: rep.KPIs, Tasks: []taskSummary{}, Views: []string{progressName(p), "SUMMARY.md", "report.md"}}
	for _, t := range rep.Tasks {
		ts := taskSummary{TaskID: t.ID, Title: t.Title, Status: t.Status}
		for _, st := range t.Steps {
			ts.Attempts += len(st.Attempts)
		}
		ts.RunIDs, ts.Artifacts = r.Task(t.ID).Named()
		if o := r.Task(t.ID).Word(); o != nil {
			ts.Status, ts.Reason, ts.Approval, ts.Execution, ts.Verification = string(o.Status), o.Reason,
				string(o.Approval), string(o.Execution), string(o.Verification)
			ts.Attempts, ts.RunIDs, ts.Artifacts = o.Attempts, o.Runs, o.Artifacts
		}
		if a := r.Task(t.ID).Approval(); a != nil && a.ReadyJob() != nil {
			ts.FromRun = a.ReadyJob().Latest()
		}
		s.Tasks = append(s.Tasks, ts)
	}
	return s
}

// A taskCheckpoint is what a task left behind when it ended, in the shape of
// the phase workflow.
type taskCheckpoint struct {
	ID         string   `json:"id"`
	Timestamp  stamp    `json:"timestamp"`
	TaskID     string   `json:"task_id"`
	Status     string   `json:"status"`      // completed, failed, partial, skipped
	GitHash    string   `json:"git_hash"`    // of the commit that was checked out
	Tree       string   `json:"tree_digest"` // as it was when the task was over
	Modified   []string `json:"files_modified"`
	Validation string   `json:"validation_result"` // pass, fail, skipped
	Retries    int      `json:"retry_count"`       // how often its steps were tried anew, by whatever method
	Error      *string  `json:"error_message"`
	Seconds    int      `json:"duration_seconds"`
}

// taskCheckpoints are the documents of the tasks that are over.
func taskCheckpoints(rep *Model) []File {
	var files []File
	for _, t := range rep.Tasks {
		if t.Status == "pending" || t.Status == "running" {
			continue
		}
		files = append(files, File{Name: checkpointFile(t), Draw: func(w io.Writer) error {
			return encode(w, newTaskCheckpoint(rep, t))
		}})
	}
	return files
}

// newTaskCheckpoint draws the checkpoint of a task that is over: when that was,
// with which tree, and which files it changed.
func newTaskCheckpoint(rep *Model, t *task) taskCheckpoint {
	c := taskCheckpoint{
		ID: "checkpoint-" + t.ID, Timestamp: t.Ended, TaskID: t.ID, Status: t.Class(), Modified: []string{},
		Validation: "pass", Tree: string(t.tree),
		Seconds: int(time.Duration(t.Duration).Round(time.Second) / time.Second),
		GitHash: rep.gitHash(t),
	}
	if t.Status == "blocked" {
		c.Status = "skipped"
	}
	switch c.Status {
	case "failed":
		c.Validation = "fail"
		if broke := only(t.Steps, func(s *step) bool { return s.Failure != nil }); len(broke) > 0 &&
			!slices.ContainsFunc(broke, (*step).turnedDown) {
			c.Validation = "skipped" // nothing that it did was judged
		}
	case "skipped", "partial": // nobody judged the task as a whole
		c.Validation = "skipped"
	default:
		if !t.basis().Counts() {
			c.Validation = "skipped" // nobody looked at what it did
		}
	}
	if c.Timestamp.IsZero() { // the run ended before the task did
		c.Timestamp = rep.latest
	}
	if o := rep.of.Task(t.ID).Word(); o != nil && c.Status != "completed" {
		c.Error = &o.Reason
	}
	seen := map[string]bool{}
	for _, s := range t.Steps {
		c.Retries += rep.of.Step(s.Address).Anew()
		if s.Failure != nil && c.Error == nil {
			why := strings.Join(s.Failure.Reasons, "; ")
			c.Error = &why
		}
		e := s.account()
		if s.Status != history.Completed || e == nil {
			continue
		}
		for _, ch := range e.Changes {
			if name := ch.text(); !seen[name] && ch.Kind != "dir" {
				seen[name] = true
				c.Modified = append(c.Modified, name)
			}
		}
	}
	return c
}

// turnedDown reports whether a failed step was judged: its executor got as far as
// that in some attempt.
func (s *step) turnedDown() bool {
	return !slices.Contains([]history.Class{history.Crashed, history.TimedOut, history.OutOfMemory, history.Exhausted,
		history.ContextExhausted, history.NoSpace, history.Lost}, s.Failure.Class) ||
		slices.ContainsFunc(s.Attempts, func(a *attempt) bool {
			return slices.ContainsFunc(a.Gates, func(j judgement) bool { return j.Blocks })
		})
}

// gitHash is the commit that was checked out when the last step of the task
// began: nobody moves a repository while a step is under way. It is "no-git"
// where there is none, or no repository, in the words of the phase workflow.
func (rep *Model) gitHash(t *task) string {
	hash := rep.of.Commit
	for _, s := range t.Steps {
		if was := rep.of.Step(s.Address); was.Checkpoint != nil {
			hash = was.Commit
		}
	}
	return cmp.Or(hash, "no-git")
}

// fileName makes a name of a plan, or of a task, part of a file's name on every
// system: at most 100 ASCII characters, none of which means something to a
// shell; "plan" if nothing is left.
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

// name is the plan's name as part of a file's name.
func name(p *plan.Plan) string {
	if p == nil {
		return fileName("")
	}
	return fileName(p.Meta.Name)
}

// progressFile is the name of the progress log.
const progressFile = "progress_NAME.json"

// progressName is the file name of the progress log: progress_NAME.json, NAME
// being the plan's, with everything but ASCII letters, digits, ".", "-" and "_"
// made "_"; "plan" where it has none.
func progressName(p *plan.Plan) string { return strings.Replace(progressFile, "NAME", name(p), 1) }

// notepadFile is the name of the notepad of a run.
const notepadFile = "notepad_NAME.md"

// NotepadName is the file name of the notepad of a run of the plan, made as
// that of the progress log is.
func NotepadName(p *plan.Plan) string { return strings.Replace(notepadFile, "NAME", name(p), 1) }
