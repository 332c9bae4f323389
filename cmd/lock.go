package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/lockfile"
)

// lockCommand is "planlock lock": it fixes a plan, the envelope and the tree as
// they are now, in a file that serves one run. It asks the planning gates, and
// a person has to accept by --ack what cannot be undone or changes behaviour.
// What it is told about executors, reviewers, evidence and the sandbox becomes
// part of the lock, so run must be told the same. It refuses to replace a lock
// file that a run still needs.
type lockCommand struct {
	arguments
	workspaceFlag
	roles
	presetFlag
	terms
	ackFlag
	Out       string `again:"never" short:"o" name:"output" placeholder:"FILE" help:"the lock file; NAME.lock.json beside the plan by default"`
	NoSandbox bool   `again:"begin" help:"lock for a run without a sandbox"`
}

// Run carries the command out.
func (f *lockCommand) Run(ctx context.Context, p *cli) error {
	if err := f.terms.checked(); err != nil {
		return err
	}
	p.terms = f.terms
	c := p.controller(f.Dir)
	c.Preset, c.NoSandbox = f.Preset, f.NoSandbox
	if err := f.seat(ctx, p, c, ""); err != nil {
		return err
	}
	draft, err := p.read(f.Args[0], c.Options())
	if err != nil {
		return err
	}
	f.persist(c, draft)
	if c.LockFile, err = lockPath(draft, f.Out); err != nil {
		return err
	}
	if err := inUse(ctx, p.workspace(f.Dir), c.LockFile); err != nil {
		return ofPlan(f.Args[0], err)
	}
	acks, own, err := f.consent(ctx, p, c, draft, nil, acceptedOf(draft, f.Ack))
	if err != nil {
		return ofPlan(f.Args[0], err)
	}
	locked, err := p.lock(ctx, c, draft, slices.Concat(acks, own))
	if err != nil {
		return ofPlan(f.Args[0], err)
	}
	if err := seatsPrompts(c, locked.Plan(), locked.Options().Acknowledged, draft.Format, f.Args[0]); err != nil {
		return ofPlan(f.Args[0], err)
	}
	tellMarked(p.err, draft, locked.Options().Acknowledged)
	text, err := lockfile.Encode(locked)
	if err != nil {
		return err
	}
	write := replaceFile // what a repository put there is not written into
	if f.Out != "" {
		write = streamFile
	}
	if err := write(c.LockFile, writing(text)); err != nil {
		return err
	}
	if codes := locked.Options().Acknowledged; len(codes) > 0 {
		one := claim{reason: "the lock " + displayPath(c.LockFile), lines: codes, digest: ledger.Sum(text)}
		if err := keepAccepted(c.Dir, one); err != nil {
			p.warn("that this lock was made here is not remembered, so that planlock mcp refuses it: %v", err)
		}
	}
	if err := tellNeeds(ctx, p.out, c, draft); err != nil {
		return err
	}
	terms, shown, more := locked.Options(), displayPath(c.LockFile), ""
	if f.Out != "" {
		more = " --lock " + quoted(f.Out)
	}
	if f.Dir != "." {
		more += " --dir " + quoted(f.Dir)
	}
	fmt.Fprintf(p.out, "locked: plan %s, envelope %s, base tree %s\n", locked.Digest().Short(),
		terms.Envelope.Short(), terms.Base.Short())
	for _, code := range terms.Acknowledged {
		fmt.Fprintf(p.out, "accepted: %s\n", escaped(code))
	}
	fmt.Fprintf(p.out, "%s serves one run:  planlock run %s%s\n", escaped(shown), quoted(f.Args[0]),
		more+forCommand("run", f.typed, "ack"))
	return nil
}

// lock locks a plan. What a person has to accept besides acks is asked where a
// person can be asked, and is accepted of the very draft that was asked about.
func (p *cli) lock(ctx context.Context, c *exec.Controller, draft *plan.Draft, acks []string) (*plan.Locked, error) {
	locked, err := c.Lock(ctx, draft, acks...)
	var needs *plan.AckError
	if p.accept == nil || !errors.As(err, &needs) || len(needs.Unknown) > 0 || !p.accept(ctx, needs.Missing) {
		return locked, err
	}
	for _, a := range needs.Missing {
		acks = append(acks, a.Code)
	}
	return c.Lock(ctx, draft, acks...)
}

// inUse refuses to replace a lock file that a run still needs to be resumed.
// Runs that cannot be read are passed over.
//
// A lock file that is gone would strand the run for good: it is bound to that
// very file by its digest.
func inUse(ctx context.Context, ws exec.Workspace, file string) error {
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	ids, err := ws.IDs(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		run, err := ws.History(ctx, id)
		if err != nil || run.Ended != nil || !lockedBy(ws, run, file) {
			continue
		}
		return &exec.RefusedError{Run: id,
			Reasons: []string{fmt.Sprintf("run %s has not ended and needs the lock %s", id, displayPath(file))},
			Hint:    "end that run first; or keep its lock and write this one elsewhere with -o; or give the run up by removing its lock file"}
	}
	return nil
}

