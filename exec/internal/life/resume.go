package life

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/commit"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/binding"
	"github.com/planlock/planlock/exec/internal/home"
	"github.com/planlock/planlock/exec/internal/lane"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/exec/preset"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/git"
)

// Reopen takes up a run: it folds the journal, refuses another plan, and
// repairs what a crash left behind.
//
// A run that is sealed is only read. Nothing that an earlier controller saw is
// believed: it stands nowhere, and whoever resumes looks again.
func (l *Life) Reopen(ctx context.Context, prefix string) error {
	if err := l.Open(ctx, prefix); err != nil {
		return err
	}
	if l.Rec.Run.Sealed != nil {
		return nil
	}
	if got, want := l.Locked.Digest(), l.Rec.Run.Started.Plan; got != want {
		hint := "resume it with the plan that it began with"
		if len(l.Rec.Run.Amendments) > 0 {
			hint = "resume it with the plan that it was amended to"
		}
		return l.Refuse(hint, "the plan moved from %s to %s", want.Short(), got.Short())
	}
	if err := l.Recall(ctx); err != nil {
		return err
	}
	*l.Rec.Seen = guard.Seen{}
	return l.takeUp(ctx)
}

// Open takes the run in hand that prefix names: it folds the journal, and opens
// it for more.
func (l *Life) Open(ctx context.Context, prefix string) error {
	id, err := l.Find(ctx, prefix)
	if err != nil {
		return err
	}
	log, err := l.Home.Open(ctx, id)
	if err != nil {
		return err
	}
	l.Rec.Journal, err = checkpoint.OpenJournal(ctx, log, id, l.Now, func(rec record.Record) error {
		if err := l.Rec.Store.AdoptRecord(ctx, rec); err != nil {
			return err
		}
		return l.Rec.Run.Apply(rec)
	})
	if err != nil {
		return errors.Join(err, log.Close())
	}
	l.Rec.Run.Compact()
	if l.Rec.Run.Head.Seq == 0 {
		return home.NotBegun(id)
	}
	if err := (signing{l}).own(ctx); err != nil || l.Rec.Run.Sealed == nil {
		return err
	}
	return l.Home.After(ctx, l.Rec.Run, nil)
}

// Recall takes from a run that was opened what it is bound to and where it
// works, and reads the tree that it began with.
func (l *Life) Recall(ctx context.Context) (err error) {
	if err := l.samePreset(); err != nil {
		return err
	}
	s := &l.Rec.Run.Started
	if !s.Layered() && gone(l.Home.RunDir(s.Run)) {
		return l.Refuse("go on where it worked, or in an empty folder in which its workspace is made anew",
			"the run works in its workspace itself, and %s is not its workspace", ledger.Quote(l.Work.Root))
	}
	_, l.LockFile = home.Sources(l.Rec.Run, l.Work.Root)
	l.NoSandbox = s.NoSandbox
	l.Work.Scanner.Scope = l.Scope()
	if s.Layered() {
		l.Work.Dir = CloneDir(l.Session)
	}
	l.Work.Stamps().Revive(ctx)
	l.Work.Base, err = l.Work.BaseTree(ctx)
	return err
}

// samePreset refuses a run under another preset than the one that it began
// with: the rungs that it has climbed would mean something else.
func (l *Life) samePreset() error {
	began := cmp.Or(l.Rec.Run.Started.Preset, preset.Default)
	if l.Preset != "" && l.Preset != began {
		return &session.Refusal{Run: l.Rec.Run.Started.Run, Hint: fmt.Sprintf("leave the preset out, or name %q: a run goes on under the preset that it began with", began),
			Reasons: []string{fmt.Sprintf("the run began under preset %q, and is to go on under %q", began, l.Preset)}}
	}
	l.Ladder = l.Under(began)
	return nil
}

