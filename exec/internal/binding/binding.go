package binding

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/planlock/planlock/checkpoint/hold"
	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/internal/home"
	"github.com/planlock/planlock/exec/internal/lane"
	"github.com/planlock/planlock/exec/internal/probe"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/internal/process/environ"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/git"
)

// A Binding is what a run is bound to: its plan and lock file, the envelope,
// the repository, and the tree.
type Binding struct {
	*session.Session
	// Held is the hold on the workspace: as long as it stands, no other
	// controller works there.
	Held *hold.Held
	// Agents are those who act and judge, and Rules what they go by, each as
	// the envelope names it. They are asked each time.
	Agents func(context.Context) ([]probe.Agent, error)
	Rules  func() []string
	// Accepted is what a person lets the run be bound to instead of what it was
	// bound to; nil if nobody accepted anything.
	Accepted *envelope.Envelope
	// Repository is what it is let be instead of what the run left; nil if it is
	// to be that.
	Repository ledger.GitState

	prober   probe.Prober                  // of the workspace
	layer    probe.Prober                  // of the folder in which steps work
	isolated string                        // see isolation
	shell    []string                      // see shellTool
	parsed   map[string]envelope.Component // parsers by name, see parsers
}

// Verify makes sure, before anything is attempted, that nothing moved that the
// run is bound to, and that nobody changed the tree. *RefusedError names all
// that did.
func (b *Binding) Verify(ctx context.Context) error {
	var refused *session.Refusal
	if !b.Rec.Seen.Holds(guard.Bindings) {
		var err error
		if refused, err = b.Moved(ctx); err != nil {
			return err
		}
	}
	changes, err := b.Work.External(ctx)
	if err != nil {
		return err
	}
	if len(changes) > 0 {
		if refused == nil {
			refused = b.Refusal()
		}
		refused.Reasons = append(refused.Reasons, changes...)
		if s := lane.Current(b.Rec.Run); s != nil {
			refused.Actions = slices.Insert(refused.Actions, 1,
				action.Action{Kind: action.Rollback, Run: refused.Run, Step: s.Address})
		}
	}
	if refused == nil {
		b.Rec.Seen.Saw(guard.Bindings)
		b.Rec.Seen.Saw(guard.Tree)
		return nil
	}
	return refused
}

// Refusal is one of the run in hand because something moved.
func (b *Binding) Refusal() *session.Refusal {
	run := b.Rec.Run.Started.Run
	return &session.Refusal{Run: run, Hint: "put back what is named above: remove what was added, restore what was changed or is gone, " +
		"and name again everybody who took part, and nobody else",
		Actions: []action.Action{{Kind: action.Resume, Run: run}, {Kind: action.Abandon, Run: run}}}
}

// Accepting is what a person can do who lets the run go on although all of that
// moved.
func (b *Binding) Accepting(moves []envelope.Move) action.Action {
	accept := action.Action{Kind: action.Resume, Run: b.Rec.Run.Started.Run}
	for _, m := range moves {
		accept.Accept = append(accept.Accept, m.Label())
	}
	return accept
}

// Moved looks at what the run is bound to besides the tree: the plan, its lock
// file, the envelope with the agents in it, and the repository. It returns nil
// if all of it is as it was.
func (b *Binding) Moved(ctx context.Context) (*session.Refusal, error) {
	git, err := git.Read(b.Work.Root)
	if err != nil {
		return nil, err
	}
	return b.MovedBesides(ctx, git)
}

// MovedBy is Moved for an attempt that has just worked in a layer, which held
// some files of the plan when it began: what of that is not as it was. Where
// somebody else wrote in these files, and the plan says the same as before,
// nothing moved.
func (b *Binding) MovedBy(ctx context.Context, held map[string][]byte) (*session.Refusal, error) {
	refused := b.Refusal()
	holds := worktree.Held(b.Work, b.Own())
	others := errors.Join(b.verifyPlan(), b.verifyLockFile()) != nil
	for _, name := range worktree.RenewChanged(b.Work, b.Own()) {
		was, had := held[name]
		is, has := holds[name]
		if others || had != has || !bytes.Equal(was, is) {
			refused.Reasons = append(refused.Reasons, fmt.Sprintf("%s, which the run is bound to, was changed", name))
		}
	}
	now, err := b.envelope(ctx, b.Work.Dir, &b.layer)
	if err != nil {
		return nil, err
	}
	for _, m := range Moves(cmp.Or(b.Accepted, b.Rec.Run.Started.Envelope), now) {
		refused.Reasons = append(refused.Reasons, m.String())
	}
	if len(refused.Reasons) == 0 {
		return nil, nil
	}
	return refused, nil
}

