package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/internal/sarif"
)

// ForCI is the table of the documents that services of continuous integration
// read. They are drawn for whoever asks, and not kept beside the journal.
func ForCI() []Document {
	return []Document{
		{Name: "junit.xml", When: "when `planlock report --format junit` asks for it",
			For: "services that show test results: one test case for each step", Draw: JUnit},
		{Name: "findings.sarif", When: "when `planlock report --format sarif` asks for it",
			For: "code hosts and editors: what was found in the run, SARIF 2.1.0", Draw: SARIF},
		{Name: "github-summary.md", When: "when `planlock report --format github-summary` asks for it",
			For: "the summary of a job on GitHub", Draw: JobSummary},
		{Name: "github-annotations.txt", When: "when `planlock report --format github-annotations` asks for it",
			For: "GitHub: what was found, as workflow commands", Draw: Annotations},
		{Name: "pull-request.md", When: "when `planlock report --format pull-request` asks for it",
			For: "whoever reviews what the run did: the text of a pull request", Draw: PullRequest},
	}
}

// An issue is what was found in a run, as services show it beside a line.
type issue struct {
	Level string // "error", "warning" or "note"
	Rule  string
	Step  *step // nil: it is about the run
	path
	Line    int
	Message string // of what the step did, or of the run
}

// String is one line for people.
func (p issue) String() string {
	text := p.Message
	if p.Step != nil {
		text = fmt.Sprintf("step %s: %s", p.Step.Address, text)
	}
	if place := strings.TrimPrefix(at(p.text(), p.Line), " at "); place != "" {
		text = place + ": " + text
	}
	return fmt.Sprintf("%s: %s [%s]", p.Level, text, p.Rule)
}

// issues are all that was found in a run: what gates said no to, what a step
// changed and did not declare, tasks whose evidence is missing, and what nobody looked at. Errors come first.
// What was undone, and then done right, is none.
func (m *Model) issues() []issue {
	var all []issue
	seen := map[string]bool{}
	add := func(p issue) {
		if key := strings.TrimPrefix(p.String(), p.Level); !seen[key] {
			seen[key] = true
			all = append(all, p)
		}
	}
	found := func(level, rule string, s *step, fs []finding) {
		for _, f := range fs {
			message := f.Message
			if f.Expected != "" || f.Happened != "" {
				message += fmt.Sprintf(" (expected: %s; happened: %s)", dash(f.Expected), dash(f.Happened))
			}
			add(issue{Level: level, Rule: orElse(f.Code, rule), Step: s, path: f.path, Line: f.Line, Message: message})
		}
	}
	judged := func(s *step, js []judgement) {
		for _, j := range js {
			level := "warning"
			if j.Blocks {
				level = "error"
			}
			switch {
			case j.Result == "pass" || j.Result == idle:
			case len(j.Findings) > 0:
				found(level, j.Gate, s, j.Findings)
			default:
				add(issue{Level: level, Rule: j.Gate, Step: s,
					Message: strings.TrimSuffix(fmt.Sprintf("gate %s: %s: %s", j.Gate, j.Result, j.Error), ": ")})
			}
		}
	}
	judged(nil, m.Planning)
	for _, s := range m.steps {
		if s.stopped() {
			f := s.trouble()
			if f != nil {
				found("error", string(f.Class), s, f.Findings)
			}
			if f == nil || len(f.Findings) == 0 {
				add(issue{Level: "error", Rule: orElse(s.class(), failed), Step: s,
					Message: strings.TrimPrefix(s.verdict(), string(s.Address)+" ")})
			}
		}
		judged(s, s.gates())
		for _, c := range outside(s) {
			if c.By == "" && c.Undone == "" {
				add(issue{Level: "warning", Rule: "undeclared-change", Step: s, path: c.Change.path,
					Message: string(c.Change.Op) + ", but not declared"})
			}
		}
	}
	judged(nil, m.Final)
	for _, task := range m.of.LackEvidence() { // the steps went well
		add(issue{Level: "error", Rule: string(history.MissingEvidence), Message: m.of.Task(task).Word().String()})
	}
	for _, s := range m.unlooked() {
		add(issue{Level: "warning", Rule: string(s.Standing.Basis), Step: s,
			Message: fmt.Sprintf("nobody looked at its work: %s; the plan may say %s", s.Standing.Why, s.Standing.Verify)})
	}
	if m.Status == history.NotAchieved && !slices.ContainsFunc(all, issue.fatal) {
		add(issue{Level: "error", Rule: "not-achieved", Message: "the goal was not achieved" + because(m.Reasons)})
	}
	mild := only(all, func(p issue) bool { return !p.fatal() })
	return append(only(all, issue.fatal), mild...)
}

// fatal reports whether an issue is an error.
func (p issue) fatal() bool { return p.Level == "error" }

// class is the class of the failure that stopped the step; "" where none did.
func (s *step) class() string {
	if s.Failure != nil {
		return string(s.Failure.Class)
	}
	if f := s.trouble(); f != nil {
		return string(f.Class)
	}
	return ""
}

// file is the file that an issue is shown beside: its own or, where it has
// none, that of the plan.
func (m *Model) file(p issue) (name string, line int) {
	if p.shown == "" && len(m.Plan.Files) > 0 {
		return m.Plan.Files[0].shown, 1
	}
	return p.shown, p.Line
}

