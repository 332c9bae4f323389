package exec_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/escalator"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
)

// A person answers questions by choice, one after another, and acknowledges
// whatever must be acknowledged.
type person struct {
	choices []string
	asked   []ask.Question
}

func (p *person) Ask(_ context.Context, q ask.Question) (ask.Answer, error) {
	if q.Kind == ask.Confirmation {
		return answer(q, "y"), nil // that is not what is tried out
	}
	p.asked = append(p.asked, q)
	if len(p.choices) == 0 {
		return ask.Answer{}, ask.ErrNoAnswer
	}
	a := answer(q, p.choices[0])
	p.choices = p.choices[1:]
	return a, nil
}

func answer(q ask.Question, choice string) ask.Answer {
	a := ask.Answer{Question: q.ID, Run: q.Run, Attempt: q.Attempt, Choice: choice, By: "a person"}
	if c, ok := q.Choice(choice); ok {
		a.Acknowledged = c.Acknowledge
	}
	return a
}

// failing is a script whose second step fails a number of times.
func failing(times int) exectest.Script {
	actions := make([]exec.Func, 0, times+1)
	for range times {
		actions = append(actions, exectest.Fail("no"))
	}
	return exectest.Script{"1.1": goodScript["1.1"], "1.2": exectest.Attempts(append(actions, goodScript["1.2"])...)}
}

func TestWhatAPersonChooses(t *testing.T) {
	const attempts = 2 // the first, and the retry that the plan allows
	tests := map[string]struct {
		failures int
		choices  []string
		want     history.Status
		step     history.StepStatus
	}{
		"again, and it works":     {attempts, []string{"r"}, history.Achieved, history.Completed},
		"again and again":         {attempts + 2, []string{"r", "r", "r"}, history.Achieved, history.Completed},
		"leave it out":            {attempts, []string{"k"}, history.Partial, history.Skipped},
		"give it up":              {attempts, []string{"x"}, history.NotAchieved, history.Failed},
		"stop":                    {attempts, []string{"s"}, history.Waiting, history.InFlight},
		"nothing":                 {attempts, nil, history.NotAchieved, history.Failed},
		"nonsense, then again":    {attempts, []string{"?", "r"}, history.Achieved, history.Completed},
		"nonsense for ever":       {attempts, []string{"?", "?", "?", "r"}, history.NotAchieved, history.Failed},
		"again, and then nothing": {attempts + 1, []string{"r"}, history.NotAchieved, history.Failed},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(twoSteps(), "id = 2\ndescription", "id = 2\ncritical_flag = true\ndescription", 1)
			text = strings.Replace(text, "invariants = []", "invariants = []\ncompletion_criteria = { checks = [] }", 1)
			b := exectest.New(t, text, workspace, failing(tt.failures))
			b.Controller.Escalator = &person{choices: tt.choices}
			run := b.Run(t)
			run.Want(t, tt.want)
			if got := run.Report.Run.Step("1.2").Status; got != tt.step {
				t.Errorf("step 1.2 is %s, want %s", got, tt.step)
			}
		})
	}
}

func TestAQuestionHoldsWhatAPersonNeeds(t *testing.T) {
	p := &person{}
	b := exectest.New(t, twoSteps(), workspace, exectest.Script{"1.1": exectest.Write("wrong.txt", "w\n")})
	b.Controller.Escalator = p
	b.Run(t)
	if len(p.asked) != 1 {
		t.Fatalf("%d questions, want 1", len(p.asked))
	}
	q := p.asked[0]
	evidence := strings.Join(q.Evidence, "\n")
	for _, want := range []string{"a.txt", "wrong.txt", "restored", "retry 1 of 1",
		"why it matters: this is not the change that was approved"} {
		if !strings.Contains(evidence, want) {
			t.Errorf("the evidence does not say %q:\n%s", want, evidence)
		}
	}
	if !strings.Contains(q.What, "1.1") || q.Why == "" || len(q.Choices) < 3 {
		t.Errorf("question %+v", q)
	}
	for _, c := range q.Choices {
		if c.Consequence == "" {
			t.Errorf("choice %q has no consequence", c.Key)
		}
	}
}

