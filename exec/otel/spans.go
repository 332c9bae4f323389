package otel

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"

	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
)

// A span is what is told of something that is over. Keys name it within its run.
type span struct {
	name, key, parent string // parent is "" for the run
	from, to          time.Time
	status            codes.Code
	why               string // of an error: a status or a class
	attributes        []attribute.KeyValue
	links             []link
}

// A link leads to what a span followed from.
type link struct {
	to         string
	attributes []attribute.KeyValue
}

// Keys of spans: they follow from the journal alone. A step that the run was set
// back to before is another one then.
const keyRun = "run"

func keyTask(task string) string { return "task " + task }

func keyStep(run *history.Run, s *history.Step) string {
	return fmt.Sprintf("step %s %d", s.Address, len(run.RolledBack))
}

func keyAttempt(at uint64) string { return fmt.Sprintf("attempt %d", at) }

// spans are those of what an event says is over. The parent of a span has a key
// before it has a span.
func spans(e event.Event, over ending) []span {
	var all []span
	for i, j := range over.gates {
		all = append(all, ofGate(e, i, j))
	}
	if over.attempt != nil {
		all = append(all, ofAttempt(e.State, e.OfStep(), over.attempt, e.Time))
	}
	if over.step != nil {
		all = append(all, ofStep(e.State, over.step))
	}
	if over.run {
		all = append(all, ofTasks(e.State)...)
		all = append(all, ofRun(e.State, e.Time))
	}
	for i := range all {
		all[i].attributes = append(all[i].attributes, text(AttrRun, e.Run))
		all[i].from = earlier(all[i].from, all[i].to)
	}
	return all
}

// ofRun is a run that ended, and was sealed at a time.
func ofRun(run *history.Run, sealed time.Time) span {
	s := span{name: SpanRun, key: keyRun, from: run.Begun, to: sealed, attributes: []attribute.KeyValue{
		text(AttrPlan, string(run.Started.Plan)), text(AttrFormat, string(run.Started.Format)),
		text(AttrProfile, string(run.Started.Profile)), text(AttrStatus, string(run.Status)),
		attribute.Int(AttrResumptions, run.Resumptions), attribute.Int(AttrQuestions, run.Asked),
		attribute.Int64(AttrTokens, run.Flow.Tokens), dollars(run.Flow.Cost)}}
	s.judge(run.Status == history.Achieved, string(run.Status))
	return s
}

// ofTasks are the tasks of a run that ended, in the order of their first steps:
// each from when its first step began to when its last one was over.
func ofTasks(run *history.Run) []span {
	var all []span
	at := map[string]int{}
	for _, step := range run.Steps {
		if step.Over.IsZero() {
			continue // the run ended before it
		}
		from := earlier(step.Started, step.Over)
		i, seen := at[step.Task]
		if !seen {
			status := run.Task(step.Task).Status()
			task := span{name: SpanTask, key: keyTask(step.Task), parent: keyRun, from: from, to: step.Over,
				attributes: []attribute.KeyValue{text(AttrTask, step.Task), text(AttrStatus, string(status))}}
			task.judge(status == history.Completed, string(status))
			at[step.Task] = len(all)
			all = append(all, task)
			continue
		}
		all[i].from = earlier(all[i].from, from)
		if step.Over.After(all[i].to) {
			all[i].to = step.Over
		}
	}
	return all
}

// ofStep is a step that is over. One that never began is over at once.
func ofStep(run *history.Run, step *history.Step) span {
	s := span{name: SpanStep, key: keyStep(run, step), parent: keyTask(step.Task), from: step.Started, to: step.Over,
		attributes: []attribute.KeyValue{text(AttrStep, string(step.Address)), text(AttrTask, step.Task),
			text(AttrStatus, string(step.Status)), attribute.Bool(AttrCritical, step.Critical),
			attribute.Int(AttrAttempts, len(step.Attempts))}}
	s.judge(step.Status == history.Completed || step.Status == history.Skipped, string(step.Status))
	return s
}

