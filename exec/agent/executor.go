package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/identity"
	"github.com/planlock/planlock/ledger"
)

// silence is how long nothing may be heard of an agent where nothing is said of
// it.
const silence = 10 * time.Minute

// An Executor has an agent carry out steps. It may be used by many runs at a
// time.
type Executor struct {
	agent Agent
	o     Options

	one   sync.Mutex
	homes map[string]*home
	talks map[string]conversation  // about a step, see talkAbout
	seen  map[string]string        // digests of programs, by what tells that they are the same
	obeys map[string]ledger.Digest // what was accepted of Options.Workspace
}

var (
	_ exec.Executor     = (*Executor)(nil)
	_ exec.Named        = (*Executor)(nil)
	_ exec.Versioned    = (*Executor)(nil)
	_ exec.Needing      = (*Executor)(nil)
	_ exec.CommandsOnly = (*Executor)(nil)
	_ gate.Identified   = (*Executor)(nil)
)

// New is an executor for the agent of a name: a known one, or the one that the
// options describe. [ErrUnknown] is in the error for any other name; a *[ModelError]
// says that the command which they describe does not go with their model. Whether it is
// installed is seen when it is asked for its version, or to work.
func New(name string, o Options) (*Executor, error) {
	e := &Executor{o: o, homes: map[string]*home{}, talks: map[string]conversation{}, seen: map[string]string{}}
	if o.Silence < 0 {
		return nil, fmt.Errorf("agent: %s: the silence %v is negative", name, o.Silence)
	}
	if o.Custom != nil {
		a, err := o.Custom.agent(name, o.Model)
		if err != nil {
			return nil, err
		}
		if takes := o.Custom.takesModel(); takes != (o.Model != "") && (takes || !o.Custom.ACP) {
			return nil, &ModelError{Agent: a.Name, Needed: takes}
		}
		if o.Workspace != "" {
			a.Obeys = filesIn(o.Workspace, a.own)
			e.obeys = a.Obeyed(o.Workspace)
		}
		e.agent = a
		return e, nil
	}
	a, ok := Named(name)
	if !ok {
		var names []string
		for _, a := range Known() {
			names = append(names, a.Name)
		}
		return nil, fmt.Errorf("%w: %q; known are %s", ErrUnknown, name, strings.Join(names, ", "))
	}
	e.agent = a
	if o.Workspace != "" {
		e.obeys = a.Obeyed(o.Workspace)
	}
	return e, nil
}

// takesModel reports whether an argument of the program is, or has in it, the model.
func (c *Custom) takesModel() bool {
	return slices.ContainsFunc(c.Args[1:], func(arg string) bool { return strings.Contains(arg, modelArg) })
}

// withModel is the command with the model in its arguments.
func (c *Custom) withModel(model string) []string {
	args := slices.Clone(c.Args)
	for i, arg := range args[1:] {
		args[1+i] = strings.ReplaceAll(arg, modelArg, model)
	}
	return args
}

// agent is the agent that somebody describes, with a model.
func (c *Custom) agent(name, model string) (Agent, error) {
	if len(c.Args) == 0 || c.Args[0] == "" {
		return Agent{}, fmt.Errorf("agent: %s: its description names no program", name)
	}
	a := Agent{own: c.Args, Name: cmp.Or(c.Name, name), Title: cmp.Or(c.Name, name), Variables: c.Variables, Hosts: c.Hosts,
		Install: "install " + c.Args[0] + ", or give its path", Login: "log in to it"}
	for _, path := range c.Reads {
		path = filepath.ToSlash(path)
		if !filepath.IsLocal(filepath.FromSlash(strings.TrimPrefix(path, "~/"))) {
			return Agent{}, fmt.Errorf("agent: %s: it reads %q, which is no path below the user's home", name, path)
		}
		a.Files = append(a.Files, File{Name: strings.TrimPrefix(path, "~/"), veiled: true})
	}
	if c.ACP {
		a.ACP = [][]string{c.withModel(model)}
		return a, nil
	}
	a.Headless, a.talk = c.Args[0], plainTalk{c.Args[1:]}
	return a, nil
}

// Name is the agent's.
func (e *Executor) Name() string { return e.agent.Name }

// Agent is the description of the agent.
func (e *Executor) Agent() Agent { return e.agent }

// CommandsOnly says that the agent touches the workspace by its program alone.
func (*Executor) CommandsOnly() {}

// Needs are what the agent needs. They are the same whatever is installed and
// set.
func (e *Executor) Needs(context.Context) (exec.Needs, error) {
	n := e.agent.needs(e.o.Variables)
	n.Variables = slices.DeleteFunc(n.Variables, func(name string) bool { return !e.agent.wants(name, e.o) })
	return n, nil
}

// wants reports whether the agent is given a variable: of a model whose name begins
// with that of its provider, the keys of others are not its business.
func (a *Agent) wants(name string, o Options) bool {
	provider, _, ok := strings.Cut(o.Model, "/")
	if !ok || a.keyOf == nil || a.keyOf[provider] == "" || slices.Contains(o.Variables, name) {
		return true
	}
	return name == a.keyOf[provider] || !slices.Contains(a.Keys, name)
}

