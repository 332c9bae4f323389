// Package owncontroller is a controller of another kind, made of the parts that
// exec.Controller is made of: it works in one folder, and stops at the first
// step that fails. Whoever runs the plan again goes on behind what was accepted.
// There are no questions, no backups and no documents.
package owncontroller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/checkpoint/hold"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/sandbox"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/panel"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/ledger/source/languages"
	"github.com/planlock/planlock/plan"
)

// A controller has a folder in its hands.
type controller struct {
	executor exec.Executor
	panel    panel.Panel
	pass     gate.Pass // what gates are told of each step
	store    *checkpoint.Store
	journal  *checkpoint.Journal
	commands *sandbox.Commands
	scanner  scan.Scanner
	done     map[plan.Address]bool
	accepted record.Snapshot // the tree as of the last accepted step
	working  bool            // a step was begun, and not ended
}

// Run carries out the steps of a plan that were not accepted in dir before.
// gates judge each step; judges has them decide their checks.
func Run(ctx context.Context, dir string, locked *plan.Locked, x exec.Executor, judges panel.Panel) (err error) {
	shut := func(close func() error) { err = errors.Join(err, close()) }
	held, err := hold.Workspace(ctx, dir) // nobody else works here
	if err != nil {
		return err
	}
	defer shut(held.Release)
	store, closeStore, err := exec.Workspace{Dir: dir}.Store()
	if err != nil {
		return err
	}
	defer shut(closeStore)
	c := &controller{executor: x, panel: judges, store: store, done: map[plan.Address]bool{},
		scanner: scan.Scanner{Scope: locked.Plan().Scope}, pass: gate.Pass{Plan: locked.Plan(), Dir: dir, Attempt: 1,
			Sources: &source.Reader{Languages: languages.All()},
			Content: store.Open}}
	commands, err := sandbox.Runner(locked.Plan(), dir)
	if err != nil {
		return err
	}
	defer shut(commands.Close)
	c.commands, c.pass.Runner = commands, commands.Judge()
	name := locked.Digest().Short()
	c.journal, err = filelog.OpenJournal(ctx, filepath.Join(dir, exec.Own, name+".journal"), name, c.fold)
	if err != nil {
		return err
	}
	defer shut(c.journal.Close)
	now, err := c.takeUp(ctx)
	for task, step := range locked.Plan().Steps() {
		if err == nil && !c.done[step.Address] {
			c.pass.Task, c.pass.Step = task, step
			now, err = c.step(ctx, now)
		}
	}
	return err
}

// fold reads what the journal says: "begun", "accepted" and "undone" of steps,
// each with the tree that counts from there on.
func (c *controller) fold(rec record.Record) error {
	c.working, c.done[plan.Address(rec.Step)] = rec.Type == "begun", rec.Type == "accepted"
	return json.Unmarshal(rec.Data, &c.accepted)
}

func (c *controller) record(ctx context.Context, what string, tree record.Snapshot) error {
	_, err := c.journal.Add(ctx, what, string(c.pass.Step.Address), tree)
	return err
}

// look scans the folder, and keeps all that is in it.
func (c *controller) look(ctx context.Context, prior *ledger.Tree) (now *ledger.Tree, kept record.Snapshot, err error) {
	if now, err = c.scanner.Scan(ctx, c.pass.Dir, prior); err == nil {
		kept, err = c.store.Snapshot(ctx, c.pass.Dir, now, c.accepted)
	}
	return now, kept, err
}

// takeUp makes the folder hold what was accepted, and refuses one that somebody
// else changed.
func (c *controller) takeUp(ctx context.Context) (*ledger.Tree, error) {
	now, kept, err := c.look(ctx, nil)
	if err != nil || c.journal.Head().Seq == 0 || kept.Tree == c.accepted.Tree {
		c.accepted, c.pass.Base = kept, now
		return now, err
	}
	if !c.working {
		return nil, errors.New("somebody changed the folder since the last step")
	}
	want, err := c.store.Tree(ctx, c.accepted)
	if c.pass.Base = want; err == nil {
		err = c.store.Restore(ctx, c.pass.Dir, want, now) // half a step is undone
	}
	return want, err
}

// step has a step done, and accepts or undoes it.
func (c *controller) step(ctx context.Context, before *ledger.Tree) (*ledger.Tree, error) {
	if err := c.record(ctx, "begun", c.accepted); err != nil {
		return nil, err
	}
	p := &c.pass
	work := exec.WorkOf(p)
	work.Runner = c.commands // what judges has caches of its own
	out, why := c.executor.Execute(ctx, work)
	ctx = context.WithoutCancel(ctx) // what was begun is ended
	after, kept, err := c.look(ctx, before)
	if err == nil {
		p.Comparison, err = p.Sources.Compare(ctx, ledger.Diff(before, after), c.store.Open)
	}
	if err != nil {
		return nil, err // the next call finds the step begun
	}
	account := ledger.Reconcile(p.Step.Artifacts.Declared(), p.Changes, p.Symbols)
	p.Before, p.After, p.Account = before, after, &account
	p.Output = &gate.Output{Text: out.Output, Stdout: out.Stdout, Exit: out.Exit}
	if why == nil {
		why = c.panel.Ask(ctx, p, gate.During, gate.After).Err()
	}
	if why == nil {
		c.accepted = kept
		return after, c.record(ctx, "accepted", kept)
	}
	return nil, errors.Join(fmt.Errorf("step %s was undone: %w", p.Step.Address, why),
		c.store.Restore(ctx, p.Dir, before, after), c.record(ctx, "undone", c.accepted))
}
