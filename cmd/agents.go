package cmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/agent"
	"github.com/planlock/planlock/plan"
)

// agentsCommand is "planlock agents": it lists the coding agents that are known
// or described, what is installed, which version, by what it is logged in, what
// it needs, and what to type where something is missing. All are asked at once,
// and those that take too long are listed without a version.
type agentsCommand struct {
	arguments
	workspaceFlag
	Format string `enum:"text,json" default:"text" placeholder:"FORMAT" help:"the output's format: text or json"`
	Needs  bool   `help:"what each agent needs, too"`
}

// agentsTime is how long agents have to say their versions.
const agentsTime = 2 * time.Second

// Run carries the command out.
func (f *agentsCommand) Run(ctx context.Context, p *cli) error {
	found, err := settingsFor(f.Dir)
	if err != nil {
		return err
	}
	s := &settled{config: found}
	names := s.agentNames()
	doc := agentsJSON{Schema: "planlock.agents/1", Agents: make([]agentJSON, len(names))}
	hurry, stop := context.WithTimeout(ctx, agentsTime)
	defer stop()
	over, cancel := context.WithCancel(ctx)
	cancel()
	states := make(chan looked, len(names))
	for i, name := range names {
		one, err := s.newAgent("agent", name)
		if err != nil {
			return err
		}
		described := one.Agent()
		doc.Agents[i] = agentJSON{Name: name, Title: described.Title}
		if unknown := len(described.Keys) == 0; unknown {
			from, layer := s.config.Of("agents." + name + ".args")
			doc.Agents[i].From = from.Place.String()
			if doc.Agents[i].needsOf(ctx, one); (seat{agent: one, name: name}).foreign(s.config.Config) && layer != "" {
				if _, digest, err := (seat{agent: one, name: name}).says(ctx); err != nil || !acceptedBefore(f.Dir, digest) {
					doc.Agents[i].take(described.Look(over), described)
					doc.Agents[i].Unaccepted = plan.AgentCode(name)
					states <- looked{-1, agent.State{}}
					continue
				}
			}
		}
		go func() { states <- looked{i, described.Look(hurry)} }()
	}
	doc.collect(ctx, s, states, over)
	if f.Format == "json" {
		return writeJSON(p.out, doc)
	}
	for _, a := range doc.Agents {
		a.print(p.out, f.Needs)
	}
	return nil
}

// looked is what was found of the agent with an index.
type looked struct {
	at    int
	state agent.State
}

// collect takes what is found of each agent; of those that take too long, what
// is found without asking them.
func (d *agentsJSON) collect(ctx context.Context, s *settled, states <-chan looked, over context.Context) {
	late := time.NewTimer(agentsTime + 300*time.Millisecond)
	defer late.Stop()
	var once sync.Once
	for range d.Agents {
		select {
		case l := <-states:
			if l.at >= 0 {
				one, err := s.newAgent("agent", d.Agents[l.at].Name)
				if err == nil {
					d.Agents[l.at].take(l.state, one.Agent())
				}
			}
		case <-late.C:
			once.Do(func() {
				for i := range d.Agents {
					if one, err := s.newAgent("agent", d.Agents[i].Name); err == nil && !d.Agents[i].asked {
						described := one.Agent()
						d.Agents[i].take(described.Look(over), described)
					}
				}
			})
			return
		case <-ctx.Done():
			return
		}
	}
}

// agentsJSON is the document of "agents --format json".
type agentsJSON struct {
	Schema string      `json:"schema"`
	Agents []agentJSON `json:"agents"`
}

// agentJSON is one agent.
type agentJSON struct {
	Name       string    `json:"name"`
	Title      string    `json:"title"`
	Installed  bool      `json:"installed"`
	Path       string    `json:"path,omitempty"`
	Version    string    `json:"version,omitempty"` // absent: it did not say
	How        agent.How `json:"how,omitempty"`
	LoggedIn   string    `json:"logged_in,omitempty"`  // a variable, or a file; absent: nothing was found
	Needs      needsJSON `json:"needs"`                //
	Missing    string    `json:"missing,omitempty"`    // what to type before it can work
	From       string    `json:"from,omitempty"`       // who describes it, where it is not known
	Unaccepted string    `json:"unaccepted,omitempty"` // the code that accepts it, where a repository describes it and nobody did

	asked bool
}

// needsJSON is what an agent needs.
type needsJSON struct {
	Variables []string `json:"variables"`
	Reads     []string `json:"reads"`
	Writes    []string `json:"writes"`
	Hosts     []string `json:"hosts"`
	Enforced  bool     `json:"hosts_enforced"`
	Off       []string `json:"off"`
}

// take notes what was found.
func (a *agentJSON) take(s agent.State, of agent.Agent) {
	a.asked, a.Installed, a.Path, a.Version, a.How, a.LoggedIn = true, s.Path != "", s.Path, s.Version, s.How, s.LoggedIn
	a.Needs = newNeeds(s.Needs)
	if a.Missing = s.Missing; a.Installed && len(of.Keys) == 0 {
		a.Missing = "" // nobody knows how it is logged in
	}
}

// newNeeds are needs as the document has them.
func newNeeds(n exec.Needs) needsJSON {
	return needsJSON{listed(n.Variables), listed(n.Reads), listed(n.Writes), listed(n.Hosts), n.Enforced, listed(n.Off)}
}

// needsOf notes what a described agent needs.
func (a *agentJSON) needsOf(ctx context.Context, one *agent.Executor) {
	if n, err := one.Needs(ctx); err == nil {
		a.Needs = newNeeds(n)
	}
}

// listed is a list that is never null.
func listed(words []string) []string {
	if words == nil {
		return []string{}
	}
	return slices.Clone(words)
}

// print says it to people.
func (a *agentJSON) print(w io.Writer, needs bool) {
	say := func(name, text string) {
		fmt.Fprintf(w, "%-10s %s\n", escaped(name), escaped(text))
	}
	switch {
	case a.Unaccepted != "":
		say(a.Name, fmt.Sprintf("described by %s; nobody accepted it: --ack %s", a.From, a.Unaccepted))
	case !a.Installed:
		say(a.Name, "not installed: "+a.Missing)
	default:
		text := cmp.Or(a.Version, "version unknown") + ", " + string(a.How)
		switch {
		case a.LoggedIn != "":
			text += ", logged in by " + a.LoggedIn
		case a.Missing != "":
			text += ", not logged in: " + a.Missing
		}
		if a.From != "" {
			text += ", described by " + a.From
		}
		say(a.Name, text)
	}
	if !needs {
		return
	}
	for _, part := range []struct {
		what  string
		words []string
	}{{"gets the values of", a.Needs.Variables}, {"gets copies of", a.Needs.Reads}, {"may refresh", a.Needs.Writes},
		{"reaches", a.Needs.Hosts}} {
		if len(part.words) > 0 {
			say("", part.what+" "+strings.Join(part.words, ", "))
		}
	}
	for _, off := range a.Needs.Off {
		say("", "off: "+off)
	}
}
