package cmd

import (
	"cmp"
	"fmt"
	"io"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/history"
)

// An onward is one of several ways on, or the next part of the one before it.
type onward struct {
	joint string // "or", or "then"; "" of the first
	text  string
}

// hint is the way on as a sentence.
func (o onward) hint() string {
	switch o.joint {
	case "or":
		return "or " + o.text
	case "then":
		return "and then " + o.text
	}
	return o.text
}

// onwards writes the ways on with a run, a line each.
func onwards(w io.Writer, ways []onward) {
	for _, o := range ways {
		fmt.Fprintf(w, "%-8s %s\n", cmp.Or(o.joint, "next"), escaped(o.text))
	}
}

// anew are the ways to do again what was taken back of a run that has ended: where
// a lock file lies beside its plan, that is locked again first, as a lock serves
// one run.
func (s spelling) anew(ws exec.Workspace, run *history.Run) []onward {
	finish := onward{"", s.spell(action.Action{Kind: action.Finish, Run: run.Started.Run})}
	if _, lock := ws.Sources(run); lock == "" {
		return []onward{finish}
	}
	finish.joint = "then"
	return []onward{{"", s.spell(action.Action{Kind: action.Lock})}, finish}
}

// replanning are the ways on with a run whose plan no longer holds.
func (e *placedError) replanning() []onward {
	path := planPath(e.run, e.dir)
	ways := []onward{{"", "add steps to the plan, and then:  " + amendWith(e.run, path, e.dir, e.flags())}}
	_, lock := exec.Workspace{Dir: e.dir}.Sources(e.run)
	as := spellingOf(e.run, e.dir, e.flags())
	for i, a := range instead(e.run, path, lock) {
		if i == 0 {
			ways = append(ways, onward{"or", "change the plan, and give this run up:  " + as.spell(a)})
		} else {
			ways = append(ways, onward{"then", underPlan(a) + as.spell(a)})
		}
	}
	return append(ways, onward{"or", "have the question put again:  " + e.resume()})
}

// underPlan leads in to the command of an action with another plan, behind what
// makes way for it.
func underPlan(a action.Action) string {
	switch a.Kind {
	case action.Lock:
		return "lock this plan:  "
	case action.Run:
		return "run this plan:  "
	case action.Finish:
		return "run this plan, which takes over what was completed:  "
	}
	return ""
}
