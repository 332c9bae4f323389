package attempt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/binding"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/briefing"
	"github.com/planlock/planlock/exec/internal/choice"
	"github.com/planlock/planlock/exec/internal/flow"
	"github.com/planlock/planlock/exec/internal/jobs"
	"github.com/planlock/planlock/exec/internal/method"
	"github.com/planlock/planlock/exec/internal/people"
	"github.com/planlock/planlock/exec/internal/rewind"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Attempts carry steps out.
type Attempts struct {
	*session.Session
	// Bound says whether a step moved what the run depends on.
	Bound *binding.Binding
	// Rewind undoes an attempt that counts for nothing.
	Rewind *rewind.Rewind
	// Inbox cuts an attempt off when somebody wants the run to stop.
	Inbox *people.Inbox
	// Hints are told to whoever carries out a step.
	Hints []string
	// Executor finds who carries out a method that names an executor, or names
	// none.
	Executor func(ctx context.Context, named string) (Executor, error)

	waiting map[plan.Address]*waiting // attempts of a group that came back, and were not joined yet
	lanes   worktree.Lanes
	// Spending is what attempts cost that are under way; those in lanes share it.
	Spending *Spending
	earlier  map[ledger.Digest]*made // what earlier runs made of their inputs; nil until somebody wants to know
}

// An Executor does the work of attempts.
type Executor struct {
	Do func(context.Context, Work) (Outcome, error)
	// ByCommands is whether it touches the folder in which a step works by
	// nothing but commands that it has Work.Runner run, one at a time.
	ByCommands bool
	// Away reports whether a step is carried out elsewhere; nil: none is.
	Away func(*plan.Step) bool
	// Identity tells it from reviewers; "" if nobody can tell.
	Identity string
	// Home is the folder that its commands may have for themselves; "" if none.
	Home string
}

// Work is what an executor is given, and the run does not say already.
//
// Task and Step are copies that the executor may do with what it likes.
type Work struct {
	Task    *plan.Task
	Step    *plan.Step
	Method  method.Method
	Attempt int // from 1, over all methods of the step
	// Phase is the part of writing a test first that is to be done; "" where
	// the step is carried out in one go.
	Phase history.CyclePhase
	// Tests are the commands by which that is seen.
	Tests []string
	// Dir is the folder in which the step works.
	Dir string
	// Became takes what was made elsewhere, and of what, where Dir is the folder of
	// the run; nil where the executor writes in Dir.
	Became func(from, now *ledger.Tree)
	// Feedback is why earlier attempts failed, oldest first, and what advisors
	// and persons said.
	Feedback []string
	briefing.Briefing
	// Within is what the step may change besides its artifacts, where its plan
	// holds it to what it names.
	Within []string
	// Bound says that the plan holds it to that and to its artifacts.
	Bound bool
	// NonGoals are what no step may touch: a copy.
	NonGoals []plan.NonGoal
	// Path is where programs see Dir.
	Path string
	// Runner runs programs in the step's sandbox. What it started does not
	// outlive the call.
	Runner gate.CommandRunner
	// Output takes live output; it is kept, bounded, and told to the host.
	Output io.Writer
	// Activity is told what the executor is at, and Spent what the attempt cost so
	// far.
	Activity func(text string)
	Spent    func(Spent)
}

// An Outcome is what an executor says about an attempt. It is recorded, and
// proves nothing.
type Outcome struct {
	// Output is all text, and Stdout standard output alone where there is one.
	Output, Stdout string
	Exit           int
	// Tokens and Calls are what it cost; more than can be counted stays the
	// most that can be.
	Tokens int64
	Calls  int
	Cost   history.Money
	// Unserved is that whoever serves the executor would not; nil if nobody says so.
	Unserved *Unserved
	Metrics  map[string]float64
	// Stateful says that something outside of the workspace was changed, so
	// that no retry is lawful.
	Stateful bool
	// Summary is what a fresh attempt must know, with ErrContextExhausted.
	Summary string
	// Runs and Artifacts are ids of runs of experiments and paths of files.
	Runs, Artifacts []string
	// Insights and Decisions are for whoever reads the notepad.
	Insights, Decisions []string
}

