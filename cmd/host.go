package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/cmd/internal/ownshell"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/advice"
	proposing "github.com/planlock/planlock/exec/advice/external"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/document/html"
	"github.com/planlock/planlock/exec/escalator"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/learn"
	"github.com/planlock/planlock/exec/mcp"
	"github.com/planlock/planlock/exec/program"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/gate/evidence/remote"
	"github.com/planlock/planlock/gate/evidence/search"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/gate/review/external"
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/ledger/source/languages"
	"github.com/planlock/planlock/ledger/source/treesitter"
	"github.com/planlock/planlock/plan"
)

// controller is one for a workspace, with what the host brings.
//
// It has the witness of this user: a journal that was cut together with its
// head is found by what was kept outside of the workspace. Commands see no key
// of the user; see sign for who signs.
func (p *cli) controller(dir string) *exec.Controller {
	return &exec.Controller{Dir: dir, Runs: p.runs(dir),
		Means: exec.Means{Now: p.now, Shell: ownshell.Args(), Secrets: secrets()},
		Gates: append(builtin.Gates(), p.with.Gates...), Checks: p.with.Checks, Blobs: p.with.Blobs,
		Papers: p.with.Papers, Advisors: maps.Clone(p.with.Advisors),
		Documents: documents(), Languages: readable()}
}

// readable are the languages that the command reads.
func readable() []source.Language { return append(languages.All(), treesitter.Languages()...) }

// workspace is the one in dir, with what is known of its journals elsewhere.
func (p *cli) workspace(dir string) exec.Workspace {
	return exec.Workspace{Dir: dir, Runs: p.runs(dir), Blobs: p.with.Blobs, Papers: p.with.Papers,
		Documents: documents()}
}

// runs keep the journals of a workspace: those of the host, or the default files.
func (p *cli) runs(dir string) checkpoint.Runs {
	if p.with.Runs != nil {
		return p.with.Runs
	}
	return filelog.Runs{Dir: filepath.Join(dir, exec.Own, "runs"), Witness: filelog.UserWitness().Outside(dir)}
}

// questions are those of a workspace that wait for answers.
func (p *cli) questions(dir string) *escalator.Folder {
	folder := p.workspace(dir).Questions()
	folder.Now = p.now
	return folder
}

// documents are what is drawn of each run.
func documents() []document.Document { return append(document.All(), html.Page()) }

// A cast are the flags that say which agents, reviewers and tool servers take part
// in a run.
type cast struct {
	Agent      []string `again:"begin" sep:"none" placeholder:"NAME" help:"the coding agent that carries out steps: NAME or NAME=MODEL, as planlock agents lists them; may be repeated: the first is the default, the others carry out steps that ask for them by name"`
	Reviewer   []string `again:"path" sep:"none" placeholder:"NAME=X" help:"who approves tasks before they begin: NAME=AGENT, or NAME=PATH, the path of a program that answers with a contract; may be repeated"`
	Validator  string   `again:"path" placeholder:"X" help:"who looks at what was done, at the end of each task: an agent, or the path of a program (docs/validator-protocol.md)"`
	Advisor    string   `again:"path" placeholder:"X" help:"who is asked after a failure, why it was and what to do otherwise: an agent, or the path of a program (docs/advisor-protocol.md)"`
	Researcher string   `again:"path" placeholder:"X" help:"who is asked what should be known before a task, or before it is tried another way: an agent, or the path of a program (docs/advisor-protocol.md)"`
	MCP        []string `again:"path" name:"mcp" sep:"none" placeholder:"FILE" help:"a file of tool servers (mcpServers), besides .mcp.json of the workspace, of which a person accepts each; may be repeated (docs/mcp.md)"`
}

