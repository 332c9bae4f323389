package agree

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A report is what is read of report.json.
type report struct {
	Status    string
	Goal      string
	Reasons   []string
	Mode      string
	Started   string
	Ended     string
	Duration  int64 `json:"duration_ms"`
	Resumed   int
	Counts    map[string]any
	Tree      struct{ Digest string }
	Waiting   *struct{ ID string } `json:"waiting_for"`
	Questions []any                // about the run as a whole
	Tasks     []reportTask
	Files     []reportFile
	Lines     lines
	Approvals []any
	Evidence  []any
	Final     []judgement `json:"final_gates"`
	Switches  []any       `json:"mode_switches"`
	Rolled    []any       `json:"rolled_back"`
	KPIs      map[string]any
	Words     []struct {
		Task   string `json:"task_id"`
		Status string
	} `json:"task_outcomes"`
}

type reportTask struct {
	ID, Title, Status string
	Started, Ended    string
	Duration          int64 `json:"duration_ms"`
	Steps             []reportStep
}

type reportStep struct {
	Address, Title, Status string
	Critical               bool
	Started, Ended         string
	Duration               int64 `json:"duration_ms"`
	Method                 string
	Retries                int
	Backups                []string
	Gates                  []judgement
	Attempts               []reportAttempt
	Questions              []asked
	Skipped                *struct{ Done bool }
	Carried                *struct{ Run string } // another run carried it out, and has its changes
	Basis                  *basis
	Failure                *struct{ Class string }
}

type asked struct{ Kind string }

type reportAttempt struct {
	Outcome    string
	RolledBack bool `json:"rolled_back"`
	Reinstates int
	Lane       *struct{ State string }
	Failure    *struct{ Class string }
	Gates      []judgement
	Ledger     *struct {
		Changes []struct{ Path, Op, Kind string }
		Lines   lines
	}
}

type reportFile struct {
	Path, Op string
	Lines    lines
	Steps    []string
}

type lines struct{ Added, Removed int }

type judgement struct {
	Gate   string
	Result *string
	Blocks bool
}

type basis struct{ Basis, Why, Verify string }

// readReport reads report.json: what it says, and what its lists come to.
func readReport(c *claims, name, text string) error {
	var r report
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return err
	}
	for about, says := range map[string]any{
		"status of the run": r.Status, "goal": r.Goal, "reasons": strings.Join(r.Reasons, "; "), "mode": r.Mode,
		"begin of the run": r.Started, "end of the run": r.Ended, "milliseconds of the run": r.Duration,
		"time of the run": took(r.Duration), "resumptions": r.Resumed, "tree": r.Tree.Digest,
		"question that waits": "", "mode switches": len(r.Switches), "rollbacks": len(r.Rolled),
	} {
		if about == "question that waits" && r.Waiting != nil {
			says = r.Waiting.ID
		}
		c.say(name, about, says)
	}
	for key, says := range r.Counts {
		if key == "bases" {
			for basis, n := range says.(map[string]any) {
				c.say(name, "steps that are "+strings.ReplaceAll(basis, "_", "-"), n)
			}
			continue
		}
		c.say(name, "number of "+key, says)
	}
	c.say(name, "bases", shownBases(r.Counts["bases"].(map[string]any)))
	for key, says := range r.KPIs {
		c.say(name, "KPI "+key, says)
	}
	var files []string
	for _, f := range r.Files {
		files = append(files, f.Op+" "+f.Path)
	}
	c.files(name, files)
	c.say(name, "number of files", len(r.Files))
	c.say(name, "lines", shownLines(r.Lines))
	for _, t := range r.Tasks {
		t.tell(c, name)
	}
	for _, w := range r.Words {
		c.say(name, "task "+w.Task+": status", w.Status)
	}
	c.count(name+", counted", r)
	return nil
}

// checkpointWords are the words of checkpoints for statuses of tasks that are
// over.
var checkpointWords = map[string]string{"completed": "completed", "failed": "failed", "failed_final": "failed",
	"partial": "partial", "skipped": "skipped", "blocked": "skipped"}

// tell says what stands of a task and its steps.
func (t *reportTask) tell(c *claims, name string) {
	in := "task " + t.ID + ": "
	c.say(name, in+"validation", t.validation())
	if word := checkpointWords[t.Status]; word != "" {
		c.say(name, in+"status in a checkpoint", word)
	}
	attempts, retries, backups := 0, 0, 0
	for _, s := range t.Steps {
		s.tell(c, name)
		attempts += len(s.Attempts)
		retries += s.Retries
		backups += len(s.Backups)
	}
	if len(t.Steps) == 1 && t.Ended != "" && !slices.ContainsFunc(t.Steps[0].Attempts,
		func(a reportAttempt) bool { return a.RolledBack }) {
		c.say(name+", its step", in+"milliseconds", t.Steps[0].Duration)
	}
	if files, known := t.files(); known {
		c.say(name, in+"files", files)
	}
	for what, says := range map[string]any{"status": t.Status, "begin": t.Started, "end": t.Ended,
		"milliseconds": t.Duration, "time": took(t.Duration), "attempts": attempts, "retries": retries,
		"backups": backups, "steps": len(t.Steps), "title": t.Title, "attempts after the first": t.anew(),
		"seconds": int((time.Duration(t.Duration) * time.Millisecond).Round(time.Second) / time.Second)} {
		c.say(name, in+what, says)
	}
}

