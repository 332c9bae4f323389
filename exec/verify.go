package exec

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/ledger"
)

// verify makes sure, before every step, that nothing moved that the run is bound
// to: the plan, its lock, the envelope with the agents in it, the repository and
// the tree. *RefusedError names all that did.
func (e *execution) verify(ctx context.Context) error { return e.verifyExcept(ctx, false) }

// verifyExcept is verify; where the tree holds half a step, which is going to be
// restored, its own changes are nobody's fault.
func (e *execution) verifyExcept(ctx context.Context, half bool) error {
	refused := &RefusedError{Run: e.run.Started.Run, Hint: "undo that and resume the run, or lock the plan again"}
	var errs []error
	object := func(err error, format string, args ...any) {
		refused.Reasons = append(refused.Reasons, fmt.Sprintf(format, args...))
		if err != nil {
			errs = append(errs, err)
		}
	}
	if e.locked.Digest() != e.run.Started.Plan {
		object(nil, "the plan moved from %s to %s", e.run.Started.Plan.Short(), e.locked.Digest().Short())
	} else if err := e.locked.Verify(); err != nil {
		object(err, "%v", err)
	}
	if err := e.verifyLockFile(); err != nil {
		object(err, "%v", err)
	}
	moves, err := e.moves(ctx)
	if err != nil {
		return err
	}
	for _, m := range moves {
		object(nil, "%s", m)
	}
	git, err := ledger.ReadGit(e.root)
	if err != nil {
		return err
	}
	if moved := e.run.Git.Moved(git); len(moved) > 0 {
		object(nil, "the repository moved: %s", strings.Join(moved, ", "))
	}
	if !half {
		if err := e.verifyTree(ctx, object); err != nil {
			return err
		}
	}
	if len(refused.Reasons) == 0 {
		return nil
	}
	refused.Err = errors.Join(errs...)
	return refused
}

// verifyTree looks for changes that no step made.
func (e *execution) verifyTree(ctx context.Context, object func(error, string, ...any)) error {
	if !e.stale && e.tree != nil && e.tree.Digest() == e.run.Tree.Tree {
		return nil
	}
	now, err := e.scan(ctx)
	if err != nil {
		return err
	}
	if now.Digest() == e.run.Tree.Tree {
		e.tree, e.stale = now, false
		return nil
	}
	left, err := e.store.Tree(ctx, e.run.Tree)
	if err != nil {
		return err
	}
	changes := ledger.Diff(left, now)
	const shown = 20
	for i, ch := range changes {
		if i == shown {
			object(nil, "and %d more", len(changes)-shown)
			break
		}
		object(nil, "external change: %s was %s by nobody in this run", ch.Path, ch.Op)
	}
	return nil
}

func (e *execution) verifyLockFile() error {
	path := e.run.Started.LockFile
	if path == "" {
		return nil
	}
	got, err := fileDigest(path)
	if isMissing(err) {
		return fmt.Errorf("the lock file %s is gone", path)
	}
	if err != nil {
		return fmt.Errorf("the lock file %s: %w", path, err)
	}
	if got != e.run.Started.LockDigest {
		return fmt.Errorf("the lock file %s moved from %s to %s", path, e.run.Started.LockDigest.Short(), got.Short())
	}
	return nil
}

// moves is what differs from the envelope that the run is bound to.
func (e *execution) moves(ctx context.Context) ([]envelope.Move, error) {
	now, err := e.envelope(ctx)
	if err != nil {
		return nil, err
	}
	return envelope.Compare(e.run.Started.Envelope, now), nil
}

// envelope looks at everything that the outcome depends on.
func (e *execution) envelope(ctx context.Context) (*envelope.Envelope, error) {
	box, _, err := e.sandbox()
	if err != nil {
		return nil, err
	}
	reached, err := process.Reach(box)
	if err != nil {
		return nil, &RefusedError{Run: e.run.Started.Run, Reasons: []string{err.Error()}, Err: err}
	}
	spec := envelope.Spec{
		Dir:             e.dir,
		Model:           e.plan.Envelope.Model,
		PromptTemplates: e.plan.Envelope.PromptTemplate,
		Context:         e.plan.Envelope.Context,
		Tools:           e.plan.Envelope.Tools,
		Config:          e.plan.Envelope.Config,
		Rules:           e.rules(),
		Isolation:       reached.String(),
	}
	if _, err := os.Lstat(filepath.Join(e.dir, "go.mod")); err == nil {
		spec.Toolchain = []string{"go"}
	}
	if spec.Agents, err = e.c.agents(ctx, e.plan); err != nil {
		return nil, err
	}
	return e.prober.Compute(ctx, spec)
}

// rules are the gates, with what decides about them, and the ladder.
func (e *execution) rules() []string {
	rules := []string{"planlock " + Version()}
	for _, g := range e.panel.Gates {
		info := g.Info()
		rules = append(rules, fmt.Sprintf("gate %s %s level %d time-out %s", info.Name, info.Version, info.Level, info.Timeout))
	}
	for _, c := range e.panel.Checks {
		rules = append(rules, "check "+c.Kind())
	}
	for _, r := range e.c.ladder() {
		rules = append(rules, "rung "+r.Name)
	}
	return rules
}

// statDir is the error of looking at a folder.
func statDir(dir string) error {
	_, err := os.Stat(dir)
	return err
}

// fileDigest is the digest of a small file's content.
func fileDigest(path string) (ledger.Digest, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	d, _, err := ledger.SumReader(f)
	return d, err
}
