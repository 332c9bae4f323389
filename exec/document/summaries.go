package document

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// A Summary is the summary of one NAME-PLAN.md of a phase.
type Summary struct {
	// File is the summary, under the name that it has among the documents of the
	// run.
	File
	// Plan is the path of the plan's file, as the run knows it.
	Plan string
	// Beside is what the summary is called beside the plan: 04-01-SUMMARY.md for
	// 04-01-PLAN.md.
	Beside string
}

// Summaries are the summaries of the plans of a phase, one for each file that
// the plan was read from, in their order; none of a plan in another format.
func Summaries(m *Model) []Summary {
	speclets := m.plan.Speclets
	if m.Plan.Format != plan.PhasePlan || len(m.Plan.Files) != max(1, len(speclets)) {
		return nil
	}
	var list []Summary
	for i, f := range m.Plan.Files {
		part := m // all of it, where the phase has one plan
		if len(speclets) > 1 {
			part = m.part(&speclets[i])
		}
		s := Summary{Plan: f.shown, Beside: plan.SummaryName(f.shown)}
		s.Name = fileName(strings.TrimSuffix(s.Beside, ".md")) + ".md"
		if s.Name == "SUMMARY.md" || slices.ContainsFunc(list, func(o Summary) bool { return o.Name == s.Name }) {
			s.Name = fmt.Sprintf("%d-%s", i+1, s.Name)
		}
		s.Draw = func(w io.Writer) error { return byTemplate("SUMMARY.md")(w, part) }
		list = append(list, s)
	}
	return list
}

// planSummaries are the documents of [Summaries].
func planSummaries(m *Model) []File {
	return each(Summaries(m), func(s Summary) File { return s.File })
}

// part is what the run did of one plan of a phase: its tasks, and what follows
// from them. What is about the run as a whole stays.
func (m *Model) part(s *plan.Speclet) *Model {
	p := *m
	p.Goal = orElse(s.Description, m.Goal)
	p.Tasks = only(m.Tasks, func(t *task) bool { return slices.Contains(s.Tasks, t.ID) })
	p.steps = only(m.steps, func(st *step) bool { return slices.Contains(s.Tasks, st.Task) })
	mine := func(a plan.Address) bool {
		return slices.ContainsFunc(p.steps, func(st *step) bool { return st.Address == a })
	}
	p.Declarations = only(m.Declarations, func(d declaration) bool { return mine(plan.Address(d.Step)) })
	p.ModeSwitches = only(m.ModeSwitches, func(s modeSwitch) bool { return s.Step == "" || mine(s.Step) })
	p.RolledBack = only(m.RolledBack, func(r rolledBack) bool {
		return mine(r.To) || slices.ContainsFunc(r.Steps, mine) || !r.After && p.undone()
	})
	p.Files, p.Lines = netFiles(p.steps)
	p.Counts = counts{}
	p.count()
	p.Started, p.Ended, p.Duration = stamp{}, stamp{}, workedOn(m.of, p.Tasks...)
	for _, t := range p.Tasks {
		if !t.Started.IsZero() && (p.Started.IsZero() || t.Started.Before(p.Started.Time)) {
			p.Started = t.Started
		}
		if t.Ended.After(p.Ended.Time) {
			p.Ended = t.Ended
		}
	}
	if m.of.Ended == nil && p.unfinished() {
		p.Ended = stamp{}
	}
	p.Tree = tree{Digest: treeAfter(m.of, p.steps)}
	p.Base = p.Tree // where nothing of it is in the tree
	if first := firstAttempt(m.of, p.steps); first != nil && !p.Started.IsZero() {
		p.Base = newTree(first.Base)
	}
	for _, st := range p.steps {
		if st.Standing != nil {
			p.Counts.Bases.add(st.Standing.Basis)
		}
		p.Counts.Questions += len(st.Questions)
	}
	p.Status, p.Reasons = p.partly(m, s)
	return &p
}

