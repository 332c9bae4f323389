package document_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// No view that is kept names a command: what can be done is said in plain
// English, and of a run in stores of its host's own with who finds them.
func TestViewsNameNoCommand(t *testing.T) {
	command := regexp.MustCompile(`planlock (answer|check|diff|lock|log|report [^·]|resume|rollback|run|status|verify)[^.\n]*`)
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			for _, own := range []bool{false, true} {
				told := s.tell(t)
				run := told.fold()
				run.Started.OwnStores = own
				files, err := all(told.plan, run)
				if err != nil {
					t.Fatal(err)
				}
				var all strings.Builder
				for _, f := range files {
					all.WriteString(f.Name + ":\n" + string(f.Content))
				}
				if named := command.FindString(all.String()); named != "" {
					t.Errorf("%q is advised", named)
				}
				if strings.Contains(all.String(), " run "+run.Started.Run+
					", in the program that has its stores") != own {
					t.Errorf("own stores: %t, and what can be done says otherwise", own)
				}
			}
		})
	}
}

// A step that was to create what is there already is left out where its
// acknowledgement counts: in the lock file, if there is one.
func TestLeavingOutGoesByTheLockFile(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*history.Started)
		want   string
	}{
		"lock file": {func(*history.Started) {},
			`leave it out: lock the plan and acknowledge "done:1.1", and run it`},
		"no lock file": {func(f *history.Started) { f.LockFile = "" }, `leave it out: run the plan and acknowledge "done:1.1"`},
		"own stores":   {func(f *history.Started) { f.OwnStores = true }, `leave it out: lock the plan and acknowledge "done:1.1", in the program that has its stores`},
	} {
		t.Run(name, func(t *testing.T) {
			p := limiter()
			s := begin(t, p, c.change).start("1.1", "primary")
			s.add(700, "1.1", 1, &history.AttemptEnded{})
			declared := p.Tasks[0].Steps[0].Artifacts.Declared()
			s.add(20, "1.1", 1, &history.Accounted{Tree: digest("before 1.1"), Declared: declared,
				Account: ledger.Reconcile(declared, nil, nil)})
			s.fail("1.1", 1, history.Breach, "it created nothing")
			s.add(5, "1.1", 0, &history.StepFailed{Class: history.Breach, Reasons: []string{"it created nothing"},
				Halts: true})
			text, err := as(document.Text, p, s.end(history.NotAchieved, "step 1.1 failed").fold())
			if err != nil {
				t.Fatal(err)
			}
			if words := strings.Fields(string(text)); !strings.Contains(strings.Join(words, " "), c.want) ||
				!slices.Contains(words, "next") {
				t.Errorf("no %q in\n%s", c.want, text)
			}
		})
	}
}

// Where the final gates say no to complete steps, both ways out are named with
// how to go them: to keep the work, and to take it back.
func TestWaysOutAfterTheVerdict(t *testing.T) {
	p := limiter()
	for name, c := range map[string]struct {
		change func(*history.Started)
		want   []string
	}{
		"lock file": {func(*history.Started) {}, []string{"in the plan: run the plan and take over what run 01JD3Z8Q6V5C7T2M9K4XWBRN0E completed, once the plan is locked again",
			"run a plan that was mended: roll run 01JD3Z8Q6V5C7T2M9K4XWBRN0E back to before step 1.1"}},
		"no lock file": {func(f *history.Started) { f.LockFile = "" }, []string{"in the plan: run the plan and take over what run 01JD3Z8Q6V5C7T2M9K4XWBRN0E completed"}},
		"own stores": {func(f *history.Started) { f.OwnStores = true }, []string{"run the plan and take over what run 01JD3Z8Q6V5C7T2M9K4XWBRN0E completed",
			"roll run 01JD3Z8Q6V5C7T2M9K4XWBRN0E back to before step 1.1, in the program that has its stores"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, p, c.change)
			for _, a := range []plan.Address{"1.1", "1.2"} {
				s.start(a, "primary").accept(a, "primary")
			}
			s.add(1, "", 0, &history.Judged{refused("completion", gate.Final, gate.Finding{Message: "no"})})
			text, err := as(document.Text, p, s.end(history.NotAchieved, "completion: no").fold())
			if err != nil {
				t.Fatal(err)
			}
			said := strings.Join(strings.Fields(string(text)), " ")
			for _, want := range c.want {
				if !strings.Contains(said, want) {
					t.Errorf("no %q in\n%s", want, text)
				}
			}
		})
	}
}
