package action_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec/action"
)

const run = "01JD3Z8Q6V5C7T2M9K4XWBRN0E"

// Every kind says itself in English, with everything that the action has.
func TestActionsSayThemselves(t *testing.T) {
	for want, a := range map[string]action.Action{
		"run the plan":         {Kind: action.Run},
		"run plan a/plan.toml": {Kind: action.Run, Path: "a/plan.toml"},
		`run the plan and acknowledge "done:1.1", "done:1.2"`:         {Kind: action.Run, Acknowledge: []string{"done:1.1", "done:1.2"}},
		"run the plan and take over what run " + run + " completed":   {Kind: action.Finish, Run: run},
		"run the plan where somebody answers its questions":           {Kind: action.Attend},
		"resume run " + run + " where somebody answers its questions": {Kind: action.Attend, Run: run},
		`lock the plan and acknowledge "done:1.1"`:                    {Kind: action.Lock, Acknowledge: []string{"done:1.1"}},
		"check the plan against its workspace":                        {Kind: action.Check},
		"resume run " + run:                                           {Kind: action.Resume, Run: run},
		"answer question Q-1 of run " + run:                           {Kind: action.Answer, Run: run, Question: "Q-1"},
		"answer question Q-1 of run " + run + ` with skip and a reason, acknowledged with "yes"`: {
			Kind: action.Answer, Run: run,
			Question: "Q-1", Choice: "skip", Reason: true, Acknowledge: []string{"yes"}},
		"resume run " + run + `, accepting that "agent gate polite", "rules" moved`: {Kind: action.Resume, Run: run,
			Accept: []string{"agent gate polite", "rules"}},
		"abandon run " + run:             {Kind: action.Abandon, Run: run},
		"read the state of run " + run:   {Kind: action.Status, Run: run},
		"read the journal of run " + run: {Kind: action.Log, Run: run},
		"read the journal of step 1.1 of run " + run: {Kind: action.Log, Run: run,
			Step: "1.1"},
		"read the failed attempts of run " + run: {Kind: action.Log, Run: run,
			Failures: true},
		"compare the trees before and after step 1.1 of run " + run: {Kind: action.Diff, Run: run,
			Step: "1.1"},
		"compare the trees before and after attempt 2 of step 1.1 of the run": {Kind: action.Diff, Step: "1.1",
			Attempt: 2},
		"compare tree sha256:aa with tree sha256:bb":   {Kind: action.Compare, From: "sha256:aa", To: "sha256:bb"},
		"roll run " + run + " back to before step 2.1": {Kind: action.Rollback, Run: run, Step: "2.1"},
		"verify run " + run:                            {Kind: action.Verify, Run: run},
		"leave run " + run + " as it is":               {Kind: action.Leave, Run: run},
	} {
		if got := a.String(); got != want {
			t.Errorf("%+v says %q, want %q", a, got, want)
		}
	}
}

// A host spells what it has words for; all else is said in English.
func ExampleSpeller() {
	spell := action.Speller(func(a action.Action) string {
		if a.Kind == action.Resume {
			return strings.Join([]string{"myprogram", "resume", a.Run}, " ")
		}
		return ""
	})
	fmt.Println(spell.Say(action.Action{Kind: action.Resume, Run: "42"}))
	fmt.Println(spell.Say(action.Action{Kind: action.Verify, Run: "42"}))
	fmt.Println(action.Speller(nil).Say(action.Action{Kind: action.Resume, Run: "42"}))
	// Output:
	// myprogram resume 42
	// verify run 42
	// resume run 42
}
