package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/delivery"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/envelope/attest"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/agent"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// message is what is left to say about err, with what to do next.
//
// An error that was told already (a refused plan, whose diagnostics were
// printed) leaves nothing to say. An interruption goes before whatever it
// caused, since that is what the person did and asks about.
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
	if faults, ok := configFaults(err); ok {
		return "refused: the configuration cannot be used\n" + faults
	}
	var refused *exec.RefusedError
	var acks *plan.AckError
	var unseen *noEntryError
	var amend *plan.AmendError
	var moved *delivery.MovedError
	switch {
	case errors.As(err, &refused):
		return refusedMessage(refused, at)
	case errors.As(err, &acks):
		return ackMessage(acks, at)
	case errors.As(err, &amend) && at.run != nil:
		return withHint(forPeople(err.Error()), at.amendHints()...)
	case errors.Is(err, exec.ErrWaiting) && at.run != nil && at.run.Replans():
		var hints []string
		for _, o := range at.replanning() {
			hints = append(hints, o.hint())
		}
		return withHint(forPeople(err.Error()), hints...)
	case errors.As(err, &unseen):
		return withHint(unseen.Error(), unseen.hints(ctx, at)...)
	case errors.As(err, &moved): // what else failed, failed for that
		return withHint(forPeople(moved.Error()), movedHint(at))
	}
	return withHint(forPeople(err.Error()), hint(err, at))
}

// movedHint is how a run goes on whose workspace is not where it was.
func movedHint(at placedError) string {
	if at.run == nil {
		return ""
	}
	return "find it, or put it back, and there:  planlock resume " + at.run.Started.Run
}

// forPeople is the text of an error without the package that it comes from.
func forPeople(text string) string {
	for _, name := range []string{"exec", "plan", "checkpoint", "ledger", "ask", "history", "delivery"} {
		if rest, ok := strings.CutPrefix(text, name+": "); ok {
			return rest
		}
	}
	return text
}

// withHint adds what to do next to a message, each hint on a line of its own;
// those that are "" are left out.
func withHint(text string, hints ...string) string {
	for _, h := range hints {
		if h != "" {
			text += "\n  hint: " + h
		}
	}
	return text
}

// hint is what to do about an error.
//
// The first case that fits is taken, so errors that say more stand above those
// that they wrap: a proof that fails because a file is not there is a matter of
// proof, and not of a path that was misspelt.
func hint(err error, at placedError) string {
	var outcome *exec.OutcomeError
	var proof *exec.ProofError
	var unheard *ask.RefusedError
	var carried *carriedError
	switch {
	case errors.As(err, &carried):
		return fmt.Sprintf("planlock diff %s %s%s", carried.from, carried.step, inDir(at.dir))
	case errors.As(err, &outcome):
		return outcomeHint(outcome, at)
	case errors.Is(err, exec.ErrWaiting):
		return waitingHint(at)
	case is[*checkpoint.HeldError](err):
		return "wait until it has ended, or end it; planlock status" + inDir(at.dir) + " shows what it does"
	case errors.As(err, &proof) && proof.What == "view":
		return fmt.Sprintf("views can be drawn again: delete the file, and planlock report %s%s draws what the journal says", proof.Run, inDir(at.dir))
	case errors.As(err, &proof) && (errors.Is(err, exec.ErrNoRun) || errors.Is(err, checkpoint.ErrNotFound)):
		return "if the program that ran it keeps its stores elsewhere, only that program can verify it; " +
			"else what .planlock held was taken away: put it back from a backup, and trust nothing in it until then"
	case errors.As(err, &proof), is[*record.CorruptError](err), is[*checkpoint.DamagedError](err):
		return "what .planlock holds was changed by somebody else, or the disk is damaged: put it back from a backup; nothing in it can be trusted until then"
	case is[*attest.NotSealedError](err):
		return "bring it to its end first:  planlock status" + inDir(at.dir) + " says what it waits for"
	case is[*attest.UnsignedError](err), is[*attest.MismatchError](err):
		return "planlock verify" + inDir(at.dir) + " says who signed the journal, and how far"
	case errors.Is(err, attest.ErrSignature):
		return "--key names the public key of who signed, as planlock key export writes it"
	case is[*plan.LockError](err):
		return "lock the plan again:  " + lockWith(orElse(quotedIf(at.path), "PATH"), at.dir, at.given)
	case is[*plan.CheckError](err):
		return "planlock check " + orElse(quotedIf(at.path), "PATH") + " shows each of them with its place"
	case is[*plan.AmendError](err):
		return "bring back what is named above; or give the run up, lock this plan and run it"
	case errors.Is(err, exec.ErrNoRun):
		return "planlock run PATH begins one; --dir names another workspace"
	case is[*exec.AmbiguousError](err):
		return ""
	case errors.As(err, &unheard) && unheard.Question == "":
		return "planlock choices" + inDir(at.dir) + " lists those that are remembered"
	case unheard != nil && unheard.Why == answeredAlready && at.run != nil:
		return "go on with  " + at.resume()
	case unheard != nil && at.unasked():
		return unaskedHint(at, unheard.Question)
	case unheard != nil:
		return "planlock status" + inDir(at.dir) + " shows the question and how to answer it"
	case errors.Is(err, syscall.EADDRINUSE):
		return "--listen 127.0.0.1:0 takes a port that is free"
	case errors.Is(err, syscall.ENOSPC):
		return "make room on " + whichDisk(err, at.dir) + andResume(at)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return "planlock needs to read and write the workspace, and .planlock in it" + andResume(at)
	case errors.Is(err, fs.ErrNotExist):
		return "look for a typing error in the path"
	case at.run != nil && errors.Is(err, checkpoint.ErrFenced):
		return "somebody else went on with the run:  planlock status " + at.run.Started.Run + inDir(at.dir)
	case at.run != nil && at.run.Sealed == nil:
		return "mend that, then go on:  " + at.resume()
	}
	return ""
}

