package cmd

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/lockfile"
)

// resumeCommand is "planlock resume": it goes on with a run that was
// interrupted, killed, or waits for an answer. The run remembers how it was
// started but for executors with names and the policy for questions. It goes on
// as it began: flags that would change what was locked are refused. Of a run
// that has ended it prints the report once more, and ends with the status of
// that run.
type resumeCommand struct {
	arguments
	session
	Ack    []string `again:"never" sep:"none" placeholder:"CODE" help:"accept an agent or a program that a file of the repository names, by its code; what the plan needs accepted was accepted when the run began"`
	Plan   string   `again:"path" placeholder:"FILE" help:"where the plan lies now, if it lies elsewhere"`
	Accept []string `again:"never" placeholder:"NAME" sep:"none" help:"let the run go on although this moved, by the name that the refusal gives it, as in \"agent gate polite\"; may be repeated, and stands in the journal with your name"`
}

// Run carries the command out.
func (f *resumeCommand) Run(ctx context.Context, p *cli) error {
	ws := p.workspace(f.Dir)
	run, err := findRun(ctx, ws, f.first())
	if err != nil {
		return err
	}
	if f.Detach && !p.owns && f.nothingNew(run) {
		return about(run, p.giveAgain(ctx, run, f.Engine, f.Dir))
	}
	if err := p.rebuild(ctx, ws, run); err != nil {
		return err
	}
	f.recall(run.Policy.Given, f.typed)
	f.flags = merged(run.Policy.Given, f.typed)
	if !f.Detach && !p.owns {
		f.flags = slices.DeleteFunc(f.flags, func(word string) bool { return flagOf(word) == "detach" })
	}
	p.terms = termsOf(run.Policy.Given)
	c, err := f.controller(ctx, p, run.Started.Executor)
	if err != nil {
		return err
	}
	if run.Sealed != nil {
		if f.first() == "" {
			p.tellUnended(ctx, ws, run)
		}
		p.endedElsewhere(ws, run)
		return p.printFinished(ctx, ws, run, f.Format)
	}
	if err := p.apart(f.Dir); err != nil {
		return err
	}
	if _, err := f.accept(ctx, p, &f.session, f.Dir, codes(f.Ack)); err != nil {
		return err
	}
	if err := f.keeps(run, f.typed); err != nil {
		return err
	}
	c.NoSandbox = run.Started.NoSandbox
	_, c.LockFile = p.workspace(f.Dir).Sources(run)
	locked, err := p.lockAgain(ctx, c, run, f.Plan)
	if err != nil {
		return f.placed(err, "", run)
	}
	if err := f.present(ctx, c, locked.Plan()); err != nil {
		return f.placed(err, "", run)
	}
	chosen := plan.Mode("")
	if run.Started.ModeBy != "default" {
		chosen = run.Mode
	}
	if err := f.seatEscalator(p, c, run.Started.Run, waitsForAnswers(locked.Plan(), chosen)); err != nil {
		return err
	}
	f.resumed = run.Started.Run
	if !p.owns {
		p.takeBack(ctx, run, "it is resumed without them")
	}
	return f.goOn(ctx, p, c, locked.Files()[0].Path, func(ctx context.Context) (*exec.Report, error) {
		return c.ResumeAccepting(ctx, locked, run.Started.Run, defaultName(), f.Accept...)
	})
}

// nothingNew reports whether the call says nothing of an unfinished run that its journal does not.
func (f *resumeCommand) nothingNew(run *history.Run) bool {
	return run.Sealed == nil && len(f.Accept) == 0 && len(f.Ack) == 0 &&
		!slices.ContainsFunc(f.typed, func(word string) bool { return !slices.Contains(run.Policy.Given, word) })
}

