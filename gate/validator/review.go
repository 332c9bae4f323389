package validator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/planlock/planlock/gate"
)

// Schema names the request and the answer. Fields may be added; a change of
// meaning gets another number.
const Schema = "planlock.validate/1"

// A Request is what a reviewer is shown.
type Request struct {
	Schema      string   `json:"schema"`
	Goal        string   `json:"goal"`
	Task        string   `json:"task"` // id
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty"`
	Step        string   `json:"step"` // address of the step that ended the task
	Attempt     int      `json:"attempt"`
	Criteria    []string `json:"criteria"`          // the task's acceptance criteria; criterion 1 is the first
	Changed     []string `json:"changed,omitempty"` // paths that differ from the tree before the run, sorted
	Dir         string   `json:"dir"`               // the workspace
}

// Prompt is the request as a text for a model.
func (r *Request) Prompt() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Verify task %s: %s\n", r.Task, strings.TrimSpace(r.Title+" "+r.Description))
	fmt.Fprintf(&b, "It is part of: %s\n\nCriteria:\n", r.Goal)
	for i, c := range r.Criteria {
		fmt.Fprintf(&b, "%d. %s\n", i+1, c)
	}
	b.WriteString("\nChanged files:\n")
	for _, path := range r.Changed {
		fmt.Fprintf(&b, "- %s\n", path)
	}
	b.WriteString(`
Look for evidence of each criterion in the files, and whether anything that worked before is broken. Change nothing.
Answer with one JSON object and nothing else:
{"verdict": "pass" | "partial" | "fail",
 "criteria": [{"criterion": 1, "met": true, "citations": ["path/to/file:line"]}],
 "findings": ["what is wrong, and where"]}
`)
	return b.String()
}

// A Review is what a reviewer answers.
type Review struct {
	Verdict   gate.Result `json:"verdict"`
	Criteria  []Criterion `json:"criteria,omitempty"`
	Citations []string    `json:"citations,omitempty"` // for the task as a whole, as "file:line"
	Findings  []string    `json:"findings,omitempty"`
}

// A Criterion is what a reviewer says of one criterion.
type Criterion struct {
	Number    int      `json:"criterion"` // from 1
	Met       bool     `json:"met"`
	Citations []string `json:"citations,omitempty"`
	Note      string   `json:"note,omitempty"`
}

// A Reviewer looks at a task that somebody else did. It changes nothing. Review
// may be called concurrently, and honours ctx; an error means that it could not
// decide.
type Reviewer interface {
	Review(ctx context.Context, r Request, runner gate.CommandRunner) (Review, error)
}

// Func is a Reviewer made of a function.
type Func func(ctx context.Context, r Request) (Review, error)

// Review calls f.
func (f Func) Review(ctx context.Context, r Request, _ gate.CommandRunner) (Review, error) {
	return f(ctx, r)
}

// ErrAnswer says that a reviewer's answer cannot be read.
var ErrAnswer = errors.New("validator: the answer cannot be read")

// Read reads an answer: the last line of text that is a JSON object, or all of
// it. Errors wrap [ErrAnswer].
func Read(text []byte) (Review, error) {
	text = bytes.TrimSpace(text)
	var r Review
	if err := decode(text, &r); err == nil {
		return r, nil
	}
	lines := bytes.Split(text, []byte("\n"))
	last := bytes.TrimSpace(lines[len(lines)-1])
	if err := decode(last, &r); err != nil {
		return Review{}, fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	return r, nil
}

func decode(text []byte, r *Review) error {
	*r = Review{}
	if err := json.Unmarshal(text, r); err != nil {
		return err
	}
	switch r.Verdict {
	case gate.Passed, gate.Partial, gate.Fail:
		return nil
	}
	return fmt.Errorf("the verdict is %q; write pass, partial or fail", r.Verdict)
}

// A Program is a Reviewer that another program is. It reads the request, one
// line of JSON, from its standard input, and writes its answer as the last line
// of its standard output. It runs in the plan's sandbox.
type Program struct {
	Args []string // the program and its arguments
}

// Review runs the program.
func (p *Program) Review(ctx context.Context, r Request, runner gate.CommandRunner) (Review, error) {
	if runner == nil {
		return Review{}, errors.New("validator: nothing is there to run programs with")
	}
	line, err := json.Marshal(r)
	if err != nil {
		return Review{}, fmt.Errorf("validator: request: %w", err)
	}
	result, err := runner.Run(ctx, gate.Command{Args: p.Args, Stdin: bytes.NewReader(append(line, '\n'))})
	if err != nil {
		return Review{}, fmt.Errorf("validator: %s: %w", strings.Join(p.Args, " "), err)
	}
	if result.Exit != 0 {
		return Review{}, fmt.Errorf("validator: %s ended with status %d: %s", strings.Join(p.Args, " "), result.Exit,
			strings.TrimSpace(result.Output))
	}
	return Read([]byte(result.Stdout))
}