// Version is that of the agent, with how it is driven and the beginning of the
// digest of its program.
func (e *Executor) Version(ctx context.Context) (string, error) {
	p, err := e.agent.find(e.o.How)
	if err != nil {
		return "", err
	}
	version := "" // of one that somebody describes nobody knows how it is asked
	if e.agent.own == nil {
		if version, err = p.version(ctx); err != nil {
			return "", err
		}
	}
	digest, err := e.digest(p)
	if err != nil {
		return "", fmt.Errorf("agent: %s: %w", e.agent.Name, err)
	}
	return strings.Join(strings.Fields(fmt.Sprintf("%s %s %s %s", e.agent.Name, version, p.how, digest.Short())), " "), nil
}

// digest is that of the content of a program. That of a large one is kept, as it
// is asked for before each step.
func (e *Executor) digest(p program) (ledger.Digest, error) {
	info, err := os.Stat(p.path)
	if err != nil {
		return "", err
	}
	key := fmt.Sprintf("%s %d %d", p.path, info.Size(), info.ModTime().UnixNano())
	e.one.Lock()
	defer e.one.Unlock()
	if known, ok := e.seen[key]; ok {
		return ledger.Digest(known), nil
	}
	digest, err := identity.OfProgram(append([]string{p.path}, p.args...))
	if err == nil {
		e.seen[key] = string(digest)
	}
	return digest, err
}

// Identity tells who acts: the agent, its model, and what it is told. It is the
// same for all that one agent is asked for, so that nobody reviews its own work.
// One that somebody describes is the content of its program and its arguments, with
// the model that it is given, whatever it is called.
func (e *Executor) Identity(context.Context) (string, error) {
	what := []string{"agent", e.agent.Name, e.o.Model, promptsDigest()}
	if c := e.o.Custom; c != nil {
		if c.takesModel() {
			what[2] = "" // it stands there
		}
		digest, err := identity.OfProgram(c.withModel(e.o.Model))
		if err != nil {
			return "", fmt.Errorf("agent: %s: %w", e.agent.Name, err)
		}
		what[0], what[1] = "described", string(digest)
	}
	return string(ledger.Sum([]byte(strings.Join(what, "\n")))), nil
}

// Execute has the agent carry out a step, and returns when everything that it
// started has ended. Errors are a *[MissingError], *[LoginError], *[SilentError]
// or *[FailedError], an *[exec.LimitError], one that wraps
// [exec.ErrContextExhausted], or the cause for which ctx ended.
func (e *Executor) Execute(ctx context.Context, w exec.Work) (exec.Outcome, error) {
	if w.Runner == nil {
		return exec.Outcome{}, errors.New("agent: no runner: Work.Runner is nil")
	}
	if w.Home == "" {
		return exec.Outcome{}, ErrNoHome
	}
	if w.Output == nil {
		w.Output = io.Discard
	}
	if w.Activity == nil {
		w.Activity = func(string) {}
	}
	if w.Spent == nil {
		w.Spent = func(exec.Usage) {}
	}
	if err := e.accepted(w.Dir); err != nil {
		return exec.Outcome{}, err
	}
	p, err := e.agent.find(e.o.How)
	if err != nil {
		return exec.Outcome{}, err
	}
	h := e.home(w.Home)
	if err := h.seed(e.agent.Files); err != nil {
		return exec.Outcome{}, err
	}
	if err := e.mayLogIn(); err != nil {
		return exec.Outcome{}, err
	}
	var o exec.Outcome
	if p.how == ACP {
		o, err = e.byProtocol(ctx, w, p, h)
	} else {
		o, err = e.headless(ctx, w, p, h)
	}
	if kept := h.back(); kept != nil {
		fmt.Fprintln(w.Output, kept)
	}
	return o, err
}

// home is what is known of a folder that is a home of the agent.
func (e *Executor) home(dir string) *home {
	e.one.Lock()
	defer e.one.Unlock()
	if e.homes[dir] == nil {
		e.homes[dir] = &home{dir: dir}
	}
	return e.homes[dir]
}

// env are the variables of the agent's processes, besides those of each command.
func (e *Executor) env(home string, set setup) []string {
	env := []string{"HOME=" + home}
	if runtime.GOOS == "windows" {
		env = append(env, "USERPROFILE="+home)
	}
	env = append(env, toolFolders()...)
	needs, _ := e.Needs(context.Background()) // it is a table
	for _, name := range needs.Variables {
		if value := os.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(set.env)) { // the last of a name holds
		env = append(env, name+"="+set.env[name])
	}
	return env
}

// toolFolders are variables that have the tools which an agent runs find what
// they have in the user's home, as they do when a step runs them.
func toolFolders() []string {
	user, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	var env []string
	for _, t := range [...]struct{ name, below string }{{"GOPATH", "go"}, {"CARGO_HOME", ".cargo"},
		{"RUSTUP_HOME", ".rustup"}, {"GIT_CONFIG_GLOBAL", ".gitconfig"},
		{"GRADLE_USER_HOME", ".gradle"}} {
		at := filepath.Join(user, t.below)
		if _, err := os.Stat(at); err == nil && os.Getenv(t.name) == "" {
			env = append(env, t.name+"="+at)
		}
	}
	return env
}