// takeUp refuses if anything moved while nobody held the run, and says that it
// goes on. A tree that holds half a step is no external change: it is restored
// by the step itself.
func (l *Life) takeUp(ctx context.Context) error {
	resumed := &history.Resumed{Reason: "crash", Boot: disk.From(ctx).Boot()}
	if l.Rec.Run.Paused != nil {
		resumed.Reason = l.Rec.Run.Paused.Why
	}
	if s := lane.Current(l.Rec.Run); s != nil {
		resumed.InFlight = s.Address
	}
	// After a power cut the workspace may lack what was written last, whatever
	// the journal says of it.
	lost := worktree.PowerWent(ctx, l.Rec.Run) && !l.Rec.Run.Started.Layered()
	if err := l.nobodyAfter(ctx, lost); err != nil {
		return err
	}
	if l.Rec.Run.Paused == nil && !lost {
		l.Work.Unsynced().NoteAll(l.Work.Dir)
	}
	half, err := false, error(nil)
	if l.Rec.Run.Started.Layered() {
		err = l.Reenter(ctx)
	} else {
		half, err = l.catchUp(ctx)
	}
	if err != nil {
		return err
	}
	if unit := l.Policy().Commits; unit != "" && unit != commit.Off && l.Rec.Run.Started.Committing == nil {
		return l.Refuse("go on without commits", "the run began without commits, and makes none")
	}
	if err := l.Commits.Recall(ctx); err != nil {
		return err
	}
	facts, err := l.accept(ctx)
	if err != nil {
		return err
	}
	repo, err := l.meanwhile(ctx)
	if err != nil {
		return err
	}
	l.Bound.Repository, resumed.Git, resumed.GitMoved, resumed.Commit = repo.state, repo.state, repo.moved, repo.commit
	if err := l.Bound.VerifyAgain(ctx, lost || half); err != nil {
		return err
	}
	if err := l.Tools.VerifyAgain(ctx); err != nil {
		return err
	}
	facts = append(facts, resumed)
	if lost || half {
		why := "the machine started anew while the run was under way"
		if half {
			why = "a record was kept although writing it failed, and the restore that followed was cut short"
		}
		moved, err := l.accepted(ctx, why)
		if err != nil {
			return err
		}
		facts = append(facts, moved...)
	}
	facts = append(facts, l.policyChanged()...)
	if to := l.Mode; to != "" && to != l.Rec.Run.Mode {
		facts = append(facts, &history.ModeSwitched{From: l.Rec.Run.Mode, To: to, Cause: "chosen when the run was resumed"})
	}
	if err := l.Rec.Record(ctx, history.Where{}, facts...); err != nil {
		return err
	}
	l.Note(ctx, checkpoint.Begun)
	l.Bound.Repository = nil
	if repo.state != nil && l.Rec.Run.Started.Layered() {
		if _, err := worktree.RenewRepository(ctx, l.Work); err != nil {
			return err
		}
	}
	if err := l.lookAgain(ctx); err != nil {
		return err
	}
	l.Memory.Keep(ctx)
	l.TakenUp(ctx)
	return nil
}

// lookAgain finds out what others did in the workspace since the run was let go.
// Where a question waits whose answer may set the run back, it is found out
// after that: before the step that is next, or at the end.
func (l *Life) lookAgain(ctx context.Context) error {
	run := l.Rec.Run
	open := lane.Pending(run)
	switch {
	case run.Ended != nil:
		return nil
	case run.Foreign != nil:
		return l.Deliveries.Again(ctx)
	case open != nil && (open.Kind == ask.Chain || open.Kind == ask.Stage):
		return nil
	case l.Deliveries.TakesBack() && run.Restoring == nil && !lane.InFlight(run):
		return l.Deliveries.LookFirst(ctx)
	case run.Behind(), run.Restoring != nil, lane.InFlight(run):
		return nil // what was begun goes forward first
	}
	return l.Deliveries.Look(ctx, nil)
}

