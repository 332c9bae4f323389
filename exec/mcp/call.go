package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/plan"
)

// A Tool is what a client can have done.
type Tool string

// The tools of a [Server].
const (
	Check  Tool = "check"  // of a plan
	Lock   Tool = "lock"   // of a plan
	Run    Tool = "run"    // of a plan, or to resume a run
	Status Tool = "status" // of a run
	Answer Tool = "answer" // has the person asked what a run waits for
	Report Tool = "report" // of a run
	Verify Tool = "verify" // of a run
	Diff   Tool = "diff"   // of a step of a run
)

// A Call is what a client wants done. Whatever it does not say is for whoever
// started the server to say.
type Call struct {
	Tool     Tool
	Path     string // of a plan, in the workspace, without links; "" where there is none
	Run      string // an id or its prefix; "": the latest, and for Run: a new one
	Question string // its id; "": the one that is open
	Step     string
	Attempt  int    // from 1; 0: the last
	Shadow   bool   // only to try a run
	Format   string // of a report that is a resource: "json" or "md"; "": that of the tool
	// Person is who is asked. Its answers are of the person at the client.
	Person Person
	// Tell tells the client how it goes, a line each, and Begun the id of the run
	// that has begun or goes on; nil but for Run.
	Tell  func(text string)
	Begun func(run string)
}

// A Person is whoever sits at a client.
type Person interface {
	// Asked reports whether the client can put questions to a person.
	Asked() bool
	// Ask puts a question. What the person does not answer is [ask.ErrLater].
	ask.Escalator
	// Accept asks whether the person accepts all that a plan needs accepted.
	Accept(ctx context.Context, codes []plan.Acknowledgement) bool
}

// Said is what came of a call.
type Said struct {
	// Document is a JSON object, as the command has it with --format json.
	Document json.RawMessage
	// Text is said besides it, in plain words; it may be "".
	Text string
	// Failed says that what was wanted was not done.
	Failed bool
}

// result is what the client gets.
func (s Said) result() *sdk.CallToolResult {
	r := &sdk.CallToolResult{IsError: s.Failed}
	if s.Text != "" {
		r.Content = append(r.Content, &sdk.TextContent{Text: s.Text})
	}
	if len(s.Document) > 0 {
		r.StructuredContent = s.Document
		r.Content = append(r.Content, &sdk.TextContent{Text: string(s.Document)}) // for clients that know text alone
	}
	return r
}

// arguments are those of all tools; which tool has which, its schema says.
type arguments struct {
	Path     string   `json:"path"`
	Run      string   `json:"run"`
	Question string   `json:"question"`
	Step     string   `json:"step"`
	Attempt  int      `json:"attempt"`
	Shadow   bool     `json:"shadow"`
	Wait     *float64 `json:"wait_seconds"`
}

// parse reads the arguments of a tool. What its schema does not have, or asks
// for and is not there, is an error.
func parse(t Tool, raw json.RawMessage) (a arguments, err error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = json.RawMessage("{}")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		return a, fmt.Errorf("the arguments of %s: %w", t, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return a, fmt.Errorf("the arguments of %s: something follows them", t)
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return a, fmt.Errorf("the arguments of %s: %w", t, err)
	}
	known := properties(t)
	for name := range given {
		if known[name] == nil {
			return a, fmt.Errorf("%s has no argument %q", t, name)
		}
	}
	switch {
	case (t == Check || t == Lock) && a.Path == "":
		return a, fmt.Errorf("%s: the path of a plan is missing", t)
	case t == Run && (a.Path == "") == (a.Run == ""):
		return a, errors.New("run: give either the path of a plan, or the id of a run that is to go on")
	case t == Run && a.Run != "" && a.Shadow:
		return a, errors.New("run: a run that goes on cannot become a trial")
	case t == Diff && a.Step == "":
		return a, errors.New("diff: the step is missing")
	case a.Attempt < 0:
		return a, errors.New("diff: attempts are counted from 1")
	case a.Wait != nil && !(*a.Wait >= 0 && *a.Wait <= 1e6):
		return a, fmt.Errorf("%s: wait_seconds is a number from 0 to 1000000", t)
	}
	return a, nil
}

// waiting is how long a client waits.
type waiting struct {
	none bool // the client did not say
	time time.Duration
}

func (a arguments) wait() waiting {
	if a.Wait == nil {
		return waiting{none: true}
	}
	return waiting{time: time.Duration(math.Round(*a.Wait * float64(time.Second)))}
}