// lockAgain makes a lock of the plan that a run began with, if it is the same
// plan still.
//
// A run whose lock lay in no file, or that was amended, has its lock in the
// journal: what was acknowledged and approved is taken from there and not asked
// again.
func (p *cli) lockAgain(ctx context.Context, c *exec.Controller, run *history.Run, from string) (*plan.Locked, error) {
	files, lock := p.workspace(c.Dir).Sources(run)
	if from == "" {
		if len(files) == 0 {
			return nil, &usageError{fmt.Sprintf("run %s does not say where its plan lies: give --plan PATH",
				run.Started.Run)}
		}
		from = files[0].Path
	}
	draft, from, err := p.planOf(run, from)
	if err != nil {
		d, status := unreadable(from, err)
		d.Hint = fmt.Sprintf("run %s needs the plan that it %s: put it back, or say where it is:  %s --plan PATH",
			run.Started.Run, boundBy(run), resumeFrom(run, c.Dir))
		return nil, p.tellUnreadable(d, status)
	}
	if got, want := draft.Plan.Digest(), run.Started.Plan; got != want {
		refused := &exec.RefusedError{Run: run.Started.Run,
			Reasons: []string{fmt.Sprintf("the plan %s moved from %s to %s%s", displayPath(from), want.Short(),
				got.Short(), edited(files, draft.Files))},
			Hint: fmt.Sprintf("put back the plan that the run %s, or say where it lies now:  %s --plan PATH",
				boundBy(run), resumeFrom(run, c.Dir)),
			Actions: instead(run, from, lock)}
		if was, err := p.workspace(c.Dir).Plan(ctx, run); err == nil {
			if _, err := was.Amend(&draft.Plan); err == nil {
				refused.Run, refused.Actions = "", nil
				refused.Hint = "it has further steps; to add them to the run:  " +
					amendWith(run, displayPath(from), c.Dir, run.Policy.Given)
			}
		}
		return nil, refused
	}
	if draft, err = p.read(from, c.Options()); err != nil {
		return nil, err
	}
	if len(run.Amendments) > 0 || lock == "" { // the journal has the lock
		return plan.Lock(draft, plan.LockOptions{Check: c.Options(), Acknowledged: run.Started.Acknowledged,
			Approvals: approved(run)})
	}
	text, err := readLock(lock)
	if err != nil {
		return nil, &exec.RefusedError{Run: run.Started.Run, Err: err,
			Reasons: []string{fmt.Sprintf("the lock of the run cannot be read: %v", err)}, Hint: "put the lock file back as it was"}
	}
	locked, err := lockfile.Read(draft, text, c.Options())
	if is[*plan.LockError](err) {
		return nil, &exec.RefusedError{Run: run.Started.Run, Reasons: []string{forPeople(err.Error())},
			Hint:    fmt.Sprintf("put %s back as it was: the run needs the lock that it began with", displayPath(lock)),
			Actions: []action.Action{{Kind: action.Abandon, Run: run.Started.Run}}}
	}
	return locked, err
}

// instead are the ways from a run to another plan than its own, whose lock lies
// in a file or, if that is "", nowhere: the run is given up, and what it
// completed is taken over.
func instead(run *history.Run, path, lock string) []action.Action {
	if full, err := filepath.Abs(path); err == nil {
		path = full
	}
	ways := []action.Action{{Kind: action.Abandon, Run: run.Started.Run}}
	if lock != "" {
		ways = append(ways, action.Action{Kind: action.Lock, Path: path})
	}
	if run.Count(history.Completed) == 0 || run.Started.Shadow {
		return append(ways, action.Action{Kind: action.Run, Path: path})
	}
	return append(ways, action.Action{Kind: action.Finish, Run: run.Started.Run, Path: path})
}

// edited tells of the files of a plan that are not what they were when there
// were several; "" where there was one, or none is known.
func edited(was, now []plan.Source) string {
	names := plan.Edited(was, now)
	if len(names) == 0 {
		return ""
	}
	for i, name := range names {
		names[i] = displayPath(name)
	}
	return ": other than they were: " + strings.Join(names, ", ")
}

// boundBy is what made the plan of a run its plan.
func boundBy(run *history.Run) string {
	if len(run.Amendments) > 0 {
		return "was amended to"
	}
	return "began with"
}

// planOf reads the plan of a run from a file, or from the folder of that file
// where the folder as a whole is the plan, or was when the run began: a plan of
// several files, of which this one alone is not all. It returns where the plan was.
func (p *cli) planOf(run *history.Run, file string) (*plan.Draft, string, error) {
	draft, err := p.draft(file)
	if err == nil && draft.Plan.Digest() == run.Started.Plan || run.Started.Format == plan.Native {
		return draft, file, err
	}
	folder := filepath.Dir(file)
	whole, broken := p.draft(folder)
	several := len(run.Started.Files) > 1 && (err != nil || len(draft.Files) < len(run.Started.Files))
	if several || broken == nil && whole.Plan.Digest() == run.Started.Plan {
		return whole, folder, broken
	}
	return draft, file, err
}

// approved is what the planning gates said when the run began.
func approved(run *history.Run) []plan.Approval {
	var list []plan.Approval
	for _, j := range run.Started.Planning {
		if !j.Judged() {
			continue
		}
		a := plan.Approval{Gate: j.Gate, Level: int(j.Level), Verdict: "undecided"}
		if j.Verdict != nil {
			a.Verdict = string(j.Verdict.Result)
		}
		list = append(list, a)
	}
	return list
}

// printFinished prints the report of a run that is over; its error is that of
// the run.
func (p *cli) printFinished(ctx context.Context, ws exec.Workspace, run *history.Run, format string) error {
	if format == "jsonl" {
		records, err := ws.Records(ctx, run.Started.Run)
		if err != nil {
			return err
		}
		for _, rec := range records {
			if err := writeLine(p.out, rec); err != nil {
				return err
			}
		}
	} else {
		recorded, err := ws.Plan(ctx, run)
		if err != nil {
			return err
		}
		report := exec.Report{Run: run, Plan: recorded}
		if err := p.printReport(&report, spellingOf(run, ws.Dir, run.Policy.Given)); err != nil {
			return err
		}
	}
	if run.Ended == nil || run.Ended.Status == history.Achieved {
		return nil
	}
	return about(run, &exec.OutcomeError{Run: run.Started.Run, Status: run.Ended.Status, Reasons: run.Ended.Reasons})
}