// amendedTo is the run that began with a lock file, was amended to a plan and
// has not ended, or "". Runs that cannot be read are passed over.
func amendedTo(ctx context.Context, ws exec.Workspace, file string, digest ledger.Digest) string {
	ids, err := ws.IDs(ctx)
	if err != nil {
		return ""
	}
	for _, id := range ids {
		run, err := ws.History(ctx, id)
		if err == nil && run.Ended == nil && len(run.Amendments) > 0 && lockedBy(ws, run, file) &&
			run.Started.Plan == digest {
			return id
		}
	}
	return ""
}

// lockedBy reports whether a run of the workspace began with a lock file.
func lockedBy(ws exec.Workspace, run *history.Run, file string) bool {
	_, path := ws.Sources(run)
	of, err := os.Stat(path)
	if err != nil {
		return false
	}
	is, err := os.Stat(file)
	return err == nil && os.SameFile(of, is)
}

// lockPath is where the lock of a plan lies: named, or beside the plan. It is
// absolute.
func lockPath(d *plan.Draft, named string) (string, error) {
	if named != "" {
		return filepath.Abs(named)
	}
	if len(d.Files) == 0 {
		return filepath.Abs("plan.lock.json")
	}
	file := d.Files[0].Path
	base := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	return filepath.Abs(filepath.Join(filepath.Dir(file), base+".lock.json"))
}

// lockFor reads the lock of a plan, or makes one that belongs to the run alone
// where there is none. acks are the codes that somebody typed, own those of what
// was acknowledged in another way.
//
// A lock that was read is believed only with the plan that it names, which the
// library holds; here only the messages are made that say how to go on where it
// does not fit.
func (p *cli) lockFor(ctx context.Context, c *exec.Controller, draft *plan.Draft, path, named string,
	acks, own []string) (*plan.Locked, error) {
	file, err := lockPath(draft, named)
	if err != nil {
		return nil, err
	}
	text, err := readLock(file)
	if errors.Is(err, fs.ErrNotExist) && named == "" {
		return p.lock(ctx, c, draft, slices.Concat(acks, own))
	}
	if err != nil {
		return nil, fmt.Errorf("lock file: %w", err)
	}
	c.LockFile = file
	locked, err := lockfile.Read(draft, text, c.Options())
	if moved := (*plan.LockError)(nil); errors.As(err, &moved) {
		if id := amendedTo(ctx, p.workspace(c.Dir), file, draft.Plan.Digest()); id != "" {
			return nil, &exec.RefusedError{Reasons: []string{fmt.Sprintf("run %s was amended to this plan and has not ended; the lock %s is the one that it began with", id, displayPath(file))},
				Hint: resumeOther(c.Dir, id) + " goes on with it"}
		}
	}
	if len(acks) > 0 {
		p.warn("--ack changes nothing here: the lock %s says what was accepted; lock the plan again with it:  %s",
			escaped(displayPath(file)), lockAgain(c.Dir, path, named, locked, acks, c.Given))
	}
	if err == nil && p.inside != nil {
		err = madeHere(c.Dir, file, text, locked)
	}
	return locked, err
}

// madeHere refuses an agent a lock in which something was accepted, unless "planlock
// lock" wrote it for this user: whoever can write files can write one.
func madeHere(dir, file string, text []byte, locked *plan.Locked) error {
	codes := locked.Options().Acknowledged
	if len(codes) == 0 || acceptedBefore(dir, ledger.Sum(text)) {
		return nil
	}
	nobody := &untrustedError{codes}
	return &exec.RefusedError{Hint: "a person makes the lock anew, with" + acked(codes), Err: nobody,
		Reasons: []string{fmt.Sprintf("the lock %s says that %s was accepted, and nobody made it here with planlock lock",
			displayPath(file), strings.Join(codes, ", "))}}
}

// approvals are the verdicts of the planning gates in the lock beside a plan. There
// are none where there is no such lock; where it is one of another plan that is said.
func (p *cli) approvals(draft *plan.Draft, options plan.CheckOptions) []plan.Approval {
	file, err := lockPath(draft, "")
	if err != nil || draft.Broken() {
		return nil
	}
	text, err := readLock(file)
	if err != nil {
		return nil
	}
	locked, err := lockfile.Read(draft, text, options)
	if other := (*plan.LockError)(nil); errors.As(err, &other) {
		p.warn("the lock %s says nothing of the plan as it is now: %v", escaped(displayPath(file)), other)
	}
	if err != nil {
		return nil
	}
	return locked.Options().Approvals
}

// readLock reads a lock file. What is no file is refused: nobody writes to the
// other end of a FIFO.
func readLock(file string) ([]byte, error) {
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file: put the lock back, or name another", displayPath(file))
	}
	return os.ReadFile(file)
}

// lockAgain is the command that accepts acks, besides what the lock that is
// there accepts, for a run that is given these flags; locked is nil if that
// cannot be read.
func lockAgain(dir, path, named string, locked *plan.Locked, acks, given []string) string {
	command := "planlock lock " + quoted(path)
	if named != "" {
		command += " -o " + quoted(named)
	}
	command += inDir(dir) + forCommand("lock", given, "ack")
	var all []string
	if locked != nil {
		all = locked.Options().Acknowledged
	}
	for _, code := range acks {
		if !slices.Contains(all, code) {
			all = append(all, code)
		}
	}
	for _, code := range all {
		command += " --ack " + quoted(code)
	}
	return escaped(command)
}
