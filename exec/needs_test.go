package exec_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/plan"
)

// A needy executor is an agent that has commands run, and needs something.
type needy struct {
	name  string
	needs exec.Needs
	do    exec.Func
}

func (n *needy) Name() string                              { return n.name }
func (n *needy) Needs(context.Context) (exec.Needs, error) { return n.needs, nil }
func (n *needy) Version(context.Context) (string, error)   { return "1", nil }
func (n *needy) CommandsOnly()                             {}
func (n *needy) Execute(ctx context.Context, w exec.Work) (exec.Outcome, error) {
	return n.do(ctx, w)
}

// privately runs a command that has the home, with HOME there.
func privately(run string) exec.Func {
	return func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		return commandIn(ctx, w, gate.Command{Run: run, Private: w.Home, Env: []string{"HOME=" + w.Home}})
	}
}

func commandIn(ctx context.Context, w exec.Work, c gate.Command) (exec.Outcome, error) {
	r, err := w.Runner.Run(ctx, c)
	if err == nil && r.Exit != 0 {
		err = fmt.Errorf("%s: status %d: %s", c.Run, r.Exit, r.Output)
	}
	return exec.Outcome{Output: r.Output}, err
}

// assigned is a plan of observe, of tasks of one step, each of which somebody
// carries out with a command.
func assigned(head string, pairs ...string) string {
	text := "schema = 1\nprofile = \"observe\"\ngoal.description = \"Work\"\n" + head
	for i := 0; i < len(pairs); i += 2 {
		text += fmt.Sprintf("\n[[tasks]]\nid = %d\ndescription = \"Task\"\n[[tasks.steps]]\nid = 1\ndescription = \"Step\"\n"+
			"executor = %q\nrun = %q\non_failure = \"block\"\n", i/2+1, pairs[i], pairs[i+1])
	}
	return text
}

// agentsBench is a bench with agents, and the shell.
func agentsBench(t *testing.T, text string, files exectest.Files, agents ...*needy) *exectest.Bench {
	b := exectest.New(t, text, files, &shell.Executor{})
	for _, a := range agents {
		b.Controller.Executors[a.name] = a
	}
	return b
}

func TestNeedsAreAcknowledgedOnce(t *testing.T) {
	a := &needy{name: "helper", needs: exec.Needs{Variables: []string{"HELPER_KEY"}, Hosts: []string{"api.example.com"}},
		do: privately("echo x >x")}
	idle := &needy{name: "idle", needs: exec.Needs{Home: true}, do: privately("true")}
	b := agentsBench(t, assigned("", "helper", "true"), exectest.Files{"f": "f\n"}, a, idle)
	list, err := b.Controller.Needs(t.Context(), b.Draft)
	if err != nil || len(list) != 1 || list[0].Code != "agent:helper" ||
		!strings.Contains(strings.Join(list[0].Lines, "\n"), "HELPER_KEY") {
		t.Fatalf("needs: %+v, %v", list, err)
	}
	var missing *plan.AckError
	if _, err := b.Controller.Lock(t.Context(), b.Draft); !errors.As(err, &missing) || len(missing.Missing) != 1 ||
		missing.Missing[0].Code != "agent:helper" || !strings.Contains(err.Error(), "api.example.com") {
		t.Errorf("without a word: %v", err)
	}
	if _, err := b.Controller.Lock(t.Context(), b.Draft, "agent:helper", "agent:idle"); !errors.As(err, &missing) ||
		len(missing.Unknown) != 1 {
		t.Errorf("of one who does nothing: %v", err)
	}
	bare, err := plan.Lock(b.Draft, plan.LockOptions{})
	must(t, err)
	if _, err := b.Controller.Run(t.Context(), bare); !errors.As(err, &missing) {
		t.Errorf("a lock that accepts nothing begins a run: %v", err)
	}
	r := b.Run(t)
	r.Want(t, history.Partial)
	found := false
	for _, c := range r.Run.Started.Envelope.Components {
		found = found || c.Name == "needs of helper" && strings.Contains(c.Text, "HELPER_KEY")
	}
	if !found {
		t.Errorf("the envelope: %+v", r.Run.Started.Envelope.Components)
	}
}

func TestNeedsThatMovedRefuse(t *testing.T) {
	a := &needy{name: "helper", needs: exec.Needs{Variables: []string{"HELPER_KEY"}}, do: privately("echo x >x")}
	b := agentsBench(t, assigned("", "helper", "true"), nil, a)
	locked := b.Lock(t)
	a.needs.Variables = append(a.needs.Variables, "OTHER_KEY")
	var refused *exec.RefusedError
	if _, err := b.Controller.Run(t.Context(), locked); !errors.As(err, &refused) {
		t.Errorf("it needs more than was locked: %v", err)
	}
}

