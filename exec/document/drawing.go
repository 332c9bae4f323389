package document

import (
	"embed"
	"fmt"
	"io"
	pathpkg "path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/analysis"
	"github.com/planlock/planlock/exec/internal/template"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/safetext"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// The documents for people are templates over the model. What comes from
// elsewhere is escaped by whoever draws them, so a template says where things
// stand, and the functions below say what they are called.
//
//go:embed templates
var templates embed.FS

// parsed are the templates; they are part of the program, so they can be read.
var parsed = sync.OnceValue(func() template.Set {
	set, err := template.Parse(templates, "templates/*")
	if err != nil {
		panic("document: " + err.Error())
	}
	return set
})

// byTemplate draws a document by its template.
func byTemplate(name string) func(io.Writer, *Model) error {
	escape := md
	if pathpkg.Ext(name) == ".yaml" {
		escape = yaml
	}
	return func(w io.Writer, m *Model) error {
		if err := parsed().Draw(w, name, m, escape, m.functions()); err != nil {
			return fmt.Errorf("document: %w", err)
		}
		return nil
	}
}

// Markdown draws the report as Markdown.
func Markdown(w io.Writer, m *Model) error { return byTemplate("report.md")(w, m) }

// functions are what templates call. Those without an argument are about the
// run as a whole.
func (m *Model) functions() map[string]any {
	return map[string]any{
		// values
		"code":       func(name string) safe { return safe(code(name)) },
		"safe":       func(s string) safe { return safe(s) },
		"codes":      func(names []string) safe { return safe(dash(strings.Join(each(names, code), " "))) },
		"yaml":       func(s string) safe { return safe(yaml(s)) },
		"dash":       func(s string) safe { return safe(dash(md(s))) },
		"clip":       func(columns int, s string) string { return safetext.Clip(s, columns) },
		"tail":       func(lines int, s string) string { return tail(s, lines) },
		"fence":      fenced,
		"join":       join,
		"joined":     func(a, b, c any) string { return strings.TrimSpace(fmt.Sprint(a) + fmt.Sprint(b) + fmt.Sprint(c)) },
		"said":       whatAndWhy,
		"parted":     func(list []string) []string { return strings.Split(strings.Join(list, "\n"), "\n") },
		"semicolons": func(list []string) string { return strings.Join(list, "; ") },
		"same":       func(a, b any) bool { return fmt.Sprint(a) == fmt.Sprint(b) },
		"count":      count,
		"len":        length,
		"under":      func(indent safe, of any) indented { return indented{indent, of} },
		"deeper":     func(indent safe) safe { return indent + "  " },
		"hundredths": func(f float64) safe { return safe(advice.Hundredths(f)) },
		"short":      ledger.Digest.Short,
		"clock":      func(s stamp) safe { return safe(s.clock()) },
		"time":       stamp.String,
		"minutes":    func(d span) int { return int(time.Duration(d).Round(time.Minute) / time.Minute) },
		"less":       func(a, b span) safe { return safe((a - b).String()) },
		"typed":      func(a action.Action) safe { return safe(m.typed(a)) },
		// words
		"mark":         func(status any) safe { return safe(mark(fmt.Sprint(status))) },
		"outcome":      func(s history.Status) safe { return safe(outcome(s)) },
		"meaning":      meaning,
		"why":          (*step).meaning,
		"adviceOf":     adviceOf,
		"executors":    m.executors,
		"because":      because,
		"ofJob":        jobDone.String,
		"lastJob":      (*attempt).lastJob,
		"compensation": (*attempt).compensation,
		"repeated":     (*attempt).Twice,
		"level":        func(l gate.Level) int { return int(l) },
		"became":       func(q question) safe { return safe(q.deviation()) },
		"blocker":      func(s *step) string { return string(s.Blocked.blocker(s.Address)) },
		"ways":         func(b *stepBlocked) string { return b.Why + "; " + b.ways() },
		"setting":      plan.Value.Plain,
		"validator": func(version string) string {
			return strings.TrimSpace("planlock " + version)
		},
		"phase":  summaryPhase,
		"within": m.phaseName,
		"commit": func() string { return m.of.Commit },
		"advice": analysis.Recommendation.Text,
		// files
		"path":     func(f file) string { return f.text() },
		"base":     func(f file) string { return pathpkg.Base(f.shown) },
		"shown":    func(c change) string { return c.shown },
		"place":    func(f finding) string { return strings.TrimPrefix(at(f.shown, f.Line), " at ") },
		"lines":    linesOf,
		"counted":  func(n lineCount) safe { return safe(orElse(n.String(), " no lines counted")) },
		"folders":  foldersOf,
		"modified": m.modified,
		"unlisted": m.unlisted,
		"declared": declarationsAsCode,
		// steps
		"stepMark":    func(s *step) safe { return safe(s.mark()) },
		"size":        func(s *step) safe { return safe(s.size()) },
		"judged":      func(of any) []judgement { return only(of.([]judgement), judgement.judged) },
		"idle":        func(of any) string { return idleOf(of.([]judgement)) },
		"gates":       func(s *step) string { return asked(s.gates()) },
		"remark":      remark,
		"detailed":    detailed,
		"decided":     func(p *propagation) bool { return p.Decision != "" && p.Decision != "proceed" },
		"stopped":     (*step).stopped,
		"remedy":      (*step).remedy,
		"aftermath":   (*step).aftermath,
		"beyond":      (*step).beyond,
		"lastFailure": (*step).lastFailure,
		"differences": differences,
		"detours":     (*step).detours,
		"leftOut":     (*step).left,
		"outside":     outside,
		"suggested":   func(s *step) []string { return suggested(m, s) },
		"proofs":      proofs,
		"problem":     problem,
		"touched":     touched,
		"output":      (*attempt).output,
		"traces":      (*step).traces,
		"recovery":    then,
		"ladder":      ladder,
		"waits":       m.waitsAt,
		"was":         func(s *step) *history.Step { return m.of.Step(s.Address) },
		"answer":      m.answer,
		"chosen":      func(a *answer) string { return orElse(a.Label, a.Choice) },
		// tasks
		"gatesOf":       (*task).gates,
		"decidedBefore": decidedBefore,
		"left":          (*task).checkpointed,
		"kept":          checkpointFile,
		"atOnce":        (*task).atOnce,
		"verified":      func(t *task) bool { return t.basis().Counts() },
		// the run
		"run":         func() *history.Run { return m.of },
		"testsFirst":  func() int { return testsFirst(m) },
		"phasesDone":  func() []history.PhaseOver { return completedPhases(m) },
		"phasesShort": func() []history.PhaseOver { return shortPhases(m) },
		"phaseNext":   func() *phaseAhead { return nextPhase(m) },
		"carriedOut":  carriedOut,
		"plan":        func() *plan.Plan { return m.plan },
		"elsewhere":   m.elsewhere,
		"recalled":    func() []string { return recalled(m.of) },
		"rejections":  func() []string { return rejections(m.of) },
		"promises":    func() []string { return m.plan.Promises() },
		"analysis":    func() *analysis.Analysis { return m.analysis },
		"decisionsOf": func(s *step) []telling { return decisionsOf(m.of.Step(s.Address)) },
		"insightsOf":  func(s *step) []telling { return insightsOf(m.of.Step(s.Address)) },
		"steps":       func() []*step { return m.steps },
		"stuck":       func() []*step { return only(m.steps, m.stuck) },
		"open":        func(most int) []*step { return unfinished(m, most) },
		"tally":       func() safe { return safe(m.tally()) },
		"bases":       func() safe { return safe(m.Counts.Bases.String()) },
		"twice":       func() safe { return safe(m.Counts.Repeated.String()) },
		"next":        func() []string { return each(nextSteps(m), m.told) },
		"moving":      func() bool { return m.Status == history.Running && m.since == nil },
		"resume":      m.resume,
		"replans":     func() bool { return m.Waiting == nil && m.of.Ended == nil && m.of.Replans() },
		"completedSteps": func() []*step {
			return only(m.steps, func(s *step) bool { return s.Status == history.Completed })
		},
		"look":        m.look,
		"latest":      func() stamp { return m.latest },
		"unended":     func() bool { return m.now().of.Ended == nil },
		"figures":     func() []figure { return figures(m) },
		"agents":      func(role string) []agent { return newTeam(m).ofRole(role) },
		"status":      func(a agent) agentStatus { return a.status },
		"titled":      m.Titled,
		"mended":      func() []string { return mended(m) },
		"flagged":     func() []flag { return flagged(m) },
		"held":        func() []history.Approval { return held(m.of) },
		"reflections": func() []reflection { return reflectionsOf(m.of, m) },
		"notes":       func() []noteSection { return noteSections(m) },
		"later":       m.later,
		"settings":    func() []plan.Setting { return projectSettings(m) },
		"begun":       func() int { return len(only(m.Tasks, (*task).attempted)) },
		"completed":   func() []*task { return only(m.Tasks, func(t *task) bool { return t.Status == "completed" }) },
		"failed":      func() []taskFailure { return failedTasks(m, true) },
		"partly":      func() []taskFailure { return failedTasks(m, false) },
		"inTime": func() []*step {
			return slices.SortedStableFunc(slices.Values(m.steps), func(a, b *step) int {
				return a.Started.Compare(b.Started.Time)
			})
		},
		"unfinished": m.unfinished,
		"estimated":  func() bool { return slices.ContainsFunc(m.Tasks, func(t *task) bool { return t.Estimate > 0 }) },
		"late": func() []*task {
			return only(m.Tasks, func(t *task) bool { return t.Estimate > 0 && t.Duration > t.Estimate })
		},
		"sameAgain":  func() []emptyBackup { return sameAgain(m) },
		"strategy":   m.strategy,
		"thresholds": m.thresholds,
		"filesBy": func(op string) []file {
			return only(m.Files,
				func(f file) bool { return string(f.Op) == op })
		},
		"point":    func() history.Mark { return markOf(m) },
		"marked":   func() *history.Mark { return m.of.Mark() },
		"moment":   func(t time.Time) string { return newStamp(t).String() },
		"ceremony": func() string { return ceremony(m) },
		"progress": func() phaseProgress { return phases(m) },
		// what a service takes only so much of
		"most":       func() int { return mostInSummary },
		"first":      first,
		"further":    further,
		"issues":     func() []string { return each(m.issues(), issue.String) },
		"checks":     func() []string { return checks(m) },
		"commits":    func() []string { return each(m.Commits, committed.told) },
		"deviations": func() []string { return deviations(m) },
		"unverified": func() []string { return unverified(m) },
		"cost":       m.cost,
		"goOn":       func() []string { return each(goOn(m), m.told) },
		"context":    func() string { return contextOf(m.plan, m) },
		"compare": func() string {
			return m.say(action.Action{Kind: action.Compare, From: m.Base.Digest, To: m.Tree.Digest})
		},
	}
}
