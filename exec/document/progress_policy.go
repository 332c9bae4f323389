package document

import (
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/analysis"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/compliance"
	"github.com/planlock/planlock/exec/internal/pattern"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// otherPatterns are what the advisor found before the first task.
func otherPatterns(r *history.Run) []progressOther {
	out := []progressOther{}
	for _, s := range r.Steps {
		for _, a := range s.Advised {
			if a.Kind != string(advice.Feasible) {
				continue
			}
			for _, x := range a.Alternatives {
				other := progressOther{Name: x.Description, Similarity: x.Confidence, Reference: x.Source}
				if x.Name != "" {
					other.Name, other.Approach = x.Name, x.Description
				}
				out = append(out, other)
			}
		}
	}
	return out
}

// newCompliance is nil where no task was looked at and the plan names no
// pattern.
func newCompliance(p *plan.Plan, r *history.Run) *progressCompliance {
	out := &progressCompliance{Violations: []progressViolation{}, Checks: len(r.Compliance)}
	for _, c := range r.Compliance {
		for _, v := range c.Violated {
			out.Violations = append(out.Violations,
				progressViolation{v.Article, v.Why, c.Task, v.Step, v.Severity, v.Action, newStamp(c.At)})
			if v.Severity == string(compliance.Critical) {
				out.Critical++
			} else {
				out.Warnings++
			}
		}
	}
	if wanted, ok := pattern.Of(p); ok {
		a := pattern.Assess(p, wanted)
		out.Pattern = &progressPattern{true, wanted.Name, string(wanted.Confidence), string(a.Alignment),
			list(a.Missing), string(a.Risk), a.WantBackup, otherPatterns(r)}
	}
	if out.Checks == 0 && out.Pattern == nil {
		return nil
	}
	return out
}

// researchOf are the researches that were done for a step, or for the task that
// begins with it. When one began follows from what it says it took.
func researchOf(s *history.Step) []progressResearch {
	var out []progressResearch
	for _, a := range s.Advised {
		if a.Kind == string(advice.Research) {
			out = append(out, progressResearch{a.Advisor != "" || !a.Nothing, s.Address, a.Point,
				list(a.Queries), list(a.Sources), list(a.Findings),
				confidence(a.Confidence), a.Without(s.Task), newStamp(a.At.Add(-a.Cost.Took)),
				newStamp(a.At), progressCost{a.Cost.Took.Seconds(), a.Cost.Calls, a.Cost.Tokens,
					dollars(a.Cost.Cost)}})
		}
	}
	return out
}

// confidence is a confidence in words: from 0.7 on it is high, from 0.4 on
// medium.
func confidence(c float64) string {
	switch {
	case c >= advice.Threshold:
		return "high"
	case c >= 0.4:
		return "medium"
	}
	return "low"
}

// educationOf is nil for a step that taught nothing.
func educationOf(s *history.Step) *progressEducation {
	l := s.Lesson
	if l == nil {
		return nil
	}
	shown, reasoned := len(l.Others)+1, l.Recommended != ""
	for _, x := range s.Questions {
		if t := x.Question.Teaching; t != nil && x.Question.ID == l.Question {
			shown, reasoned = len(t.Approaches), t.Rationale != ""
		}
	}
	return &progressEducation{shown, l.Recommended, l.Chosen, reasoned, true, l.Lesson}
}

// notesCount counts the notes of a task, which was over at a time, or is not yet:
// then it is the time of the latest note. Nil: it left nothing in the notepad.
func notesCount(notes []note, at stamp) *progressNotes {
	if len(notes) == 0 {
		return nil
	}
	out := &progressNotes{Timestamp: at}
	for _, n := range notes {
		if at.IsZero() && n.at.After(out.Timestamp.Time) {
			out.Timestamp = n.at
		}
		switch n.kind {
		case insight, lesson:
			out.Insights++
		case technical, decision:
			out.Technical++
		case idea:
			out.Ideas++
		}
	}
	return out
}

// newAnalysis puts the analysis of a run that is over into the words of progress logs.
func newAnalysis(rep *Model) *progressAnalysis {
	a := rep.analysis
	out := &progressAnalysis{
		Timestamp: rep.Ended, KPIs: rep.KPIs, Recommendations: each(a.Recommendations, analysis.Recommendation.Text),
		Propagation: progressErrors{a.Propagation.Halts, a.Propagation.Concerned, a.Propagation.Reviewed,
			a.Propagation.Blocked, list(a.Propagation.Unread)},
		Modes: progressModes{Total: a.Escalations.Total, False: a.Escalations.TakenBack,
			Triggers: counted(a.Escalations.Triggers), Asked: counted(a.Escalations.Asked)},
	}
	f := &out.Failures
	f.Rate, f.BackupsRate, f.Clustered = rate(a.Failures.Overall), share(a.Backups.Rate), a.Failures.Clustered
	f.Steps = each(a.Failures.Steps, func(s analysis.FailedStep) progressFailed {
		return progressFailed{s.Step, s.Failures, s.Retries, s.Resolved}
	})
	f.PerTask, f.Causes = ordered[float64]{}, ordered[int]{}
	for _, t := range a.Failures.Tasks {
		f.PerTask = append(f.PerTask, pair[float64]{t.Task, rate(t.Rate)})
	}
	for _, c := range a.Failures.Causes {
		f.Causes = append(f.Causes, pair[int]{c.Name, len(c.Steps)})
	}
	f.Backups = each(a.Backups.Used, func(u analysis.BackupUse) progressHelped {
		return progressHelped{u.Description, rate(u.Rate), u.Rate.Of, u.Rate.N}
	})
	slices.SortStableFunc(f.Backups, func(a, b progressHelped) int { return int(1000 * (b.Rate - a.Rate)) })
	for _, v := range a.Compliance.Articles {
		if v.Article == compliance.Escalation {
			out.Modes.Missed = len(v.Findings)
		}
		out.Compliance = append(out.Compliance, pair[any]{articleKey(v), v})
	}
	out.Compliance = append(out.Compliance, pair[any]{"overall_compliance_score", a.Compliance.Score}, pair[any]{"deductions", list(a.Compliance.Deductions)})
	return out
}

// counted makes an object of counts, with keys without spaces.
func counted(cs []analysis.Count) ordered[int] {
	out := ordered[int]{}
	for _, c := range cs {
		out = append(out, pair[int]{strings.ReplaceAll(c.What, " ", "_"), c.N})
	}
	return out
}

// articleKey is the name of an article in the log, as in "article_vi".
func articleKey(v compliance.Reviewed) string { return "article_" + strings.ToLower(string(v.Article)) }

// completionOf says for each thing that makes a goal complete whether the final
// gates saw it: true, false, or null where no check of the plan decides it. The
// second result names those.
func completionOf(p *plan.Plan, rep *Model) (ordered[*bool], []string) {
	var out ordered[*bool]
	unchecked := []string{}
	say := func(key string, ok *bool, missing string) {
		out = append(out, pair[*bool]{key, ok})
		if ok == nil {
			unchecked = append(unchecked, missing)
		}
	}
	var complete *bool // the completion gate
	for _, r := range gateResults(rep.Final) {
		if r.Key == "completion" && r.Value != undecided && r.Value != idle {
			ok := r.Value == "pass"
			complete = &ok
		}
	}
	asked := complete != nil
	var checked *bool // by checks of the plan
	reached := "whether the goal was reached: the plan has no completion_criteria.checks"
	if final := p.FinalChecks(); len(final) > 0 {
		checked = complete
		switch {
		case complete == nil && rep.of.Ended == nil:
			reached = "whether the goal was reached: the completion checks were not asked yet"
		case complete == nil:
			reached = "whether the goal was reached: the completion checks were not asked, as the run ended before"
		}
		if why := unproved(p.ProvingChecks(), rep.of.Controlled); complete != nil && *complete && len(why) > 0 {
			checked, reached = nil, "whether the goal was reached: the completion checks hold, and not each of them proves something: "+
				strings.Join(bound.First(why, bound.Lines), "; ")
		}
	}
	met, built := granted(p, rep.of), complete
	if checked == nil && met {
		checked = &met // by whoever judged the criteria in words
	}
	if complete != nil && *complete && !met && slices.ContainsFunc(p.FinalChecks(), func(c plan.FinalCheck) bool {
		seen := rep.of.Controlled.Of(c.String())
		return deploys(&c.Check) && (seen == nil || !seen.Tells())
	}) {
		built = nil
	}
	judged := slices.ContainsFunc(rep.Final, func(j judgement) bool { return j.Gate != "completion" && j.judged() })
	quality := checked
	if blocks := slices.ContainsFunc(rep.Final, func(j judgement) bool { return j.Blocks }); blocks || judged {
		ok := !blocks
		quality = &ok
	}
	if complete != nil && *complete && checked == nil && !makesSomething(p) {
		complete = nil // there was nothing to look for
	}
	deliverable := complete
	if makesSomething(p) && slices.ContainsFunc(gateResults(rep.Final), looked) {
		there := !slices.ContainsFunc(rep.Final, lacks)
		deliverable = &there
	}
	made := "whether what was to be made is there: "
	if !makesSomething(p) && deliverable != nil && !*deliverable {
		deliverable = nil // that a check of the whole does not hold says nothing of what was made
	}
	if left := leftUnmade(p, rep); len(left) > 0 && deliverable != nil && *deliverable {
		deliverable = nil // what is checked is there, and not all is checked
		made += "files of what was not completed are named, and nothing looked for them: task " + strings.Join(left, ", ")
	} else {
		made += "nothing that was declared as created was looked for at the end"
	}
	say("primary_deliverable_exists", deliverable, made)
	say("quality_standards_met", quality, "whether it is good enough")
	say("verification_passed", checked, reached)
	goal := strings.FieldsFunc(strings.ToLower(p.Goal), func(r rune) bool { return r < 'a' || r > 'z' })
	if plan.Builds(p.Goal) != "" {
		missing := "nothing that looked builds, installs or starts it, or makes a package"
		if slices.ContainsFunc(p.FinalChecks(), func(c plan.FinalCheck) bool { return deploys(&c.Check) }) {
			missing = "nothing shows that the check which builds, installs or starts it fails without the work"
			if !asked {
				missing = "the check which builds, installs or starts it was not asked"
			}
		}
		say("deployment_artifact_exists", deployed(p, deliverable, built),
			"whether what was built can be installed: "+missing)
	}
	if settingTrue(p.Settings, "user_interface.required") {
		say("user_interface_implemented", judgedMet(rep.of, "interface_complete"), "whether the user interface can be used")
	}
	if settingTrue(p.Completion.Flags, "production_ready") {
		say("production_ready", judgedMet(rep.of, "production_ready"), "whether it is ready for production")
	}
	if slices.Contains(goal, "for") {
		say("user_documentation_exists", nil, "whether those whom it is for have a guide")
	}
	return out, unchecked
}

// leftUnmade are the tasks that were not completed of which nothing looked for
// files: those that they name, and those that their steps, which were not
// completed either, declare.
func leftUnmade(p *plan.Plan, rep *Model) (left []string) {
	unmade := func(declared plan.Step) bool {
		s := rep.of.Step(declared.Address)
		return s != nil && creates(declared) && (s.Status == history.Failed || s.Status == history.Blocked ||
			s.Status == history.Skipped && !s.Skipped.Done)
	}
	for i := range p.Tasks {
		if t := &p.Tasks[i]; len(t.Files) > 0 && rep.of.Task(t.ID).Status() != history.Completed ||
			slices.ContainsFunc(t.Steps, unmade) {
			left = append(left, t.ID)
		}
	}
	return left
}

// looked reports whether a gate was asked and could say whether what was made is
// still there.
func looked(r pair[result]) bool {
	return (r.Key == "completion" || r.Key == "postconditions") && r.Value != undecided
}

// lacks reports whether something that was made is not there at the end.
func lacks(j judgement) bool {
	return j.Gate == "postconditions" &&
		slices.ContainsFunc(j.Findings, func(f finding) bool { return strings.HasPrefix(f.Expected, "file_exists ") })
}

// unproved are those of some checks that hold and prove nothing, and why.
func unproved(checks []plan.FinalCheck, seen *history.Controlled) (why []string) {
	for _, check := range checks {
		if w := seen.Unproved(check.Check); w != "" {
			why = append(why, w)
		}
	}
	return why
}

// makesSomething reports whether a step declares something that it creates.
func makesSomething(p *plan.Plan) bool {
	return slices.ContainsFunc(p.Tasks, func(t plan.Task) bool { return slices.ContainsFunc(t.Steps, creates) })
}

// creates reports whether a step declares something that it creates.
func creates(s plan.Step) bool { return s.Artifacts != nil && len(s.Artifacts.Declared().Create) > 0 }

// settingTrue reports whether a setting of the plan is on.
func settingTrue(settings []plan.Setting, key string) bool {
	return slices.ContainsFunc(settings, func(s plan.Setting) bool {
		return s.Key == key && s.Value.Kind == "boolean" && s.Value.Text == "true"
	})
}

// judgedMet says whether a criterion in words was found met, by all who judged
// it; nil: nobody did.
func judgedMet(r *history.Run, criterion string) (met *bool) {
	for _, j := range r.Final {
		if j.Verdict == nil || j.Verdict.Review == nil {
			continue
		}
		for _, c := range j.Verdict.Review.Criteria {
			switch {
			case c.Text != criterion || c.Met == nil:
			case !*c.Met:
				return c.Met
			case r.Grants(j, criterion):
				met = c.Met
			}
		}
	}
	return met
}

// granted reports whether somebody found each completion criterion in words met.
func granted(p *plan.Plan, r *history.Run) bool {
	criteria := p.Completion.AcceptanceCriteria
	return len(criteria) > 0 && !slices.ContainsFunc(criteria, func(text string) bool {
		return !slices.ContainsFunc(r.Final, func(j gate.Judgement) bool { return r.Grants(j, text) })
	})
}
