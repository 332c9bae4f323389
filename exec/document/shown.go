package document

import (
	"cmp"
	"fmt"
	pathpkg "path"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/analysis"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/remedy"
	"github.com/planlock/planlock/exec/internal/template"
	rungs "github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/plan"
)

// indented is something that is written as part of a list.
type indented struct {
	Indent safe
	Of     any
}

// dash stands for what is not there.
func dash(text string) string { return orElse(text, "-") }

// fenced is an output as a code block.
func fenced(info, output string) safe {
	var b strings.Builder
	fence(&b, "", info, output)
	return safe(b.String())
}

// declarationsAsCode are declarations as a code block, ready to be copied into a plan.
func declarationsAsCode(ds []declaration) safe {
	return fenced("toml", strings.Join(each(ds, func(d declaration) string {
		return strings.Join(d.toml(), "\n") + "\n"
	}), "\n"))
}

// remark is what the row of a step says of its way.
func remark(s *step) string {
	switch {
	case s.Carried != nil:
		return s.Carried.String()
	case s.Blocked != nil && s.Blocked.By == s.Address:
		return s.Blocked.Why
	case s.Blocked != nil:
		return "by " + string(s.Blocked.By) + ": " + s.Blocked.Why
	case s.Skipped != nil:
		return strings.TrimPrefix(s.left(), "skipped ")
	}
	return join(s.story())
}

// detailed reports whether there is more to say of a step than its row does.
func detailed(s *step) bool {
	return len(s.Attempts)+len(s.Gates)+len(s.Questions) > 0 || s.Failure != nil
}

// An undeclaredChange is one that the plan did not declare for its step.
type undeclaredChange struct {
	Change change
	By     string // who accepted it; "" where nobody was asked
	Undone string // what became of it, where it is not there
}

// outside are the changes of a step that its plan did not declare, those of
// attempts that were undone after the others. Those that a person accepted belong
// to the step from then on, and not to the plan that was locked.
func outside(s *step) []undeclaredChange {
	var all []undeclaredChange
	seen := map[string]bool{}
	add := func(c change, by, undone string) {
		if key := string(c.Op) + " " + c.shown; !seen[key] {
			seen[key] = true
			all = append(all, undeclaredChange{c, by, undone})
		}
	}
	if e := s.account(); e != nil && s.Status == history.Completed {
		by := s.of.of.Step(s.Address).Accepted()
		for _, c := range e.Extra {
			if !e.free {
				add(c, "", "")
			}
		}
		for _, c := range e.Matching {
			if who, granted := by[c.shown]; granted {
				add(c, who, "")
			}
		}
	}
	for _, a := range s.Attempts {
		if a.Ledger == nil || a.Ledger.free || a.Outcome != failed {
			continue
		}
		for _, c := range a.Ledger.Extra {
			what := "undone after"
			if slices.Contains(a.of.Stays, c.shown) {
				what = "only tracked, so it stays as it was left by"
			}
			add(c, "", fmt.Sprintf("%s attempt %d", what, a.Number))
		}
	}
	return all
}

// proofs are the judgements of a completed step that name evidence.
func proofs(s *step) []judgement {
	if s.Status != history.Completed {
		return nil
	}
	return only(s.gates(), func(j judgement) bool { return j.judged() && len(j.Evidence) > 0 })
}

// problem is why a step failed, or why it has not succeeded yet, and what became
// of what it did outside of the workspace.
func problem(s *step) []string {
	why := wrong(s)
	if a := s.judged(); a != nil && a.Compensated != nil {
		why = append(slices.Clone(why), "what it did outside of the workspace: "+a.Compensated.Told())
	}
	return why
}

// wrong is why a step failed, or why it has not succeeded yet.
func wrong(s *step) []string {
	if s.Failure != nil {
		return s.Failure.Reasons
	}
	if a := s.judged(); a != nil && a.Failure != nil {
		return a.Failure.Reasons
	}
	if s.Refusal != nil {
		return s.Refusal.Reasons
	}
	return nil
}