// MovedBesides is Moved for whoever has looked at the repository.
func (b *Binding) MovedBesides(ctx context.Context, git ledger.GitState) (*session.Refusal, error) {
	refused := b.Refusal()
	var errs []error
	for _, verify := range []func() error{b.verifyPlan, b.verifyLockFile, b.verifyHold} {
		if err := verify(); err != nil {
			refused.Reasons = append(refused.Reasons, err.Error())
			errs = append(errs, err)
		}
	}
	moves, err := b.Moves(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range moves {
		refused.Reasons = append(refused.Reasons, m.String())
	}
	accept := b.Accepting(moves)
	left := b.Repository
	if left == nil {
		left = b.Rec.Run.Git
	}
	if moved := left.Moved(git); len(moved) > 0 {
		refused.Reasons = append(refused.Reasons, "the repository moved: "+strings.Join(moved, ", "))
		refused.Hint += "; git reset HEAD@{1} takes a commit back and keeps its files, git switch goes back to a branch"
		if names, ok := Acceptable(moved); ok && (b.Rec.Run.Paused != nil || b.Rec.Run.Ended != nil) {
			accept.Accept = append(accept.Accept, names...)
		}
	}
	if len(refused.Reasons) == 0 {
		return nil, nil
	}
	if len(accept.Accept) > 0 {
		refused.Actions = slices.Insert(refused.Actions, 1, accept)
	}
	refused.Err = errors.Join(errs...)
	return refused, nil
}

// verifyPlan makes sure that the plan in memory is the one that the run began
// with or was amended to, and that its files still say so.
func (b *Binding) verifyPlan() error {
	if got, want := b.Locked.Digest(), b.Rec.Run.Started.Plan; got != want {
		return fmt.Errorf("the plan moved from %s to %s", want.Short(), got.Short())
	}
	return b.Locked.Verify()
}

// verifyHold makes sure that the workspace is still held: that nobody took the
// lock file away, so that another controller could come.
func (b *Binding) verifyHold() error { return b.Held.Check() }

// verifyLockFile makes sure that the file which the lock was read from is as it
// was.
func (b *Binding) verifyLockFile() error {
	_, path := home.Sources(b.Rec.Run, b.Work.Root)
	if path == "" {
		return nil
	}
	got, err := FileDigest(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the lock file %s is gone", path)
	}
	if err != nil {
		return fmt.Errorf("the lock file %s: %w", path, err)
	}
	if got != b.Rec.Run.Started.LockDigest {
		return fmt.Errorf("the lock file %s moved from %s to %s", path, b.Rec.Run.Started.LockDigest.Short(),
			got.Short())
	}
	return nil
}

// Moves are what differs from the envelope that the run is bound to.
func (b *Binding) Moves(ctx context.Context) ([]envelope.Move, error) {
	now, err := b.Envelope(ctx)
	if err != nil {
		return nil, err
	}
	return Moves(cmp.Or(b.Accepted, b.Rec.Run.Started.Envelope), now), nil
}

// Envelope looks at everything that the outcome depends on. Files are read
// again only where their stamps moved, since this is asked before every step.
func (b *Binding) Envelope(ctx context.Context) (*envelope.Envelope, error) {
	return b.envelope(ctx, b.Work.Root, &b.prober)
}

// envelope is the envelope with the files of a folder.
func (b *Binding) envelope(ctx context.Context, dir string, prober *probe.Prober) (*envelope.Envelope, error) {
	isolation, err := b.isolation()
	if err != nil {
		return nil, err
	}
	spec := probe.Spec{
		Dir:             dir,
		Model:           b.Plan.Envelope.Model,
		PromptTemplates: b.Plan.Envelope.PromptTemplate,
		Context:         b.Plan.Envelope.Context,
		Tools:           slices.Concat(b.Plan.Envelope.Tools, b.shellTool()),
		Config:          b.Plan.Envelope.Config,
		Rules:           b.Rules(),
		Isolation:       isolation,
	}
	if b.goes() {
		spec.Toolchain = []string{"go"}
	}
	if spec.Agents, err = b.Agents(ctx); err != nil {
		return nil, err
	}
	for _, of := range b.Needs {
		spec.Needs = append(spec.Needs, probe.Agent{Name: of.Name, Version: strings.Join(of.Lines(), "; ")})
	}
	env, err := prober.Compute(ctx, spec)
	if err == nil {
		env.Add(b.parsers(ctx)...)
	}
	return env, err
}

// goes reports whether the outcome depends on the Go toolchain: the workspace was
// a module when the run began.
func (b *Binding) goes() bool {
	if env := b.Rec.Run.Started.Envelope; env != nil {
		return slices.ContainsFunc(env.Components, func(c envelope.Component) bool { return c.Name == "toolchain:go" })
	}
	_, ok := b.Work.Base.Lookup("go.mod")
	return ok
}

// shellTool is the program that runs shell commands where the system has none
// of its own: what a command does depends on which one it is.
func (b *Binding) shellTool() []string {
	if runtime.GOOS == "windows" && b.shell == nil {
		if args, err := environ.Shell(environ.For(b.Plan.Sandbox.Env), b.Shell, ""); err == nil {
			b.shell = args[:1]
		}
	}
	return b.shell
}

// isolation is what the machine's sandbox does for this run, which is the same
// as long as this process lives.
func (b *Binding) isolation() (string, error) {
	if b.isolated != "" {
		return b.isolated, nil
	}
	box, _, err := b.Sandbox()
	if err != nil {
		return "", err
	}
	reached, err := process.Reach(box)
	if err != nil {
		return "", &session.Refusal{Run: b.Rec.Run.Started.Run, Reasons: []string{err.Error()}, Err: err}
	}
	b.isolated = reached.String() + b.Layer()
	return b.isolated, nil
}

// VerifyAgain is [Binding.Verify] for a run that nobody held. Of a tree that
// holds half a step or half a restore nothing is said, nor of one that may have
// lost something: it is going to be restored, and what it holds is kept. A run
// that ended only lacks its views.
func (b *Binding) VerifyAgain(ctx context.Context, lost bool) error {
	if b.Rec.Run.Ended != nil {
		return nil
	}
	if b.Rec.Run.Restoring == nil && !lane.InFlight(b.Rec.Run) && !lost {
		return b.Verify(ctx)
	}
	refused, err := b.Moved(ctx)
	if err != nil || refused == nil {
		return err
	}
	return refused
}

// FileDigest is the digest of a small file's content.
func FileDigest(path string) (ledger.Digest, error) {
	if info, err := os.Stat(path); err != nil {
		return "", err
	} else if !info.Mode().IsRegular() { // opening a pipe would wait for whoever writes to it
		return "", fmt.Errorf("%s is no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	d, _, err := ledger.SumReader(f)
	return d, err
}
