package escalator_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/escalator"
)

func question() ask.Question {
	return ask.Question{
		ID: "q1", Run: "01JD3", Step: "2.1", Attempt: 1, Kind: ask.StepFailed,
		What: "Step 2.1 failed in every way it may be tried.",
		Why:  "go test ./server: exit status 1",
		Choices: []ask.Choice{
			{Key: "r", Label: "run 2.1 again", Consequence: "attempt 2 of 2"},
			{Key: "s", Label: "stop here", Consequence: "nothing more runs; resume later"},
		},
	}
}

// A person answers by typing.
func ExampleTerminal() {
	t := &escalator.Terminal{In: strings.NewReader("r\nthe server was busy\n"), Out: os.Stdout, By: "alice"}
	a, err := t.Ask(context.Background(), question())
	fmt.Println(a.Reason) // a terminal shows what is typed
	fmt.Println(a.Choice, a.By, err)
	// Output:
	// Step 2.1 failed in every way it may be tried.
	//
	//   why        go test ./server: exit status 1
	//
	//   r  run 2.1 again    attempt 2 of 2
	//   s  stop here        nothing more runs; resume later
	//
	// question q1 · run 01JD3 · step 2.1 · attempt 1
	// What now? [r/s] Reason (may be empty): the server was busy
	// r alice <nil>
}

// The run stops at a question, somebody answers, the run goes on.
func ExampleFolder() {
	dir, err := os.MkdirTemp("", "questions")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	folder := &escalator.Folder{Dir: filepath.Join(dir, "inbox")}

	_, err = folder.Ask(context.Background(), question())
	fmt.Println("waiting:", errors.Is(err, ask.ErrLater))

	answer := ask.Answer{Run: "01JD3", Question: "q1", Attempt: 1, Choice: "s", By: "bob"}
	fmt.Println("first answer:", folder.Answer(answer))
	answer.Choice = "r"
	var refused *ask.RefusedError
	fmt.Println("second answer refused:", errors.As(folder.Answer(answer), &refused))

	got, err := folder.Ask(context.Background(), question())
	fmt.Println(got.Choice, got.By, err)
	// Output:
	// waiting: true
	// first answer: <nil>
	// second answer refused: true
	// s bob <nil>
}

// Rules answer what they can, and nobody is there for the rest.
func ExampleRules() {
	rules, err := escalator.ParseRules("answers.toml", []byte(`
[[rules]]
kind = "step-failed"
choice = "r"
reason = "the network is slow"
max_times = 1
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	rules.Now = func() time.Time { return time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC) }
	escalator := escalator.Sequence{rules, escalator.Refuse{}}
	for range 2 {
		a, err := escalator.Ask(context.Background(), question())
		fmt.Printf("%q by %q, refused: %v\n", a.Choice, a.By, errors.Is(err, ask.ErrNoAnswer))
	}
	// Output:
	// "r" by "rule 1 of answers.toml", refused: false
	// "" by "", refused: true
}

func ExampleRender() {
	q := question()
	q.Evidence = []string{"FAIL TestLimit\x1b[2J"} // a tool's output tries to clear the screen
	fmt.Print(ask.Render(q))
	// Output:
	// Step 2.1 failed in every way it may be tried.
	//
	//   why        go test ./server: exit status 1
	//   evidence   FAIL TestLimit\x1b[2J
	//
	//   r  run 2.1 again    attempt 2 of 2
	//   s  stop here        nothing more runs; resume later
	//
	// question q1 · run 01JD3 · step 2.1 · attempt 1
}
