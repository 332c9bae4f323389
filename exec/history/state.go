package history

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// Advice is what was said, of a kind and at a point, since the step failed the
// last time; nil if nobody was asked yet.
func (s *Step) Advice(kind, point string) *Advised {
	for i := len(s.Advised) - 1; i >= s.heard; i-- {
		if a := &s.Advised[i]; a.Kind == kind && a.Point == point {
			return a
		}
	}
	return nil
}

// Patch finds a patch of the step by its id, or nil.
func (s *Step) Patch(id string) *Patched {
	for i := range s.Patches {
		if s.Patches[i].ID == id {
			return &s.Patches[i]
		}
	}
	return nil
}

// InFlight is the attempt of the step that began and has neither failed nor
// been accepted, or nil.
func (s *Step) InFlight() *Attempt {
	if a := s.Last(); a != nil && a.Failure == nil && s.Status == InFlight {
		return a
	}
	return nil
}

// Fault is the latest failure of the step that says something about its work: why
// it may not begin, or why an attempt failed for a reason of its own; nil if
// there is none, or no step.
func (s *Step) Fault() *AttemptFailed {
	switch {
	case s == nil:
		return nil
	case s.Refusal != nil:
		return s.Refusal
	}
	for _, a := range slices.Backward(s.Attempts) {
		if a.Failure != nil && !a.Failure.Class.ThroughNoFault() {
			return a.Failure
		}
	}
	return nil
}

// FailedAndLeftOut reports whether the step failed, and somebody left it out then:
// that is a lack, whether the step is critical or not.
func (s *Step) FailedAndLeftOut() bool {
	return s.Skipped != nil && !s.Skipped.Done && s.Fault() != nil
}

// Execution is how a step went, over all its attempts: RETRY_SUCCEEDED or
// RETRY_FAILED where an earlier attempt failed for a reason of its own.
func (s *Step) Execution() ExecutionStatus {
	last := s.Last()
	if last == nil {
		return notExecuted
	}
	switch got := last.Execution(); {
	case s.Retried() == 0:
		return got
	case got == succeeded:
		return retrySucceeded
	default:
		return retryFailed
	}
}

// Retried counts the attempts that followed one that failed of itself, those that
// were set back since too. Work that was accepted afterwards is tried by nobody.
func (s *Step) Retried() int {
	n, all := 0, slices.Concat(s.Undone, s.Attempts)
	for i := 1; i < len(all); i++ {
		if all[i-1].Faulty() && all[i].Method.Reinstates == 0 {
			n++
		}
	}
	return n
}

// Anew counts how often the step was tried again, at any point: its attempts that
// [Attempt.Counts], but for the first, those that were set back since too.
func (s *Step) Anew() int {
	n := -1
	for _, a := range slices.Concat(s.Undone, s.Attempts) {
		if a.Counts() {
			n++
		}
	}
	return max(n, 0)
}

// Tries are what was tried of a step since the run was last set back to before
// it. An attempt that was lost or cut off through nobody's fault is none, nor is
// work that was accepted afterwards.
type Tries struct {
	Attempts int      // all of them
	Retries  int      // attempts that repeat a method
	Backups  []string // that were tried, in that order; never nil
	Patches  int      // of advisors that were tried
}

// Tries counts what was tried of the step.
func (s *Step) Tries() Tries {
	n := Tries{Backups: []string{}}
	var used []string
	for _, a := range s.Attempts {
		name := a.Method.Method
		switch {
		case !a.Counts():
			continue
		case slices.Contains(used, name):
			n.Attempts++
			n.Retries++
			continue
		case strings.HasPrefix(name, "backup_"):
			n.Backups = append(n.Backups, name)
		case strings.HasPrefix(name, "patch_"):
			n.Patches++
		}
		n.Attempts++
		used = append(used, name)
	}
	return n
}

// Patches counts the patches that were tried of a step: its methods, and that of a
// prompt for which reviewers proposed the jobs that it carried out.
func (r *Run) Patches(s *Step) int {
	n := s.Tries().Patches
	if r.Redrafted(s) != "" {
		n++
	}
	return n
}

// Redrafted is the patch of a step's prompt for which reviewers proposed the jobs
// that the step carried out; "" if there is none, or no such step.
func (r *Run) Redrafted(s *Step) string {
	if s == nil {
		return ""
	}
	a := r.Task(s.Task).Approval()
	if a == nil || a.Status != ApprovedRetry || a.Step != s.Address || a.RunBy != s.Address ||
		!slices.ContainsFunc(s.Attempts, (*Attempt).Counts) {
		return ""
	}
	return a.Patch
}

// Precedes reports whether s comes before o in the order of execution.
func (s *Step) Precedes(o *Step) bool { return s.at < o.at }

