package exec

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/exec/contract"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/preset"
	"github.com/planlock/planlock/gate/checks"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/git"
)

// verify makes sure, before anything is attempted, that nothing moved that the
// run is bound to, and that nobody changed the tree. *RefusedError names all
// that did.
func (e *execution) verify(ctx context.Context) error {
	var refused *session.Refusal
	if !e.Rec.Seen.Holds(contract.Bindings) {
		var err error
		if refused, err = e.bindings(ctx); err != nil {
			return err
		}
	}
	changes, err := e.Work.External(ctx)
	if err != nil {
		return err
	}
	if len(changes) > 0 {
		if refused == nil {
			refused = e.refusal()
		}
		refused.Reasons = append(refused.Reasons, changes...)
	}
	if refused == nil {
		e.Rec.Seen.Saw(contract.Bindings)
		e.Rec.Seen.Saw(contract.Tree)
		return nil
	}
	return refused
}

func (e *execution) refusal() *session.Refusal {
	return &session.Refusal{Run: e.Rec.Run.Started.Run, Hint: "undo that and resume the run, or lock the plan again"}
}

// bindings looks at what the run is bound to besides the tree: the plan, its
// lock file, the envelope with the agents in it, and the repository. It returns
// nil if all of it is as it was.
func (e *execution) bindings(ctx context.Context) (*session.Refusal, error) {
	git, err := git.Read(e.Work.Root)
	if err != nil {
		return nil, err
	}
	return e.bindingsBesides(ctx, git)
}

// bindingsBesides is bindings for whoever has looked at the repository.
func (e *execution) bindingsBesides(ctx context.Context, git ledger.GitState) (*session.Refusal, error) {
	refused := e.refusal()
	var errs []error
	for _, verify := range []func() error{e.verifyPlan, e.verifyLockFile, e.verifyHold} {
		if err := verify(); err != nil {
			refused.Reasons = append(refused.Reasons, err.Error())
			errs = append(errs, err)
		}
	}
	moves, err := e.moves(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range moves {
		refused.Reasons = append(refused.Reasons, m.String())
	}
	if moved := e.Rec.Run.Git.Moved(git); len(moved) > 0 {
		refused.Reasons = append(refused.Reasons, "the repository moved: "+strings.Join(moved, ", "))
	}
	if len(refused.Reasons) == 0 {
		return nil, nil
	}
	refused.Err = errors.Join(errs...)
	return refused, nil
}

func (e *execution) verifyPlan() error {
	if got, want := e.Locked.Digest(), e.Rec.Run.Started.Plan; got != want {
		return fmt.Errorf("the plan moved from %s to %s", want.Short(), got.Short())
	}
	return e.Locked.Verify()
}

// verifyHold makes sure that the workspace is still held: that nobody took the
// lock file away, so that another controller could come.
func (e *execution) verifyHold() error { return e.held.Check() }

func (e *execution) verifyLockFile() error {
	path := e.Rec.Run.Started.LockFile
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
	if got != e.Rec.Run.Started.LockDigest {
		return fmt.Errorf("the lock file %s moved from %s to %s", path, e.Rec.Run.Started.LockDigest.Short(),
			got.Short())
	}
	return nil
}

// moves is what differs from the envelope that the run is bound to.
func (e *execution) moves(ctx context.Context) ([]envelope.Move, error) {
	now, err := e.envelope(ctx)
	if err != nil {
		return nil, err
	}
	return envelope.Compare(e.Rec.Run.Started.Envelope, now), nil
}

// envelope looks at everything that the outcome depends on.
func (e *execution) envelope(ctx context.Context) (*envelope.Envelope, error) {
	isolation, err := e.isolation()
	if err != nil {
		return nil, err
	}
	spec := envelope.Spec{
		Dir:             e.Work.Dir,
		Model:           e.Plan.Envelope.Model,
		PromptTemplates: e.Plan.Envelope.PromptTemplate,
		Context:         e.Plan.Envelope.Context,
		Tools:           e.Plan.Envelope.Tools,
		Config:          e.Plan.Envelope.Config,
		Rules:           e.rules(),
		Isolation:       isolation,
	}
	if _, ok := e.Work.Base.Lookup("go.mod"); ok {
		spec.Toolchain = []string{"go"}
	}
	if spec.Agents, err = e.c.agents(ctx, e.needed); err != nil {
		return nil, err
	}
	return e.prober.Compute(ctx, spec)
}

// isolation is what the machine's sandbox does for this run, which is the same
// as long as this process lives.
func (e *execution) isolation() (string, error) {
	if e.isolated != "" {
		return e.isolated, nil
	}
	box, _, err := e.Sandbox()
	if err != nil {
		return "", err
	}
	reached, err := process.Reach(box)
	if err != nil {
		return "", &session.Refusal{Run: e.Rec.Run.Started.Run, Reasons: []string{err.Error()}, Err: err}
	}
	e.isolated = reached.String()
	return e.isolated, nil
}

// rules are the gates, with what decides about them, and the ladder. What the
// host brings is asked each time.
func (e *execution) rules() []string {
	kinds := checks.Kinds()
	rules := make([]string, 1, len(e.c.Gates)+len(kinds)+len(e.c.Checks)+10)
	rules[0] = "planlock " + Version()
	for _, g := range e.c.Gates {
		info := g.Info()
		rules = append(rules, "gate "+info.Name+" "+info.Version+" level "+strconv.Itoa(int(info.Level))+" time-out "+
			info.Timeout.String())
	}
	for _, c := range append(kinds, e.c.Checks...) {
		rules = append(rules, "check "+c.Kind().Name)
	}
	if e.c.Preset != preset.Default {
		rules = append(rules, "preset "+e.c.Preset)
	}
	for _, r := range e.c.ladder() {
		rules = append(rules, "rung "+r.Name())
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