// partly is how a plan of a phase stands, and why: as its own tasks do, once
// they are over. It is achieved where somebody looked at each of them and at its
// criteria, or where the whole run is.
func (p *Model) partly(whole *Model, s *plan.Speclet) (history.Status, []string) {
	if whole.of.Ended == nil && p.unfinished() || whole.Status == history.Achieved {
		return whole.Status, whole.Reasons
	}
	reasons := []string{fmt.Sprintf("the run of the whole phase ended %s", outcome(whole.Status))}
	if whole.of.Ended == nil {
		reasons[0] = "the run of the whole phase is not over"
	}
	for _, st := range p.steps {
		if st.Status == history.Completed && st.Standing != nil && !st.Standing.Basis.Counts() {
			reasons = append(reasons, fmt.Sprintf("step %s is %s: %s", st.Address, st.Standing.Basis, st.Standing.Why))
		}
	}
	unmet := p.unmet(s)
	looked := func(t *task) bool { return t.basis().Counts() }
	switch done := only(p.Tasks, func(t *task) bool { return t.Status == string(history.Completed) }); {
	case len(done) == len(p.Tasks) && len(only(done, looked)) == len(done) && len(unmet) == 0:
		return history.Achieved, reasons
	case len(done) == 0:
		return history.NotAchieved, reasons
	}
	return history.Partial, append(reasons, unmet...)
}

// unmet is what of the end of the run keeps a plan of the phase from being
// achieved, a line each: final gates that object to a file which it changed, or to
// none by name, and completion criteria in words that nobody found met, those of its
// front matter and those of which none says whose they are.
func (p *Model) unmet(s *plan.Speclet) (lines []string) {
	mine := func(f gate.Finding) bool {
		return f.Path == "" || slices.ContainsFunc(p.Files, func(own file) bool { return own.shown == f.Path })
	}
	for _, j := range gate.Judgements(p.of.Final).Blocking() {
		if j.Verdict != nil && j.Verdict.Review != nil {
			continue // of criteria, see below
		} else if j.Verdict != nil && len(j.Verdict.Findings) > 0 {
			own := *j.Verdict
			if own.Findings = only(own.Findings, mine); len(own.Findings) == 0 {
				continue
			}
			j.Verdict = &own
		}
		lines = append(lines, j.Reasons()...)
	}
	for i, text := range p.plan.Completion.AcceptanceCriteria {
		owners := p.owners(text)
		if (len(owners) == 0 || slices.Contains(owners, s.ID)) &&
			!slices.ContainsFunc(p.of.Final, func(j gate.Judgement) bool { return p.of.Grants(j, text) }) {
			lines = append(lines, fmt.Sprintf("completion criterion %d does not count as met: %s", i+1, text))
		}
	}
	return lines
}

// owners are the plans of the phase in whose front matter a criterion stands.
func (m *Model) owners(text string) (ids []string) {
	for _, s := range m.plan.Settings {
		id, _, ok := strings.Cut(strings.TrimPrefix(s.Key, "phase_plan."), ".must_haves")
		if ok && slices.ContainsFunc(s.Value.List, func(v plan.Value) bool { return v.Text == text }) {
			ids = append(ids, strings.Trim(id, `"`))
		}
	}
	return ids
}

// unfinished reports whether a step is not over.
func (m *Model) unfinished() bool {
	return slices.ContainsFunc(m.steps, func(st *step) bool { return !st.Status.Over() })
}

// undone reports whether an attempt of a step was set back.
func (m *Model) undone() bool {
	return slices.ContainsFunc(m.steps, func(st *step) bool {
		return slices.ContainsFunc(st.Attempts, func(a *attempt) bool { return a.RolledBack })
	})
}

// phaseName is the phase that the plan says it is part of, else what the plan is
// called.
func (m *Model) phaseName() string {
	for _, s := range m.plan.Settings {
		key, ok := strings.CutPrefix(s.Key, "phase_plan.")
		if ok && (key == "phase" || strings.HasSuffix(key, ".phase")) {
			return s.Value.Plain()
		}
	}
	return orElse(m.Name, "plan")
}

// checkpointFile is the name of the document that a task leaves behind.
func checkpointFile(t *task) string { return "checkpoint-" + fileName(t.ID) + ".json" }