// SARIF draws what was found in a run as a log of SARIF 2.1.0. A finding that is
// about no file stands at the plan, since code hosts show nothing else.
func SARIF(w io.Writer, m *Model) error {
	var all []sarif.Finding
	for _, p := range m.issues() {
		f := sarif.Finding{Rule: p.Rule, Level: p.Level, Text: p.Message}
		f.File, f.Line = m.file(p)
		if p.Step != nil {
			f.Address, f.Text = string(p.Step.Address), fmt.Sprintf("step %s: %s", p.Step.Address, p.Message)
		}
		all = append(all, f)
	}
	log := sarif.New(m.Version, all)
	log.Runs[0].Properties = map[string]any{"run": m.Run, "status": m.Status, "goal": m.Goal, "plan": m.Plan.Digest}
	text, err := json.MarshalIndent(log, "", "  ")
	if err == nil {
		_, err = w.Write(append(safetext.JSON(text), '\n'))
	}
	return err
}

// JobSummary draws the report as the summary of a job on GitHub, which takes no
// more than a mebibyte.
func JobSummary(w io.Writer, m *Model) error { return byTemplate("github-summary.md")(w, m) }

// mostOfPullRequest is how many bytes the text of a pull request has: GitHub takes
// as many characters.
const mostOfPullRequest = 1 << 16

// PullRequest draws the report as the text of a pull request. Its lists are as
// long as a code host takes.
func PullRequest(w io.Writer, m *Model) error {
	for most := 100; ; most /= 2 {
		var text bytes.Buffer
		functions := m.functions()
		functions["most"] = func() int { return most }
		if err := parsed().Draw(&text, "pull-request.md", m, md, functions); err != nil {
			return fmt.Errorf("document: %w", err)
		}
		if most == 0 || text.Len() <= mostOfPullRequest {
			_, err := w.Write(text.Bytes())
			return err
		}
	}
}

// Annotations draws what was found in a run as workflow commands of GitHub, a
// line each.
func Annotations(w io.Writer, m *Model) error {
	for _, p := range m.issues() {
		file, line := m.file(p)
		title := p.Rule
		if p.Step != nil {
			title = fmt.Sprintf("step %s: %s", p.Step.Address, p.Rule)
		}
		if err := Annotate(w, p.Level, file, line, 0, title, p.Message); err != nil {
			return err
		}
	}
	return nil
}

// Annotate writes a workflow command with which GitHub shows a message beside a
// line of a file. level is that of SARIF; line and column may be 0.
func Annotate(w io.Writer, level, file string, line, column int, title, message string) error {
	if level == "note" {
		level = "notice"
	}
	var at []string
	for _, p := range []struct{ name, value string }{
		{"file", file}, {"line", positive(line)}, {"col", positive(column)}, {"title", title},
	} {
		if p.value != "" {
			at = append(at, p.name+"="+strings.NewReplacer(":", "%3A", ",", "%2C").Replace(oneLine(p.value)))
		}
	}
	_, err := fmt.Fprintf(w, "::%s %s::%s\n", level, strings.Join(at, ","), oneLine(message))
	return err
}

// positive is a number; "" of 0.
func positive(n int) string {
	if n < 1 {
		return ""
	}
	return fmt.Sprint(n)
}

// oneLine is text as it stands in a workflow command: lines end as %0A, and
// what is invisible is written out.
func oneLine(text string) string {
	lines := safetext.Lines(text)
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], "%", "%25")
	}
	return strings.Join(lines, "%0A")
}

// mostInSummary is how much of each list the summary of a job has: GitHub takes a
// mebibyte of it.
const mostInSummary = 500

// first are the first of a list.
func first(most int, list any) any {
	of := reflect.ValueOf(list)
	return of.Slice(0, min(most, of.Len())).Interface()
}

// further says how many things of a list are not listed where the first are; ""
// where all are.
func further(most int, list any, one, many string) string {
	if length(list) <= most {
		return ""
	}
	return fmt.Sprintf("%s more, which are not listed here", count(length(list)-most, one, many))
}

// checks are what gates that judged found fault with, and named as evidence, a
// line each.
func checks(m *Model) []string {
	var all []string
	add := func(of string, js []judgement) {
		for _, j := range js {
			said := append(each(j.Findings, func(f finding) string { return f.Message }), j.Evidence...)
			all = append(all, fmt.Sprintf("%s: %s %s: %s", of, mark(string(j.Result)), j.Gate, strings.Join(said, "; ")))
		}
	}
	for _, s := range m.steps {
		if s.Status == history.Completed {
			add("step "+string(s.Address), only(s.gates(), func(j judgement) bool {
				return j.judged() && len(j.Findings)+len(j.Evidence) > 0
			}))
		}
	}
	add("at the end", only(m.Final, judgement.judged))
	return all
}

// deviations is what went otherwise than planned, a line each: what was found,
// but for what nobody looked at, and what became of it.
func deviations(m *Model) []string {
	var all []string
	for _, p := range m.issues() {
		if p.Step == nil || p.Step.Standing == nil || p.Rule != string(p.Step.Standing.Basis) {
			all = append(all, p.String())
		}
	}
	for _, s := range m.steps {
		for _, c := range outside(s) {
			if c.By != "" {
				all = append(all, fmt.Sprintf("step %s: %s %s, accepted by %s", s.Address, c.Change.Op, c.Change.shown, c.By))
			}
		}
		if s.Skipped != nil {
			all = append(all, fmt.Sprintf("step %s: %s", s.Address, s.left()))
		}
		for _, d := range s.detours() {
			all = append(all, fmt.Sprintf("step %s: %s", s.Address, d))
		}
	}
	for _, b := range m.RolledBack {
		all = append(all, "the run was "+b.String())
	}
	return append(append(all, each(m.Moves, movesAccepted.String)...), each(m.Amendments, amended.String)...)
}

// cost is what the run cost, as far as somebody said; "" where nobody did.
func (m *Model) cost() string {
	if all := newSpending(m); all != nil {
		return all.Total
	}
	if m.Counts.Cost > 0 {
		return history.Money(m.Counts.Cost).String()
	}
	return ""
}