// roles are the flags that say who takes part in a run.
type roles struct {
	cast
	Executor         []string      `again:"path" sep:"none" placeholder:"PATH" help:"who carries out steps that name nobody: shell, or the path of a program; NAME=PATH for steps that ask for NAME; may be repeated"`
	ValidatorTimeout time.Duration `again:"always" placeholder:"DURATION" help:"how long the validator may take for an answer, as in 90s; 0: 2m, and 5m at most"`
	AdvisorTimeout   time.Duration `again:"always" placeholder:"DURATION" help:"how long the advisor and the researcher may take for an answer, as in 90s; 0: 2m, and 5m at most"`
	Patterns         string        `again:"path" placeholder:"FILE" help:"what plans can be made from: a plan that names one of them is weighed against it (docs/advisor-protocol.md)"`
	Evidence         bool          `again:"always" help:"look for the evidence of each task when it is over"`
	Tracker          string        `again:"always" placeholder:"ADDRESS" help:"the address of an MLflow server, which knows the runs of experiments, or the folder in which MLflow keeps them (mlruns, file:///…); implies --evidence"`
	TrackerToken     string        `again:"always" placeholder:"NAME" help:"the name of the environment variable that holds the server's token"`
	TrackerUser      string        `again:"always" placeholder:"NAME" help:"the name of the environment variable that holds the server's user, in place of a token"`
	TrackerPassword  string        `again:"always" placeholder:"NAME" help:"the name of the environment variable that holds that user's password"`
	Learned          bool          `again:"always" help:"advise with what was learned in this workspace and promoted; part of what is locked"`

	settled settled
	seated  []seat
	told    []string // what is to be known of them before a run

	servers *mcp.Servers // that are configured
}

// seat gives a controller its executors, its reviewers, its validator, its
// policy for evidence and what was learned. fallback is the executor of steps
// that name nobody, where no flag names one; "" is the shell.
func (r *roles) seat(ctx context.Context, p *cli, c *exec.Controller, fallback string) error {
	if err := errors.Join(r.seatReviewers(c), r.seatValidator(c), r.seatAdvisors(c), r.seatServers(c)); err != nil {
		return err
	}
	if err := r.seatTracker(c); err != nil {
		return err
	}
	if r.Learned {
		memory, err := memoryOf(ctx, p.workspace(c.Dir))
		if err != nil {
			return err
		}
		for _, kind := range []advice.Kind{advice.Reflection, advice.Pivot} {
			c.Advisors[kind] = remembering{memory, c.Advisors[kind]}
		}
		c.Hints, c.Ready = memory.Hints(), memory.Ready
	}
	return r.seatExecutors(c, p.with.Executors, fallback)
}

// seatTracker gives a controller its policy for evidence, and who knows the runs
// of experiments. The path of a folder in the workspace is relative to it, as
// steps work in a copy.
func (r *roles) seatTracker(c *exec.Controller) error {
	for _, given := range [][2]string{{"--tracker-token", r.TrackerToken}, {"--tracker-user", r.TrackerUser},
		{"--tracker-password", r.TrackerPassword}} {
		if given[1] != "" && r.Tracker == "" {
			return &usageError{given[0] + ": there is no --tracker that it is for"}
		}
	}
	if r.Evidence || r.Tracker != "" {
		c.Evidence = &search.Policy{}
	}
	if r.Tracker == "" {
		return nil
	}
	store, local := remote.StoreAt(r.Tracker)
	named := r.TrackerToken != "" || r.TrackerUser != "" || r.TrackerPassword != ""
	switch {
	case local && named:
		return &usageError{fmt.Sprintf("--tracker %q is a folder: it wants no token, user or password", r.Tracker)}
	case (r.TrackerUser == "") != (r.TrackerPassword == "") || r.TrackerUser != "" && r.TrackerToken != "":
		return &usageError{"--tracker-user and --tracker-password go together, and without --tracker-token"}
	case !local:
		c.Evidence.Tracker = &remote.MLflow{URL: r.Tracker, TokenEnv: r.TrackerToken, UserEnv: r.TrackerUser,
			PasswordEnv: r.TrackerPassword}
		return nil
	}
	if dir, err := filepath.Abs(c.Dir); err == nil {
		if at, err := filepath.Rel(dir, store.Dir); filepath.IsAbs(store.Dir) && err == nil && filepath.IsLocal(at) {
			store.Dir = at
		}
	}
	c.Evidence.Tracker = store
	return nil
}

// seatReviewers gives a controller the programs that review tasks. A path is
// made absolute, so that the run can be resumed from any folder.
func (r *roles) seatReviewers(c *exec.Controller) error {
	for _, word := range r.Reviewer {
		name, path, ok := strings.Cut(word, "=")
		if !ok || name == "" || path == "" {
			return &usageError{fmt.Sprintf("--reviewer %q: give NAME=PATH, or NAME=AGENT", word)}
		}
		one, err := r.settled.who("reviewer", path)
		if err != nil {
			return err
		}
		if one != nil {
			r.take("reviewer", name, one.Name(), one)
			c.Reviewers = append(c.Reviewers, one.Reviewer(name))
			continue
		}
		path, err = filepath.Abs(path)
		if err != nil {
			return fmt.Errorf("reviewer %q: %w", name, err)
		}
		c.Reviewers = append(c.Reviewers, &external.Program{Label: name, Args: []string{path}})
	}
	return nil
}