// TestWaitForAnAnswer stops at a question, and goes on when it is answered.
func TestWaitForAnAnswer(t *testing.T) {
	b := exectest.New(t, twoSteps(), workspace, failing(2))
	folder := &escalator.Folder{Dir: (exec.Workspace{Dir: b.Dir}).QuestionDir()}
	b.Controller.Escalator = folder
	locked := b.Lock(t)
	report, err := b.Controller.Run(context.Background(), locked)
	if !errors.Is(err, exec.ErrWaiting) {
		t.Fatalf("got %v, want ErrWaiting", err)
	}
	open := report.Run.Questions()
	if len(open) != 1 {
		t.Fatalf("%d questions are open, want 1", len(open))
	}
	q := open[0]
	if _, err := b.Controller.Resume(context.Background(), locked, ""); !errors.Is(err, exec.ErrWaiting) {
		t.Errorf("resumed without an answer: %v", err)
	}
	other := answer(*q, "r")
	other.Run = "another"
	if err := folder.Answer(other); err == nil {
		t.Error("an answer for another run was taken")
	}
	must(t, folder.Answer(answer(*q, "r")))
	if err := folder.Answer(answer(*q, "x")); err == nil {
		t.Error("a second answer was taken")
	}
	report, err = b.Controller.Resume(context.Background(), locked, "")
	if err != nil {
		t.Fatalf("resume: %v\n%s", err, report)
	}
	if n := len(report.Run.Step("1.2").Questions); n != 1 {
		t.Errorf("%d questions in the journal, want 1", n)
	}
}

// never is an escalator that nobody answers.
type never struct{}

func (never) Ask(ctx context.Context, _ ask.Question) (ask.Answer, error) {
	<-ctx.Done()
	return ask.Answer{}, ask.ErrNoAnswer
}

// TestNoAnswerInTimeWaits: a question that nobody answers by its deadline decides
// nothing. The run waits, and the question is put again when it goes on.
func TestNoAnswerInTimeWaits(t *testing.T) {
	// What touches the disk stays outside of the bubble: only the clock matters
	// here.
	synctest.Test(t, func(t *testing.T) {
		b := exectest.New(t, twoSteps(), workspace, failing(2))
		b.Controller.Escalator, b.Controller.Patience = never{}, time.Hour
		begin := time.Now()
		locked := b.Lock(t)
		report, err := b.Controller.Run(t.Context(), locked)
		if !errors.Is(err, exec.ErrWaiting) || !strings.Contains(err.Error(), "nobody answered question q1 by its deadline") {
			t.Fatalf("got %v, want that it waits", err)
		}
		if took := time.Since(begin); took < time.Hour || took > 2*time.Hour {
			t.Errorf("the question was given up after %s, want an hour", took)
		}
		for _, s := range report.Run.Steps {
			if s.Status == history.Failed {
				t.Errorf("step %s has failed, and nobody decided", s.Address)
			}
		}
		p := &person{choices: []string{"r"}}
		b.Controller.Escalator = p
		if report, err = b.Controller.Resume(t.Context(), locked, ""); err != nil || len(p.asked) != 1 || p.asked[0].ID != "q1" {
			t.Errorf("resumed: %v, asked %+v\n%s", err, p.asked, report)
		}
	})
}

// TestAnswersSurviveACrash cuts the journal after every record of a run with a
// question, and resumes with the same person.
func TestAnswersSurviveACrash(t *testing.T) {
	for cut := 2; ; cut += stride() {
		b := exectest.New(t, twoSteps(), workspace, failing(2))
		log := &cutLog{MemoryLog: &checkpoint.MemoryLog{}, left: cut}
		b.Controller.Runs = exectest.Logs(b.Controller.Dir, func(context.Context, string) (checkpoint.Log, error) { return log, nil })
		b.Controller.Escalator = &person{choices: []string{"r", "r", "r"}}
		locked := b.Lock(t)
		report, err := b.Controller.Run(context.Background(), locked)
		if err == nil {
			return
		}
		log.MemoryLog, log.left = log.MemoryLog.Reopen(), 1<<30
		report, err = b.Controller.Resume(context.Background(), locked, report.Run.Started.Run)
		if err != nil {
			t.Fatalf("cut %d: %v\n%s", cut, err, report)
		}
		for _, x := range report.Run.Step("1.2").Questions {
			if x.Open() {
				t.Errorf("cut %d: question %s is still open", cut, x.Question.ID)
			}
		}
	}
}
