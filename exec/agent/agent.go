package agent

import (
	"slices"
	"time"

	"github.com/planlock/planlock/exec"
)

// How says by which way an agent is driven.
type How string

const (
	ACP      How = "acp"      // by the Agent Client Protocol
	Headless How = "headless" // by its way to work without a terminal
)

// An Agent describes a coding agent: how its programs are found and started, and
// what it needs. What it points to must not be changed.
type Agent struct {
	Name  string // as in "claude"
	Title string // as people know it, as in "Claude Code"
	// ACP are commands by which it speaks the Agent Client Protocol, of which the
	// first that is installed is taken.
	ACP [][]string
	// Headless is its program that needs no terminal.
	Headless string
	// Keys are variables each of which logs it in. It is also given the values of
	// Variables, where they are set.
	Keys, Variables []string
	// Files are files of the user that its home begins with.
	Files []File
	// Hosts are whom it reaches where no variable says otherwise.
	Hosts []string
	// Obeys are files and folders of a workspace, with slashes, by which whoever
	// wrote them has it start programs (hooks, plug-ins, tool servers) or send its
	// key somewhere else. Of one that somebody describes they are the files of the
	// workspace that its arguments name.
	Obeys []string
	// Off is what is turned off in it, and why, a line each.
	Off []string
	// Install and Login are what to type where it is missing, or not logged in.
	Install, Login string

	own   []string          // the program and the arguments of one that somebody describes
	keyOf map[string]string // the variable that logs it in with a provider of models, of which it takes no model by itself
	talk  talk              // how it is told what to do and how its stream is read, without a terminal
	mode  string            // the mode of its sessions by the Agent Client Protocol that has it ask
	setUp func(u use) setup // how it is set up; nil: not at all
}

// A File of the user that an agent's home begins with a copy of.
type File struct {
	Folder   string // below the user's home, with slashes; also where it lies in the agent's
	Variable string // which names another folder of the user's than Folder, where it is set
	Name     string
	// Login says that it logs the agent in: the tokens in it are written back where
	// the agent refreshed them.
	Login bool

	// renewed are the members of a login that are new once it was refreshed, and
	// moves those that may be others then and stay with the agent: paths with dots,
	// in which "*" is any name. All other members are as they were.
	renewed, moves []string

	veiled bool // its texts are not shown in what the agent prints, as those of a login
}

// Known are the agents that are known, sorted by name.
func Known() []Agent { return slices.Clone(table()) }

// Named is the known agent of a name.
func Named(name string) (Agent, bool) {
	for _, a := range table() {
		if a.Name == name {
			return a, true
		}
	}
	return Agent{}, false
}

// Command is the program and the arguments of an agent that somebody describes;
// nil of a known one.
func (a Agent) Command() []string { return slices.Clone(a.own) }

// A Custom agent is one that is not known, as somebody's configuration describes
// it.
type Custom struct {
	Name string
	// Args are the program and its arguments, in which "{model}" is the model: then
	// one must be named. One that does not speak the Agent Client Protocol takes none
	// without it. Of such "{prompt}" is the prompt; without it the prompt is its
	// standard input. What it prints is its word, and status 0 says that it did the
	// step.
	Args []string
	ACP  bool // it speaks the Agent Client Protocol
	// Variables are names of variables that it is given, Hosts whom it reaches.
	Variables, Hosts []string
	// Reads are files and folders below the user's home that its home begins with
	// copies of.
	Reads []string
}

// Options say how an agent is used.
type Options struct {
	Model     string   // "": the agent's own choice
	Variables []string // more variables that it is given the values of, where they are set
	// Silence is how long nothing may be heard of it; 0: 10 minutes. A step has its
	// time-out besides.
	Silence time.Duration
	How     How // "": by the Agent Client Protocol, where that is there
	// Workspace is a folder of which somebody accepted the files that the agent
	// obeys (see [Agent.Obeyed]), as they are when it is made: where a step would
	// have it obey others it refuses with an [ObeysError]. "": it obeys any.
	Workspace string
	// Custom describes the agent, which need not be known then.
	Custom *Custom
}

// A State is what is there of an agent on this machine.
type State struct {
	Agent   string
	Path    string // of its program; "": it is not installed
	Version string // as it says; "": it does not say
	How     How    // how it would be driven
	// LoggedIn says by what it is logged in: the name of a variable, or a file
	// below the user's home; "": nothing was found that would.
	LoggedIn string
	Needs    exec.Needs
	// Missing is what to type before it can work; "": nothing.
	Missing string
}