// then is what was decided after an attempt, nil if nothing was.
func then(s *step, attempt int) *recovery {
	for _, a := range s.Attempts {
		if a.past {
			attempt-- // what was decided then is forgotten
		}
	}
	if attempt < 0 || attempt >= len(s.Recoveries) {
		return nil
	}
	return &s.Recoveries[attempt]
}

// ladder are the recoveries that decided for another method: one that tries the
// same again decided nothing, and an answer is told as that.
func ladder(s *step) []recovery {
	return only(s.Recoveries, func(r recovery) bool { return !rungs.Answers(r.Rung) && !rungs.Repeats(r.Rung) })
}

// touched are the files that attempts changed, each once.
func touched(s *step) []string {
	var out []string
	seen := map[string]bool{}
	for _, a := range s.Attempts {
		if a.Ledger == nil {
			continue
		}
		for _, c := range a.Ledger.Changes {
			if name := c.text(); !seen[name] {
				seen[name] = true
				out = append(out, name)
			}
		}
	}
	return out
}

// output is the end of what an attempt printed: the command that failed, where
// no gate found fault, else its executor. "" where that is nothing to see.
func (a *attempt) output() string {
	switch {
	case a == nil:
		return ""
	case len(a.reasons) > 0 && a.reasons[0].Printed != "":
		return a.reasons[0].Printed
	case a.Said == nil || strings.TrimSpace(a.Said.Output) == "":
		return ""
	}
	return tail(a.Said.Output, 30)
}

// traces are what an attempt printed, and what gates found beside it.
func (a *attempt) traces() string {
	var lines []string
	if out := a.output(); out != "" {
		lines = append(lines, strings.TrimRight(out, "\n"))
	}
	if a != nil {
		for _, r := range a.reasons {
			if r.Expected+r.Happened != "" {
				lines = append(lines, r.Lines()...)
			}
		}
	}
	return strings.Join(lines, "\n")
}

// traces are those of the last attempt that counts and left some.
func (s *step) traces() string {
	for i, a := range slices.Backward(s.Attempts) {
		text := a.traces()
		switch {
		case a.past:
			return ""
		case text != "" && i < len(s.Attempts)-1:
			return fmt.Sprintf("of attempt %d:\n%s", a.Number, text)
		case text != "":
			return text
		}
	}
	return ""
}

// deviation tells what became of a question.
func (q question) deviation() string {
	out := fmt.Sprintf("question %s, %s: ", md(q.ID), md(q.What))
	switch {
	case q.Answer != nil:
		out += fmt.Sprintf("%s answered %s (%s)", md(q.Answer.By), md(q.Answer.Choice), md(q.Answer.Label))
		if q.Answer.Reason != "" {
			out += ": " + md(q.Answer.Reason)
		}
		return out
	case q.Refused != "":
		return out + "no answer: " + md(q.Refused)
	}
	return out + "waits for an answer"
}

// gates is who looked at a task: its validators, and whether their word counts,
// how many gates had something to judge in its steps, who said that a step is
// done, and the run that looked at those that were taken over.
func (t *task) gates() string {
	var all []judgement
	idle := map[string]bool{} // validators whose word does not count, by the gate that asks them
	for _, s := range t.Steps {
		all = append(all, s.gates()...)
		for _, r := range s.of.of.Step(s.Address).Reviews() {
			idle[r.Gate] = !r.Counts()
		}
	}
	var who []string
	for _, j := range only(all, judgement.judged) {
		name, is := strings.CutPrefix(j.Gate, workReview)
		if idle[j.Gate] {
			name += " (does not count)"
		}
		if is && !slices.Contains(who, name) {
			who = append(who, name)
		}
	}
	person, earlier := "", ""
	for _, s := range t.Steps {
		if s.Skipped != nil && s.Skipped.Done {
			person = s.Skipped.By
		} else if s.Carried != nil {
			earlier = s.Carried.String()
		}
	}
	by := only(append(who, asked(all), person, earlier), func(who string) bool { return who != "" })
	return cmp.Or(strings.Join(by, ", "), count(0, "gate", "gates"))
}

