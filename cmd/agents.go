package cmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/agent"
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
	agents, err := lookAtAgents(ctx, &settled{config: found}, f.Dir)
	if err != nil {
		return err
	}
	if f.Format == "json" {
		return writeJSON(p.out, agentsJSON{Schema: "planlock.agents/1", Agents: agents})
	}
	for _, a := range agents {
		a.print(p.out, f.Needs, "")
	}
	return nil
}

// lookAtAgents looks for all agents at once. One that the repository of a
// workspace describes is not started before somebody accepted it.
func lookAtAgents(ctx context.Context, s *settled, dir string) ([]agentJSON, error) {
	names := s.agentNames()
	doc := agentsJSON{Agents: make([]agentJSON, len(names))}
	hurry, stop := context.WithTimeout(ctx, agentsTime)
	defer stop()
	over, cancel := context.WithCancel(ctx)
	cancel()
	states := make(chan looked, len(names))
	for i, name := range names {
		one, err := s.newAgent("agent", name)
		if with, other := s.newAgent("agent", name+"=MODEL"); err != nil && other == nil {
			one, err = with, nil // which model it needs is said when it is to work
		}
		if err != nil {
			return nil, err
		}
		described, a := one.Agent(), &doc.Agents[i]
		a.Name, a.Title = name, described.Title
		if len(described.Keys) == 0 { // somebody describes it
			from, _ := s.config.Of("agents." + name + ".args")
			a.From = from.Place.String()
			if who := (seat{agent: one, name: name}); who.foreign(s.config.Config, dir) {
				if _, digest, err := who.says(ctx, dir); err != nil || !acceptedBefore(dir, digest) {
					a.take(described.Look(over), described)
					a.Unaccepted = who.code()
					states <- looked{at: -1}
					continue
				}
			}
		}
		go func() { states <- looked{i, described.Look(hurry), described} }()
	}
	late := time.NewTimer(agentsTime + 300*time.Millisecond)
	defer late.Stop()
	for range names {
		select {
		case l := <-states:
			if l.at >= 0 {
				doc.Agents[l.at].take(l.state, l.of)
			}
		case <-late.C:
			for i := range doc.Agents {
				if one, err := s.newAgent("agent", names[i]); err == nil && !doc.Agents[i].asked {
					described := one.Agent()
					doc.Agents[i].take(described.Look(over), described)
				}
			}
			return doc.Agents, nil
		case <-ctx.Done():
			return doc.Agents, context.Cause(ctx)
		}
	}
	return doc.Agents, nil
}

// looked is what was found of the agent with an index.
type looked struct {
	at    int // -1: nothing was asked
	state agent.State
	of    agent.Agent
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
	Unaccepted string    `json:"unaccepted,omitempty"` // what accepts it, where a repository describes it and nobody did

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
	a.asked, a.Installed = true, s.Path != ""
	a.Path, a.Version, a.How, a.LoggedIn = s.Path, s.Version, s.How, s.LoggedIn
	a.Needs = newNeeds(s.Needs)
	if a.Missing = s.Missing; a.Installed && len(of.Keys) == 0 {
		a.Missing = "" // nobody knows how it is logged in
	}
}

// newNeeds are needs as the document has them.
func newNeeds(n exec.Needs) needsJSON {
	return needsJSON{listed(n.Variables), listed(n.Reads), listed(n.Writes), listed(n.Hosts), n.Enforced, listed(n.Off)}
}

// listed is a list that is never null.
func listed(words []string) []string {
	if words == nil {
		return []string{}
	}
	return slices.Clone(words)
}

// print says it to people, behind a word of what it is about, or none.
func (a *agentJSON) print(w io.Writer, needs bool, about string) {
	say := func(name, text string) {
		if about != "" {
			fmt.Fprintf(w, "%-8s ", about)
		}
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
		{reaches(a.Needs.Enforced), a.Needs.Hosts}} {
		if len(part.words) > 0 {
			say("", part.what+" "+strings.Join(part.words, ", "))
		}
	}
	for _, off := range a.Needs.Off {
		say("", "off: "+off)
	}
}