// A Step is everything known about a step.
type Step struct {
	Outline
	Status     StepStatus
	Started    time.Time
	Over       time.Time // zero while it is not over
	EndedAt    uint64    // position of the fact that ended it in the journal; 0 while it is not over
	InARow     int       // steps that had failed in a row when it ended, itself among them
	Checkpoint *StepStarted
	At         uint64           // position of the checkpoint in the journal
	Commit     string           // that was checked out then; "" where there was none
	Gates      []gate.Judgement // before the step, those of the latest try
	Refusal    *AttemptFailed   // why it may not begin; nil if it may
	Next       *Recovery        // decided and not tried yet
	Attempts   []*Attempt       // since the run was last set back to before the step
	Undone     []*Attempt       // those before that
	Recoveries []Recovery
	Advised    []Advised    // what advisors said about it, oldest first
	Patches    []Patched    // of its method, those that were refused too
	Questions  []Exchange   // since the run was last set back to before the step
	Earlier    []Exchange   // those before that; they decide nothing any more
	Addenda    []Addendum   // answers about the step that are part of the record, since the run was last set back
	Lesson     *Lesson      // of education mode; nil if there is none
	Carried    *StepCarried // an earlier run accepted it; nil if none did
	Completed  *StepCompleted
	Failed     *StepFailed
	Skipped    *StepSkipped
	Blocked    *StepBlocked
	// Group is the latest one in which an attempt of the step began; nil if
	// there was none since the run was last set back to before the step.
	Group *Group

	committed *Commit // the latest one; see Committed
	lane      *Lane   // that its next attempt begins in; nil: that is carried out by itself
	at        int     // position in the order of execution
	heard     int     // how much advice there was when it failed the last time
}

// Last is the latest attempt, or nil.
func (s *Step) Last() *Attempt {
	if len(s.Attempts) == 0 {
		return nil
	}
	return s.Attempts[len(s.Attempts)-1]
}

// Tried is how many attempts there have been, those before a rollback included.
func (s *Step) Tried() int { return len(s.Undone) + len(s.Attempts) }

// Lacks is what a step did not do that is not over: an attempt at it may have been
// interrupted.
func (s *Step) Lacks() string {
	if s.Tried() > 0 {
		return "was not completed"
	}
	return "did not run"
}

// Rungs counts how often a rung was used, since the step began or was rolled
// back.
func (s *Step) Rungs(name string) int {
	n := 0
	for _, r := range s.Recoveries {
		if r.Rung == name {
			n++
		}
	}
	return n
}

// WithinTree reports whether restoring a tree undoes all of the step.
func (s *Step) WithinTree() bool { return s.Rollback == plan.Reversible || s.Rollback == "" }

// Outlives says what of a step that was carried out stays when its files are
// taken back; "" where nothing does.
func (s *Step) Outlives() string {
	switch {
	case s.WithinTree():
		return ""
	case s.Rollback == plan.Irreversible:
		return "what it did outside of the workspace cannot be undone, and it does that again when it is carried out again"
	}
	return "what it did outside of the workspace was not compensated, and it does that again when it is carried out again"
}

// Chosen reports whether a question of a kind about the step was answered with
// a choice.
func (s *Step) Chosen(kind ask.Kind, key string) bool {
	return slices.ContainsFunc(s.Questions, func(x Exchange) bool {
		return x.Question.Kind == kind && x.Answer != nil && x.Answer.Choice == key
	})
}

// ChosenLast reports whether the latest question about the step was answered
// with a choice (see [Exchange.AboutStep]).
func (s *Step) ChosenLast(key string) bool {
	for _, x := range slices.Backward(s.Questions) {
		if x.AboutStep() {
			return x.Answer != nil && x.Answer.Choice == key
		}
	}
	return false
}

// An Attempt is one execution of one method, as far as it is known.
type Attempt struct {
	Number    int
	At        uint64 // position of its beginning in the journal
	Started   time.Time
	Ended     time.Time // zero while it runs
	Method    AttemptStarted
	Said      *AttemptEnded
	Telemetry *Telemetry // what it said of runs, artifacts and metrics; nil if nothing
	Accounted *Accounted
	Gates     []gate.Judgement // during and after
	Cycles    []Cycle          // phases of writing the test first, that ended
	Jobs      []JobDone        // those that went well, of several
	Differs   []Differs        // earlier attempts of the same inputs that made another tree
	Repeated  *Repeated        // what a second execution came to; nil: nobody asked for one
	Failure   *AttemptFailed   // nil: it succeeded, or is not over
	Lane      *Lane            // nil: it was carried out by itself
	Aside     *JoinFailed      // its work did not hold together with that of others; nil: nothing says so
	Base      record.Snapshot  // the tree that it began with: the step's checkpoint then
	Discarded record.Snapshot  // what it left and was undone, where that was kept
	Stays     []string         // paths that are not undone, as the plan only tracks them, some of many
	// Controlled are the negative controls of its checks; nil: there were none.
	Controlled *Controlled
	// Compensated is how its compensation went; nil if there was none yet.
	Compensated *Compensated
	// Resumptions is how often the run had been resumed when the attempt
	// failed.
	Resumptions int
}