// ofAttempt is an attempt that was accepted or failed at a time. It is linked to
// the one before it, with what was decided after that.
func ofAttempt(run *history.Run, step *history.Step, a *history.Attempt, to time.Time) span {
	s := span{name: SpanAttempt, key: keyAttempt(a.At), parent: keyStep(run, step), from: a.Started, to: to,
		attributes: []attribute.KeyValue{text(AttrStep, string(step.Address)), attribute.Int(AttrAttempt, a.Number),
			text(AttrMethod, a.Method.Method), executor(a), outcome(a), attribute.Bool(AttrLane, a.Lane != nil)}}
	if a.Said != nil {
		s.attributes = append(s.attributes, attribute.Int(AttrExit, a.Said.Exit),
			attribute.Int64(AttrTokens, a.Said.Tokens), dollars(a.Said.Cost), attribute.Int(AttrCalls, a.Said.Calls))
	}
	if before := attemptBefore(step, a); before != nil {
		l := link{to: keyAttempt(before.At)}
		if rung := recoveryBetween(step, before, a); rung != "" {
			l.attributes = append(l.attributes, text(AttrRecovery, rung))
		}
		s.links = append(s.links, l)
	}
	if a.Failure != nil {
		s.judge(false, string(a.Failure.Class))
	} else {
		s.judge(true, "")
	}
	return s
}

// attemptBefore is the attempt of a step before another one, also one that was
// undone since; nil if there is none.
func attemptBefore(step *history.Step, a *history.Attempt) *history.Attempt {
	all := slices.Concat(step.Undone, step.Attempts)
	if i := slices.Index(all, a); i > 0 {
		return all[i-1]
	}
	return nil
}

// recoveryBetween is the rung that was decided on between two attempts; "" if a
// person had the step tried anew.
func recoveryBetween(step *history.Step, before, a *history.Attempt) string {
	rung := ""
	for _, r := range step.Recoveries {
		if !r.At.Before(before.Ended) && !r.At.After(a.Started) {
			rung = r.Rung
		}
	}
	return rung
}

// ofGate is what the gate at a place of a record said. When it was asked follows
// from how long it took.
func ofGate(e event.Event, i int, j gate.Judgement) span {
	s := span{name: SpanGate, key: fmt.Sprintf("gate %d %d", e.Seq, i), parent: keyRun,
		from: e.Time.Add(-took(j)), to: e.Time, attributes: []attribute.KeyValue{text(AttrGate, j.Gate),
			attribute.Int(AttrLevel, int(j.Level)), text(AttrPhase, string(j.Phase)), verdict(j)}}
	if j.Verdict != nil {
		s.attributes = append(s.attributes, attribute.Int(AttrFindings, len(j.Verdict.Findings)))
	}
	if step := e.OfStep(); step != nil {
		s.parent = keyStep(e.State, step)
		s.attributes = append(s.attributes, text(AttrStep, string(step.Address)))
		if a := attemptOf(e); e.Attempt != 0 && a != nil {
			s.parent = keyAttempt(a.At)
			s.attributes = append(s.attributes, attribute.Int(AttrAttempt, a.Number))
		}
	}
	said := verdict(j).Value.AsString()
	s.judge(j.Passes(), said)
	return s
}

// took is how long a gate took, as the journal holds it: in whole milliseconds.
func took(j gate.Judgement) time.Duration { return max(j.Took.Truncate(time.Millisecond), 0) }

// judge sets the status of a span.
func (s *span) judge(good bool, why string) {
	if s.status = codes.Ok; !good {
		s.status, s.why = codes.Error, bounded(why)
	}
}

// verdict is what a gate said, in a word.
func verdict(j gate.Judgement) attribute.KeyValue {
	switch {
	case j.Verdict == nil:
		return text(AttrVerdict, "undecided")
	case j.Verdict.Idle:
		return text(AttrVerdict, "idle")
	}
	return text(AttrVerdict, string(j.Verdict.Result))
}

// executor is who carried an attempt out. A program's path is nobody's business.
func executor(a *history.Attempt) attribute.KeyValue {
	name := strings.ReplaceAll(a.Method.Executor, `\`, "/")
	return text(AttrExecutor, path.Base(cmp.Or(name, "default")))
}

// outcome is what became of an attempt, in a word.
func outcome(a *history.Attempt) attribute.KeyValue {
	if a.Failure != nil {
		return text(AttrOutcome, string(a.Failure.Class))
	}
	return text(AttrOutcome, "accepted")
}

// dollars is an amount of money.
func dollars(m history.Money) attribute.KeyValue {
	return attribute.Float64(AttrCost, inDollars(m))
}

func inDollars(m history.Money) float64 { return float64(m) / float64(history.Dollar) }

// mostBytes bounds each text that is told.
const mostBytes = 128

func text(key, value string) attribute.KeyValue { return attribute.String(key, bounded(value)) }

// bounded is the beginning of a text, as valid UTF-8.
func bounded(text string) string {
	if len(text) > mostBytes {
		text = text[:mostBytes-len("…")] + "…"
	}
	return strings.ToValidUTF8(text, "")
}

// earlier is the earlier of two times; a time that is not known is later.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}
