package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// A placedError is an error with what is needed to say what to do next.
type placedError struct {
	err  error
	dir  string       // the workspace
	path string       // of the plan; may be empty
	run  *history.Run // nil if none began
	as   string       // flags that resume needs besides
}

func (e *placedError) Error() string { return e.err.Error() }

// Unwrap returns the error itself.
func (e *placedError) Unwrap() error { return e.err }

// placed says where an error happened; nil stays nil.
func placed(err error, dir, path string, run *history.Run) error {
	if err == nil {
		return nil
	}
	return &placedError{err: err, dir: dir, path: path, run: run}
}

// message is what is left to say about err, with what to do next.
func message(ctx context.Context, err error) string {
	var quiet *quietError
	if err == nil || errors.As(err, &quiet) {
		return ""
	}
	var at placedError
	if p := (*placedError)(nil); errors.As(err, &p) {
		at = *p
	}
	if s := interruption(ctx); s != nil {
		return interruptedMessage(err, s, at)
	}
	var refused *exec.RefusedError
	var acks *plan.AckError
	var unseen *noEntryError
	switch {
	case errors.As(err, &refused):
		return refusedMessage(refused, at)
	case errors.As(err, &acks):
		return ackMessage(acks, at)
	case errors.As(err, &unseen):
		return withHint(unseen.Error(), unseen.hints(ctx, at)...)
	}
	return withHint(forPeople(err.Error()), hint(err, at))
}

// forPeople is the text of an error without the package that it comes from.
func forPeople(text string) string {
	for _, name := range []string{"exec", "plan", "checkpoint", "ledger", "ask", "history"} {
		if rest, ok := strings.CutPrefix(text, name+": "); ok {
			return rest
		}
	}
	return text
}

func withHint(text string, hints ...string) string {
	for _, h := range hints {
		if h != "" {
			text += "\n  hint: " + h
		}
	}
	return text
}

// hint is what to do about an error.
func hint(err error, at placedError) string {
	var (
		outcome   *exec.OutcomeError
		proof     *exec.ProofError
		held      *checkpoint.HeldError
		corrupt   *record.CorruptError
		damaged   *checkpoint.DamagedError
		lock      *plan.LockError
		check     *plan.CheckError
		amend     *plan.AmendError
		ambiguous *exec.AmbiguousError
		answer    *ask.RefusedError
	)
	switch {
	case errors.As(err, &outcome):
		return outcomeHint(outcome, at)
	case errors.Is(err, exec.ErrWaiting):
		return waitingHint(at)
	case errors.As(err, &held):
		return "wait until it has ended, or end it; planlock status" + inDir(at.dir) + " shows what it does"
	case errors.As(err, &proof) && proof.What == "view":
		return fmt.Sprintf("views can be drawn again: delete the file, and planlock report %s%s draws what the journal says", proof.Run, inDir(at.dir))
	case errors.As(err, &proof) && (errors.Is(err, exec.ErrNoRun) || errors.Is(err, checkpoint.ErrNotFound)):
		return "if the program that ran it keeps its stores elsewhere, only that program can verify it (Workspace.Verify); " +
			"else what .planlock held was taken away: put it back from a backup, and trust nothing in it until then"
	case errors.As(err, &proof), errors.As(err, &corrupt), errors.As(err, &damaged):
		return "what .planlock holds was changed by somebody else, or the disk is damaged: put it back from a backup; nothing in it can be trusted until then"
	case errors.As(err, &lock):
		return "lock the plan again:  planlock lock " + orElse(quotedIf(at.path), "PATH")
	case errors.As(err, &check):
		return "planlock check " + orElse(quotedIf(at.path), "PATH") + " shows each of them with its place"
	case errors.As(err, &amend):
		return "bring back what is named above; or give the run up, lock this plan and run it"
	case errors.Is(err, exec.ErrNoRun):
		return "planlock run PATH begins one; --dir names another workspace"
	case errors.As(err, &ambiguous):
		return ""
	case errors.As(err, &answer):
		return "planlock status" + inDir(at.dir) + " shows the question and how to answer it"
	case errors.Is(err, syscall.ENOSPC):
		return "make room on the disk (planlock gc" + inDir(at.dir) + " frees what no run needs)" + andResume(at)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return "planlock needs to read and write the workspace, and .planlock in it" + andResume(at)
	case errors.Is(err, fs.ErrNotExist):
		return "look for a typing error in the path"
	case at.run != nil && at.run.Sealed == nil:
		return "mend that, then go on:  " + at.resume()
	}
	return ""
}

