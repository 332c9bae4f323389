package cmd

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// A statusDocument is the document of "status --format json": where a run
// stands, as its journal says. What is not told here is in its report.
type statusDocument struct {
	Schema     string         `json:"schema"`
	Run        string         `json:"run"`
	Status     history.Status `json:"status"`
	CutOff     bool           `json:"cut_off"`           // nobody works on it, and it was not stopped
	Stopped    string         `json:"stopped,omitempty"` // why
	AtWork     []workDocument `json:"at_work"`
	ToJoin     []workDocument `json:"to_join"`            // came back, and wait for those before them
	JoinFailed []workDocument `json:"join_failed"`        // of steps that are not over
	Dropped    []workDocument `json:"dropped"`            // met another lane or was cut off; they begin again
	Parked     []workDocument `json:"parked"`             // they wait for an answer
	Waiting    []workDocument `json:"waiting"`            // for whoever serves their executors
	Questions  []string       `json:"questions"`          // their ids, the oldest first
	SetBack    []setBack      `json:"set_back,omitempty"` // since it ended
	Ready      []readyJob     `json:"ready_jobs,omitempty"`
}

// A readyJob is one that went well in earlier runs and was known for a task.
type readyJob struct {
	Task       string        `json:"task_id"`
	Digest     ledger.Digest `json:"digest"`
	From       string        `json:"run_id"` // the latest run in which it was accepted
	Confidence float64       `json:"confidence"`
	Used       bool          `json:"used"`
	Unused     string        `json:"unused_reason,omitempty"`
}

// A setBack says that the work of a run that had ended was set back.
type setBack struct {
	To     plan.Address   `json:"to"`
	Steps  []plan.Address `json:"steps"` // whose work is gone
	By     string         `json:"by,omitempty"`
	Reason string         `json:"reason,omitempty"`
	At     time.Time      `json:"at"`
	Kept   ledger.Digest  `json:"kept_tree"`
	CutOff bool           `json:"cut_off,omitempty"`
}

// A workDocument is a step that is under way, with the attempt that it is about.
type workDocument struct {
	Step    plan.Address   `json:"step"`
	Attempt int            `json:"attempt,omitempty"` // 0: none began yet
	Method  string         `json:"method,omitempty"`
	Group   int            `json:"group,omitempty"` // 0: by itself
	Lane    int            `json:"lane,omitempty"`
	With    []plan.Address `json:"with,omitempty"` // those that it did not hold together with
	Until   time.Time      `json:"until,omitzero"` // it waits
	Why     string         `json:"why,omitempty"`
}

// newStatus finds out which steps are at work, in which lanes, and which wait.
func newStatus(run *history.Run, cutOff bool) statusDocument {
	d := statusDocument{Schema: "planlock.status/1", Run: run.Started.Run, Status: run.Status, CutOff: cutOff,
		Stopped: stopped(run), AtWork: []workDocument{}, ToJoin: []workDocument{}, JoinFailed: []workDocument{},
		Dropped: []workDocument{}, Parked: []workDocument{}, Waiting: []workDocument{}, Questions: []string{}}
	if run.After != nil {
		for _, b := range run.After.Setbacks {
			d.SetBack = append(d.SetBack, setBack{b.To, b.Steps, b.By, b.Reason, b.At, b.Kept.Tree, !b.Done})
		}
	}
	for _, c := range run.Recalled() {
		d.Ready = append(d.Ready,
			readyJob{c.Task, c.Job.Digest, c.Job.Latest(), c.Job.Confidence, c.Unused == "", c.Unused})
	}
	for _, q := range run.Questions() {
		d.Questions = append(d.Questions, q.ID)
	}
	for _, s := range run.UnderWay() {
		last, aside := s.Last(), s.SetAside()
		if aside != nil {
			d.JoinFailed = append(d.JoinFailed, newWork(s, aside))
		}
		switch {
		case s.Waits():
			d.Parked = append(d.Parked, newWork(s, last))
		case last != nil && last.Failure != nil && !last.Failure.Until.IsZero() && s.Next == nil:
			waits := newWork(s, last)
			waits.Until, waits.Why = last.Failure.Until, strings.Join(last.Failure.Reasons, "; ")
			d.Waiting = append(d.Waiting, waits)
		case aside != nil && aside == last:
		case last != nil && last.InLane() == history.LaneBack:
			d.ToJoin = append(d.ToJoin, newWork(s, last))
		case last != nil && last.InLane() == history.LaneGone:
			d.Dropped = append(d.Dropped, newWork(s, last))
		default:
			d.AtWork = append(d.AtWork, newWork(s, last))
		}
	}
	return d
}

// newWork describes an attempt of a step; nil is the step as a whole.
func newWork(s *history.Step, a *history.Attempt) workDocument {
	w := workDocument{Step: s.Address}
	if a == nil {
		return w
	}
	w.Attempt, w.Method = a.Number, a.Method.Method
	if a.Lane != nil {
		w.Group, w.Lane = a.Lane.Group.Number, a.Lane.Number
	}
	if a.Aside != nil {
		w.With = a.Aside.With
	}
	return w
}

// print names the steps that wait for whoever serves their executors, those in
// lanes, and those that go on alone; nothing where a step runs by itself.
func (d statusDocument) print(w io.Writer) {
	for _, step := range d.Waiting {
		fmt.Fprintf(w, "waits    %s until %s: %s\n", escaped(string(step.Step)), stamp(step.Until), escaped(step.Why))
	}
	inLane := func(w workDocument) bool { return w.Lane > 0 }
	if len(d.AtWork) < 2 && len(d.ToJoin)+len(d.JoinFailed)+len(d.Dropped) == 0 &&
		!slices.ContainsFunc(d.Parked, inLane) {
		return
	}
	for _, of := range []struct {
		what string
		work []workDocument
	}{{"at work", d.AtWork}, {"to join", d.ToJoin}, {"aside", d.JoinFailed}, {"dropped", d.Dropped},
		{"parked", d.Parked}} {
		var names []string
		for _, step := range of.work {
			names = append(names, step.String())
		}
		if len(names) > 0 {
			fmt.Fprintf(w, "%-8s %s\n", of.what, strings.Join(names, ", "))
		}
	}
}

// String is the step with its lane, as in "2.1 (lane 2, join-failed with 1.1)".
func (w workDocument) String() string {
	name := escaped(string(w.Step))
	if w.Lane == 0 {
		return name
	}
	said := []string{fmt.Sprintf("lane %d", w.Lane)}
	if len(w.With) > 0 {
		said = append(said, "join-failed with "+escaped(plan.Addresses(w.With)))
	}
	return fmt.Sprintf("%s (%s)", name, strings.Join(said, ", "))
}