// seatServers gives a controller the tool servers that are configured.
func (r *roles) seatServers(c *exec.Controller) error {
	found, err := mcp.ReadFiles(cmp.Or(c.Dir, "."), r.MCP...)
	if found != nil {
		c.Servers = found
	}
	r.servers = found
	return err
}

// seatValidator gives a controller the program that looks at what was done.
func (r *roles) seatValidator(c *exec.Controller) error {
	if r.ValidatorTimeout < 0 || r.ValidatorTimeout > 5*time.Minute {
		return &usageError{"--validator-timeout: a time of at most 5m"}
	}
	if r.Validator == "" {
		if r.ValidatorTimeout != 0 {
			return &usageError{"--validator-timeout: there is no --validator that it is for"}
		}
		return nil
	}
	one, err := r.settled.who("validator", r.Validator)
	switch {
	case err != nil:
		return err
	case one != nil && r.ValidatorTimeout != 0:
		return &usageError{fmt.Sprintf("--validator-timeout is of programs; the agent %s has 5m", one.Name())}
	case one != nil:
		r.take("validator", "validator", one.Name(), one)
		c.Gates = append(c.Gates, review.Work(one.Validator()))
		return nil
	}
	path, err := filepath.Abs(r.Validator)
	if err != nil {
		return fmt.Errorf("validator %q: %w", r.Validator, err)
	}
	r.take("validator", "validator", path, nil)
	c.Gates = append(c.Gates, review.Work(&external.Program{Label: "validator", Args: []string{path},
		Timeout: r.ValidatorTimeout}))
	return nil
}

// seatAdvisors gives a controller the programs that propose, and the patterns.
func (r *roles) seatAdvisors(c *exec.Controller) error {
	if c.Advisors == nil {
		c.Advisors = exec.Advisors{}
	}
	if r.AdvisorTimeout < 0 || r.AdvisorTimeout > 5*time.Minute {
		return &usageError{"--advisor-timeout: a time of at most 5m"}
	}
	if r.AdvisorTimeout != 0 && r.Advisor == "" && r.Researcher == "" {
		return &usageError{"--advisor-timeout: there is no --advisor and no --researcher that it is for"}
	}
	seat := func(label, path string, kinds ...advice.Kind) error {
		if path == "" {
			return nil
		}
		one, err := r.settled.who(label, path)
		if err != nil {
			return err
		}
		for _, kind := range kinds {
			switch {
			case one == nil:
			case kind == advice.Research:
				r.take(label, string(kind), one.Name(), one)
				c.Advisors[kind] = one.Researcher()
			default:
				r.take(label, string(kind), one.Name(), one)
				c.Advisors[kind] = one.Advisor()
			}
		}
		if one != nil {
			return nil
		}
		path, err = filepath.Abs(path)
		if err != nil {
			return fmt.Errorf("%s %q: %w", label, path, err)
		}
		r.take(label, label, path, nil)
		for _, kind := range kinds {
			c.Advisors[kind] = &proposing.Program{Label: label, Args: []string{path}, Timeout: r.AdvisorTimeout}
		}
		return nil
	}
	if err := errors.Join(seat("advisor", r.Advisor, advice.Reflection, advice.Pivot),
		seat("researcher", r.Researcher, advice.Research)); err != nil {
		return err
	}
	if r.Patterns == "" {
		return nil
	}
	known, err := proposing.ReadPatterns(r.Patterns)
	if err != nil {
		return err
	}
	c.Advisors[advice.Feasible] = known
	return nil
}