// whichDisk is the disk that is full, with what planlock can do about it. Where
// runs are kept elsewhere, gc frees nothing of this one.
func whichDisk(err error, dir string) string {
	kept, _ := placeOf(dir) // what cannot be read is told when runs are looked for
	there := is[*checkpoint.FullError](err)
	switch {
	case there && kept.Blobs != "":
		return "the disk of the store that keeps the runs"
	case there:
		return "the disk of the store that keeps the runs (once there is a little, planlock gc" + inDir(dir) +
			" frees in the store what no run needs)"
	case kept.Store != "":
		return "the disk"
	}
	return "the disk (planlock gc" + inDir(dir) + " frees what no run needs)"
}

// andResume is the end of a hint where a run can go on; "" where there is none,
// or it has ended.
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
	if open := at.run.Questions(); len(open) > 0 {
		how := howToAnswer(open[0], at.dir)
		if late(open[0]) {
			return fmt.Sprintf("the time to answer is over: %s  puts the question again; then\n        %s", resume, how)
		}
		return fmt.Sprintf("%s\n        then  %s", how, resume)
	}
	return "go on with  " + resume
}

// amendHints are the ways on with a plan that changes more than it may.
func (e *placedError) amendHints() []string {
	again := amendWith(e.run, displayPath(e.path), e.dir, e.flags())
	hints := []string{"bring back what is named above, and then:  " + again}
	_, lock := exec.Workspace{Dir: e.dir}.Sources(e.run)
	as := spellingOf(e.run, e.dir, e.flags())
	for _, a := range instead(e.run, e.path, lock) {
		hints = append(hints, way(a, true)+as.spell(a))
	}
	return hints
}

// unaskedHint says how a run comes to ask again that asks nothing now.
func unaskedHint(at placedError, id string) string {
	if at.run.Foreign == nil {
		return "go on with  " + at.resume()
	}
	text := "nobody was there when it was asked; "
	for _, s := range at.run.Steps {
		if slices.ContainsFunc(slices.Concat(s.Earlier, s.Questions),
			func(x history.Exchange) bool { return x.Question.ID == id && x.Answer != nil }) {
			text = "it was answered; "
		}
	}
	return text + "to have it asked again, and answer it then:  " +
		attendWith(at.run, at.dir, at.flags())
}

// ofAgent reports whether a reason is about somebody who takes part in a run.
func ofAgent(reason string) bool { return strings.HasPrefix(reason, "agent ") }

// withRoles are the flags that are given now, with those who took part before in
// place of those who are named now.
func withRoles(before, now []string) []string {
	role := func(word string) bool {
		return slices.Contains([]string{"agent", "executor", "reviewer", "validator", "advisor", "researcher"}, flagOf(word))
	}
	kept := slices.DeleteFunc(slices.Clone(now), role)
	return append(kept, slices.DeleteFunc(slices.Clone(before), func(word string) bool { return !role(word) })...)
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
	hints, as := append([]string{r.Hint}, absent(r)...), spelling{dir: at.dir}
	inHand := at.run != nil && at.run.Started.Run == r.Run && at.run.Sealed == nil
	if inHand {
		as = spellingOf(at.run, at.dir, at.flags())
	}
	for _, a := range r.Actions {
		by := as
		if inHand && a.Kind == action.Resume && len(a.Accept) == 0 && slices.ContainsFunc(r.Reasons, ofAgent) {
			by = spellingOf(at.run, at.dir, withRoles(at.run.Policy.Given, at.flags())) // with whom it was begun
		}
		hints = append(hints, way(a, inHand && (a.Run == "" || a.Run == r.Run))+by.spell(a))
	}
	resumes := slices.ContainsFunc(r.Actions, func(a action.Action) bool { return a.Kind == action.Resume })
	if id := r.Run; !inHand && id != "" && at.path != "" && !resumes {
		again := resumeOther(at.dir, id) + " goes on with that run, or says how it ended"
		if at.run == nil || at.run.Started.Run != id {
			again += fmt.Sprintf("; %s makes a new lock", lockWith(quoted(at.path), at.dir, at.given))
		}
		hints = append(hints, again)
	}
	return withHint(text, hints...)
}