// checkpointed is the tree that the task left, in short, and where its last
// checkpoint stands in the journal. A task of which nothing was attempted has
// none.
func (t *task) checkpointed() safe {
	tree := safe(code(t.tree.Short()))
	if at := t.position(); at > 0 {
		return tree + safe(fmt.Sprintf(", record %d", at))
	}
	return tree
}

// position is that of the task's last checkpoint in the journal; 0 where none
// stands there.
func (t *task) position() uint64 {
	last := uint64(0)
	for _, s := range t.Steps {
		if s.Checkpoint != nil {
			last = max(last, s.Checkpoint.Position)
		}
	}
	return last
}

// atOnce reports whether each step of the task went through at the first
// attempt, and nobody was asked.
func (t *task) atOnce() bool {
	return !slices.ContainsFunc(t.Steps, func(s *step) bool { return len(s.Attempts) != 1 || len(s.Questions) > 0 })
}

// stuck reports whether a step failed, or waits for a person because it did not get on: it is
// no trouble that the plan wants a person at a checkpoint, that people are taught or asked
// before a step, or that the workspace or the plan is not what it was.
func (m *Model) stuck(s *step) bool {
	return s.Failure != nil || m.waitsAt(s) &&
		!slices.Contains([]ask.Kind{ask.Education, ask.Checkpoint, ask.Confirmation, ask.External, ask.Obsolete}, ask.Kind(m.Waiting.Kind))
}

// suggested are the ways that the question about a step names.
func suggested(m *Model, s *step) []string {
	if !m.waitsAt(s) {
		return nil
	}
	var ways []string
	for _, line := range m.Waiting.Evidence {
		if way, ok := strings.CutPrefix(line, remedy.Suggests); ok {
			ways = append(ways, way)
		}
	}
	return ways
}

// waitsAt reports whether the question that waits is about a step.
func (m *Model) waitsAt(s *step) bool { return m.Waiting != nil && m.Waiting.Step == s.Address }

// unfinished are the first steps that are still to be done; none once the run is over.
func unfinished(m *Model, most int) []*step {
	if over(m) {
		return nil
	}
	open := only(m.steps, func(s *step) bool { return s.Status == history.Pending || s.Status == history.InFlight })
	return open[:min(most, len(open))]
}

// summaryPhase is what the front matter of a summary calls the status of a run.
func summaryPhase(s history.Status) string {
	switch s {
	case history.Running, history.Waiting:
		return strings.ToLower(string(s))
	}
	return "executed"
}

// A folder is part of what a run changed.
type folder struct {
	Name  string
	Files []file
}

// foldersOf groups files by folder.
func foldersOf(files []file) []folder {
	var all []folder
	at := map[string]int{}
	for _, f := range files {
		dir := pathpkg.Dir(f.shown)
		i, known := at[dir]
		if !known {
			i, at[dir] = len(all), len(all)
			all = append(all, folder{Name: dir})
		}
		all[i].Files = append(all[i].Files, f)
	}
	return all
}

// A figure is a rate of a run, for people.
type figure struct {
	Name  string
	Rate  safe
	Count string
}

// figures are the rates that people compare runs by; one of nothing has no
// value.
func figures(m *Model) []figure {
	k := m.analysis.KPIs
	row := func(name string, r analysis.Rate) figure {
		if r.Of == 0 {
			return figure{name, "-", "none"}
		}
		return figure{name, safe(fmt.Sprintf("%.0f %%", 100*r.Value())), fmt.Sprintf("%d of %d", r.N, r.Of)}
	}
	return []figure{
		row("Tasks completed", k.Completed), row("Completed after something was tried anew", k.RetrySuccess),
		row("Evidence found", k.Evidence), row("Steps without help", k.Unaided),
		row("Failures recovered from without help", k.Recovered), row("Tests written first", k.TestFirst),
	}
}

// An emptyBackup is a backup that does what its step does.
type emptyBackup struct {
	ID   string
	Step plan.Address
}

