package document

import (
	"cmp"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// buildTasks groups the steps, which stand in the order of execution, by their
// tasks: in the order of their first steps, tasks without steps last.
func (rep *Model) buildTasks(p *plan.Plan, r *history.Run) {
	tasks := make(map[string]*task)
	written := make(map[plan.Address]*plan.Step)
	add := func(id string) *task {
		t := &task{ID: id, DependsOn: []string{}, Steps: []*step{}}
		tasks[id] = t
		rep.Tasks = append(rep.Tasks, t)
		return t
	}
	for i := range p.Tasks {
		for j := range p.Tasks[i].Steps {
			written[p.Tasks[i].Steps[j].Address] = &p.Tasks[i].Steps[j]
		}
	}
	for _, s := range r.Steps {
		t := tasks[s.Task]
		if t == nil {
			t = add(s.Task)
		}
		made := rep.newStep(written[s.Address], s)
		t.Steps = append(t.Steps, made)
		rep.steps = append(rep.steps, made)
	}
	for i := range p.Tasks {
		t := tasks[p.Tasks[i].ID]
		if t == nil {
			t = add(p.Tasks[i].ID)
		}
		t.describe(&p.Tasks[i])
	}
	for _, t := range rep.Tasks {
		t.sum(r)
	}
	rep.relate(p, tasks)
}

// describe takes over what the plan says of the task. One without a title has
// its description in place of it.
func (t *task) describe(in *plan.Task) {
	t.Title, t.DependsOn, t.Estimate = in.Title, list(slices.Clone(in.DependsOn)), span(in.Estimate)
	if t.Title == "" {
		t.Title = in.Description
	}
}

// relate notes the speclets of the tasks, and the arrows between tasks: a task
// depends on its own dependencies, and on all tasks of the speclets that its
// speclet depends on.
func (rep *Model) relate(p *plan.Plan, tasks map[string]*task) {
	members := make(map[string][]string)
	for _, s := range p.Speclets {
		members[s.ID] = s.Tasks
		for _, id := range s.Tasks {
			if t := tasks[id]; t != nil && t.Speclet == "" {
				t.Speclet = s.ID
			}
		}
	}
	for _, s := range p.Speclets {
		for _, id := range s.Tasks {
			for _, before := range s.DependsOn {
				for _, other := range members[before] {
					rep.arrow(tasks, other, id)
				}
			}
		}
	}
	for _, t := range rep.Tasks {
		for _, other := range t.DependsOn {
			rep.arrow(tasks, other, t.ID)
		}
	}
}

// arrow notes that a task depends on another, if both are there.
func (rep *Model) arrow(tasks map[string]*task, from, to string) {
	if tasks[from] != nil && tasks[to] != nil && from != to {
		rep.edges = append(rep.edges, [2]string{from, to})
	}
}

// sum says how the task stands, since when, what was set back since included, and
// when it was over: with its last step or, where the run went on or ended without some of them, when that was
// said.
func (t *task) sum(r *history.Run) {
	for _, s := range t.Steps {
		if !s.Started.IsZero() && (t.Started.IsZero() || s.Started.Before(t.Started.Time)) {
			t.Started = s.Started
		}
		if s.Ended.After(t.Ended.Time) {
			t.Ended = s.Ended
		}
	}
	if first := firstAttempt(r, t.Steps); first != nil && first.Started.Before(t.Started.Time) { // and was set back
		t.Started = newStamp(first.Started)
	}
	t.Status = string(r.Task(t.ID).Status())
	t.tree = treeAfter(r, t.Steps)
	open := t.open()
	if open {
		t.Ended = stamp{}
	}
	switch over := r.Flow.Task(t.ID); {
	case !open || t.Started.IsZero():
	case over != nil:
		t.Ended = newStamp(over.At)
	case r.Ended != nil:
		t.Ended = latest(r)
	}
	if !t.Ended.IsZero() {
		t.Duration = workedOn(r, t)
	}
}

// open reports whether something of the task is to come: a step is not over, or
// its evidence is asked for again.
func (t *task) open() bool {
	return t.Status == string(history.InFlight) ||
		slices.ContainsFunc(t.Steps, func(s *step) bool { return !s.Status.Over() })
}

// attempted reports whether anything of the task was carried out, by this run or
// by the one that it was taken over from, or whether it is done without that.
func (t *task) attempted() bool {
	return !t.Started.IsZero() || t.Status == string(history.Completed) ||
		slices.ContainsFunc(t.Steps, func(s *step) bool { return s.Carried != nil })
}

// Class is the status of the task, where one that failed for good is no other
// than one that failed: how it is shown.
func (t *task) Class() string {
	if t.Status == string(history.FailedFinal) {
		return string(history.Failed)
	}
	return t.Status
}

// firstAttempt is the earliest attempt at some steps, of those too that were set
// back since; nil if there was none.
func firstAttempt(r *history.Run, steps []*step) (first *history.Attempt) {
	for _, s := range steps {
		was := r.Step(s.Address)
		for _, a := range slices.Concat(was.Undone, was.Attempts) {
			if first == nil || a.At < first.At {
				first = a
			}
		}
	}
	return first
}

// treeAfter is the tree as it was when the last of some steps was over, in
// whichever run that was; the run's own while one of them is not. A step that was
// settled there, and left no tree, has the one of the step before it.
func treeAfter(r *history.Run, steps []*step) ledger.Digest {
	over, last := uint64(0), (*history.Step)(nil)
	for _, s := range steps {
		if !s.Status.Over() {
			return r.Tree.Tree
		}
		was := r.Step(s.Address)
		if over = max(over, was.EndedAt); over == was.EndedAt {
			last = was
		}
	}
	if last != nil && last.Carried != nil && last.Carried.Snapshot.Tree != "" {
		return last.Carried.Snapshot.Tree
	}
	tree, ended := r.Started.Begins().Tree, r.Concluded()
	if last != nil && last.Carried != nil { // before the first of this run, in the order of execution
		tree, ended = r.Started.Base.Tree, r.Steps
	}
	for _, s := range ended { // in the order in which they ended
		if s.Completed != nil && s.EndedAt <= over {
			tree = s.Completed.Snapshot.Tree
		}
	}
	return tree
}

// What became of an attempt.
const (
	accepted = "accepted"
	failed   = "failed"
	running  = "running"
	undone   = "rolled-back"
	lost     = "lost"
)

// newStep describes a step by the history; in is the step of the plan, nil if
// that does not have it any more.
func (rep *Model) newStep(in *plan.Step, s *history.Step) *step {
	out := &step{
		of:      rep,
		Address: s.Address, ID: stepID(s), Task: s.Task, Title: s.Title, Status: s.Stands(),
		Critical: s.Critical, Rollback: s.Rollback, Started: newStamp(s.Started), Ended: newStamp(s.Over),
		Duration: atWork(rep.of, newStamp(s.Started), newStamp(s.Over)),
		Gates:    rep.judgements(s.Gates), Questions: questions(s),
		Recoveries: each(s.Recoveries, newRecovery), Carried: newCarriedOver(s.Carried),
	}
	if in != nil {
		out.Semantic = string(in.SemanticChange)
		if in.Artifacts != nil {
			out.Declared = newDeclared(in.Artifacts.Declared())
		}
	}
	if c := s.Checkpoint; c != nil {
		out.Checkpoint = &stepCheckpoint{newTree(c.Checkpoint), s.At, c.Envelope}
		out.Propagation = &propagation{c.Decision, string(c.Strategy), c.Concern, list(c.Prior)}
	}
	out.addAttempts(rep, s)
	out.addEnd(s)
	return out
}

// newRecovery describes what a rung of the ladder decided.
func newRecovery(r history.Recovery) recovery {
	return recovery{Rung: r.Rung, Method: r.Method, Why: r.Why, Repeats: r.Repeats,
		Delay: r.After.Milliseconds(), Passed: r.Passed}
}

// stepID is the id of a step within its task.
func stepID(s *history.Step) string {
	return strings.TrimPrefix(string(s.Address), s.Task+".")
}

// addAttempts describes all attempts, those first that were made before the run
// was set back. The method that counts is the one of the latest attempt.
func (out *step) addAttempts(rep *Model, s *history.Step) {
	out.Attempts = []*attempt{}
	tries := s.Tries()
	out.Retries, out.Backups = tries.Retries, tries.Backups
	for _, a := range s.Undone {
		out.Attempts = append(out.Attempts, rep.newAttempt(s, a, true, false))
	}
	for i, a := range s.Attempts {
		out.Attempts = append(out.Attempts, rep.newAttempt(s, a, false, i == len(s.Attempts)-1))
		out.Method = a.Method.Method
	}
	if rep.Profile.Records() && out.Declared == nil {
		for _, a := range out.Attempts {
			if a.Ledger != nil {
				a.Ledger.unsaid = true
			}
		}
	}
}

// addEnd describes how the step ended. Only a completed step has a tree.
func (out *step) addEnd(s *history.Step) {
	if c := s.Completed; c != nil {
		t := newTree(c.Snapshot)
		out.Tree, out.Method = &t, c.Method
	}
	if s.Refusal != nil {
		out.Refusal = newFailure(s.Refusal)
	}
	if f := s.Failed; f != nil {
		out.Failure = &stepFailure{f.Class, list(f.Reasons), f.Halts}
	}
	if k := s.Skipped; k != nil {
		out.Skipped = &stepSkipped{k.Why, k.By, k.Done}
	}
	if b := s.Blocked; b != nil {
		out.Blocked = &stepBlocked{b.By, b.Why, b.Unblock}
	}
}

// newAttempt describes an attempt; before says that it was made before the run
// was set back.
func (rep *Model) newAttempt(s *history.Step, a *history.Attempt, before, last bool) *attempt {
	out := &attempt{
		of:     a,
		Number: a.Number, Method: a.Method.Method, Text: a.Method.Text, Executor: a.Method.Executor,
		RolledBack: before && !a.Lost(), past: before, Reinstates: a.Method.Reinstates, reverted: a.Method.Reverted,
		continues: a.Method.Continues, Compensated: a.Compensated, Repeated: a.Repeated, Cycles: cyclesOf(a.Cycles),
		Lane: rep.lane(a), Started: newStamp(a.Started), Ended: newStamp(a.Ended),
		Duration: atWork(rep.of, newStamp(a.Started), newStamp(a.Ended)),
		Gates:    rep.judgements(a.Gates), Outcome: lost,
	}
	switch {
	case a.Failure != nil:
		if !a.Lost() {
			out.Outcome = failed
		}
		out.Failure, out.reasons = newFailure(a.Failure), a.Explained()
	case before:
		out.Outcome = undone
	case last && s.Completed != nil:
		out.Outcome = accepted
	case last && !s.Status.Over():
		out.Outcome = running
	}
	if a.Said != nil {
		out.Said = newSaid(a.Said, a.Telemetry)
	}
	for _, j := range a.Jobs {
		out.Jobs = append(out.Jobs, jobDone{j.Run, cmp.Or(j.Of, a.Number), j.Of != 0, span(j.Took),
			list(j.Runs), list(j.Artifacts)})
	}
	if a.Accounted != nil {
		out.Ledger = newEntry(a.Accounted)
	}
	if a.Discarded.Tree != "" {
		t := newTree(a.Discarded)
		out.Discarded = &t
	}
	return out
}

// newFailure describes why an attempt counts for nothing, or why a step may not
// begin.
func newFailure(f *history.AttemptFailed) *attemptFailure {
	return &attemptFailure{f.Class, f.Cause, list(f.Reasons), findings(f.Findings)}
}

// newSaid describes what the executor said, with the metrics that its jobs said
// in their output. Metrics are sorted by name.
func newSaid(e *history.AttemptEnded, t *history.Telemetry) *said {
	out := &said{Output: e.Output, Exit: e.Exit, Error: e.Error, Took: span(e.Took),
		Tokens: e.Tokens, Calls: e.Calls, Cost: dollars(e.Cost), Stateful: e.Stateful}
	for name, value := range e.Metrics {
		out.Metrics = append(out.Metrics, metric{name, value})
	}
	if t != nil {
		for name, value := range t.Metrics {
			if _, known := e.Metrics[name]; !known {
				out.Metrics = append(out.Metrics, metric{name, value})
			}
		}
	}
	slices.SortFunc(out.Metrics, func(a, b metric) int { return compare(a.Name, b.Name) })
	return out
}

// account is the entry of the latest attempt that has one, or nil; of a step that
// was carried over the one by which it was accepted.
func (s *step) account() *entry {
	if s.Carried != nil {
		return s.Carried.ledger
	}
	for _, a := range slices.Backward(s.Attempts) {
		if a.Ledger != nil && !a.past {
			return a.Ledger
		}
	}
	return nil
}

// trouble is the latest failure of the step, of an attempt or before one, or
// nil.
func (s *step) trouble() *attemptFailure {
	if s.Refusal != nil {
		return s.Refusal
	}
	if a := s.lastFailure(); a != nil {
		return a.Failure
	}
	return nil
}

// lastFailure is the latest attempt that failed, or nil.
func (s *step) lastFailure() *attempt {
	for _, a := range slices.Backward(s.Attempts) {
		if a.Failure != nil && !a.past {
			return a
		}
	}
	return nil
}

// findings describes what gates found, in their order.
func findings(fs []gate.Finding) []finding {
	return each(fs, func(f gate.Finding) finding {
		return finding{f.Code, newPath(f.Path), f.Line, f.Message, f.Expected, f.Happened}
	})
}

// judgements describes judgements. A list that the history holds once for many
// steps is described once.
func (rep *Model) judgements(js []gate.Judgement) []judgement {
	if len(js) == 0 {
		return []judgement{}
	}
	if known := rep.judged[&js[0]]; len(known) == len(js) {
		return known
	}
	list := slices.Clip(each(js, newJudgement))
	rep.judged[&js[0]] = list
	return list
}

// newJudgement describes what a gate said, or why it said nothing. Its lists
// are never nil.
func newJudgement(j gate.Judgement) judgement {
	out := judgement{
		Gate: j.Gate, Level: j.Level, Phase: j.Phase, Result: undecided, Blocks: j.Blocks(), Took: span(j.Took),
		Findings: []finding{}, Evidence: []string{}, Citations: []gate.Citation{},
	}
	if j.Err != nil {
		out.Error = j.Err.Error()
	}
	if v := j.Verdict; v != nil {
		out.Result = result(v.Result)
		if v.Idle {
			out.Result = idle
		}
		out.Findings = findings(v.Findings)
		out.Evidence, out.Citations = list(v.Evidence), list(v.Citations)
	}
	return out
}

// questions are all that were asked about a step, those first that were asked
// before the run was set back.
func questions(s *history.Step) []question {
	all := each(s.Earlier, newQuestion)
	for i := range all {
		all[i].Earlier = true
	}
	return append(all, each(s.Questions, newQuestion)...)
}

// newQuestion describes a question, and what became of it.
func newQuestion(e history.Exchange) question {
	q := e.Question
	out := question{
		ID: q.ID, Kind: string(q.Kind), Step: q.Step, Attempt: q.Attempt, What: q.What, Why: q.Why,
		Evidence: list(q.Evidence), Asked: newStamp(q.Asked), Deadline: newStamp(q.Deadline), Open: e.Open(),
		Choices: each(q.Choices, func(c ask.Choice) choice {
			return choice{c.Key, c.Label, c.Consequence, c.Acknowledge, c.NeedsReason}
		}),
		Mistaken: each(e.Mistaken, func(u history.Unanswered) string { return u.Why }),
	}
	if a := e.Answer; a != nil {
		chosen, _ := q.Choice(a.Choice)
		out.Answer = &answer{a.Choice, chosen.Label, a.Acknowledged, a.Reason, a.By, newStamp(a.At)}
	}
	if u := e.Unanswered; u != nil {
		out.Refused = u.Why
	}
	return out
}