// over ends after that time; never where the client did not say.
func (w waiting) over() <-chan time.Time {
	if w.none {
		return nil
	}
	return time.After(w.time)
}

type schema = map[string]any

// properties are the arguments that a tool has, with what they are.
func properties(t Tool) schema {
	text := func(says string) schema { return schema{"type": "string", "description": says} }
	run := text("the id of the run or a unique prefix of it; the latest by itself")
	plan := text("the plan: a file or a folder in the workspace, relative to it")
	wait := schema{"type": "number", "minimum": 0, "description": "how long to wait for the end of the run, in seconds"}
	switch t {
	case Check, Lock:
		return schema{"path": plan}
	case Run:
		wait["description"] = "how long to wait for the end of the run, in seconds; to its end by itself"
		return schema{"path": plan, "run": text("in place of a path: the id of the run that is to go on"),
			"shadow":       schema{"type": "boolean", "description": "only try it, in a clone: the workspace stays as it is"},
			"wait_seconds": wait}
	case Status:
		return schema{"run": run, "wait_seconds": wait}
	case Answer:
		return schema{"run": run, "question": text("the id of the question; the one that is open by itself")}
	case Diff:
		return schema{"run": run, "step": text("the address of the step, as 2.1"),
			"attempt": schema{"type": "integer", "minimum": 1, "description": "the attempt; the last one by itself"}}
	}
	return schema{"run": run}
}

// tools describe the tools to a client.
func tools() []*sdk.Tool {
	no, yes := false, true
	looks := &sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no}
	acts := &sdk.ToolAnnotations{DestructiveHint: &no, OpenWorldHint: &no}
	list := []*sdk.Tool{
		{Name: string(Check), Annotations: looks,
			Description: "Reads and validates a plan, and says with file, line and hint what is wrong with it. Changes nothing."},
		{Name: string(Lock), Annotations: acts,
			Description: "Checks and approves a plan and writes its lock file beside it. What a person must accept is put to the person."},
		{Name: string(Run), Annotations: &sdk.ToolAnnotations{DestructiveHint: &yes},
			Description: "Runs a plan step by step, each held to what it declares, or goes on with a run. Ends when the run has ended or waits for an answer."},
		{Name: string(Status), Annotations: looks, Description: "Says where a run stands and what it waits for."},
		{Name: string(Answer), Annotations: acts,
			Description: "Has the person asked what a run waits for. You cannot answer; the person's answer is taken when the run goes on (run, with its id)."},
		{Name: string(Report), Annotations: looks, Description: "The report of a run."},
		{Name: string(Verify), Annotations: looks,
			Description: "Proves the journal, the trees and the views of a run."},
		{Name: string(Diff), Annotations: looks,
			Description: "What a step declared against what an attempt of it did, with the text of the changes."},
	}
	for _, t := range list {
		in := schema{"type": "object", "properties": properties(Tool(t.Name)), "additionalProperties": false}
		switch Tool(t.Name) {
		case Check, Lock:
			in["required"] = []string{"path"}
		case Diff:
			in["required"] = []string{"step"}
		}
		t.InputSchema, t.OutputSchema = in, outputs(Tool(t.Name))
	}
	return list
}

// outputs is what all documents of a tool have; further fields may be added.
func outputs(t Tool) schema {
	text, whole := schema{"type": "string"}, schema{"type": "integer"}
	has, always := schema{"schema": text}, []string{"schema"}
	switch t {
	case Check:
		has["diagnostics"], has["counts"], has["plan"] = schema{"type": "array"}, schema{"type": "object"}, schema{"type": "object"}
		always = append(always, "diagnostics", "counts", "plan")
	case Lock:
		has["lock_file"], has["plan"], has["accepted"] = text, text, schema{"type": "array", "items": text}
		has["exit"], has["missing"] = whole, schema{"type": "array"}
	case Run:
		has["run"], has["status"], has["exit"], has["questions"] = text, text, whole, schema{"type": "array"}
	case Answer:
		has["run"], has["question"], has["status"], has["type"] = text, text, text, schema{"type": "array", "items": text}
	case Status:
		has["run"], has["status"] = text, text
		always = append(always, "run", "status")
	case Verify:
		has, always = schema{"run": text, "records": whole, "sealed": schema{"type": "boolean"}}, []string{"run"}
	}
	return schema{"type": "object", "properties": has, "required": always}
}