// Execution is how an attempt went: SUCCEEDED without a failure;
// RETRYABLE_FAILURE where time, memory, a signal or the controller's own end
// cut it off, so that nothing says that it cannot succeed; else FAILED.
func (a *Attempt) Execution() ExecutionStatus {
	exit := 0
	if a.Said != nil {
		exit = a.Said.Exit
	}
	return a.Failure.Execution(exit)
}

// Faultless reports whether the attempt failed, and not of what its method is:
// it was cut off, or did not hold together with the work of others.
func (a *Attempt) Faultless() bool {
	return a.Failure != nil && (a.Aside != nil || a.Failure.Class.ThroughNoFault())
}

// Faulty reports whether the attempt failed of what its method is. All figures
// about failures count these attempts alone.
func (a *Attempt) Faulty() bool { return a.Failure != nil && !a.Faultless() }

// Told reports whether whoever carried out an attempt was told why earlier ones
// had failed, and what people said.
func (r *Run) Told(a *Attempt) bool {
	return !slices.ContainsFunc(r.Roles.Deaf, func(key string) bool {
		return a.Method.Executor == key || a.Method.Executor == cmp.Or(key, r.Started.Executor)
	})
}

// Counts reports whether something was tried by the attempt, whatever came of
// it: it is not [Attempt.Faultless], and no work that was accepted afterwards.
// All figures about what was tried count these attempts alone.
func (a *Attempt) Counts() bool { return a.Method.Reinstates == 0 && !a.Faultless() }

// Lost reports whether the controller died while the attempt ran.
func (a *Attempt) Lost() bool { return a.Failure != nil && a.Failure.Class == Lost }

// An Exchange is a question and what became of it.
type Exchange struct {
	Question   ask.Question
	Answer     *ask.Answer
	AnsweredAt uint64       // position of the answer in the journal; 0: there is none
	Unanswered *Unanswered  // the refusal that ended it
	Mistaken   []Unanswered // answers that did not count
}

// AboutStep reports whether it is about the step at which it was asked. A question
// about what others did in the workspace is one of the run.
func (e Exchange) AboutStep() bool {
	return e.Question.Kind != ask.External && e.Question.Kind != ask.Conflict
}

// Open reports whether it still waits.
func (e *Exchange) Open() bool { return e.Answer == nil && e.Unanswered == nil }

// Where is where facts about the step, and the given attempt of it, belong.
func (s *Step) Where(attempt int) Where { return Where{Step: s.Address, Attempt: attempt} }

// Vouched are the source files of which a person said that the step keeps what it
// promised of them, though nobody could read it.
func (s *Step) Vouched() []string {
	var paths []string
	for _, a := range s.Addenda {
		paths = append(paths, a.Unread...)
	}
	return paths
}

// widen joins two lists of symbols: an empty one says that there are none, nil
// says nothing.
func widen(have, more []string) []string {
	if have == nil {
		return more
	}
	return append(have[:len(have):len(have)], more...)
}

// Granted is the plan's step with what persons have accepted for it besides.
// The plan's own is not changed.
func (s *Step) Granted(step *plan.Step) *plan.Step {
	widened := *step
	for _, a := range s.Addenda {
		if d := a.Artifacts; d != nil {
			have := plan.Artifacts{}
			if widened.Artifacts != nil {
				have = *widened.Artifacts
			}
			widened.Artifacts = &plan.Artifacts{
				Create: slices.Concat(have.Create, d.Create), Modify: slices.Concat(have.Modify, d.Modify),
				Delete:        slices.Concat(have.Delete, d.Delete),
				SymbolsAdd:    widen(have.SymbolsAdd, d.SymbolsAdd),
				SymbolsRemove: widen(have.SymbolsRemove, d.SymbolsRemove), Bears: have.Bears}
		}
		if a.MaxFiles == nil && a.MaxLines == nil && a.Modules == nil {
			continue
		}
		limits := *widened.Limits // what was exceeded was there
		if a.MaxFiles != nil {
			limits.MaxFiles = a.MaxFiles
		}
		if a.MaxLines != nil {
			limits.MaxLines = a.MaxLines
		}
		if a.Modules != nil {
			limits.Modules = a.Modules
		}
		widened.Limits = &limits
	}
	return &widened
}
