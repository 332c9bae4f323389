package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/cmd/internal/config"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/agent"
	"github.com/planlock/planlock/exec/preset"
	near "github.com/planlock/planlock/internal/spelling"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// A seat is an agent, or a program that a file names, in a role of a run.
type seat struct {
	flag  string          // that seated it, as in "validator"
	label string          // what the run calls it
	name  string          // of the agent, or the path of the program
	agent *agent.Executor // nil of a program
	from  origin          // the setting that seated it; the zero value: somebody typed it
}

// agentNames are the names of agents that a call can seat.
func (s *settled) agentNames() []string {
	var names []string
	for _, a := range agent.Known() {
		names = append(names, a.Name)
	}
	for _, a := range s.config.Agents() {
		if a.Args != nil && !slices.Contains(names, a.Name) {
			names = append(names, a.Name)
		}
	}
	return names
}

// isAgent reports whether a word, NAME or NAME=MODEL, names an agent.
func (s *settled) isAgent(word string) bool {
	name, _, _ := strings.Cut(word, "=")
	return slices.Contains(s.agentNames(), name)
}

// newAgent is the agent that a word names, NAME or NAME=MODEL, as files describe
// it.
func (s *settled) newAgent(flag, word string) (*agent.Executor, error) {
	name, model, _ := strings.Cut(word, "=")
	if !s.isAgent(name) {
		hint := "known are " + strings.Join(s.agentNames(), ", ") +
			"; planlock.toml describes others (docs/configuration.md)"
		if like := near.Nearest(name, s.agentNames()); like != "" {
			hint = fmt.Sprintf("did you mean %q?", like)
		}
		return nil, &usageError{fmt.Sprintf("--%s %q: there is no such agent: %s", flag, word, hint)}
	}
	o := agent.Options{Model: model, Workspace: s.dir}
	for _, a := range s.config.Agents() {
		if a.Name != name {
			continue
		}
		if o.Model == "" {
			o.Model = a.Model
		}
		o.Silence = a.Silence
		_, known := agent.Named(name)
		switch {
		case known && (a.Args != nil || a.ACP || a.Reads != nil || a.Hosts != nil):
			return nil, s.describedAnew(name)
		case known:
			o.Variables = a.Variables
		default:
			o.Custom = &agent.Custom{Name: name, Args: s.rooted("agents." + name + ".args"), ACP: a.ACP, Variables: a.Variables,
				Hosts: a.Hosts, Reads: a.Reads}
		}
	}
	one, err := agent.New(name, o)
	var wrong *agent.ModelError
	switch {
	case errors.As(err, &wrong) && model != "":
		return nil, &usageError{fmt.Sprintf("--%s %s: it takes no model: put {model} in its args", flag, word)}
	case errors.As(err, &wrong):
		return nil, &config.Error{Place: s.placeOf(name, "model", "args"), Text: err.Error(),
			Hint: fmt.Sprintf("name the model where {model} stands: --%s %s=MODEL, or model in [agents.%s]", flag, name, name)}
	case err != nil && o.Custom != nil:
		return nil, &config.Error{Place: s.placeOf(name, "reads", "args"), Text: err.Error()}
	}
	return one, err
}

// describedAnew says that files describe an agent that is known.
func (s *settled) describedAnew(name string) error {
	return &config.Error{Place: s.placeOf(name, "args", "acp", "reads", "hosts"),
		Text: fmt.Sprintf("%s is a known agent, which is not described anew", name),
		Hint: "give it a model, a silence or variables; or describe an agent of another name"}
}

// placeOf is where the first of some keys of an agent is settled.
func (s *settled) placeOf(name string, keys ...string) config.Place {
	for _, key := range keys {
		if at, layer := s.config.Of("agents." + name + "." + key); layer != config.Default {
			return at.Place
		}
	}
	return config.Place{}
}

