package flow

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec/history"
)

// Kinds of suggestions.
const (
	Verify   = "verify"   // prove what was done
	Continue = "continue" // go on with what is left
	Debug    = "debug"    // see why it failed
	Answer   = "answer"   // decide what waits
	Halt     = "halt"     // leave it; nothing is lost
)

// A Suggestion is something to do after a run, or while it waits.
type Suggestion struct {
	Kind    string
	Label   string // what it does, in plain words
	Command string // of the command planlock; "" where there is nothing to type, as of a run in stores of its host's own
	// Automatic is set on what may be done without asking anybody: nothing depends on a choice.
	Automatic bool
}

// Next is what to do now, the likeliest first. A run that achieved its goal is to be verified. Of one that achieved a part of it everything is
// offered: verify, continue, debug, halt. After a failure that halted the run the failed steps come first.
func Next(run *history.Run) []Suggestion {
	if run.Started.Run == "" {
		return nil
	}
	list := suggest(run)
	if run.Started.OwnStores { // which the command does not find
		for i := range list {
			list[i].Command = ""
		}
	}
	return list
}

func suggest(run *history.Run) []Suggestion {
	id := run.Started.Run
	verify := Suggestion{Kind: Verify, Label: "prove what was done", Command: "planlock verify " + id}
	halt := Suggestion{Kind: Halt, Label: "leave it: what was completed stays, and the journal keeps all of it"}
	switch run.Status {
	case history.Achieved:
		verify.Automatic = true
		return []Suggestion{verify}
	case history.Partial:
		return append(append([]Suggestion{verify, again(run)}, debug(run)...), halt)
	case history.NotAchieved:
		return append(debug(run), again(run), verify, halt)
	}
	resume := Suggestion{Kind: Continue, Label: "go on from the last checkpoint", Command: "planlock resume " + id}
	if q := run.Pending(); q != nil {
		return []Suggestion{{Kind: Answer, Label: q.What, Command: fmt.Sprintf("planlock answer %s %s", id, q.ID)}, resume, halt}
	}
	resume.Automatic = run.Flow.HandedOver()
	return []Suggestion{resume, halt}
}

// again is how to go on with a run that ended: its journal takes nothing more, so the plan is run once more, and finds what is there.
func again(run *history.Run) Suggestion {
	path := "PLAN"
	if files := run.Started.Files; len(files) > 0 {
		path = quoted(files[0].Path)
	}
	return Suggestion{Kind: Continue, Label: "mend the plan and carry out what is left", Command: "planlock run " + path}
}

// quoted is a path as a shell takes it.
func quoted(path string) string {
	if path != "" && strings.IndexFunc(path, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+=:@,", r))
	}) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// debug shows the steps that failed.
func debug(run *history.Run) []Suggestion {
	var list []Suggestion
	for _, s := range run.Steps {
		if s.Failed != nil {
			list = append(list, Suggestion{Kind: Debug, Label: fmt.Sprintf("see why step %s failed", s.Address),
				Command: fmt.Sprintf("planlock log %s --step %s", run.Started.Run, s.Address)})
		}
	}
	if list == nil {
		list = []Suggestion{{Kind: Debug, Label: "see how the run went", Command: "planlock log " + run.Started.Run}}
	}
	return list
}
