package exec_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// halfDone is a plan of three steps. The first has left its traces in the
// workspace of the tests below.
const halfDone = `schema = 1
profile = "observe"
[goal]
description = "files"
[[tasks]]
id = 1
description = "files"
  [[tasks.steps]]
  id = 1
  description = "the first file"
  prompt = "write it"
  artifacts = { create = ["a/*.txt"], delete = ["old.txt"] }
  postconditions = [{ kind = "file_contains", path = "a/1.txt", text = "one" }]
  [[tasks.steps]]
  id = 2
  description = "the second file"
  prompt = "write it"
  artifacts = { create = ["b.txt"] }
  [[tasks.steps]]
  id = 3
  description = "says nothing that can be seen"
  prompt = "think"
`

var halfDoneFiles = exectest.Files{"a/1.txt": "one\n"}

func TestAlready(t *testing.T) {
	b := exectest.New(t, halfDone, halfDoneFiles, exectest.Script{})
	before := b.Tree(t).Digest()
	got, err := b.Controller.Already(context.Background(), b.Draft)
	if err != nil {
		t.Fatal(err)
	}
	want := []exec.Already{{Step: "1.1", Code: "done:1.1",
		Evidence: []string{"a/*.txt is there", "old.txt is gone", "file_contains a/1.txt holds"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if b.Tree(t).Digest() != before {
		t.Error("looking changed the workspace")
	}
}

func TestAlreadyIsSeenNotTakenForGranted(t *testing.T) {
	tests := map[string]struct {
		plan  func(*plan.Step)
		files exectest.Files
		want  []string
	}{
		"what was to be deleted is there": {nil, exectest.Files{"a/1.txt": "one\n", "old.txt": ""}, nil},
		"a postcondition does not hold":   {nil, exectest.Files{"a/1.txt": "two\n"}, nil},
		"a command is not run": {func(s *plan.Step) {
			s.Postconditions = []plan.Check{{Kind: "command", Run: "touch ran"}}
		}, halfDoneFiles, nil},
		"marked in the source": {func(s *plan.Step) { s.Artifacts, s.Postconditions, s.Status = nil, nil, plan.Done },
			nil, []string{"its source marks it as done"}},
		"nothing is declared":   {func(s *plan.Step) { s.Artifacts, s.Postconditions = nil, nil }, halfDoneFiles, nil},
		"a symbol is not there": {func(s *plan.Step) { s.Artifacts.SymbolsAdd = []string{"a.One"} }, halfDoneFiles, nil},
		"a symbol is still there": {func(s *plan.Step) { s.Artifacts.SymbolsRemove = []string{"a.One"} },
			exectest.Files{"a/1.txt": "one\n", "a/a.go": "package a\n\ntype One int\n"}, nil},
		"a symbol is there": {func(s *plan.Step) { s.Artifacts.SymbolsAdd, s.Postconditions = []string{"a.One"}, nil },
			exectest.Files{"a/1.txt": "one\n", "a/a.go": "package a\n\ntype One int\n"},
			[]string{"a/*.txt is there", "old.txt is gone", "symbol_exists a.One holds"}},
		"modified only": {func(s *plan.Step) { s.Artifacts, s.Postconditions = &plan.Artifacts{Modify: []string{"a/1.txt"}}, nil }, halfDoneFiles, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := exectest.New(t, halfDone, tt.files, exectest.Script{})
			if tt.plan != nil {
				tt.plan(&b.Draft.Plan.Tasks[0].Steps[0])
			}
			got, err := b.Controller.Already(context.Background(), b.Draft)
			if err != nil {
				t.Fatal(err)
			}
			var evidence []string
			for _, a := range got {
				evidence = append(evidence, a.Evidence...)
			}
			if diff := cmp.Diff(tt.want, evidence); diff != "" {
				t.Error(diff)
			}
			if _, there := b.Tree(t).Lookup("ran"); there {
				t.Error("a command ran")
			}
		})
	}
}

// lockDone locks with the word of a person that steps are done.
func lockDone(t *testing.T, b *exectest.Bench, steps ...plan.Address) *plan.Locked {
	t.Helper()
	var codes []string
	for _, a := range steps {
		codes = append(codes, a.DoneCode())
	}
	locked, err := b.Controller.Lock(context.Background(), b.Draft, codes...)
	if err != nil {
		t.Fatal(err)
	}
	return locked
}

func TestAcknowledgedStepsAreLeftOut(t *testing.T) {
	record := &exectest.Record{}
	b := exectest.New(t, halfDone, halfDoneFiles, record.Of(exectest.Script{"1.2": exectest.Write("b.txt", "b\n")}))
	report, err := b.Controller.Run(context.Background(), lockDone(t, b, "1.1", "1.3"))
	var outcome *exec.OutcomeError
	if !errors.As(err, &outcome) {
		t.Fatal(err)
	}
	run := report.Run
	if run.Ended.Status != history.Partial {
		t.Errorf("the run ended %q: %q", run.Ended.Status, run.Ended.Reasons)
	}
	if diff := cmp.Diff([]string{"1.2#1 primary"}, record.Attempts()); diff != "" {
		t.Error(diff)
	}
	want := &history.StepSkipped{By: "the lock", Done: true,
		Why: "acknowledged as done: a/*.txt is there; old.txt is gone; file_contains a/1.txt holds"}
	if diff := cmp.Diff(want, run.Step("1.1").Skipped); diff != "" {
		t.Error(diff)
	}
	if run.Step("1.3").Status != history.Skipped {
		t.Errorf("1.3 is %s", run.Step("1.3").Status)
	}
	if _, err := (exec.Workspace{Dir: b.Dir}).Verify(context.Background(), run.Started.Run); err != nil {
		t.Error(err)
	}
}

func TestEverythingWasDone(t *testing.T) {
	b := exectest.New(t, halfDone, exectest.Files{"a/1.txt": "one\n", "b.txt": "b\n"}, exectest.Script{})
	report, err := b.Controller.Run(context.Background(), lockDone(t, b, "1.1", "1.2", "1.3"))
	var outcome *exec.OutcomeError
	if !errors.As(err, &outcome) || outcome.Status != history.Partial {
		t.Errorf("%v, %v", report.Run.Ended, err)
	}
}

// TestAWordThatDoesNotHold stops a run before a step that was said to be done
// and is not; once it is, the run goes on.
func TestAWordThatDoesNotHold(t *testing.T) {
	b := exectest.New(t, halfDone, halfDoneFiles, exectest.Script{"1.1": exectest.Write("a/2.txt", "two\n")})
	b.Draft.Plan.Tasks[0].Steps[0].Artifacts, b.Draft.Plan.Tasks[0].Steps[0].Postconditions = nil, nil
	locked := lockDone(t, b, "1.2")
	report, err := b.Controller.Run(context.Background(), locked)
	var refused *exec.RefusedError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "b.txt is not there") ||
		!strings.Contains(refused.Hint, "done:1.2") {
		t.Fatalf("the run ended with %v", err)
	}
	if s := report.Run.Step("1.2"); s.Status != history.Pending || len(s.Attempts) != 0 {
		t.Errorf("1.2 is %s after %d attempts", s.Status, len(s.Attempts))
	}
}

func TestDoneIsAcknowledgedForStepsThatAreThere(t *testing.T) {
	b := exectest.New(t, halfDone, halfDoneFiles, exectest.Script{})
	_, err := b.Controller.Lock(context.Background(), b.Draft, "done:1.9", "done:1")
	var ack *plan.AckError
	if !errors.As(err, &ack) {
		t.Fatalf("lock: %v", err)
	}
	if diff := cmp.Diff([]string{"done:1.9", "done:1"}, ack.Unknown); diff != "" {
		t.Error(diff)
	}
}

// Who runs a plan a second time is told how to leave out what is there already.
func TestNothingCreatedSaysHowToLeaveItOut(t *testing.T) {
	b := exectest.New(t, rowOf(1, "", ""), nil, exectest.Script{"1.1": func(context.Context, exec.Work) (exec.Outcome,
		error) {
		return exec.Outcome{}, nil
	}})
	run := b.Run(t)
	run.Want(t, history.NotAchieved)
	if text := strings.Join(strings.Fields(run.Report.String()), " "); !strings.Contains(text,
		`acknowledge "done:1.1"`) {
		t.Errorf("the report does not say how to leave the step out\n%s", run.Report)
	}
}