// A needyJudge reviews, advises, and needs something.
type needyJudge struct{ needy }

func (n *needyJudge) Review(context.Context, review.Request) (review.Review, error) {
	return review.Review{}, review.ErrAbstains
}

func (n *needyJudge) Advise(context.Context, advice.Case) (advice.Advice, error) {
	return advice.Advice{}, advice.ErrNothing
}

// What those need who judge and advise is accepted and bound as that of executors is,
// whoever seats them; the sandbox of the plan is not theirs.
func TestNeedsOfWhoJudgesAndAdvises(t *testing.T) {
	judge := func(name string) *needyJudge {
		return &needyJudge{needy{name: name, needs: exec.Needs{Variables: []string{"KEY_OF_" + name}, Home: true,
			Hosts: []string{"api.example.com"}}}}
	}
	b := exectest.New(t, assigned("[sandbox]\nnetwork = false\n", "shell", "echo x >x"), nil, &shell.Executor{})
	validator := judge("validator")
	b.Controller.Gates = append(b.Controller.Gates, review.Work(validator))
	b.Controller.Advisors = exec.Advisors{advice.Reflection: judge("thinker")}
	b.Controller.Reviewers = []review.Reviewer{judge("ops")}
	var missing *plan.AckError
	_, err := b.Controller.Lock(t.Context(), b.Draft)
	if !errors.As(err, &missing) {
		t.Fatalf("without a word: %v", err)
	}
	var codes []string
	for _, m := range missing.Missing {
		codes = append(codes, m.Code)
	}
	if want := []string{"agent:ops", "agent:thinker", "agent:validator"}; !slices.Equal(codes, want) {
		t.Errorf("to be accepted: %v, want %v", codes, want)
	}
	b.Controller.Reviewers = nil
	r := b.Run(t)
	r.Want(t, history.Partial)
	if !slices.ContainsFunc(r.Run.Started.Envelope.Components, func(c envelope.Component) bool {
		return c.Name == "needs of validator" && strings.Contains(c.Text, "KEY_OF_validator")
	}) {
		t.Errorf("the envelope: %+v", r.Run.Started.Envelope.Components)
	}
	locked := b.Lock(t)
	validator.needs.Variables = nil
	var refused *exec.RefusedError
	if _, err := b.Controller.Run(t.Context(), locked); !errors.As(err, &refused) {
		t.Errorf("the validator needs something else than was locked: %v", err)
	}
}

func TestHostsNeedTheNetwork(t *testing.T) {
	a := &needy{name: "helper", needs: exec.Needs{Hosts: []string{"api.example.com"}}, do: privately("true")}
	for head, want := range map[string]string{"[sandbox]\nlevel = \"strict\"\n": `write level = "filesystem"`,
		"[sandbox]\nnetwork = false\n": "write network = true"} {
		b := agentsBench(t, assigned(head, "helper", "true"), nil, a)
		if _, err := b.Controller.Lock(t.Context(), b.Draft, "agent:helper"); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", head, err)
		}
	}
}

func TestNeedsOfTheWorkspaceAreRefused(t *testing.T) {
	for _, path := range []string{"/", "relative", "~other/x"} {
		a := &needy{name: "helper", needs: exec.Needs{Reads: []string{path}}, do: privately("true")}
		b := agentsBench(t, assigned("", "helper", "true"), nil, a)
		var refused *exec.RefusedError
		if _, err := b.Controller.Lock(t.Context(), b.Draft, "agent:helper"); !errors.As(err, &refused) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestPrivateIsTheHomeOfTheExecutor(t *testing.T) {
	elsewhere := t.TempDir()
	a := &needy{name: "helper", needs: exec.Needs{Home: true}, do: func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		if info, err := os.Stat(w.Home); err != nil || info.Mode().Perm() != 0o700 || strings.HasPrefix(w.Home, w.Dir) {
			return exec.Outcome{}, fmt.Errorf("the home %q: %v, %w", w.Home, info, err)
		}
		for _, at := range []string{elsewhere, "/", w.Dir, filepath.Dir(w.Home), w.Home + "/.", "relative"} {
			if _, err := commandIn(ctx, w, gate.Command{Run: "true", Private: at}); err == nil {
				return exec.Outcome{}, fmt.Errorf("%q is private", at)
			}
		}
		return privately("echo x >$HOME/x && echo x >x")(ctx, w)
	}}
	plain := &needy{name: "plain", do: func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		if w.Home != "" {
			return exec.Outcome{}, errors.New("it has a home")
		}
		return commandIn(ctx, w, gate.Command{Run: "echo y >y"})
	}}
	agentsBench(t, assigned("", "helper", "true", "plain", "true"), nil, a, plain).Run(t).Want(t, history.Partial)
}