const (
	// MaxNotes is how many insights, and how many decisions, of an attempt are
	// kept.
	MaxNotes = 50
	note     = 1 << 10 // how long one may be, in bytes
)

// ErrContextExhausted says that the context of an executor is full.
var ErrContextExhausted = errors.New("exec: the context of the executor is exhausted")

// ErrDeclined says that an executor does not do steps of this kind.
var ErrDeclined = errors.New("exec: the executor does not do steps of this kind")

// A trial is one attempt while it is judged.
type trial struct {
	*Attempts
	s      *history.Step // as the history has it
	task   *plan.Task
	step   *plan.Step // with what persons granted besides the plan
	number int        // from 1, over all methods of the step
	method method.Method
	// runner remembers whether any command ran: what may have been written
	// since must be looked at again.
	runner  *session.Runner
	outcome Outcome                      // of all phases so far
	err     error                        // of the executor
	became  func(from, now *ledger.Tree) // takes what was made elsewhere; nil: it is written in the folder
	jobs    jobs.Collector               // what its programs said of themselves
	parts   bool                         // several jobs are carried out one by one
	job     *jobs.Collector              // what the job said that is under way; nil: there is none
	took    time.Duration                // by the executor, in all phases

	held          map[string][]byte  // files of the plan in the layer, when it began
	before, after *ledger.Tree       // the checkpoint, and what the executor left
	snap          record.Snapshot    // of what it left: accepted, or kept when it is undone
	entry         *history.Accounted // what it did against what it declared; nil before that is known
	journalled    *history.Accounted // entry, or as much of it as a journal takes
	judged        []gate.Judgement
	controls      []history.Control  // what its checks say of trees that lack what it did
	telemetry     *history.Telemetry // nil: nothing is to be recorded

	limit   time.Duration // of the attempt
	says    string        // by whose word, and what gives it longer
	inputs  ledger.Digest // all that the executor begins with
	cycle   flow.Cycle    // how its test is written first
	carried []history.Cycle
	phase   history.CyclePhase // now
	fault   *fault             // found before the attempt was judged
	differs *history.Differs
	again   *again          // a second execution of what was executed; nil: nobody asks for one
	joined  *history.Joined // the attempt was carried out in a lane; nil: it was not
	moved   []string        // in the lane's copy of the repository
}

// said is what the executor said, for the journal.
func (t *trial) said() *history.AttemptEnded {
	said := &history.AttemptEnded{Output: t.outcome.Output, Exit: t.outcome.Exit, Took: t.took,
		Tokens: t.outcome.Tokens, Calls: t.outcome.Calls, Cost: t.outcome.Cost,
		Metrics: finite(t.outcome.Metrics), Stateful: t.outcome.Stateful,
		Summary:  bound.Text(t.outcome.Summary, bound.Output),
		Insights: notes(t.outcome.Insights), Decisions: notes(t.outcome.Decisions)}
	if t.err != nil {
		said.Error = bound.Text(t.err.Error(), bound.Output)
	}
	return said
}

// notes are what is kept of insights or decisions.
func notes(said []string) (kept []string) {
	for _, text := range said[:min(MaxNotes, len(said))] {
		kept = append(kept, bound.Text(text, note))
	}
	return kept
}

// facts are everything known about the trial, in order.
func (t *trial) facts() []history.Fact {
	t.Spending.over(t) // what it cost stands in the journal from here on
	facts := []history.Fact{t.said()}
	if t.joined != nil {
		facts = append(facts, t.joined)
	}
	if t.telemetry != nil {
		facts = append(facts, t.telemetry)
	}
	if t.entry != nil {
		facts = append(facts, t.journalled)
	}
	if t.differs != nil {
		facts = append(facts, t.differs)
	}
	if t.again != nil && t.err == nil && t.fault == nil {
		facts = append(facts, &t.again.found)
	}
	facts = append(facts, history.Judged(t.judged).Facts()...)
	if len(t.controls) > 0 {
		facts = append(facts, &history.Controlled{Controls: t.controls})
	}
	return facts
}