// rooted is the command that a key is set to, with the path of its program, if it
// is one, told from the folder of the file that sets it.
func (s *settled) rooted(key string) []string {
	at, _ := s.config.Of(key)
	args := slices.Clone(at.Value)
	if len(args) > 0 && strings.ContainsAny(args[0], `/\`) {
		args[0] = s.path(args[0], at)
	}
	return args
}

// who finds out whether a role is an agent's: nil of the path of a program. A
// file in the current folder is one only if it is written as a path.
func (s *settled) who(flag, word string) (*agent.Executor, error) {
	if !s.isAgent(word) {
		return nil, nil
	}
	return s.newAgent(flag, word)
}

// there says that a file has the name of an agent; "" if none has.
func there(word string) string {
	if _, err := os.Stat(word); err != nil || strings.ContainsAny(word, `/\`) {
		return ""
	}
	return fmt.Sprintf("%s is a known agent; the file of that name here is  ./%s", word, word)
}

// take notes who has a role.
func (r *roles) take(flag, label, name string, by *agent.Executor) {
	r.seated = append(r.seated, seat{flag: flag, label: label, name: name, agent: by, from: r.settled.from[flag]})
	if by == nil {
		return
	}
	for _, told := range []string{there(name), unnamed(flag, name, by)} {
		if told != "" && !slices.Contains(r.told, told) {
			r.told = append(r.told, told)
		}
	}
}

// unnamed says which model is to be named of an agent that takes another one else;
// "" of others.
func unnamed(flag, name string, by *agent.Executor) string {
	provider := by.Unnamed()
	if provider == "" {
		return ""
	}
	return fmt.Sprintf("%s takes a model of its own service where none is named, whatever key is there, and waits for that where it "+
		"cannot be reached; name one of your key's:  --%s %s=%s/MODEL", name, flag, name, provider)
}

// tell tells what is to be known of who is seated.
func (r *roles) tell(w io.Writer) {
	for _, told := range r.told {
		fmt.Fprintln(w, "planlock: warning: "+escaped(told))
	}
}

// seatAgents makes the agents of --agent, and returns the name of the first.
func (r *roles) seatAgents(known exec.Executors) (first string, err error) {
	for i, word := range r.Agent {
		one, err := r.settled.newAgent("agent", word)
		if err != nil {
			return "", err
		}
		if known[one.Name()] != nil {
			return "", &usageError{fmt.Sprintf("--agent %s: there is an executor of this name already", word)}
		}
		known[one.Name()] = one
		r.take("agent", one.Name(), one.Name(), one)
		if i == 0 {
			first = one.Name()
		}
	}
	return first, nil
}

// persist has agents try again, three times in all, and tells them why they
// failed, where nothing says how failures are coped with: no flag, no file, and
// no plan of a format that has no words for that.
func (r *roles) persist(c *exec.Controller, draft *plan.Draft) {
	if c.Preset == "" && len(r.Agent) > 0 && draft.Format != plan.Native && preset.Of(&draft.Plan) == "" {
		c.Preset = "phase"
	}
}

// warnOfSelf warns where the validator is the agent that does the work: what it
// says would not count.
func (r *roles) warnOfSelf() {
	identity := func(flag string) string {
		for _, one := range r.seated {
			if one.flag == flag && one.agent != nil {
				id, _ := one.agent.Identity(context.Background()) // a known one always has one
				return id
			}
		}
		return ""
	}
	if id := identity("agent"); id != "" && id == identity("validator") {
		r.told = append(r.told, "--validator names the agent that does the work, so what it says does not count: "+
			"name another agent, or another model")
	}
}

// by says how it was accepted what an agent needs: nothing where a file seats it,
// which a person accepted once.
func (r *roles) by(code string) string {
	for _, one := range r.seated {
		if one.agent != nil && (one.code() == code || plan.AgentCode(one.label) == code) && one.from.Layer == "" {
			return ", by naming it"
		}
	}
	return ""
}

// widens are the claims of a file of the repository that the sandbox of commands
// has more in it than by default.
func (r *roles) widens(t terms, dir string) (all []claim) {
	at, err := filepath.Abs(dir)
	if err != nil {
		at = dir
	}
	for _, setting := range []struct {
		flag, text string
		words      []string
	}{
		{"env", "commands get the values of ", t.Env},
		{"writable", "commands may write ", t.Writable},
	} {
		from := r.settled.from[setting.flag]
		if from.Layer != config.Repository || len(setting.words) == 0 {
			continue
		}
		what, _ := json.Marshal([]any{"sandbox", setting.flag, at, setting.words}) // of texts
		all = append(all, claim{"sandbox:" + setting.flag, from.Place.String() + " widens the sandbox of commands",
			[]string{setting.text + strings.Join(setting.words, ", ")}, ledger.Sum(what), ""})
	}
	return all
}

// recall takes over from the flags that a run was given who its agents are: a
// journal may start those by name. Programs are named again by whoever goes on, or
// by a file that still does.
func (r *roles) recall(given []string, typed []string) {
	for _, word := range given {
		name, value, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		if gives(typed, name) {
			continue
		}
		switch name {
		case "agent":
			if !typedInstead(typed, "agent") {
				r.Agent = append(r.Agent, value)
			}
		case "validator", "advisor", "researcher":
			if by, named := r.settled.names(name, value); named {
				if r.settled.from == nil {
					r.settled.from = map[string]origin{}
				}
				r.settled.from[name] = by
			}
			if r.settled.recalls(name, value) {
				role := map[string]*string{"validator": &r.Validator, "advisor": &r.Advisor,
					"researcher": &r.Researcher}[name]
				*role = value
			}
		case "reviewer":
			if r.settled.recalls(name, value) {
				r.Reviewer = append(r.Reviewer, value)
			}
		}
	}
}

// lookTime is how long an agent has to say its version before a run.
const lookTime = 5 * time.Second

// present refuses agents that are not installed or not logged in, of those that
// the plan has a use for. Nothing has been written by then.
func (r *roles) present(ctx context.Context, c *exec.Controller, of *plan.Plan) error {
	refused := &exec.RefusedError{}
	var hints []string
	for _, s := range r.seated {
		if s.agent == nil || s.flag == "agent" && !uses(of, c, s.name) {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, lookTime)
		described := s.agent.Agent()
		state := described.Look(ctx)
		cancel()
		reason, hint := "", state.Missing
		switch {
		case state.Path == "":
			reason = fmt.Sprintf("%s is not installed", s.name)
		case state.LoggedIn == "" && len(described.Keys) > 0:
			reason = fmt.Sprintf("%s is not logged in", s.name)
		}
		if reason != "" && !slices.Contains(refused.Reasons, reason) {
			refused.Reasons = append(refused.Reasons, reason)
			hints = append(hints, hint)
		}
	}
	if refused.Reasons == nil {
		return nil
	}
	refused.Hint = strings.Join(hints, "\n  hint: ")
	return refused
}

// uses reports whether a step of a plan is for an executor.
func uses(of *plan.Plan, c *exec.Controller, name string) bool {
	byDefault, one := c.Executors[""], c.Executors[name]
	for _, s := range of.Steps() {
		for _, wanted := range executorsOf(s) {
			if wanted == name || wanted == "" && byDefault == one {
				return true
			}
		}
	}
	return false
}

// executorsOf are the names that a step and its backups give.
func executorsOf(s *plan.Step) []string {
	names := []string{s.By()}
	for k := range s.Backups {
		names = append(names, s.Backups[k].By(s))
	}
	return names
}

// path is a path of a setting, told from the folder of the file that settles it.
func (s *settled) path(value string, setting config.Setting) string {
	if strings.HasPrefix(value, "~/") {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, value[2:])
		}
	}
	if filepath.IsAbs(value) {
		return value
	}
	for _, at := range s.config.looked {
		if displayPath(at.Path) == setting.Place.File {
			return filepath.Join(filepath.Dir(at.Path), filepath.FromSlash(value))
		}
	}
	return value
}