// seatExecutors gives a controller the executors of the command line and of the
// host, and the shell, which is always there.
//
// A name in front of a path is one that plans ask for. A path by itself is the
// default, and the journal remembers it, so that resume need not be told.
func (r *roles) seatExecutors(c *exec.Controller, known map[string]exec.Executor, fallback string) error {
	if r.servers == nil {
		r.servers = &mcp.Servers{Dir: c.Dir}
	}
	brought := exec.Executors{"shell": &shell.Executor{}, plan.ToolCaller: r.servers.Executor()}
	maps.Copy(brought, known)
	c.Executors = maps.Clone(brought)
	first, err := r.seatAgents(c.Executors)
	if err != nil {
		return err
	}
	chosen := ""
	for _, word := range r.Executor {
		name, path, named := strings.Cut(word, "=")
		switch {
		case named && name != "" && path != "" && !strings.ContainsAny(name, `/\`):
			if _, twice := c.Executors[name]; twice {
				return &usageError{fmt.Sprintf("--executor %s=…: there is an executor of this name already", name)}
			}
			c.Executors[name] = newProgram(name, path)
		case r.settled.isAgent(word) && brought[word] == nil:
			return &usageError{fmt.Sprintf("--executor %s: %s", word,
				cmp.Or(there(word), word+" is a known agent")) + ":  --agent " + word}
		case word == "":
			return &usageError{"--executor: no name; give shell, the path of a program, or NAME=PATH"}
		case chosen != "":
			return &usageError{fmt.Sprintf("--executor %q: %q is the default already; only NAME=PATH may be repeated",
				word, chosen)}
		default:
			chosen = word
		}
	}
	word := cmp.Or(chosen, first, fallback, "shell")
	byDefault := c.Executors[word]
	if byDefault == nil {
		path, err := filepath.Abs(word)
		if err != nil {
			return fmt.Errorf("executor %q: %w", word, err)
		}
		byDefault = newProgram(path, path)
	}
	if _, ok := byDefault.(*shell.Executor); ok {
		delete(c.Executors, "shell") // it answers to its name already
	}
	c.Executors[""] = byDefault
	return nil
}

// remembering is an advisor with what was promoted when the run began, as far as
// it is about steps that do the same; where that says nothing it is another
// advisor, if there is one. Both are part of the envelope, so that a run does not
// go on with another memory.
type remembering struct {
	memory learn.Memory
	then   advice.Advisor
}

// Advise asks the memory first.
func (r remembering) Advise(ctx context.Context, c advice.Case) (advice.Advice, error) {
	about := r.memory
	if c.Step != nil {
		about = about.For(c.Task, c.Step)
	}
	said, err := advice.Builtin{Memory: about.Remembered()}.Advise(ctx, c)
	if r.then == nil || err == nil && said.Remembered() {
		return said, err
	}
	return r.then.Advise(ctx, c)
}

// Version is the digest of the memory.
func (r remembering) Version(context.Context) (string, error) {
	return history.MemoryVersion + r.memory.Digest().Short(), nil
}

// Identity is that of the other advisor.
func (r remembering) Identity(ctx context.Context) (string, error) {
	if g, ok := r.then.(gate.Identified); ok {
		return g.Identity(ctx)
	}
	return "", nil
}

// Needs are those of the other advisor.
func (r remembering) Needs(ctx context.Context) (exec.Needs, error) {
	if n, ok := r.then.(exec.Needing); ok {
		return n.Needs(ctx)
	}
	return exec.Needs{}, nil
}

// memoryOf is what was learned in a workspace and promoted. What was set back since
// it was learned is taken back first.
func memoryOf(ctx context.Context, ws exec.Workspace) (learn.Memory, error) {
	book, err := openBook(ctx, ws)
	if err != nil {
		return learn.Memory{}, err
	}
	if err := withdrawSetBack(ctx, ws, book); err != nil {
		return learn.Memory{}, errors.Join(err, book.Close())
	}
	return book.Memory(), book.Close()
}

// openBook opens what was learned in a workspace.
func openBook(ctx context.Context, ws exec.Workspace) (*learn.Book, error) {
	if _, err := ws.IDs(ctx); err != nil {
		return nil, err
	}
	log, err := filelog.Open(ctx, bookPath(ws.Dir))
	if err != nil {
		return nil, err
	}
	return bookOf(ctx, log)
}

// A programAgent is a program that carries out steps, known under the name that the
// journal remembers: its path, or the name that plans use.
type programAgent struct {
	*program.Executor
	as string
}

// Name is what steps may ask for, and what a resumed run looks for.
func (a *programAgent) Name() string { return a.as }

// newProgram is the program at a path, known under a name.
func newProgram(name, path string) *programAgent {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return &programAgent{&program.Executor{Args: []string{path}, Name: filepath.Base(path)}, name}
}