// absent are the flags that bring those who are missing.
func absent(err error) (hints []string) {
	if e, ok := err.(*exec.AbsentError); ok && e.Role != "gate" {
		if _, known := agent.Named(e.Name); known {
			return []string{"have that agent carry out steps:  --agent " + e.Name}
		}
		value := "PATH"
		if e.Name != "" {
			value = quoted(e.Name) + "=PATH"
		}
		return []string{fmt.Sprintf("say who that is:  --%s %s", e.Role, value)}
	}
	switch e := err.(type) {
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			hints = append(hints, absent(one)...)
		}
	case interface{ Unwrap() error }:
		hints = absent(e.Unwrap())
	}
	return hints
}

// way leads in to the command of an action, where it is one of several ways on
// for a run that somebody has in hand.
func way(a action.Action, inHand bool) string {
	switch {
	case !inHand:
		return ""
	case a.Kind == action.Resume && len(a.Accept) > 0:
		return "or let the run go on although that moved:  "
	case a.Kind == action.Resume:
		return "then go on:  "
	case a.Kind == action.Attend:
		return "or have the question put again, and answer that it stays, or what else becomes of it:  "
	case len(a.Accept) > 0:
		return "or do it although that moved:  "
	case a.Kind == action.Rollback:
		return "or have what others did in the workspace undone, and kept:  "
	case a.Kind == action.Abandon:
		return "or give the run up:  "
	}
	if text := underPlan(a); text != "" {
		return "and then " + text
	}
	return ""
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

// planPath is where the plan of a run lay: its file, or the folder of its
// files.
func planPath(run *history.Run, dir string) string {
	ws := exec.Workspace{Dir: dir}
	files, _ := ws.Sources(run)
	if len(files) == 0 {
		return "PLAN"
	} else if len(files) > 1 || ofFolder(ws, run) {
		return displayPath(filepath.Dir(files[0].Path))
	}
	return displayPath(files[0].Path)
}

// ofFolder reports whether the one file of a plan was read as all of a phase,
// where steps are numbered otherwise: only a phase has speclets.
func ofFolder(ws exec.Workspace, run *history.Run) bool {
	if run.Started.Format != plan.PhasePlan {
		return false
	}
	p, err := ws.Plan(context.Background(), run)
	return err == nil && len(p.Speclets) > 0
}

// A placedError is an error with what is needed to say what to do next.
type placedError struct {
	err   error
	dir   string       // the workspace
	path  string       // of the plan; may be empty
	run   *history.Run // nil if none began
	given []string     // flags that the run is given; nil: as it says itself
}

func (e *placedError) Error() string { return e.err.Error() }

// Unwrap returns the error itself.
func (e *placedError) Unwrap() error { return e.err }

// resume is the command that goes on with the run, in the way it was started.
func (e *placedError) resume() string { return resumeWith(e.run, e.dir, e.flags()) }

// flags are those that the run is given.
func (e *placedError) flags() []string {
	if e.given == nil {
		return e.run.Policy.Given
	}
	return e.given
}

// unasked reports whether the run goes on, and asks nothing now.
func (e *placedError) unasked() bool {
	return e.run != nil && e.run.Ended == nil && len(e.run.Questions()) == 0
}

// about says which run an error is about; nil stays nil.
func about(run *history.Run, err error) error {
	if err == nil {
		return nil
	}
	return &placedError{err: err, run: run}
}

// ofPlan says which plan an error is about; nil stays nil.
func ofPlan(path string, err error) error {
	if err == nil {
		return nil
	}
	return &placedError{err: err, path: path}
}

// inWorkspace says where the command worked that an error is of; nil stays nil.
// Whoever dispatches commands calls it, so that these need not name the folder
// with each error.
func inWorkspace(dir string, err error) error {
	if at := (*placedError)(nil); errors.As(err, &at) {
		at.dir = cmp.Or(at.dir, dir)
		return err
	}
	if err == nil {
		return nil
	}
	return &placedError{err: err, dir: dir}
}