// left is how long the attempt may still take.
func (t *trial) left() time.Duration { return max(t.limit-t.took, time.Nanosecond) }

// finite leaves out what is no number.
func finite(metrics map[string]float64) map[string]float64 {
	kept := map[string]float64{}
	for _, name := range slices.Sorted(maps.Keys(metrics)) {
		if v := metrics[name]; len(name) <= jobs.MaxName && len(kept) < jobs.MaxMetrics && !math.IsNaN(v) &&
			!math.IsInf(v, 0) {
			kept[strings.ToValidUTF8(name, "\uFFFD")] = v
		}
	}
	return kept
}

// brief is what the executor is told besides the step.
func (t *trial) brief() briefing.Briefing {
	return briefing.Of(t.About(t.s), t.Hints)
}

// withSources adds the texts of the files that research named, where they are
// files of the tree, and text.
func (t *trial) withSources(b briefing.Briefing) briefing.Briefing {
	for _, name := range briefing.Named(t.About(t.s)) {
		if len(b.Sources) == briefing.MostSources {
			break
		}
		e, ok := t.before.Lookup(name)
		told := slices.ContainsFunc(b.Sources, func(s briefing.Source) bool { return s.Path == name })
		if !ok || e.Kind != ledger.File || told {
			continue
		}
		f, err := worktree.OpenIn(t.Work.Dir, name)
		if err != nil {
			continue
		}
		text, err := io.ReadAll(io.LimitReader(f, briefing.MostText+utf8.UTFMax))
		_ = f.Close() // only read
		if err == nil && !bytes.ContainsRune(text, 0) {
			b.Sources = append(b.Sources, briefing.Source{Path: name,
				Text: bound.Text(strings.ToValidUTF8(string(text), "\uFFFD"), briefing.MostText)})
		}
	}
	return b
}

// feedback is why earlier attempts failed, and what people said about it. That
// one was cut off tells nobody anything. Attempts that were set back are told of
// where a person has the step run again with that, which nobody heard yet.
func feedback(run *history.Run, s *history.Step) (all []string) {
	unheard := s.Unheard()
	past := func(a *history.Attempt) bool {
		return !slices.ContainsFunc(unheard, func(x history.Exchange) bool {
			return x.Question.Attempt >= a.Number &&
				(x.Answer.Choice == choice.Again || x.Answer.Choice == choice.Propose)
		})
	}
	for _, a := range run.Issues(s) {
		all = append(all, fmt.Sprintf("%s looked at what was done, and says: %s", a.By, a.Reason))
	}
	for _, a := range append(slices.DeleteFunc(slices.Clone(s.Undone), past), s.Attempts...) {
		if a.Failure != nil && !a.Failure.Class.ThroughNoFault() {
			for _, r := range a.Explained() {
				all = append(all, strings.Join(r.Lines(), "\n"))
			}
		}
		if a.Aside != nil {
			all = append(all, fmt.Sprintf("attempt %d was carried out at once with other steps, and its work was %s: it is carried out again on a tree that has theirs",
				a.Number, a.Aside))
		}
		if a.Said != nil && a.Said.Summary != "" {
			all = append(all, "summary of attempt "+strconv.Itoa(a.Number)+": "+a.Said.Summary)
		}
	}
	if last := s.Last(); last != nil && last.Method.Continues > 0 {
		all = append(all, fmt.Sprintf("what attempt %d left is in the tree: go on from there", last.Method.Continues))
	}
	heard := append(unheard, s.Questions...)
	for _, x := range heard {
		if x.Answer != nil && x.Answer.Choice == choice.Again && x.Answer.Reason != "" {
			all = append(all, fmt.Sprintf("%s says: %s", x.Answer.By, x.Answer.Reason))
		}
	}
	for _, x := range heard {
		if x.Answer != nil && x.Answer.Choice == choice.Propose {
			all = append(all, x.Answer.By+" proposes: "+x.Answer.Reason)
		}
	}
	return all
}
