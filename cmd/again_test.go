package cmd

import (
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/history"
)

// TestEveryFlagSaysWhetherItIsGivenAgain: no flag of a command that begins,
// locks or goes on with a run can be forgotten where it is printed how to go on.
func TestEveryFlagSaysWhetherItIsGivenAgain(t *testing.T) {
	known := []string{againAlways, againPath, againBegin, againNever}
	for _, name := range []string{"run", "resume", "lock", "amend"} {
		for _, f := range commandNamed(name).flags() {
			if tag := f.Tag.Get("again"); !slices.Contains(known, tag) {
				t.Errorf("%s --%s is given again %q, which is none of %q", name, f.Name, tag, known)
			}
		}
	}
}

// TestEveryGivenFlagIsPrinted has each flag of a run given, and finds it again
// in the commands that need it.
func TestEveryGivenFlagIsPrinted(t *testing.T) {
	for _, name := range []string{"run", "resume", "lock"} {
		c := commandNamed(name)
		for _, f := range c.flags() {
			tag := f.Tag.Get("again")
			word := "--" + f.Name
			if !f.IsBool() {
				word += "=some=thing"
			}
			given := typed(c.parser().Model.Node, []string{word})
			if got, want := len(given) == 1, tag != againNever; got != want {
				t.Errorf("%s %s is remembered: %t, want %t", name, word, got, want)
			}
			want := tag == againAlways || tag == againPath || name != "resume" && tag == againBegin
			run := &history.Run{Started: history.Started{Run: "R"}, Policy: history.Policy{Given: given}}
			text := forCommand(name, given)
			if name == "resume" {
				text = resumeFrom(run, ".")
			}
			if got := strings.Contains(text, " --"+f.Name); got != want {
				t.Errorf("%s %s is printed: %t, want %t: %s", name, word, got, want, text)
			}
		}
	}
}

// TestActionsAreSpelledWithWhatWasGiven: another run of a plan is typed with
// all that the run was given, and its lock with what concerns the lock.
func TestActionsAreSpelledWithWhatWasGiven(t *testing.T) {
	as := spelling{dir: "ws", plan: "plan.toml", run: "R", resume: "planlock resume R", given: []string{
		"--executor=./agent", "--answers=wait", "--ack=done:1.1", "--isolate", "--shadow", "--reviewer=ops=./approve"}}
	for kind, want := range map[action.Kind]string{
		action.Run: "planlock run plan.toml --dir ws --executor ./agent --answers wait --ack done:1.1 --isolate " +
			"--reviewer ops=./approve --ack done:1.2",
		action.Lock:   "planlock lock plan.toml --dir ws --executor ./agent --ack done:1.1 --reviewer ops=./approve --ack done:1.2",
		action.Resume: "planlock resume R",
	} {
		what := action.Action{Kind: kind, Run: "R", Acknowledge: []string{"done:1.1", "done:1.2"}}
		if got := as.spell(what); got != want {
			t.Errorf("%s is\n%s, want\n%s", kind, got, want)
		}
	}
}