// thresholds says what a run in which no trigger of dynamic mode fired tells of
// their thresholds: nothing where nobody measured, or nothing went wrong.
func (m *Model) thresholds() string {
	measured := m.FirstMode == plan.Dynamic || slices.ContainsFunc(m.ModeSwitches, func(s modeSwitch) bool {
		return s.From == plan.Dynamic || s.To == plan.Dynamic
	})
	switch a := m.analysis; {
	case !measured:
		return fmt.Sprintf("the run was never in dynamic mode, but %s: nothing was measured, and nothing is known of its thresholds",
			m.FirstMode)
	case len(a.Failures.Steps)+len(a.Backups.Used) == 0:
		return "no trigger of dynamic mode fired, and nothing failed: that tells nothing of its thresholds"
	}
	return "no trigger of dynamic mode fired: its thresholds fit"
}

// sameAgain are backups that would fail as their steps do.
func sameAgain(m *Model) []emptyBackup {
	var all []emptyBackup
	for _, t := range m.plan.Tasks {
		for i := range t.Steps {
			for _, b := range t.Steps[i].Backups {
				if t.Steps[i].SameAgain(&b) {
					all = append(all, emptyBackup{b.ID, t.Steps[i].Address})
				}
			}
		}
	}
	return all
}

// projectSettings are what the plan says about the project.
func projectSettings(m *Model) []plan.Setting {
	return only(m.plan.Settings, func(s plan.Setting) bool {
		head, _, _ := strings.Cut(s.Key, ".")
		return head == "software_stack" || head == "constraints" || head == "components"
	})
}

const contextPart = 200 // bytes of each thing that the plan says, in a summary for whoever goes on

// contextOf is what somebody who goes on must know, in one short line.
func contextOf(p *plan.Plan, rep *Model) string {
	clip := func(s string) string { return bound.Text(strings.TrimSuffix(s, "."), contextPart) }
	text := fmt.Sprintf("%s. %d of %s completed.", clip(rep.Titled()), rep.Counts.Completed, count(rep.Counts.Steps, "step", "steps"))
	if next := nextPhase(rep); next != nil {
		text += fmt.Sprintf(" Next: %s.", clip(next.String()))
	}
	for _, s := range unfinished(rep, 1) {
		text += fmt.Sprintf(" Next: step %s, %s.", s.Address, clip(s.Title))
	}
	if where := rep.elsewhere(); where != "" {
		text += " Of the workspace: " + where + "."
	}
	var off []string
	for _, n := range p.NonGoals {
		off = append(off, clip(n.Text))
	}
	if len(off) > 0 {
		text += " Not to be touched: " + strings.Join(bound.First(off, 10), "; ") + "."
	}
	return text
}

// elsewhere says that what the run made is not in the workspace; "" where it is.
func (m *Model) elsewhere() string {
	switch {
	case m.Shadow:
		return "nothing of this is in it, since the run is a trial in a clone"
	case m.Isolated && m.Delivered == "":
		return "nothing of this is in it, since the run is isolated and has delivered nothing"
	}
	return ""
}

// mended are the steps that were completed by a patch, or by what a person said
// where the patch had failed before.
func mended(rep *Model) (all []string) {
	for _, s := range rep.steps {
		if by, words := analysis.Decisive(rep.of, rep.of.Step(s.Address)); words != "" {
			all = append(all, fmt.Sprintf("step %s (%s) was completed once it was told what %s said: %s",
				s.Address, s.Title, by, words))
		} else if patch := rep.of.Step(s.Address).Patch(s.Method); patch != nil && s.Status == history.Completed &&
			!fruitless(rep.of, s.Address, patch.ID) {
			all = append(all, fmt.Sprintf("step %s (%s) was completed by a patch: %s", s.Address, s.Title, patch.Summary))
		}
	}
	return all
}

// linesOf is how many lines a change added and removed; "" where they were not
// counted.
func linesOf(n *lineCount) safe {
	if n == nil {
		return ""
	}
	return safe(n.String())
}

// safe is what is written as it is: it is escaped, or consists of words of our
// own.
type safe = template.Safe
