package needs

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/plan"
)

// Needs are what an executor needs besides what every step has. They are shown
// when a plan is locked, must be acknowledged (code "agent:NAME", of [Named]),
// and are part of the envelope.
type Needs struct {
	// Variables are names of environment variables. The executor gives their
	// values to its own processes, by gate.Command.Env; no other command sees
	// them.
	Variables []string
	// Home says that its processes need a folder of their own: Work.Home.
	Home bool
	// Reads are files and folders of the user of which the executor puts copies
	// into its home, and Writes those among them that it writes back when they
	// were refreshed. No command of a run sees the user's own.
	Reads, Writes []string
	// Hosts are whom its processes reach by the network, and Enforced says that
	// they reach nobody else.
	Hosts    []string
	Enforced bool
	// Off is what is turned off in it, and why, a line each.
	Off []string
}

// Of are the needs of one who is known by a name.
type Of struct {
	Name string
	Needs
	// Apart says that it does not work in the sandbox of the plan, as who judges or
	// advises.
	Apart bool
	// Accept is what has to be accepted in place of the needs; nil: these.
	Accept *plan.Acknowledgement
}

// Empty reports whether nothing is needed.
func (n Needs) Empty() bool {
	return len(n.Variables)+len(n.Reads)+len(n.Writes)+len(n.Hosts)+len(n.Off) == 0 && !n.Home
}

// Lines say what is needed, for people and for the envelope: always in the same
// words.
func (n Needs) Lines() (lines []string) {
	say := func(what string, of []string) {
		if len(of) > 0 {
			lines = append(lines, what+" "+strings.Join(of, ", "))
		}
	}
	say("gets the variables", n.Variables)
	if n.Home {
		lines = append(lines, "has a folder of its own for settings and logins, which no other command sees")
	}
	say("gets copies of", n.Reads)
	say("writes back what it refreshed of", n.Writes)
	if n.Enforced {
		say("reaches nobody but", n.Hosts)
	} else {
		say("reaches, not held to it,", n.Hosts)
	}
	for _, off := range n.Off {
		lines = append(lines, "has turned off: "+off)
	}
	return lines
}

// Lines say what is needed or has to be accepted.
func (o Of) Lines() []string {
	if o.Accept != nil {
		return []string{o.Accept.Text}
	}
	return o.Needs.Lines()
}

// Acknowledgement is what a person must accept.
func (o Of) Acknowledgement() plan.Acknowledgement {
	if o.Accept != nil {
		return *o.Accept
	}
	return plan.Acknowledgement{Code: plan.AgentCode(o.Name), Text: o.Name + " " + strings.Join(o.Lines(), "; ")}
}

// Acknowledgements are what a person must accept of all that is needed; never nil.
func Acknowledgements(all []Of) []plan.Acknowledgement {
	list := []plan.Acknowledgement{}
	for _, of := range all {
		list = append(list, of.Acknowledgement())
	}
	return list
}

// Own are the files and folders of the user that no command is to see: absolute,
// a leading "~/" being the user's home.
func (n Needs) Own() (paths []string) {
	for _, path := range slices.Concat(n.Reads, n.Writes) {
		if path = absolute(path); path != "" && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// absolute is a path of the user; "" where it is none.
func absolute(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		folder, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		path = filepath.Join(folder, rest)
	}
	if !filepath.IsAbs(path) {
		return ""
	}
	return filepath.Clean(path)
}

// Against says what keeps a run in a workspace from giving what is needed, with
// what to write instead.
func (o Of) Against(workspace string, box process.Sandbox) (reasons []string) {
	var has, write []string
	if box.Level == process.Strict {
		has, write = append(has, `level = "strict"`), append(write, `level = "filesystem"`)
	}
	if box.NoNetwork {
		has, write = append(has, "network = false"), append(write, "network = true")
	}
	if len(o.Hosts) > 0 && len(has) > 0 && !o.Apart {
		reasons = append(reasons, fmt.Sprintf("%s reaches %s by the network, and the sandbox of the plan has none (%s): write %s in [sandbox], or have somebody else do the work",
			o.Name, strings.Join(o.Hosts, ", "), strings.Join(has, ", "), strings.Join(write, ", ")))
	}
	for _, path := range slices.Concat(o.Reads, o.Writes) {
		switch at := absolute(path); {
		case at == "":
			reasons = append(reasons, fmt.Sprintf("%s needs %q, which is no path of the user: it is neither absolute nor begins with ~/",
				o.Name, path))
		case inside(at, workspace), inside(workspace, at):
			reasons = append(reasons, fmt.Sprintf("%s needs %q, which no command of the run is to see, and the workspace %s lies there, or holds it",
				o.Name, path, workspace))
		}
	}
	return reasons
}

// NotCovered says that commands of others see what is the agent's; "" where the
// sandbox covers it.
func (o Of) NotCovered(box process.Sandbox) string {
	seen := "its folder, and the user's files that it gets copies of"
	if o.Apart {
		seen = "the user's files that it gets copies of"
	}
	if len(o.Own()) == 0 && (!o.Home || o.Apart) {
		return ""
	}
	if reached, err := process.Reach(box); err == nil && reached.Mounts {
		return ""
	}
	return fmt.Sprintf("%s: not covered: on this machine and with this [sandbox] other commands of the run see %s",
		o.Name, seen)
}

// inside reports whether a path is a folder or lies in it.
func inside(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}