// validation is what a checkpoint says of a task that is over: whether somebody
// looked at all of it.
func (t *reportTask) validation() string {
	switch checkpointWords[t.Status] {
	case "failed":
		broke := slices.DeleteFunc(slices.Clone(t.Steps), func(s reportStep) bool { return s.Failure == nil })
		if len(broke) > 0 && !slices.ContainsFunc(broke, reportStep.judged) {
			return "skipped"
		}
		return "fail"
	case "completed":
	default:
		return "skipped"
	}
	for _, s := range t.Steps {
		if b := s.Basis.name(); b != "proved" && b != "reviewed" {
			return "skipped"
		}
	}
	return "pass"
}

// judged reports whether a failed step got as far as being judged.
func (s reportStep) judged() bool {
	switch s.Failure.Class {
	case "crashed", "timed-out", "out-of-memory", "exhausted", "context-exhausted", "no-space", "lost":
		return slices.ContainsFunc(s.Attempts, func(a reportAttempt) bool {
			return slices.ContainsFunc(a.Gates, func(j judgement) bool { return j.Blocks })
		})
	}
	return true
}

// tell says what stands of a step.
func (s *reportStep) tell(c *claims, name string) {
	in := "step " + s.Address + ": "
	gates := slices.Clone(s.Gates)
	changes := ""
	for i, a := range s.Attempts {
		if a.RolledBack {
			continue
		}
		if i == len(s.Attempts)-1 {
			gates = append(gates, a.Gates...)
		}
		if a.Ledger != nil && s.Status == "completed" {
			files := 0
			for _, ch := range a.Ledger.Changes {
				if ch.Kind != "dir" {
					files++
				}
			}
			changes = count(files, "file") + shownLines(a.Ledger.Lines)
		}
	}
	if s.Status == "completed" && changes != "" {
		c.say(name, in+"changes", changes)
	}
	c.say(name, in+"gates", shownGates(gates))
	for gate, result := range worst(gates) {
		c.say(name, in+"gate "+gate, result)
	}
	if result := s.asTest(); result != "" {
		c.say(name, in+"as a test", result)
	}
	for what, says := range map[string]any{"status": s.Status, "milliseconds": s.Duration, "retries": s.Retries, "method": s.Method,
		"critical": s.Critical, "begin": s.Started, "end": s.Ended, "backups": strings.Join(s.Backups, " "),
		"basis": s.Basis.name(), "why it has its basis": s.Basis.why(), "time": ""} {
		if what == "time" {
			if s.Started == "" {
				continue
			}
			says = took(s.Duration)
		}
		c.say(name, in+what, says)
	}
}

// asTest is what services that show tests are told of a step that is over; "" of
// another one.
func (s *reportStep) asTest() string {
	switch {
	case s.Basis != nil && (s.Basis.Basis == "proved" || s.Basis.Basis == "reviewed"):
		return "passed"
	case s.Basis != nil:
		return "skipped: " + s.Basis.Basis
	case s.Status == "failed":
		return "failed"
	case s.Status == "skipped", s.Status == "blocked":
		return "skipped: " + s.Status
	}
	return ""
}

func (b *basis) name() string {
	if b == nil {
		return ""
	}
	return b.Basis
}

func (b *basis) why() string {
	if b == nil {
		return ""
	}
	return b.Why
}

// worst is the worst that each gate said.
func worst(all []judgement) map[string]string {
	order := []string{"null", "pass", "partial", "undecided", "fail"}
	said := map[string]string{}
	for _, j := range all {
		result := "null"
		if j.Result != nil {
			result = *j.Result
		}
		if slices.Index(order, result) >= slices.Index(order, said[j.Gate]) {
			said[j.Gate] = result
		}
	}
	return said
}

// files says which files changed, those whose names are written the same
// everywhere.
func (c *claims) files(name string, files []string) {
	files = slices.DeleteFunc(files, func(f string) bool { return strings.ContainsAny(f, "\"\\`\n") })
	slices.Sort(files)
	c.say(name, "files", strings.Join(files, ", "))
}

// shownLines is how documents for people count lines.
func shownLines(n lines) string {
	text := ""
	if n.Added > 0 {
		text += fmt.Sprintf(" +%d", n.Added)
	}
	if n.Removed > 0 {
		text += fmt.Sprintf(" −%d", n.Removed)
	}
	return text
}

// shownGates is how documents for people count gates that had something to
// judge.
func shownGates(all []judgement) string {
	judged, passed := 0, 0
	for _, j := range all {
		if j.Result == nil {
			continue
		}
		judged++
		if *j.Result == "pass" {
			passed++
		}
	}
	switch {
	case judged == 0:
		return ""
	case passed == judged:
		return count(judged, "gate")
	}
	return fmt.Sprintf("%d of %s", passed, count(judged, "gate"))
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// took is how documents for people write milliseconds.
func took(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case d < time.Minute-50*time.Millisecond:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		d = d.Round(time.Second)
		return fmt.Sprintf("%d min %02d s", int(d/time.Minute), int(d%time.Minute/time.Second))
	}
	d = d.Round(time.Minute)
	return fmt.Sprintf("%d h %02d min", int(d/time.Hour), int(d%time.Hour/time.Minute))
}