// Reenter has the clone hold what was accepted, unless an attempt was under way
// in it: what that left is kept first. A clone of another life of the machine is
// made anew, since nothing of it was ever synced.
func (l *Life) Reenter(ctx context.Context) error {
	run := l.Rec.Run
	another := run.Boot != disk.From(ctx).Boot()
	switch {
	case gone(l.Work.Dir), another && run.Ended == nil:
		return l.enter(ctx)
	case run.Ended != nil:
		return nil
	}
	if err := l.layers(ctx); err != nil {
		return err
	}
	if _, err := worktree.RenewRepository(ctx, l.Work); err != nil { // what an attempt did there that was cut off
		return err
	}
	if worktree.RenewChanged(l.Work, l.Own()) != nil { // the plan may have been amended
		l.Work.Disturb()
	}
	if run.Restoring != nil || lane.InFlight(run) {
		return nil
	}
	return l.Work.Regain(ctx)
}

// accept is that the run is bound anew to what moved, if a person accepted all
// of it. It stands in the journal once the run goes on.
func (l *Life) accept(ctx context.Context) ([]history.Fact, error) {
	if len(l.Accepted.Moved) == 0 {
		return nil, nil
	}
	if l.Accepted.By == "" {
		return nil, l.Refuse("", "nobody says who accepts what moved")
	}
	moves, err := l.Bound.Moves(ctx)
	if err != nil {
		return nil, err
	}
	now, err := git.Read(l.Work.Root)
	if err != nil {
		return nil, err
	}
	moved, fact := l.Rec.Run.Git.Moved(now), &history.MovesAccepted{By: l.Accepted.By}
	var named []string
	if fact.Committing, named, err = l.Commits.Accept(ctx, l.Policy().Commits, l.Accepted.Moved); err != nil {
		return nil, err
	}
	named = append(named, l.Accepted.hooks(moved)...)
	if reasons := l.Accepted.otherwise(moves, named); len(reasons) > 0 {
		refused := l.Refuse("accept all that moved, by its name, or undo it", "")
		if len(moves) == 0 {
			refused.Hint = "nothing moved that the run is bound to: accept nothing"
		}
		refused.Reasons, refused.Actions = reasons, []action.Action{l.Bound.Accepting(moves)}
		return nil, refused
	}
	if l.Accepted.repository() {
		moved := l.Accepted.others(moved)
		switch {
		case len(moved) == 0:
			return nil, l.Refuse("accept nothing that is as it was", "the repository did not move")
		case !binding.Harmless(moved):
			return nil, l.Refuse("put it back: it says what git runs, or hides what there is",
				"the repository moved: %s", strings.Join(moved, ", "))
		}
		fact.Moved = append(fact.Moved, "the repository moved: "+strings.Join(moved, ", "))
	}
	for _, m := range moves {
		fact.Moved = append(fact.Moved, m.String())
	}
	slices.Sort(named)
	for _, name := range slices.Compact(named) {
		fact.Moved = append(fact.Moved, name+" is another one")
	}
	fact.Envelope, err = l.Bound.Envelope(ctx)
	l.Bound.Accepted = fact.Envelope
	return []history.Fact{fact}, err
}

// repository reports whether a person lets the run go on although somebody worked
// in the repository.
func (a Accepted) repository() bool { return slices.Contains(a.Moved, binding.RepositoryMoved) }

// hooks are those that moved, and that a person lets git run as they are now.
func (a Accepted) hooks(moved []string) (names []string) {
	for _, one := range moved {
		if name := binding.Hook(one); name != "" && slices.Contains(a.Moved, name) {
			names = append(names, name)
		}
	}
	return names
}

// others are what moved of a repository besides these hooks.
func (a Accepted) others(moved []string) []string {
	return slices.DeleteFunc(slices.Clone(moved), func(one string) bool { return len(a.hooks([]string{one})) > 0 })
}

// otherwise is what a person's word names that did not move, besides what is known
// to have, and what moved of the envelope that it does not name.
func (a Accepted) otherwise(moves []envelope.Move, known []string) (reasons []string) {
	for _, name := range a.Moved {
		named := func(m envelope.Move) bool { return name == m.Label() }
		if name != binding.RepositoryMoved && !slices.Contains(known, name) && !slices.ContainsFunc(moves, named) {
			reasons = append(reasons, fmt.Sprintf("%q did not move", name))
		}
	}
	for _, m := range moves {
		if !slices.Contains(a.Moved, m.Label()) {
			reasons = append(reasons, m.String())
		}
	}
	return reasons
}