// outcomeHint names the step to look at.
func outcomeHint(o *exec.OutcomeError, at placedError) string {
	text := "mend what the report names, then lock and run again"
	if at.run == nil {
		return text
	}
	for _, s := range at.run.Steps {
		if s.Failed != nil && s.Last() != nil {
			return fmt.Sprintf("%s; what step %s did:  planlock diff %s %s%s", text, s.Address, o.Run, s.Address,
				inDir(at.dir))
		}
	}
	return text
}

func andResume(at placedError) string {
	if at.run == nil || at.run.Sealed != nil {
		return ""
	}
	return ", then go on:  " + at.resume()
}

// waitingHint says how to answer what a run waits for.
func waitingHint(at placedError) string {
	if at.run == nil {
		return "planlock status" + inDir(at.dir) + " shows what it waits for"
	}
	resume := at.resume()
	for _, q := range at.run.Questions() {
		return fmt.Sprintf("%s\n        then  %s", howToAnswer(q, at.dir), resume)
	}
	return "go on with  " + resume
}

// howToAnswer is how a question is answered.
func howToAnswer(q *ask.Question, dir string) string {
	ack, reason := "", ""
	for _, c := range q.Choices {
		if c.Acknowledge != "" {
			ack = " [--ack TEXT]"
		}
		if c.NeedsReason {
			reason = " [--reason TEXT]"
		}
	}
	return fmt.Sprintf("planlock answer %s %s %s%s%s%s", q.Run, q.ID, strings.Join(keysOf(q), "|"), ack, reason,
		inDir(dir))
}

// refusedMessage lists what kept a run from beginning or going on.
func refusedMessage(r *exec.RefusedError, at placedError) string {
	text := "refused:"
	if len(r.Reasons) == 1 {
		text += " " + forPeople(r.Reasons[0])
	} else {
		for _, reason := range r.Reasons {
			text += "\n  " + forPeople(reason)
		}
	}
	hints := []string{r.Hint}
	for _, a := range r.Actions {
		hints = append(hints, spelling{dir: at.dir}.spell(a))
	}
	resumes := slices.ContainsFunc(r.Actions, func(a action.Action) bool { return a.Kind == action.Resume })
	if at.run != nil && at.run.Started.Run == r.Run && at.run.Sealed == nil {
		hints = []string{"put back what is named above: remove what was added, restore what was changed or is gone, give every --executor again; then  " + at.resume(),
			"or give that run up, lock the plan again and run it"}
	} else if id := r.Run; id != "" && at.path != "" && !resumes {
		again := resumeIn(at.dir, id) + " goes on with that run, or says how it ended"
		if at.run == nil || at.run.Started.Run != id {
			again += fmt.Sprintf("; planlock lock %s makes a new lock", quoted(at.path))
		}
		hints = append(hints, again)
	}
	return withHint(text, hints...)
}

// ackMessage lists what must be accepted, and the flags that do.
func ackMessage(e *plan.AckError, at placedError) string {
	text, flags := "refused:", ""
	if len(e.Missing) > 0 {
		text += " the plan holds what a person must accept first"
		for _, a := range e.Missing {
			text += fmt.Sprintf("\n  %s  %s", a.Code, a.Text)
			flags += " --ack " + quoted(a.Code)
		}
	}
	if len(e.Unknown) > 0 {
		text += fmt.Sprintf("\n  nothing in the plan asks for %s", strings.Join(e.Unknown, ", "))
	}
	if flags != "" {
		return withHint(text, "to accept that, add "+strings.TrimSpace(flags))
	}
	return withHint(text, "leave out those --ack; planlock check "+orElse(quotedIf(at.path), "PATH")+" says what needs one")
}

// interruptedMessage says how the tree was left and how to go on. Its last line
// is the command for it.
func interruptedMessage(err error, s *signalError, at placedError) string {
	text := s.Error() + ": "
	if at.run == nil {
		return text + "nothing was run, and nothing was changed"
	}
	cause := (*signalError)(nil)
	switch {
	case !errors.As(err, &cause):
		text = err.Error() + "\n" + text + "the tree may hold half a step; resuming restores it first"
	case at.run.Restoring != nil:
		text += "the tree could not be restored yet; resuming does it first"
	default:
		text += "the tree is as it was at the last checkpoint" + before(at.run)
	}
	return text + "\ngo on with  " + at.resume()
}

// before names the step that comes next.
func before(run *history.Run) string {
	for _, s := range run.UnderWay() {
		return fmt.Sprintf(", before step %s", s.Address)
	}
	for _, s := range run.Steps {
		if s.Status == history.Pending {
			return fmt.Sprintf(", before step %s", s.Address)
		}
	}
	return ""
}

// inDir is the flag that names a workspace which is not the current folder.
func inDir(dir string) string {
	if dir == "" || dir == "." {
		return ""
	}
	return " --dir " + quoted(dir)
}

func quotedIf(word string) string {
	if word == "" {
		return ""
	}
	return quoted(word)
}