// nobodyAfter refuses to restore the tree of a run where another one has worked
// in the workspace: that would undo what it did.
func (l *Life) nobodyAfter(ctx context.Context, lost bool) error {
	if l.Rec.Run.Started.Layered() || l.Rec.Run.Ended != nil || !lost && l.Rec.Run.Restoring == nil &&
		!lane.InFlight(l.Rec.Run) {
		return nil
	}
	since, err := l.WorkedSince(ctx, l.Rec.Run)
	if err != nil || since == "" {
		return err
	}
	return l.Refuse("lock a plan of what is left to be done, and run that",
		"run %s has worked in this workspace since, and going on would restore the tree from before it", since)
}

// catchUp repairs a tree that is one step behind the journal. A write that
// failed, and reached the disk all the same, leaves that: the controller had to
// take the step for lost and restored its checkpoint. Where it could not
// restore all of it either, as on a full disk, the tree is between the two,
// which half says, and what is there is kept before it is restored.
func (l *Life) catchUp(ctx context.Context) (half bool, err error) {
	s := l.Rec.Run.JustCompleted()
	if s == nil {
		return false, nil
	}
	now, err := l.Work.Scan(ctx)
	if err != nil || now.Digest() == l.Rec.Run.Tree.Tree {
		return false, err
	}
	if now.Digest() == s.Checkpoint.Checkpoint.Tree {
		_, err = l.Work.Restorer().Restore(ctx, l.Work.Dir, l.Rec.Run.Tree)
		return false, err
	}
	before, err := l.Rec.Store.Tree(ctx, s.Checkpoint.Checkpoint)
	if err != nil {
		return false, err
	}
	after, err := l.Rec.Store.Tree(ctx, l.Rec.Run.Tree)
	if err != nil {
		return false, err
	}
	own := map[string]bool{}
	for _, c := range ledger.Diff(before, after) {
		own[c.Path] = true
	}
	for _, c := range ledger.Diff(after, now) {
		if !own[c.Path] {
			return false, nil // somebody else was there
		}
	}
	return true, nil
}

// accepted restores the tree that was accepted, where a power cut left another
// one, or a restore that was cut short. What is there is kept, as always; so
// who worked there before the run was taken up loses nothing.
func (l *Life) accepted(ctx context.Context, why string) ([]history.Fact, error) {
	if l.Rec.Run.Ended != nil || l.Rec.Run.Restoring != nil || lane.InFlight(l.Rec.Run) {
		return nil, nil
	}
	now, err := l.Work.Tolerant().Scan(ctx, l.Work.Dir, nil)
	if err != nil || now.Digest() == l.Rec.Run.Tree.Tree {
		return nil, err
	}
	l.Warn(why + ", and the workspace is not as the run left it: it is restored, and what is there is kept")
	return []history.Fact{&history.RestoreBegun{To: l.Rec.Run.Tree}}, nil
}

// policyChanged says that a run is taken up under another policy than it had,
// or with others. Its mode is a matter of its own, and what it promised of
// tests and of equal outputs it keeps.
func (l *Life) policyChanged() []history.Fact {
	was, now, roles := l.Rec.Run.Policy, l.Policy(), l.Roles()
	now.Mode, now.ModeBy, now.TestFirst, now.Deterministic = was.Mode, was.ModeBy, was.TestFirst, was.Deterministic
	now.Budget = cmp.Or(now.Budget, was.Budget)
	if now.Commits = cmp.Or(now.Commits, was.Commits); now.Commits == commit.Off {
		now.Commits = ""
	}
	if reflect.DeepEqual(now, was) && reflect.DeepEqual(roles, l.Rec.Run.Roles) {
		return nil
	}
	return []history.Fact{&history.PolicyChanged{Policy: now, Roles: roles, Why: "chosen when the run was resumed"}}
}

// gone reports whether there is no folder of that name.
func gone(dir string) bool {
	_, err := os.Stat(dir)
	return errors.Is(err, fs.ErrNotExist)
}
